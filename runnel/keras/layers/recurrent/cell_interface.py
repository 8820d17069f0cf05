"""What is asked of any cell: which arguments it takes, and zeros for its states."""

from __future__ import annotations

import inspect
from typing import Any

import runnel as tf


def takes(cell: Any, name: str) -> bool:
    """Whether the `call` of a cell has a parameter."""
    spec = getattr(cell, "_call_spec", None)
    if spec is not None:
        return name in spec.names
    return name in inspect.signature(cell.call).parameters


def state_dims(size: Any) -> list[Any]:
    return [size] if isinstance(size, int) else tf.TensorShape(size).as_list()


def zero_states(state_size: Any, batch: Any, dtype: Any) -> Any:
    """Zeros in the structure of a cell's states."""

    def zeros(size: Any) -> Any:
        return tf.zeros([batch, *state_dims(size)], dtype)

    if isinstance(state_size, int | tf.TensorShape):
        return zeros(state_size)
    if isinstance(state_size, dict):
        raise TypeError(f"`state_size` of a cell must be a number, a shape or a list: {state_size}")
    return [zero_states(size, batch, dtype) for size in state_size]
