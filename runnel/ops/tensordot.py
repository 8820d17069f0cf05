"""`tf.tensordot`: sums of products over pairs of axes, as one matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.convert import convert_to_tensor
from runnel.core.raw import raw_ops
from runnel.core.static import constant_value
from runnel.core.tensor import Tensor
from runnel.core.types import TensorLike
from runnel.ops.shapes import shape_of


def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over pairs of axes: `axes` is two lists of them, or a number.

    A number stands for that many last axes of `a` and first axes of `b`.

    >>> a, b = tf.ones([2, 3, 4]), tf.ones([4, 3, 5])
    >>> tf.tensordot(a, b, axes=[[1, 2], [1, 0]]).shape
    TensorShape([2, 5])
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    if a.ndim is None or b.ndim is None:
        return _tensordot_of_unknown_rank(a, b, axes)
    axes_a, axes_b = _axis_pairs(axes, a.ndim)
    if len(axes_a) != len(axes_b):
        raise ValueError(
            f"tensordot: `axes` must name as many axes of `a` as of `b`, got {axes_a} and {axes_b}."
        )
    left, free_a = _matrix(a, [_positive(i, a.ndim) for i in axes_a], last=True)
    right, free_b = _matrix(b, [_positive(i, b.ndim) for i in axes_b], last=False)
    found = raw_ops.MatMul(left, right)
    if isinstance(free_a, np.ndarray) and isinstance(free_b, np.ndarray):
        shape: Any = np.concatenate([free_a, free_b])
    else:
        shape = raw_ops.ConcatV2([free_a, free_b], np.int32(0))
    return raw_ops.Reshape(found, shape, name=name)


def _positive(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise IndexError(f"tensordot: an axis must be in [{-rank}, {rank}), got {axis}.")
    return axis % rank


def _axis_pairs(axes: Any, rank: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, Tensor):
        value = constant_value(axes)
        if value is None:
            raise NotImplementedError("tensordot: `axes` must be known while tracing.")
        axes = value.tolist()
    if isinstance(axes, int | np.integer):
        if axes < 0:
            raise ValueError(f"tensordot: `axes` must be at least 0, got {axes}.")
        if axes > rank:
            raise ValueError(
                f"tensordot: `axes` must be {rank} at most, the rank of `a`, got {axes}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, float | str):
        raise TypeError(f"tensordot: `axes` must be a number or a pair, got {axes!r}.")
    if not hasattr(axes, "__len__") or len(axes) != 2:
        raise ValueError(f"tensordot: `axes` must be a number or a pair, got {axes!r}.")
    first, second = ([int(i)] if np.ndim(i) == 0 else [int(j) for j in i] for i in axes)
    return first, second


def _matrix(x: Tensor, axes: list[int], *, last: bool) -> tuple[Tensor, Any]:
    """`x` as a matrix with `axes` as its columns (or its rows), and the shape of the rest."""
    free = [i for i in range(len(x.shape)) if i not in axes]
    order = free + axes if last else axes + free
    if order != sorted(order):
        x = raw_ops.Transpose(x, np.array(order, np.int32))
    shape = shape_of(x)
    count = len(free) if last else len(axes)
    rows, columns = _size(shape[:count]), _size(shape[count:])
    known = isinstance(shape, np.ndarray)
    matrix = raw_ops.Reshape(x, np.array([rows, columns], np.int32) if known else [rows, columns])
    return matrix, shape[:count] if last else shape[count:]


def _size(shape: Any) -> Any:
    if isinstance(shape, np.ndarray):
        return int(np.prod(shape, dtype=np.int64))
    return raw_ops.Prod(shape, np.int32(0))


def _tensordot_of_unknown_rank(a: Tensor, b: Tensor, axes: Any) -> Tensor:
    if not isinstance(axes, int | np.integer):
        raise NotImplementedError(
            "tensordot: `axes` must be a number when the rank of an argument is not known."
        )
    left, right = raw_ops.Shape(a), raw_ops.Shape(b)
    free_a, free_b = left[: raw_ops.Size(left) - axes], right[axes:]
    inner = _size(right[:axes])
    found = raw_ops.MatMul(
        raw_ops.Reshape(a, raw_ops.Pack([_size(free_a), inner])),
        raw_ops.Reshape(b, raw_ops.Pack([inner, _size(free_b)])),
    )
    return raw_ops.Reshape(found, raw_ops.ConcatV2([free_a, free_b], np.int32(0)))
