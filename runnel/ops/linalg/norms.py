"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values.dtypes import NUMERIC
from runnel.core.values.errors import bad_value
from runnel.core.values.types import TensorLike
from runnel.ops.array.diagonals import LAST
from runnel.ops.linalg.matmul import conj

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


@scoped("norm")
def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of all elements, of vectors along one axis, or of matrices along two.

    `ord` is "euclidean", "fro" (matrices), 1, 2, `np.inf`, or for vectors any positive number.

    Args:
        tensor: a tensor, or what can become one.
        ord: "euclidean", "fro", 1, 2, infinity, or another positive number.
        axis: one axis for vectors, two for matrices; None takes all elements as one vector.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    >>> tf.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=[0, 1]).numpy()
    np.float32(6.0)
    """
    of_matrices = _check(ord, axis)
    tensor = convert_to_tensor(tensor)
    if tensor.dtype not in NUMERIC:
        raise TypeError(f"norm: `tensor` must hold numbers, got {tensor.dtype.name}.")
    keep = bool(keepdims)
    if ord in ("fro", "euclidean", 2, 2.0) and not (of_matrices and ord == 2):
        return raw_ops.Sqrt(_reduce(raw_ops.Sum, tensor * conj(tensor), axis, keep), name=name)
    if of_matrices and ord == 2:
        return _spectral(tensor, axis, keep)
    size = _abs(tensor)
    if of_matrices:
        first, last = axis if ord == 1 else reversed(axis)
        sums = _reduce(raw_ops.Sum, size, first, True)
        return _drop(_reduce(raw_ops.Max, sums, last, True), axis, keep)
    if ord == 1:
        return _reduce(raw_ops.Sum, size, axis, keep)
    if ord == np.inf:
        return _reduce(raw_ops.Max, size, axis, keep)
    kind = size.dtype.np_dtype
    if kind.kind in "iu" and ord > np.iinfo(kind).max:
        raise ValueError(f"norm: `ord` must fit into {kind}, got {ord}.")
    power = np.array(float(ord), kind)
    total = _reduce(raw_ops.Sum, raw_ops.Pow(size, power), axis, keep)
    return raw_ops.Pow(total, np.array(1.0 / ord, size.dtype.np_dtype), name=name)


def _check(ord: Any, axis: Any) -> bool:
    """Whether norms of matrices are asked for, after a check that `ord` is one."""
    is_number = hasattr(axis, "_dtype") or hasattr(axis, "__index__")
    if not isinstance(axis, tuple | list) and axis is not None and not is_number:
        raise ValueError(f"norm: `axis` must be None, a number or a pair of numbers, got {axis!r}.")
    if isinstance(axis, tuple | list):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(
                f"norm: `axis` must be None, a number or a pair of different numbers, got {axis!r}."
            )
        if ord not in _MATRIX_NORMS:
            raise ValueError(
                f"norm: `ord` must be one of {_MATRIX_NORMS} for matrices, got {ord!r}."
            )
        return True
    if ord != "euclidean" and (isinstance(ord, str) or ord <= 0):
        raise ValueError(
            f"norm: `ord` must be 'euclidean' or a positive number for vectors, got {ord!r}."
        )
    return False


def _abs(x: Tensor) -> Tensor:
    return raw_ops.ComplexAbs(x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else raw_ops.Abs(x)


def _reduce(reduction: Any, x: Tensor, axis: Any, keep: bool) -> Tensor:
    if axis is None:
        rank = x.ndim
        if rank is None:
            axes = raw_ops.Range(np.int32(0), raw_ops.Rank(x), np.int32(1))
        else:
            axes = np.arange(rank, dtype=np.int32)
    else:
        axes = axis if isinstance(axis, Tensor) else np.array(axis)
    return reduction(x, axes, keep_dims=keep)


def _drop(x: Tensor, axis: Any, keep: bool) -> Tensor:
    return x if keep else raw_ops.Squeeze(x, axis=[int(a) for a in axis])


def _spectral(x: Tensor, axis: Any, keep: bool) -> Tensor:
    """The largest singular value."""
    pair, moved = _matrices_last(x, axis)
    s, _, _ = raw_ops.Svd(moved, compute_uv=False)
    if s.dtype.is_complex:
        s = raw_ops.Real(s, Tout=s.dtype.real_dtype)
    largest = raw_ops.Max(s, LAST)
    if not keep:
        return largest
    for place in pair:
        largest = raw_ops.ExpandDims(largest, place)
    return largest


def _matrices_last(x: Tensor, axis: Any) -> tuple[list[Any], Tensor]:
    """The two axes counted from the front, the first one first, and `x` with them at its end."""
    rank = x.ndim
    if rank is not None:
        if not all(-rank <= int(a) < rank for a in axis):
            raise bad_value("norm", want=f"be two of {rank} axes", axis=axis)
        pair = [int(a) % rank for a in axis]
        order = [i for i in range(rank) if i not in pair] + pair
        moved = x if order == sorted(order) else raw_ops.Transpose(x, np.array(order, np.int32))
        return [np.int32(a) for a in sorted(pair)], moved
    count = raw_ops.Rank(x)
    both = raw_ops.FloorMod(np.array(axis, np.int32), count)
    rest, _ = raw_ops.ListDiff(raw_ops.Range(np.int32(0), count, np.int32(1)), both)
    moved = raw_ops.Transpose(x, raw_ops.ConcatV2([rest, both], np.int32(0)))
    return [raw_ops.Minimum(both[0], both[1]), raw_ops.Maximum(both[0], both[1])], moved


@scoped("normalize")
def normalize(
    tensor: TensorLike, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm along `axis`, and that norm.

    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    tensor = convert_to_tensor(tensor)
    length = norm(tensor, ord, axis, keepdims=True, name=name)
    if length.dtype is not tensor.dtype:
        length = raw_ops.Cast(length, DstT=tensor.dtype)
    return tensor / length, length
