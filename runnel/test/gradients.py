"""`tf.test.compute_gradient`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.gradients.gradient_tape import GradientTape
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.types import TensorLike

Matrices = tuple[np.ndarray[Any, Any], ...]


def compute_gradient(
    f: Callable[..., Tensor], x: Sequence[TensorLike], delta: float | None = None
) -> tuple[Matrices, Matrices]:
    """The Jacobians of `f` by each of its arguments `x`: by its gradient, and by differences.

    Each is a matrix with a row for each element of `f(*x)` and a column for each of the argument;
    a complex number counts as two elements.

    >>> by_gradient, by_differences = tf.test.compute_gradient(tf.square, [tf.constant([1.0, 2.0])])
    >>> by_gradient[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if not isinstance(x, list | tuple):
        raise ValueError(f"`x` must be a list or tuple of arguments, got {type(x).__name__}.")
    values = [np.asarray(convert_to_tensor(v)) for v in x]
    for value in values:
        if value.dtype.kind in "biuOSU":
            raise AssertionError(f"`x` must be of floating or complex numbers, got {value.dtype}.")
    step = 1 / 1024 if delta is None else delta
    by_gradient = tuple(_by_gradient(f, values, i) for i in range(len(values)))
    by_differences = tuple(_by_differences(f, values, i, step) for i in range(len(values)))
    return by_gradient, by_differences


def _by_gradient(f: Callable[..., Tensor], values: list[Any], index: int) -> Any:
    tensors = [convert_to_tensor(v) for v in values]
    with GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = f(*tensors)
    value = np.asarray(y)
    rows = []
    for direction in _directions(value):
        sent = convert_to_tensor(direction)
        found = tape.gradient(y, tensors[index], output_gradients=sent)
        dense = (
            np.zeros_like(values[index]) if found is None else np.asarray(convert_to_tensor(found))
        )
        rows.append(_reals(dense))
    width = _reals(values[index]).size
    return np.array(rows, _reals(values[index]).dtype).reshape(len(rows), width)


def _by_differences(f: Callable[..., Tensor], values: list[Any], index: int, step: float) -> Any:
    columns = []
    for direction in _directions(values[index]):
        ends = []
        for sign in (1, -1):
            moved = list(values)
            moved[index] = (values[index] + sign * step * direction).astype(values[index].dtype)
            ends.append(_reals(np.asarray(f(*[convert_to_tensor(v) for v in moved]))))
        columns.append((ends[0] - ends[1]) / (2 * step))
    height = _reals(np.asarray(f(*[convert_to_tensor(v) for v in values]))).size
    found = np.array(columns, _reals(values[index]).dtype).reshape(len(columns), height)
    return found.T


def _directions(value: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """One for each real number in `value`."""
    units = [1, 1j] if value.dtype.kind == "c" else [1]
    found = []
    for i in range(value.size):
        for unit in units:
            direction = np.zeros(value.size, value.dtype)
            direction[i] = unit
            found.append(direction.reshape(value.shape))
    return found


def _reals(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    flat = value.ravel()
    return np.stack([flat.real, flat.imag], axis=-1).ravel() if value.dtype.kind == "c" else flat
