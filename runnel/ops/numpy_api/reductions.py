"""`tf.experimental.numpy`: sums, means and other things about a whole axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.settings.arguments import integers
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import bad_dtype
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.reduce import reductions, statistics
from .predicates import isclose
from .promotion import as_type, asarray, change_dtype, default_float, is_inexact, promoted

Axis = Any  # None, an int or several


def _reduce(
    function: Callable[..., Tensor],
    a: TensorLike,
    axis: Axis,
    keepdims: bool | None,
    dtype: DType | None = None,
) -> Tensor:
    a = asarray(a)
    if isinstance(axis, tuple):
        axis = list(axis)
    return function(change_dtype(a, dtype), axis=axis, keepdims=bool(keepdims))


def _summed(a: Tensor, dtype: DTypeLike) -> DType | None:
    """The dtype of a sum or product: small integers and booleans are counted in 64 or 32 bits."""
    if dtype is not None:
        return as_type(dtype)
    counted = as_type(int)
    if a.dtype is dtypes.bool:
        return counted
    if a.dtype.is_integer and a.dtype.size < counted.size:
        return as_dtype(f"u{counted.name}") if a.dtype.is_unsigned else counted
    return None


def _averaged(a: Tensor, dtype: DTypeLike) -> DType | None:
    if dtype is not None:
        return as_type(dtype)
    return None if is_inexact(a.dtype) else default_float()


def sum(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool | None = None
) -> Tensor:
    """The sum over an axis, or over all.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    a = asarray(a)
    return _reduce(reductions.reduce_sum, a, axis, keepdims, _summed(a, dtype))


def prod(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool | None = None
) -> Tensor:
    """The product over an axis, or over all."""
    a = asarray(a)
    return _reduce(reductions.reduce_prod, a, axis, keepdims, _summed(a, dtype))


def mean(
    a: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The mean over an axis, or over all.

    >>> tf.experimental.numpy.mean([1, 2]).numpy()
    np.float64(1.5)
    """
    _without_out(out)
    a = asarray(a)
    if a.dtype is dtypes.string:
        raise bad_dtype("mean", want="hold numbers", a=a)
    return _reduce(reductions.reduce_mean, a, axis, keepdims, _averaged(a, dtype))


def _without_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported: tensors cannot be written to.")


def var(
    a: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance over an axis, or over all: the squares divided by their number less `ddof`.

    >>> tf.experimental.numpy.var([1.0, 3.0], ddof=1).numpy()
    np.float64(2.0)
    """
    _without_out(out)
    a = asarray(a)
    wanted = as_type(dtype) if dtype is not None else None
    work = change_dtype(
        a, _averaged(a, dtype) if wanted is None or is_inexact(wanted) else default_float()
    )
    centred = work - _reduce(reductions.reduce_mean, work, axis, True)
    squares = raw_ops.Square(abs(centred))
    total = _reduce(reductions.reduce_sum, squares, axis, keepdims)
    count = _count(work, axis) - ddof
    return change_dtype(total / change_dtype(count, total.dtype), wanted)


def _count(a: Tensor, axis: Axis) -> Tensor:
    """How many elements are reduced to one."""
    shape = raw_ops.Shape(a)
    if axis is None:
        return raw_ops.Prod(shape, np.int32(0))
    axes = np.atleast_1d(np.asarray(axis)) % (a.shape.rank or 1)
    return raw_ops.Prod(raw_ops.GatherV2(shape, axes.astype(np.int32), np.int32(0)), np.int32(0))


def std(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviation over an axis, or over all."""
    a = asarray(a)
    return _reduce(statistics.reduce_std, a, axis, keepdims, _averaged(a, None))


def max(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The greatest element along an axis, or of all."""
    a = asarray(a)
    if a.dtype is dtypes.bool:
        return any(a, axis, keepdims)
    return _reduce(reductions.reduce_max, a, axis, keepdims)


def min(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element along an axis, or of all."""
    a = asarray(a)
    if a.dtype is dtypes.bool:
        return all(a, axis, keepdims)
    return _reduce(reductions.reduce_min, a, axis, keepdims)


def amax(a: TensorLike, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The greatest element along an axis, or of all."""
    _without_out(out)
    return max(a, axis, keepdims)


def amin(a: TensorLike, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element along an axis, or of all."""
    _without_out(out)
    return min(a, axis, keepdims)


def ptp(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The distance from the smallest to the greatest element."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def all(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether all elements are true."""
    return _reduce(reductions.reduce_all, asarray(a, dtypes.bool), axis, keepdims)


def any(a: TensorLike, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether one of the elements is true."""
    return _reduce(reductions.reduce_any, asarray(a, dtypes.bool), axis, keepdims)


def count_nonzero(a: TensorLike, axis: Axis = None) -> Tensor:
    """How many elements are not zero."""
    a = asarray(a)
    nonzero = a if a.dtype is dtypes.bool else raw_ops.NotEqual(a, asarray(0, a.dtype))
    return _reduce(reductions.reduce_sum, nonzero, axis, False, dtypes.int64)


def average(
    a: TensorLike, axis: int | None = None, weights: TensorLike = None, returned: bool = False
) -> Any:
    """The mean in which each element counts with its weight.

    >>> tf.experimental.numpy.average([1.0, 3.0], weights=[3, 1]).numpy()
    np.float64(1.5)
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"The axis argument must be None or an int, got {axis!r}.")
    a = asarray(a)
    if weights is None:
        found = mean(a, axis)
        total = change_dtype(raw_ops.FloorDiv(raw_ops.Size(a), raw_ops.Size(found)), found.dtype)
        return (found, raw_ops.ZerosLike(found) + total) if returned else found
    values, shares = promoted(a, weights)
    if not is_inexact(values.dtype):
        values, shares = (change_dtype(v, default_float()) for v in (values, shares))
    if shares.shape.rank != values.shape.rank:
        if axis is None:
            raise ValueError("Axis must be specified when the shapes of a and weights differ.")
        shares = _along(shares, axis, values.shape.rank or 1)
    total = sum(raw_ops.ZerosLike(values) + shares, axis)
    found = sum(values * shares, axis) / total
    return (found, total) if returned else found


def _along(weights: Tensor, axis: int, rank: int) -> Tensor:
    if not -rank <= axis < rank:
        raise ValueError(f"average: `axis` must be in [{-rank}, {rank}), got {axis}.")
    dims = [1] * rank
    dims[axis] = -1
    return raw_ops.Reshape(weights, np.array(dims, np.int32))


def _cumulative(op: str, a: TensorLike, axis: int | None, dtype: DTypeLike) -> Tensor:
    a = asarray(a)
    a = change_dtype(a, as_type(dtype) if dtype is not None else _cumulated(a))
    if axis is None:
        a, axis = raw_ops.Reshape(a, np.array([-1], np.int32)), 0
    return getattr(raw_ops, op)(a, integers(op, "axis", axis))


def _cumulated(a: Tensor) -> DType | None:
    counted = as_type(int)
    small = a.dtype is dtypes.bool or (a.dtype.is_integer and a.dtype.size < counted.size)
    return counted if small else None


def cumsum(a: TensorLike, axis: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The sums up to each element, along an axis or of all in a row.

    >>> tf.experimental.numpy.cumsum([[1, 2], [3, 4]]).numpy()
    array([ 1,  3,  6, 10])
    """
    return _cumulative("Cumsum", a, axis, dtype)


def cumprod(a: TensorLike, axis: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The products up to each element, along an axis or of all in a row."""
    return _cumulative("Cumprod", a, axis, dtype)


def _without_nan(a: TensorLike, instead: float) -> Tensor:
    a = asarray(a)
    if not is_inexact(a.dtype):
        return a
    return raw_ops.SelectV2(raw_ops.NotEqual(a, a), asarray(instead, a.dtype), a)


def nansum(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool | None = False
) -> Tensor:
    """The sum of all that are numbers."""
    return sum(_without_nan(a, 0), axis, dtype, keepdims)


def nanprod(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool | None = False
) -> Tensor:
    """The product of all that are numbers."""
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


def nanmean(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool | None = None
) -> Tensor:
    """The mean of all that are numbers.

    >>> tf.experimental.numpy.nanmean([1.0, np.nan, 3.0]).numpy()
    np.float64(2.0)
    """
    a = asarray(a)
    if not is_inexact(a.dtype):
        return mean(a, axis, dtype, keepdims=keepdims)
    total = nansum(a, axis, dtype, keepdims)
    count = sum(raw_ops.Equal(a, a), axis, total.dtype, keepdims)
    return total / count


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are close, see `isclose`."""
    return all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: TensorLike, a2: TensorLike) -> Tensor:
    """Whether two arrays have one shape and the same elements.

    >>> tf.experimental.numpy.array_equal([1, 2], [1, 3]).numpy()
    np.False_
    """
    x, y = promoted(a1, a2)
    if not x.shape.is_compatible_with(y.shape):
        return raw_ops.Identity(np.bool_(False))
    return all(raw_ops.Equal(x, y))


def argmax(a: TensorLike, axis: int | None = None) -> Tensor:
    """The place of the greatest element along an axis, or among all in a row."""
    return _place("ArgMax", a, axis)


def argmin(a: TensorLike, axis: int | None = None) -> Tensor:
    """The place of the smallest element along an axis, or among all in a row."""
    return _place("ArgMin", a, axis)


def _place(op: str, a: TensorLike, axis: int | None) -> Tensor:
    a = asarray(a)
    if axis is None or a.shape.rank == 0:
        a, axis = raw_ops.Reshape(a, np.array([-1], np.int32)), 0
    return getattr(raw_ops, op)(a, integers(op, "axis", axis))
