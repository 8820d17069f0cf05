"""`tf.experimental.numpy`: new arrays."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.settings.arguments import check_room, integer, operand
from runnel.core.tensor.convert import emit
from runnel.core.values import dtypes
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.ops.numpy_api import promotion
from .promotion import as_type, change_dtype, common_dtype, default_float, is_inexact


def _dims(shape: ShapeLike) -> Any:
    """A shape as an op takes it: an int stands for one axis."""
    if isinstance(shape, Tensor):
        return raw_ops.Reshape(shape, np.array([-1], np.int32)) if shape.shape.rank == 0 else shape
    dims = [shape] if isinstance(shape, numbers.Integral) else shape
    return convert_to_tensor(dims, "int64")


def array(val: TensorLike, dtype: DTypeLike = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """`val` as a tensor with at least `ndmin` axes; Python floats become float64.

    >>> tf.experimental.numpy.array([1.0, 2.0], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=float64, numpy=array([[1., 2.]])>
    """
    tensor = promotion.asarray(val, dtype)
    if copy:
        tensor = raw_ops.Identity(tensor)
    rank = tensor.shape.rank or 0
    for _ in range(ndmin - rank):
        tensor = raw_ops.ExpandDims(tensor, np.int32(0))
    return tensor


def asarray(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """`a` as a tensor; it is not copied where it is one of this dtype already.

    >>> tf.experimental.numpy.asarray([1, 2])
    <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>
    """
    return promotion.asarray(a, dtype)


def asanyarray(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """The same as `asarray`."""
    return promotion.asarray(a, dtype)


def ascontiguousarray(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """`a` as a tensor with at least one axis."""
    return array(a, dtype, ndmin=1)


def copy(a: TensorLike) -> Tensor:
    """A tensor with the values of `a`."""
    return array(a, copy=True)


def zeros(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """A tensor of zeros.

    >>> tf.experimental.numpy.zeros(2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>
    """
    return full(shape, 0, _float_or(dtype))


def ones(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """A tensor of ones."""
    return full(shape, 1, _float_or(dtype))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Tensor:
    """A tensor of zeros."""
    return zeros(shape, dtype)


def _float_or(dtype: DTypeLike) -> DTypeLike:
    return default_float() if dtype is None else dtype


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """A tensor filled with one value, or with values that broadcast.

    >>> tf.experimental.numpy.full((2, 2), 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    value = "" if fill_value == 0 and _is_text(dtype) else fill_value
    return raw_ops.BroadcastTo(promotion.asarray(value, dtype), _dims(shape))


def _is_text(dtype: DTypeLike) -> bool:
    return dtype is not None and as_type(dtype) is dtypes.string


def zeros_like(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """Zeros of the shape and dtype of `a`."""
    return full_like(a, 0, dtype)


def ones_like(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """Ones of the shape and dtype of `a`."""
    return full_like(a, 1, dtype)


def empty_like(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """Zeros of the shape and dtype of `a`."""
    return zeros_like(a, dtype)


def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike = None,
) -> Tensor:
    """A tensor like `a` filled with one value."""
    if order != "K":
        raise ValueError(f"Non-standard orders are not supported, got {order!r}.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    a = promotion.asarray(a)
    dims = raw_ops.Shape(a) if shape is None else shape
    return full(dims, fill_value, dtype or a.dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Tensor:
    """Ones on the `k`-th diagonal.

    >>> tf.experimental.numpy.eye(2, 3, k=1).numpy().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return emit(np.eye(N, M, k, dtype=_matrix_dtype("eye", N, M, dtype)))


def identity(n: int, dtype: DTypeLike = float) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = None) -> Tensor:
    """Ones on and below the `k`-th diagonal."""
    return emit(np.tri(N, M, k, dtype=_matrix_dtype("tri", N, M, dtype)))


def _matrix_dtype(function: str, rows: int, columns: int | None, dtype: DTypeLike) -> Any:
    """The dtype of a matrix, after a look at its size."""
    kind = as_type(_float_or(dtype))
    sizes = [integer(function, "N", rows)]
    sizes.append(sizes[0] if columns is None else integer(function, "M", columns))
    check_room(function, sizes, kind.size)
    return kind.np_dtype


def arange(
    start: TensorLike, stop: TensorLike = None, step: TensorLike = 1, dtype: DTypeLike = None
) -> Tensor:
    """Numbers from `start` to below `stop`.

    >>> tf.experimental.numpy.arange(1, 7, 2).numpy()
    array([1, 3, 5])
    """
    if not isinstance(step, Tensor) and not step:
        raise ValueError("step must be non-zero.")
    wanted = as_type(dtype) if dtype is not None else _range_dtype(start, stop, step)
    if stop is None:
        start, stop = 0, operand("arange", "start", start)
    known = all(isinstance(v, int | float) for v in (start, stop, step))
    if known and (stop - start) * step < 0:
        stop = start
    work = wanted if wanted in _RANGES else dtypes.int64
    found = raw_ops.Range(*(promotion.asarray(v, work) for v in (start, stop, step)))
    return change_dtype(found, wanted)


_RANGES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def _range_dtype(start: TensorLike, stop: TensorLike, step: TensorLike) -> Any:
    found = common_dtype(*(v for v in (start, stop, step) if v is not None))
    return dtypes.int64 if found is dtypes.bool else found


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = float,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    num = integer("linspace", "num", num)
    if num < 0:
        raise ValueError(f"linspace: `num` must not be negative, got {num}.")
    check_room("linspace", (num,), 8)
    given = dtype not in (None, float)
    wanted = as_type(dtype) if given else common_dtype(start, stop)
    work = wanted if is_inexact(wanted) else default_float()
    wanted = wanted if given else work
    low, high = promotion.asarray(start, work), promotion.asarray(stop, work)
    gaps = num - 1 if endpoint else num
    step = (high - low) / gaps if gaps > 0 else (high - low) * math.nan
    places = emit(np.arange(num, dtype=work.np_dtype))
    shape = [1] * max(low.shape.rank or 0, high.shape.rank or 0)
    column = raw_ops.Reshape(places, np.array([num, *shape], np.int32))
    found = low + column * (high - low) / gaps if gaps > 0 else low + column * 0
    if endpoint and num > 1:  # exactly the end, whatever the rounding
        last = raw_ops.Equal(column, np.asarray(num - 1, work.np_dtype))
        found = raw_ops.SelectV2(last, raw_ops.ZerosLike(found) + high, found)
    if axis % (found.shape.rank or 1):
        order = list(range(1, found.shape.rank or 1))
        order.insert(axis % (found.shape.rank or 1), 0)
        found = raw_ops.Transpose(found, np.array(order, np.int32))
    found = change_dtype(found, wanted)
    return (found, step) if retstep else found


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `base ** start` to `base ** stop`, each a constant factor apart.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])
    """
    exponents = linspace(start, stop, num, endpoint=endpoint, axis=axis)
    found = raw_ops.Pow(promotion.asarray(base, exponents.dtype), exponents)
    return change_dtype(found, None if dtype is None else as_type(dtype))


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `start` to `stop`, each a constant factor apart.

    >>> tf.experimental.numpy.geomspace(1, 4, 3).numpy().round(6)
    array([1., 2., 4.])
    """
    wanted = as_type(dtype) if dtype is not None else common_dtype(start, stop, float(num))
    work = wanted if is_inexact(wanted) else default_float()
    low, high = promotion.asarray(start, work), promotion.asarray(stop, work)
    sign = raw_ops.SelectV2(raw_ops.Less(low, 0), -raw_ops.OnesLike(low), raw_ops.OnesLike(low))
    ends = (raw_ops.Log(low * sign), raw_ops.Log(high * sign))
    found = raw_ops.Exp(linspace(*ends, num, endpoint=endpoint, dtype=work, axis=axis)) * sign
    return change_dtype(found, wanted)


def meshgrid(*xi: TensorLike, **kwargs: Any) -> list[Tensor]:
    """Coordinate arrays of a grid; `indexing` is "xy" or "ij".

    >>> x, y = tf.experimental.numpy.meshgrid([1, 2], [3, 4, 5])
    >>> x.shape, y.shape
    (TensorShape([3, 2]), TensorShape([3, 2]))
    """
    sparse, copied = kwargs.pop("sparse", False), kwargs.pop("copy", True)
    indexing = kwargs.pop("indexing", "xy")
    if sparse:
        raise ValueError("Function `meshgrid` does not support returning sparse arrays yet.")
    if not copied:
        raise ValueError("Function `meshgrid` only supports copy=True.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}.")
    if kwargs:
        raise TypeError(f"meshgrid() got unexpected keywords {sorted(kwargs)}.")
    arrays = [raw_ops.Reshape(promotion.asarray(x), np.array([-1], np.int32)) for x in xi]
    axes = list(range(len(arrays)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    shaped = [
        raw_ops.Reshape(a, np.array([-1 if i == axis else 1 for i in axes_of(arrays)], np.int32))
        for a, axis in zip(arrays, axes)
    ]
    return broadcast_together(shaped)


def axes_of(arrays: Sequence[Tensor]) -> range:
    return range(len(arrays))


def broadcast_together(arrays: Sequence[Tensor]) -> list[Tensor]:
    """Each tensor broadcast to the shape that all have together."""
    dims: Any = raw_ops.Shape(arrays[0]) if arrays else None
    for other in arrays[1:]:
        dims = raw_ops.BroadcastArgs(dims, raw_ops.Shape(other))
    return [raw_ops.BroadcastTo(a, dims) for a in arrays]


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the main diagonal of an array with `ndim` axes of size `n`."""
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative, got {n}.")
    if ndim < 0:
        raise ValueError(f"ndim argument to diag_indices must be nonnegative, got {ndim}.")
    return (raw_ops.Range(np.int32(0), convert_to_tensor(n, dtypes.int32), np.int32(1)),) * ndim


def vander(x: TensorLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of `x` as the columns of a matrix.

    >>> tf.experimental.numpy.vander([2, 3], 3).numpy()
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    x = promotion.asarray(x)
    if x.shape.rank != 1:
        raise ValueError("The input must be a one-dimensional array.")
    if N is not None and N < 0:
        raise ValueError("N must be nonnegative.")
    size = x.shape[0] if N is None else N
    powers = np.arange(size or 0)
    exponents = emit((powers if increasing else powers[::-1]).astype(x.dtype.np_dtype))
    return raw_ops.Pow(raw_ops.ExpandDims(x, np.int32(1)), exponents)
