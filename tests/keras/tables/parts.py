"""Tables of losses, metrics, initializers … as plain data, and what is asked of each row.

A file `parts_<area>.py` has `ROWS` for what is public in `tf.keras.<area>`; to add a row, record:

    python tests/golden/make_keras_parts.py <area>
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.keras.tables.running import numbers

AREAS = ["activations", "constraints", "initializers", "losses", "metrics", "regularizers"]
# Words that look up or describe others, and classes that only others are made of.
_NO_ROW = set(
    """get serialize deserialize Metric Loss Reduction Initializer Regularizer Constraint
    experimental""".split()
)


@dataclass
class Row:
    """One function or class and what it is called with.

    kwargs: of the constructor, or of the function. inputs: of the call, or a list of batches for a
    metric. ask: what is compared, from (tf, the thing, row) to plain data. open_batch: whether it
    can be traced before the size of the batch is known.
    """

    name: str
    kwargs: dict[str, Any]
    inputs: Any
    ask: Callable[[Any, Any, Row], Any]
    tolerance: float = 2e-5
    open_batch: bool = True
    id: str = field(default="")


@dataclass
class Ragged:
    """Rows of different lengths, as an argument."""

    rows: list[Any]


def rows(area: str) -> list[Row]:
    found: list[Row] = importlib.import_module(f"{__package__}.parts_{area}").ROWS
    counts: dict[str, int] = {}
    for row in found:
        counts[row.name] = counts.get(row.name, 0) + 1
        row.id = f"{row.name}-{counts[row.name]}"
    return found


def names(tf: Any, area: str) -> list[str]:
    """What is public in `tf.keras.<area>` and should have a row."""
    module = getattr(tf.keras, area)
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return sorted(
        name
        for name, value in found.items()
        if name not in _NO_ROW and (inspect.isclass(value) or inspect.isfunction(value))
    )


def answer(tf: Any, area: str, row: Row) -> Any:
    """What is asked of a row, or the class of the error."""
    tf.keras.backend.clear_session()
    try:
        return row.ask(tf, getattr(getattr(tf.keras, area), row.name), row)
    except Exception as error:
        return {"error": type(error).__name__}


def tensor(tf: Any, value: Any) -> Any:
    if isinstance(value, Ragged):
        return tf.ragged.constant(value.rows)
    return tf.constant(value) if isinstance(value, np.ndarray) else value


def tensors(tf: Any, values: Any) -> list[Any]:
    return [tensor(tf, value) for value in values]


def config(tf: Any, thing: Any) -> Any:
    """How an object is saved."""
    saved = json.dumps(tf.keras.saving.serialize_keras_object(thing), default=str)
    return json.loads(saved, object_hook=_function_name)


def _function_name(saved: dict[str, Any]) -> Any:
    """Functions by name alone: either way to write their module is read by both."""
    return saved["config"] if saved.get("class_name") == "function" else saved


def again(thing: Any) -> Any:
    """The same object, made from its config."""
    return type(thing).from_config(thing.get_config())


def spread(value: Any) -> Any:
    """A nest of tensors as JSON can hold it."""
    if isinstance(value, dict):
        return {key: spread(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [spread(item) for item in value]
    return numbers(value) if hasattr(value, "numpy") else value


def values_and_gradient(tf: Any, fn: Any, row: Row) -> Any:
    """What a function gives, and its gradient by the last input if that is a float."""
    inputs = tensors(tf, row.inputs)
    last = inputs[-1]
    if not isinstance(last, tf.Tensor) or not last.dtype.is_floating:
        return spread([fn(*inputs, **row.kwargs), None])
    with tf.GradientTape() as tape:
        tape.watch(last)
        made = fn(*inputs, **row.kwargs)
    return spread([made, tape.gradient(made, last)])


def function(name: str, /, *inputs: Any, **kwargs: Any) -> Row:
    """A function of tensors."""
    options = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Row(name, kwargs, inputs, values_and_gradient, **options)


def _applied(tf: Any, kind: Any, row: Row) -> Any:
    thing = kind(**row.kwargs)
    x = tensor(tf, row.inputs[0])
    return spread([thing(x), again(thing)(x), config(tf, thing), thing.get_config()])


def applied(name: str, x: Any, /, **kwargs: Any) -> Row:
    """An object that is called with a tensor: a regularizer or a constraint."""
    return Row(name, kwargs, [x], _applied)
