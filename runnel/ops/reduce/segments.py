"""Segments: rows with the same id are combined into one.

`segment_*` takes ids in increasing order and makes as many rows as the last one says;
`unsorted_segment_*` takes ids in any order and is told the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC, REAL
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import segments, truncated_quotient
from runnel.ops.math.complex import conj
from runnel.ops.shapes import shape_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _in_order(op_name: str) -> Callable[..., None]:
    """A check that there is an id per row, none negative, none smaller than the one before."""

    def check(data: Array, segment_ids: Array, **attrs: Any) -> None:
        if segment_ids.ndim != 1 or data.shape[:1] != segment_ids.shape:
            want = f"be a vector with an id for each of the rows of `data` of shape {data.shape}"
            raise bad_shape(op_name, want=want, segment_ids=segment_ids)
        if segment_ids.size and (segment_ids[0] < 0 or np.any(segment_ids[1:] < segment_ids[:-1])):
            raise bad_value(op_name, want="increase from 0 or more", segment_ids=segment_ids)

    return check


def _rows(data: Spec, segment_ids: Spec, *, op_name: str) -> Dims:
    if segment_ids.rank not in (None, 1):
        raise bad_shape(op_name, want="be a vector", segment_ids=segment_ids)
    if data.dims is None:
        return None
    if data.dims == ():
        raise bad_shape(op_name, want="have rows", data=data)
    count = None
    if segment_ids.value is not None:
        count = int(segment_ids.value[-1]) + 1 if segment_ids.value.size else 0
    return (count, *data.dims[1:])


def _combined(data: Array, segment_ids: Array, how: str, start: float, empty: float) -> Array:
    """The rows of each id combined, `empty` where an id has none; ids are in order."""
    count = int(segment_ids[-1]) + 1 if segment_ids.size else 0
    wide = data.astype(np.float32) if _is_half(data.dtype) else data
    result = segments(np, wide, segment_ids, count, how, start)
    if start != empty:
        present = np.zeros(count, bool)
        present[segment_ids] = True
        result[~present] = empty
    return result.astype(data.dtype)


def _is_half(dtype: np.dtype) -> bool:
    return dtype.itemsize == 2 and dtype.kind not in "iu"


_BY_SEGMENT: Any = {"Tindices": _INDEX, "host": True, "shape": _rows}
_SIGNATURE = "data: T, segment_ids: Tindices -> output: T"


@op("SegmentSum", _SIGNATURE, T=NUMERIC, check=_in_order("SegmentSum"), **_BY_SEGMENT)
def _segment_sum(xp: Namespace, data: Array, segment_ids: Array) -> Array:
    return _combined(data, segment_ids, "add", 0, 0)


@RegisterGradient("SegmentSum", needs="segment_ids")
def _segment_sum_grad(op: Any, dy: Tensor) -> Gradients:
    return rows_of(dy, op.inputs[1]), None


def rows_of(x: Tensor, ids: Tensor) -> Tensor:
    """`x[ids]`."""
    return raw_ops.GatherV2(x, ids, 0)


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; ids must be in order.

    >>> tf.math.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[4, 6],
           [5, 6]], dtype=int32)
    """
    return raw_ops.SegmentSum(data, segment_ids, name=name)


@op("SegmentMean", _SIGNATURE, T=NUMERIC, check=_in_order("SegmentMean"), **_BY_SEGMENT)
def _segment_mean(xp: Namespace, data: Array, segment_ids: Array) -> Array:
    wide = data.astype(np.float32) if _is_half(data.dtype) else data
    total = _combined(wide, segment_ids, "add", 0, 0)
    count = np.maximum(np.bincount(segment_ids, minlength=len(total)), 1).astype(wide.dtype)
    count = count.reshape(-1, *(1,) * (data.ndim - 1))
    if wide.dtype.kind in "iu":
        return truncated_quotient(xp, total, count).astype(data.dtype)
    return (total / count).astype(data.dtype)


@RegisterGradient("SegmentMean", needs="segment_ids")
def _segment_mean_grad(op: Any, dy: Tensor) -> Gradients:
    data, ids = op.inputs
    ones = raw_ops.Fill(shape_of(ids), convert_to_tensor(1, dtype=dy.dtype))
    count = rows_of(raw_ops.SegmentSum(ones, ids), ids)
    return rows_of(dy, ids) / as_column(count, data), None


def as_column(per_row: Tensor, like: Tensor) -> Tensor:
    """A number per row, or per leading index, ready to be broadcast with `like`."""
    if like.shape.rank is not None and per_row.shape.rank is not None:
        ones = np.ones(like.shape.rank - per_row.shape.rank, np.int32)
    else:
        ones = raw_ops.OnesLike(raw_ops.Shape(like)[raw_ops.Rank(per_row) :])
    shape = raw_ops.ConcatV2([shape_of(per_row), ones], 0)
    return raw_ops.Reshape(per_row, shape)


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment, 0 for one without rows; ids must be in order.

    >>> tf.math.segment_mean([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 0, 1]).numpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """
    return raw_ops.SegmentMean(data, segment_ids, name=name)


@op("SegmentMax", _SIGNATURE, T=REAL, check=_in_order("SegmentMax"), **_BY_SEGMENT)
def _segment_max(xp: Namespace, data: Array, segment_ids: Array) -> Array:
    return _combined(data, segment_ids, "max", _least(data.dtype), 0)


def _least(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _most(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


@RegisterGradient("SegmentMax", needs="data segment_ids outputs")
def _segment_max_grad(op: Any, dy: Tensor) -> Gradients:
    """The gradient is shared equally among the elements that are the extreme."""
    data, ids = op.inputs
    chosen = raw_ops.Equal(data, rows_of(op.outputs[0], ids))
    count = raw_ops.SegmentSum(raw_ops.Cast(chosen, DstT=dy.dtype), ids)
    return raw_ops.SelectV2(chosen, rows_of(dy / count, ids), raw_ops.ZerosLike(data)), None


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment, 0 for one without rows; ids must be in order.

    >>> tf.math.segment_max([[1, 9], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[3, 9],
           [5, 6]], dtype=int32)
    """
    return raw_ops.SegmentMax(data, segment_ids, name=name)


@op("SegmentMin", _SIGNATURE, T=REAL, check=_in_order("SegmentMin"), **_BY_SEGMENT)
def _segment_min(xp: Namespace, data: Array, segment_ids: Array) -> Array:
    return _combined(data, segment_ids, "min", _most(data.dtype), 0)


@RegisterGradient("SegmentMin", needs="data segment_ids outputs")
def _segment_min_grad(op: Any, dy: Tensor) -> Gradients:
    return _segment_max_grad(op, dy)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment, 0 for one without rows; ids must be in order.

    >>> tf.math.segment_min([[1, 9], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[1, 4],
           [5, 6]], dtype=int32)
    """
    return raw_ops.SegmentMin(data, segment_ids, name=name)


@op("SegmentProd", _SIGNATURE, T=NUMERIC, check=_in_order("SegmentProd"), **_BY_SEGMENT)
def _segment_prod(xp: Namespace, data: Array, segment_ids: Array) -> Array:
    return _combined(data, segment_ids, "multiply", 1, 1)


@RegisterGradient("SegmentProd", needs="data segment_ids")
def _segment_prod_grad(op: Any, dy: Tensor) -> Gradients:
    data, ids = op.inputs
    return product_gradient(data, dy, rows_of, ids, raw_ops.SegmentSum, raw_ops.SegmentProd), None


def product_gradient(
    data: Tensor, dy: Tensor, rows: Any, ids: Tensor, add: Any, multiply: Any
) -> Tensor:
    """`dy` times the product of the other elements, right also where one of them is zero."""
    zero = raw_ops.Equal(data, raw_ops.ZerosLike(data))
    zeros = add(raw_ops.Cast(zero, DstT=dtypes.int32), ids)
    dy = raw_ops.SelectV2(raw_ops.Greater(zeros, 1), raw_ops.ZerosLike(dy), dy)
    nonzero = raw_ops.SelectV2(zero, raw_ops.OnesLike(data), data)
    without_zeros = rows(multiply(nonzero, ids), ids)
    whole = rows(multiply(data, ids), ids)
    others = raw_ops.SelectV2(zero, without_zeros, whole / nonzero)
    return rows(dy, ids) * conj(others)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; ids must be in order.

    >>> tf.math.segment_prod([[1, 2], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[3, 8],
           [5, 6]], dtype=int32)
    """
    return raw_ops.SegmentProd(data, segment_ids, name=name)
