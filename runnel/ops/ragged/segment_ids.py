"""Row splits and segment ids, each from the other."""

from __future__ import annotations

import numpy as np

from runnel.core.composite.row_partition import RowPartition
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.math.casting import cast


@scoped("RaggedSplitsToSegmentIds")
def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike = None
) -> Tensor:
    """The row of each value, from where the rows begin and end.

    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])
    """
    places = convert_to_tensor(splits, dtype_hint=dtypes.int64)
    if places.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"`splits` must be of dtype int32 or int64, got {places.dtype.name}.")
    places.shape.assert_has_rank(1)
    if places.shape[0] == 0:
        raise ValueError("`splits` must have one element at least, got none.")
    rows = RowPartition.from_row_splits(places, validate=False).value_rowids()
    return rows if out_type is None else cast(rows, as_dtype(out_type))


@scoped("SegmentIdsToRaggedSplits")
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike = None,
    out_type: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """Where the rows begin and end, from the row of each value.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])
    """
    ids = convert_to_tensor(segment_ids, dtype_hint=dtypes.int64)
    if ids.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"`segment_ids` must be of dtype int32 or int64, got {ids.dtype.name}.")
    wanted = dtypes.int64 if out_type is None else as_dtype(out_type)
    places = cast(ids, dtypes.int64)
    if num_segments is None:
        rows = RowPartition.from_value_rowids(places, validate=False)
        return cast(rows.row_splits(), wanted)
    if places.shape.rank not in (None, 1):
        raise ValueError(f"`segment_ids` must be a vector, got shape {places.shape}.")
    none = convert_to_tensor([], dtypes.int64)
    lengths = raw_ops.DenseBincount(places, cast(num_segments, dtypes.int64), none)
    zero = convert_to_tensor([0], dtypes.int64)
    splits = raw_ops.ConcatV2([zero, raw_ops.Cumsum(lengths, np.int32(0))], np.int32(0))
    return cast(splits, wanted)
