"""Counting: how often values occur, alone, in pairs, or in ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import integer
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.control.asserting import Assert
from runnel.ops.math.arithmetic import maximum, minimum
from runnel.ops.math.casting import cast
from runnel.ops.math.clipping import clip_by_value
from runnel.ops.math.rounding import floor
from runnel.ops.reduce.reductions import reduce_max
from runnel.ops.shapes import with_shape_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_WEIGHTS = _INDEX | {dtypes.float32, dtypes.float64}


def _countable(op_name: str) -> Callable[..., None]:
    def check(arr: Array, size: Array, weights: Array, **attrs: Any) -> None:
        if np.shape(size) != ():
            raise bad_shape(op_name, want="be a scalar", size=size)
        if size < 0:
            raise bad_value(op_name, want="not be negative", size=size)
        if arr.ndim > 2 and op_name == "DenseBincount":
            raise bad_shape(op_name, want="have rank 2 at most", input=arr)
        if arr.size and arr.min() < 0:
            raise bad_value(op_name, want="not be negative", arr=arr.min())
        if weights.size and weights.shape != arr.shape:
            want = f"be empty or have the shape {arr.shape} of what is counted"
            raise bad_shape(op_name, want=want, weights=weights)

    return check


def _counted(xp: Namespace, arr: Array, size: int, weights: Array, binary: bool = False) -> Array:
    """How often, or with which total weight, each number below `size` occurs in a vector."""
    spare = xp.zeros(size + 1, weights.dtype)  # the last place takes numbers that are too large
    place = xp.minimum(arr, np.asarray(size, arr.dtype))
    ones = xp.ones(arr.shape, weights.dtype)
    if binary:
        return scatter(xp, spare, place, ones, "max")[:size]
    return scatter(xp, spare, place, weights if weights.size else ones, "add")[:size]


def _bins(arr: Spec, size: Spec, weights: Spec, **attrs: Any) -> Dims:
    return (None if size.value is None else int(size.value),)


@op(
    "Bincount",
    "arr: int32, size: int32[0], weights: T -> bins: T",
    T=_WEIGHTS,
    static=("size",),
    shape=_bins,
    check=_countable("Bincount"),
)
def _bincount(xp: Namespace, arr: Array, size: Array, weights: Array) -> Array:
    return _counted(xp, arr.ravel(), int(size), weights.ravel())


def _dense_bins(input: Spec, size: Spec, weights: Spec, **attrs: Any) -> Dims:
    count = None if size.value is None else int(size.value)
    if input.dims is None:
        return None
    if len(input.dims) > 2:
        raise bad_shape("DenseBincount", want="have rank 2 at most", input=input)
    return (count,) if len(input.dims) < 2 else (input.dims[0], count)


@op(
    "DenseBincount",
    "input: Tidx, size: Tidx[0], weights: T -> output: T",
    Tidx=_INDEX,
    T=_WEIGHTS,
    static=("size",),
    shape=_dense_bins,
    check=_countable("DenseBincount"),
)
def _dense_bincount(
    xp: Namespace, input: Array, size: Array, weights: Array, *, binary_output: bool = False
) -> Array:
    count = int(size)
    if input.ndim < 2:
        return _counted(xp, input.ravel(), count, weights.ravel(), binary_output)
    rows = input.shape[0]
    # Each row counts in a range of its own; what is too large for it goes to the spare last place.
    first = xp.arange(rows, dtype=input.dtype)[:, None] * np.asarray(count, input.dtype)
    places = xp.where(input < count, input + first, np.asarray(rows * count, input.dtype))
    flat = _counted(xp, places.ravel(), rows * count, weights.ravel(), binary_output)
    return flat.reshape(rows, count)


@scoped("bincount")
def bincount(
    arr: TensorLike,
    weights: TensorLike = None,
    minlength: TensorLike = None,
    maxlength: TensorLike = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each number from 0 on occurs in `arr`, or the sum of the weights where it does.

    There are as many counts as the largest number needs, at least `minlength` and at most
    `maxlength`. With `axis=-1` each row is counted by itself; `binary_output` says only whether.

    >>> tf.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    >>> tf.math.bincount([[1, 1], [0, 2]], axis=-1, binary_output=True).numpy()
    array([[0, 1, 0],
           [1, 0, 1]], dtype=int32)
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: `axis` must be 0 or -1, got {axis}.")
    if weights is not None and binary_output:
        raise ValueError("bincount: `weights` and `binary_output` exclude each other.")
    if isinstance(arr, SparseTensor):
        lengths = (minlength, maxlength)
        return _sparse_bincount(arr, weights, lengths, dtype, name, axis, binary_output)
    arr = convert_to_tensor(arr)
    if not arr.dtype.is_integer or arr.dtype not in _INDEX:
        arr = cast(arr, dtypes.int32)
    weights = convert_to_tensor([], dtype=dtype) if weights is None else convert_to_tensor(weights)
    size = _bincount_size(arr, minlength, maxlength)
    if axis != -1:
        flat = np.array([-1], np.int32)
        if weights.shape.as_list() != [0]:
            weights = raw_ops.Reshape(weights, flat)
        arr = raw_ops.Reshape(arr, flat)
    return raw_ops.DenseBincount(arr, size, weights, binary_output=binary_output, name=name)


def _sparse_bincount(
    arr: SparseTensor,
    weights: Any,
    lengths: tuple[TensorLike, TensorLike],
    dtype: DTypeLike,
    name: str | None,
    axis: int | None,
    binary_output: bool,
) -> Tensor:
    """The same for a sparse tensor, of which the given values alone count."""
    given = convert_to_tensor([], dtype=dtype) if weights is None else weights_beside(arr, weights)
    values = arr.values if arr.dtype in _INDEX else cast(arr.values, dtypes.int32)
    size = _bincount_size(values, *lengths)
    if axis != -1:
        return raw_ops.DenseBincount(values, size, given, binary_output=binary_output, name=name)
    parts = (arr.indices, values, arr.dense_shape)
    return raw_ops.SparseBincount(*parts, size, given, binary_output=binary_output, name=name)


def weights_beside(values: SparseTensor, weights: Any) -> Tensor:
    """The values of sparse `weights`, which must have the places of `values`."""
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "bincount: `weights` of a SparseTensor must be a SparseTensor too, got "
            f"{type(weights).__name__}."
        )
    for what in ("indices", "dense_shape"):
        mine, its = getattr(values, what), getattr(weights, what)
        axes = raw_ops.Range(np.int32(0), raw_ops.Rank(mine), np.int32(1))
        same = raw_ops.All(raw_ops.Equal(mine, its), axes)
        Assert(same, [f"bincount: `weights` must have the {what} of the values", its])
    return weights.values


def _length(name: str, value: TensorLike) -> Any:
    if isinstance(value, list | tuple):
        raise bad_shape("bincount", want="be a scalar", **{name: value})
    return value if isinstance(value, Tensor) else integer("bincount", name, value)


def _bincount_size(arr: Tensor, minlength: TensorLike, maxlength: TensorLike) -> Tensor:
    zero = convert_to_tensor(0, dtype=arr.dtype)
    size = maximum(reduce_max(arr), zero - 1) + 1
    if minlength is not None:
        size = maximum(size, cast(_length("minlength", minlength), arr.dtype))
    if maxlength is not None:
        size = minimum(size, cast(_length("maxlength", maxlength), arr.dtype))
    return size


@scoped("confusion_matrix")
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike = None,
    weights: TensorLike = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each class (row) was predicted to be each class (column).

    >>> tf.math.confusion_matrix([1, 2, 2], [1, 2, 1]).numpy()
    array([[0, 0, 0],
           [0, 1, 0],
           [0, 1, 1]], dtype=int32)
    """
    labels, predictions = _same_rank(convert_to_tensor(labels), convert_to_tensor(predictions))
    labels, predictions = cast(labels, dtypes.int64), cast(predictions, dtypes.int64)
    if labels.shape.rank == 0:
        raise ValueError("confusion_matrix: `labels` must be a vector, got a scalar.")
    wanted = as_dtype(dtype)
    if wanted in (dtypes.string, dtypes.resource):
        raise TypeError(f"confusion_matrix: `dtype` must be one of numbers, got {wanted.name}.")
    if num_classes is None:
        num_classes = maximum(reduce_max(labels), reduce_max(predictions)) + 1
    size = cast(num_classes, dtypes.int64)
    if weights is None:
        weights = raw_ops.OnesLike(predictions)
    else:
        weights = convert_to_tensor(weights)
        predictions.shape.assert_is_compatible_with(weights.shape)
    places = raw_ops.Pack([labels, predictions], axis=1)
    shape = raw_ops.Pack([size, size])
    return raw_ops.ScatterNd(places, cast(weights, wanted), shape, name=name)


def _same_rank(labels: Tensor, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """A last dimension of 1 that only one of the two has is dropped."""
    ranks = labels.shape.rank, predictions.shape.rank
    if ranks[0] is None or ranks[1] is None:
        return labels, predictions
    if ranks[0] == ranks[1] + 1 and labels.shape[-1] in (1, None):
        return raw_ops.Squeeze(labels, axis=[-1]), predictions
    if ranks[1] == ranks[0] + 1 and predictions.shape[-1] in (1, None):
        return labels, raw_ops.Squeeze(predictions, axis=[-1])
    return labels, predictions


def _valid_range(values: Array, value_range: Array, nbins: Array, *, dtype: DType) -> None:
    name = "HistogramFixedWidth"
    if value_range.shape != (2,):
        raise bad_shape(name, want="be a vector of two numbers", value_range=value_range)
    if not value_range[0] < value_range[1]:
        raise bad_value(name, want="be a lower and a higher number", value_range=value_range)
    if np.shape(nbins) != () or nbins <= 0:
        raise bad_value(name, want="be a positive number", nbins=nbins)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise bad_value(name, want="be numbers", values=np.nan)


@op(
    "HistogramFixedWidth",
    "values: T, value_range: T[1 of 2], nbins: int32[0] -> out: dtype",
    T=_WEIGHTS,
    dtype=_INDEX,
    static=("nbins",),
    shape=lambda values, value_range, nbins, **attrs: _bins(values, nbins, value_range),
    check=_valid_range,
)
def _histogram_fixed_width(
    xp: Namespace, values: Array, value_range: Array, nbins: Array, *, dtype: DType = dtypes.int32
) -> Array:
    count = int(nbins)
    low, high = value_range[0].astype(np.float64), value_range[1].astype(np.float64)
    step = (high - low) / np.float64(count)
    place = (xp.maximum(values.ravel().astype(np.float64), low) - low) / step
    place = xp.minimum(place, np.float64(count - 1)).astype(np.int32)
    return _counted(xp, place, count, xp.ones(place.shape, dtype.np_dtype))


@scoped("histogram_fixed_width", last=True)
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of `nbins` equal parts of `value_range`.

    Values outside count in the first or last part.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    return raw_ops.HistogramFixedWidth(values, value_range, nbins, dtype=dtype, name=name)


@scoped("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the part of `value_range`, cut into `nbins` equal parts, that each value is in.

    The numbers are int32 whatever `dtype` (int32 or int64) says, as in TensorFlow.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)
    """
    if as_dtype(dtype) not in _INDEX:
        raise ValueError(f"histogram_fixed_width_bins: `dtype` must be an index, got {dtype!r}.")
    values = convert_to_tensor(values)
    value_range = convert_to_tensor(value_range)
    count = convert_to_tensor(nbins, dtype=dtypes.int32)
    known = constant_value(count)
    if known is not None and np.any(known <= 0):
        raise bad_value("histogram_fixed_width_bins", want="be positive", nbins=known)
    bins = cast(count, values.dtype)
    share = (values - value_range[0]) / (value_range[1] - value_range[0])
    place = clip_by_value(floor(raw_ops.Mul(bins, share)), 0, bins - 1)
    return with_shape_of(values, cast(place, dtypes.int32, name=name))  # type: ignore[no-any-return]
