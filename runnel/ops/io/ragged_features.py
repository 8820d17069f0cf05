"""Cutting the values of ragged features into rows, by what other features say."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes
from runnel.ops.array.joining import concat
from runnel.ops.io.example_features import RaggedFeature


def partitioned(feature: RaggedFeature, values: Any, parts: dict[str, Any]) -> Any:
    """The values of a feature with all its partitions, the innermost of which stands last."""
    is_batch = isinstance(values, RaggedTensor)
    for partition in reversed(feature.partitions):
        given = None
        if not isinstance(partition, RaggedFeature.UniformRowLength):
            given = _cast(parts[partition.key], feature.row_splits_dtype)
        if is_batch:
            values = _cut_batch(feature, partition, values, given)
        else:
            values = _cut(feature, partition, values, given)
    return values


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(raw_ops.Cast(value.flat_values, DstT=dtype))
    return raw_ops.Cast(value, DstT=dtype)


_FACTORIES: dict[Any, Any] = {
    RaggedFeature.RowSplits: RaggedTensor.from_row_splits,
    RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
    RaggedFeature.RowStarts: RaggedTensor.from_row_starts,
    RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
    RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids,
}


def _cut(feature: RaggedFeature, partition: Any, values: Any, given: Any) -> Any:
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if isinstance(values, Tensor):
            shape = [np.array([-1, partition.length]), raw_ops.Shape(values, out_type=np.int64)[1:]]
            return raw_ops.Reshape(values, raw_ops.ConcatV2(shape, np.int32(0)))
        return RaggedTensor.from_uniform_row_length(
            values, partition.length, validate=feature.validate
        )
    return _FACTORIES[type(partition)](values, given, validate=feature.validate)


def _cut_batch(
    feature: RaggedFeature, partition: Any, values: RaggedTensor, given: Any
) -> RaggedTensor:
    if isinstance(partition, RaggedFeature.UniformRowLength):
        rows = _cut(feature, partition, values.values, None)
        splits = values.row_splits // partition.length
        return RaggedTensor.from_row_splits(rows, splits, validate=feature.validate)
    lengths = _lengths(partition, values, given)
    inner = RaggedTensor.from_row_lengths(
        values.values, lengths.flat_values, validate=feature.validate
    )
    return RaggedTensor.from_row_splits(inner, lengths.row_splits, validate=feature.validate)


def _lengths(partition: Any, values: RaggedTensor, given: Any) -> RaggedTensor:
    """The lengths of the rows that each example is cut into."""
    if isinstance(partition, RaggedFeature.RowLengths):
        return given  # type: ignore[no-any-return]
    if isinstance(partition, RaggedFeature.RowSplits):
        return _difference(given[:, 1:], given[:, :-1])
    if isinstance(partition, RaggedFeature.RowLimits):
        return _difference(given, concat([_one_column(given, 0)[:, :1], given[:, :-1]], 1))
    if isinstance(partition, RaggedFeature.RowStarts):
        ends = RaggedTensor.from_row_splits(*_ends(values, given))
        return _difference(concat([given[:, 1:], ends], 1), given)
    return _counted(given)


def _difference(a: Any, b: Any) -> RaggedTensor:
    return a.with_flat_values(a.flat_values - b.flat_values)  # type: ignore[no-any-return]


def _one_column(given: RaggedTensor, value: int) -> RaggedTensor:
    return given.with_flat_values(raw_ops.ZerosLike(given.flat_values) + value)


def _ends(values: RaggedTensor, given: RaggedTensor) -> tuple[Tensor, Tensor]:
    """The length of each example that has rows, and splits that give it to those."""
    has = raw_ops.Cast(raw_ops.Greater(given.row_lengths(), 0), DstT=given.row_splits.dtype)
    where = raw_ops.Reshape(raw_ops.Where(raw_ops.Cast(has, DstT=dtypes.bool)), np.array([-1]))
    ends = raw_ops.GatherV2(values.row_lengths(), where, 0)
    zero = np.zeros(1, np.int64).astype(given.row_splits.dtype.np_dtype)
    splits = raw_ops.ConcatV2([zero, raw_ops.Cumsum(has, np.int32(0))], np.int32(0))
    return raw_ops.Cast(ends, DstT=given.dtype), splits


def _counted(ids: RaggedTensor) -> RaggedTensor:
    """How often each row is named, for examples that name the row of every value."""
    flat = raw_ops.Cast(ids.flat_values, DstT=dtypes.int64)
    owners = raw_ops.Cast(ids.value_rowids(), DstT=dtypes.int64)
    rows = raw_ops.Cast(ids.nrows(), DstT=dtypes.int64)
    most = raw_ops.UnsortedSegmentMax(flat, owners, rows)
    counts = raw_ops.Maximum(most, np.int64(-1)) + 1
    first = raw_ops.Cumsum(counts, np.int32(0), exclusive=True)
    places = flat + raw_ops.GatherV2(first, owners, 0)
    total = raw_ops.Sum(counts, np.int32(0))
    found = raw_ops.UnsortedSegmentSum(raw_ops.OnesLike(places), places, total)
    dtype = ids.dtype
    return RaggedTensor.from_row_lengths(
        raw_ops.Cast(found, DstT=dtype),
        raw_ops.Cast(counts, DstT=ids.row_splits.dtype),
        validate=False,
    )
