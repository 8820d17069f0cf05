"""Segments whose ids come in any order: `tf.math.unsorted_segment_*`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC, REAL
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import segments
from runnel.ops.reduce.segments import as_column, product_gradient, rows_of
from runnel.ops.shapes import shape_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _ids_in_range(op_name: str) -> Callable[..., None]:
    """A check that the ids fit the leading dimensions of `data` and `num_segments`."""

    def check(data: Array, segment_ids: Array, num_segments: Array, **attrs: Any) -> None:
        if np.shape(num_segments) != ():
            raise bad_shape(op_name, want="be a scalar", num_segments=num_segments)
        if num_segments < 0:
            raise bad_value(op_name, want="not be negative", num_segments=num_segments)
        if data.shape[: segment_ids.ndim] != segment_ids.shape:
            want = f"start with the shape {segment_ids.shape} of `segment_ids`"
            raise bad_shape(op_name, want=want, data=data)
        if segment_ids.size and segment_ids.max() >= num_segments:
            raise bad_value(op_name, want=f"be below {num_segments}", segment_ids=segment_ids.max())

    return check


def _rows(data: Spec, segment_ids: Spec, num_segments: Spec, *, op_name: str) -> Dims:
    if num_segments.rank not in (None, 0):
        raise bad_shape(op_name, want="be a scalar", num_segments=num_segments)
    if data.dims is None or segment_ids.dims is None:
        return None
    rank = len(segment_ids.dims)
    if len(data.dims) < rank or any(
        a != b for a, b in zip(data.dims, segment_ids.dims, strict=False) if None not in (a, b)
    ):
        want = f"start with the shape {segment_ids.shape} of `segment_ids`"
        raise bad_shape(op_name, want=want, data=data)
    count = None if num_segments.value is None else int(num_segments.value)
    return (count, *data.dims[rank:])


def _combined(xp: Namespace, data: Array, ids: Array, count: Array, how: str, start: Any) -> Array:
    """The elements of each id combined, beginning with `start`; a negative id drops its own."""
    return segments(xp, data, ids, int(count), how, start)


def _options(op_name: str, T: Any, Tindices: Any = _INDEX) -> dict[str, Any]:
    return {
        "T": T,
        "Tindices": Tindices,
        "Tnumsegments": _INDEX,
        "static": ("num_segments",),
        "shape": _rows,
        "check": _ids_in_range(op_name),
    }


_SIGNATURE = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T"


@op(
    "UnsortedSegmentSum",
    _SIGNATURE,
    **_options("UnsortedSegmentSum", NUMERIC, _INDEX | {dtypes.int16}),
)
def _unsorted_segment_sum(
    xp: Namespace, data: Array, segment_ids: Array, num_segments: Array
) -> Array:
    return _combined(xp, data, segment_ids, num_segments, "add", 0)


@RegisterGradient("UnsortedSegmentSum", needs="segment_ids")
def _unsorted_segment_sum_grad(op: Any, dy: Tensor) -> Gradients:
    return _rows_or_zero(dy, op.inputs[1]), None, None


def _rows_or_zero(x: Tensor, ids: Tensor) -> Tensor:
    """`x[ids]`, zeros for negative ids."""
    rows = rows_of(x, raw_ops.Maximum(ids, raw_ops.ZerosLike(ids)))
    kept = as_column(raw_ops.GreaterEqual(ids, raw_ops.ZerosLike(ids)), rows)
    return raw_ops.SelectV2(kept, rows, raw_ops.ZerosLike(rows))


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sum of the elements of each segment; those with a negative id count nowhere.

    >>> tf.math.unsorted_segment_sum([[1, 2], [3, 4], [5, 6]], [1, 0, 1], 2).numpy()
    array([[3, 4],
           [6, 8]], dtype=int32)
    """
    return raw_ops.UnsortedSegmentSum(data, segment_ids, num_segments, name=name)


@op("UnsortedSegmentMax", _SIGNATURE, **_options("UnsortedSegmentMax", REAL))
def _unsorted_segment_max(
    xp: Namespace, data: Array, segment_ids: Array, num_segments: Array
) -> Array:
    least = dtypes.as_dtype(data.dtype).min
    return _combined(xp, data, segment_ids, num_segments, "max", least)


@RegisterGradient("UnsortedSegmentMax", needs="data segment_ids num_segments outputs")
def _unsorted_segment_max_grad(op: Any, dy: Tensor) -> Gradients:
    """The gradient is shared equally among the elements that are the extreme."""
    data, ids, count = op.inputs
    chosen = raw_ops.Equal(data, _rows_or_zero(op.outputs[0], ids))
    kept = as_column(raw_ops.GreaterEqual(ids, raw_ops.ZerosLike(ids)), data)
    chosen = raw_ops.LogicalAnd(chosen, kept)
    number = raw_ops.UnsortedSegmentSum(raw_ops.Cast(chosen, DstT=dy.dtype), ids, count)
    rows = _rows_or_zero(dy / number, ids)
    return raw_ops.SelectV2(chosen, rows, raw_ops.ZerosLike(rows)), None, None


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The largest element of each segment; the dtype's lowest number for one without elements.

    >>> tf.math.unsorted_segment_max([1, 9, 5], [1, 0, 1], 2).numpy()
    array([9, 5], dtype=int32)
    """
    return raw_ops.UnsortedSegmentMax(data, segment_ids, num_segments, name=name)


@op("UnsortedSegmentMin", _SIGNATURE, **_options("UnsortedSegmentMin", REAL))
def _unsorted_segment_min(
    xp: Namespace, data: Array, segment_ids: Array, num_segments: Array
) -> Array:
    most = dtypes.as_dtype(data.dtype).max
    return _combined(xp, data, segment_ids, num_segments, "min", most)


@RegisterGradient("UnsortedSegmentMin", needs="data segment_ids num_segments outputs")
def _unsorted_segment_min_grad(op: Any, dy: Tensor) -> Gradients:
    return _unsorted_segment_max_grad(op, dy)


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The smallest element of each segment; the dtype's highest number for one without elements.

    >>> tf.math.unsorted_segment_min([1, 9, 5], [1, 0, 1], 2).numpy()
    array([9, 1], dtype=int32)
    """
    return raw_ops.UnsortedSegmentMin(data, segment_ids, num_segments, name=name)


@op("UnsortedSegmentProd", _SIGNATURE, **_options("UnsortedSegmentProd", NUMERIC))
def _unsorted_segment_prod(
    xp: Namespace, data: Array, segment_ids: Array, num_segments: Array
) -> Array:
    return _combined(xp, data, segment_ids, num_segments, "multiply", 1)


@RegisterGradient("UnsortedSegmentProd", needs="data segment_ids num_segments")
def _unsorted_segment_prod_grad(op: Any, dy: Tensor) -> Gradients:
    data, ids, count = op.inputs

    def add(x: Tensor, ids: Tensor) -> Tensor:
        return raw_ops.UnsortedSegmentSum(x, ids, count)

    def multiply(x: Tensor, ids: Tensor) -> Tensor:
        return raw_ops.UnsortedSegmentProd(x, ids, count)

    return product_gradient(data, dy, _rows_or_zero, ids, add, multiply), None, None


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The product of the elements of each segment; 1 for one without elements.

    >>> tf.math.unsorted_segment_prod([2, 9, 5], [1, 0, 1], 2).numpy()
    array([ 9, 10], dtype=int32)
    """
    return raw_ops.UnsortedSegmentProd(data, segment_ids, num_segments, name=name)


def _segments(
    function: str, data: TensorLike, ids: TensorLike, count: TensorLike
) -> tuple[Tensor, Tensor, Tensor]:
    """The arguments as tensors."""
    values = convert_to_tensor(data)
    if values.dtype is dtypes.string:
        raise TypeError(f"{function}: `data` must hold numbers, got strings.")
    return values, convert_to_tensor(ids), convert_to_tensor(count)


def _sizes(data: Tensor, ids: Tensor, count: Tensor) -> Tensor:
    """How many elements each segment has, at least 1, ready to divide its sum by."""
    ones = raw_ops.Fill(shape_of(ids), convert_to_tensor(1, dtype=data.dtype))
    number = raw_ops.UnsortedSegmentSum(ones, ids, count)
    if data.shape.rank is None or ids.shape.rank is None:
        more = raw_ops.Sub(raw_ops.Rank(data), raw_ops.Rank(ids))
        rest: Any = raw_ops.Fill(raw_ops.ExpandDims(more, np.int32(0)), np.int32(1))
    else:
        rest = np.ones(data.shape.rank - ids.shape.rank, np.int32)
    number = raw_ops.Reshape(number, raw_ops.ConcatV2([raw_ops.Shape(number), rest], 0))
    return raw_ops.Maximum(number, convert_to_tensor(1, dtype=data.dtype))


@scoped("UnsortedSegmentMean")
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The mean of the elements of each segment; 0 for one without elements.

    >>> tf.math.unsorted_segment_mean([1.0, 9.0, 5.0], [1, 0, 1], 3).numpy()
    array([9., 3., 0.], dtype=float32)
    """
    data, ids, count = _segments("unsorted_segment_mean", data, segment_ids, num_segments)
    mean = unsorted_segment_sum(data, ids, count) / _sizes(data, ids, count)
    return mean if name is None else raw_ops.Identity(mean, name=name)


@scoped("UnsortedSegmentSqrtN")
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sum of the elements of each segment over the square root of their number.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 9.0, 2.0, 3.0, 2.0], [1, 0, 1, 1, 1], 2).numpy()
    array([9., 4.], dtype=float32)
    """
    data, ids, count = _segments("unsorted_segment_sqrt_n", data, segment_ids, num_segments)
    total = unsorted_segment_sum(data, ids, count)
    root = raw_ops.Sqrt(_sizes(data, ids, count))
    return raw_ops.RealDiv(total, root, name=name)
