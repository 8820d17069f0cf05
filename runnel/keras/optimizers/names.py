"""Optimizers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.keras.optimizers import adadelta, adagrad, adam, adamax, adamw, rmsprop, sgd
from runnel.keras.optimizers.optimizer import Optimizer
from runnel.keras.saving.lookup import Lookup

_KINDS: list[Any] = [
    adadelta.Adadelta,
    adagrad.Adagrad,
    adam.Adam,
    adamax.Adamax,
    adamw.AdamW,
    rmsprop.RMSprop,
    sgd.SGD,
]


def register_optimizer(kind: Any) -> Any:
    """Make an optimizer of a further file known by name."""
    _KINDS.append(kind)
    return kind


def _table() -> Mapping[str, Any]:
    named = {kind.__name__: kind for kind in _KINDS}
    return named | {name.lower(): kind for name, kind in named.items()}


_lookup = Lookup("optimizer", _table)


def serialize(optimizer: Any, use_legacy_format: bool = False) -> Any:
    """The config of an optimizer."""
    return _lookup.serialize(optimizer, use_legacy_format)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False, **kwargs: Any
) -> Any:
    """The optimizer of a config."""
    kwargs.pop("use_legacy_optimizer", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    if isinstance(config, dict) and config.get("class_name", "").lower() in _table():
        config = {**config, "class_name": config["class_name"].lower()}
    return _lookup.deserialize(config, custom_objects)


def get(identifier: Any, **kwargs: Any) -> Any:
    """An optimizer from a name, a config, a class or itself.

    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'
    """
    kwargs.pop("use_legacy_optimizer", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    if isinstance(identifier, Optimizer) or hasattr(identifier, "apply_gradients"):
        return identifier() if isinstance(identifier, type) else identifier
    if isinstance(identifier, str):
        name = identifier if identifier in _table() else identifier.lower()
        return _lookup.get(name if name in _table() else identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
