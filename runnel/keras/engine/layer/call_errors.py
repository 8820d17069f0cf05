"""Errors that arise in the call of a layer say which layer it was and what it was called with."""

from __future__ import annotations

from typing import Any

import runnel as tf


def name_layer(
    error: Exception, layer: Any, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Put the innermost layer and the arguments of its call into the message of an error."""
    if hasattr(error, "_layer_is_named"):
        return
    error._layer_is_named = True  # type: ignore[attr-defined]
    if len(error.args) > 1 or not all(isinstance(part, str) for part in error.args):
        return  # the arguments of some class that does its own thing with them
    who = f'layer "{layer.name}" (type {type(layer).__name__})'
    names = layer._call_spec.names
    given = {**dict(zip(names, (inputs, *rest))), **kwargs}
    shown = [f"  • {name}={_shown(value)}" for name, value in given.items()]
    parts = [
        f"Exception encountered when calling {who}.",
        error.args[0] if error.args else "",
        "\n".join([f"Call arguments received by {who}:", *shown]),
    ]
    message = "\n\n".join(parts)
    error.args = (message,)
    if isinstance(error, tf.errors.OpError):
        error._message = message


def _shown(value: Any) -> str:
    return str(tf.nest.map_structure(_leaf, value)).replace("'", "")


def _leaf(value: Any) -> str:
    if tf.is_tensor(value) and hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"tf.Tensor(shape={value.shape}, dtype={value.dtype.name})"
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."
