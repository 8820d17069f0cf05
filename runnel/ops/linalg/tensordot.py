"""`tf.tensordot`: sums of products over pairs of axes, as one matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import int32
from runnel.core.values.types import TensorLike
from runnel.ops.shapes import shape_of

_MOST_AXES = 254  # of a shape in a graph


@scoped("Tensordot", last=True)
def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over pairs of axes: `axes` is two lists of them, or a number.

    A number stands for that many last axes of `a` and first axes of `b`.

    >>> a, b = tf.ones([2, 3, 4]), tf.ones([4, 3, 5])
    >>> tf.tensordot(a, b, axes=[[1, 2], [1, 0]]).shape
    TensorShape([2, 5])
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    if isinstance(axes, int) and any(t.ndim is not None and t.ndim < axes for t in (a, b)):
        raise ValueError(f"tensordot: `axes` must not be more than there are, got {axes}.")
    if a.ndim is None or b.ndim is None or _is_symbolic(axes):
        return _symbolic_tensordot(a, b, axes, name)
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
        assert value is not None
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


def _is_symbolic(axes: Any) -> bool:
    return isinstance(axes, Tensor) and constant_value(axes) is None


def _symbolic_tensordot(a: Tensor, b: Tensor, axes: Any, name: str | None) -> Tensor:
    """The same where a rank, or the axes, are known only when the graph runs."""
    if isinstance(axes, int | np.integer):
        if not 0 <= axes < 2**31:
            raise ValueError(f"tensordot: `axes` must be axes of the tensors, got {axes}.")
        axes = min(axes, _MOST_AXES + 1)
        first: Any = raw_ops.Range(raw_ops.Rank(a) - axes, raw_ops.Rank(a), np.int32(1))
        second: Any = np.arange(axes, dtype=np.int32)
    elif isinstance(axes, Tensor):
        first, second = axes[0], axes[1]
    else:
        pair = _axis_pairs(axes, 0)
        if any(not -(2**31) <= i < 2**31 for part in pair for i in part):
            raise ValueError(f"tensordot: `axes` must be axes of the tensors, got {axes!r}.")
        first, second = (np.array(part, np.int32) for part in pair)
    left, free_a = _symbolic_matrix(a, first, last=True)
    right, free_b = _symbolic_matrix(b, second, last=False)
    shape = raw_ops.ConcatV2([free_a, free_b], np.int32(0))
    return raw_ops.Reshape(raw_ops.MatMul(left, right), shape, name=name)  # type: ignore[no-any-return]


def _symbolic_matrix(x: Tensor, axes: Any, *, last: bool) -> tuple[Tensor, Tensor]:
    """What `_matrix` gives, by ops."""
    shape, rank = raw_ops.Shape(x), raw_ops.Rank(x)
    axes = raw_ops.Cast(raw_ops.FloorMod(axes, raw_ops.Cast(rank, DstT=_dtype(axes))), DstT=int32)
    free, _ = raw_ops.ListDiff(raw_ops.Range(np.int32(0), rank, np.int32(1)), axes)
    rest = raw_ops.GatherV2(shape, free, np.int32(0))
    rows, columns = _size(rest), _size(raw_ops.GatherV2(shape, axes, np.int32(0)))
    order, sizes = ([free, axes], [rows, columns]) if last else ([axes, free], [columns, rows])
    turned = raw_ops.Transpose(x, raw_ops.ConcatV2(order, np.int32(0)))
    return raw_ops.Reshape(turned, raw_ops.Pack(sizes)), rest


def _dtype(axes: Any) -> Any:
    return axes.dtype if isinstance(axes, Tensor) else int32
