"""Ragged rows put together by segment: the common ground of reductions over ragged dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition, require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from runnel.ops.reduce import unsorted_segments


def aggregate(
    function: Callable[..., Any], data: Any, segment_ids: Any, num_segments: TensorLike
) -> Any:
    """`function(data, segment_ids, num_segments)` of rows that may have different lengths.

    Rows of one segment are aligned at their beginnings: the row that comes out is as long as the
    longest of them.
    """
    if isinstance(segment_ids, RaggedTensor):
        return _aggregate_values(function, data, segment_ids, num_segments)
    if not isinstance(data, RaggedTensor):
        return function(data, segment_ids, num_segments)
    ids = raw_ops.Cast(convert_to_tensor(segment_ids), DstT=dtypes.int64)
    count = raw_ops.Cast(convert_to_tensor(num_segments), DstT=dtypes.int64)
    data = data.with_row_splits_dtype(dtypes.int64)
    longest = raw_ops.UnsortedSegmentMax(data.row_lengths(), ids, count)
    lengths = raw_ops.Maximum(longest, np.int64(0))
    rows = RowPartition.from_row_lengths(lengths, validate=False)
    segment = raw_ops.GatherV2(ids, data.value_rowids(), 0)
    first = raw_ops.GatherV2(rows.row_starts(), segment, 0)
    places = raw_ops.AddV2(first, data._row_partition.offsets_in_rows())
    values = aggregate(function, data.values, places, rows.nvals())
    return RaggedTensor._from_row_partition(values, rows, validate=False)


def _aggregate_values(
    function: Callable[..., Any], data: Any, segment_ids: RaggedTensor, num_segments: TensorLike
) -> Any:
    """Each value has a segment of its own: the rows do not matter."""
    if not isinstance(data, RaggedTensor):
        raise ValueError("Where `segment_ids` is ragged, `data` must be ragged too.")
    mine = raw_ops.Cast(data.row_splits, DstT=dtypes.int64)
    its = raw_ops.Cast(segment_ids.row_splits, DstT=dtypes.int64)
    message = "`data` and `segment_ids` must have rows of the same lengths"
    mine.shape.assert_is_compatible_with(its.shape)
    require(raw_ops.Equal(mine, its), message, its)
    return aggregate(function, data.values, segment_ids.values, num_segments)


def by_row(function: Callable[..., Any], ragged: RaggedTensor) -> Any:
    """Each row becomes one value."""
    ids = ragged.value_rowids()
    return aggregate(function, ragged.values, ids, ragged.nrows())


def by_column(function: Callable[..., Any], ragged: RaggedTensor) -> Any:
    """All values at the same place of their rows become one value."""
    ragged = ragged.with_row_splits_dtype(dtypes.int64)
    zero = convert_to_tensor(np.zeros(1, np.int64))
    longest = raw_ops.Max(raw_ops.ConcatV2([zero, ragged.row_lengths()], 0), 0)
    ragged._count_values()
    places: Tensor = ragged._row_partition.offsets_in_rows()
    return aggregate(function, ragged.values, places, longest)


def _dispatched(function: Callable[..., Any]) -> Callable[..., Any]:
    def segment(
        data: Any, segment_ids: Any, num_segments: TensorLike, name: str | None = None
    ) -> Any:
        return aggregate(function, data, segment_ids, num_segments)

    return segment


for _name in ("max", "mean", "min", "prod", "sqrt_n", "sum"):
    _function = getattr(unsorted_segments, f"unsorted_segment_{_name}")
    _signatures = [{"data": RaggedTensor}, {"segment_ids": RaggedTensor}]
    dispatch.add_target(_function, _dispatched(_function), _signatures)
