"""`tf.concat` and `tf.stack` of ragged tensors, and `tf.ragged.stack`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_indexing import gather_rows
from runnel.core.composite.ragged_tensor import RaggedTensor, as_values
from runnel.core.composite.row_partition import require
from runnel.core.extend import convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from runnel.ops.array import joining
from runnel.ops.array.shaping import expand_dims
from runnel.ops.ragged.shaping import with_rank


def with_ragged_rank(value: Any, ragged_rank: int) -> Any:
    """The same tensor with more partitions, which are uniform."""
    if ragged_rank == 0 or (isinstance(value, RaggedTensor) and value.ragged_rank >= ragged_rank):
        return value
    if not isinstance(value, RaggedTensor):
        return RaggedTensor.from_tensor(value, ragged_rank=ragged_rank)
    return value.with_values(with_ragged_rank(value.values, ragged_rank - 1))


def _operands(values: Any, what: str) -> tuple[list[Any], int | None]:
    """The operands with as many partitions as the most ragged one has, and their rank."""
    given = [values] if isinstance(values, RaggedTensor) else list(values)
    if not given:
        raise ValueError(f"{what}: `values` must not be empty.")
    dtype = next((v.dtype for v in given if hasattr(v, "dtype")), None)
    dtype = dtype if isinstance(dtype, dtypes.DType) else None
    parts: list[Any] = [
        v if isinstance(v, RaggedTensor) else convert_to_tensor(v, dtype_hint=dtype) for v in given
    ]
    parts, rank = _of_one_rank(parts, what)
    levels = max(part.ragged_rank if isinstance(part, RaggedTensor) else 0 for part in parts)
    parts = [with_ragged_rank(part, levels) for part in parts]
    if len({part.row_splits.dtype for part in parts if isinstance(part, RaggedTensor)}) > 1:
        parts = [part.with_row_splits_dtype(dtypes.int64) for part in parts]
    return parts, rank


def _of_one_rank(parts: list[Any], what: str) -> tuple[list[Any], int | None]:
    """The operands and their rank, which those of unknown rank must turn out to have."""
    ranks = {part.shape.rank for part in parts}
    known = ranks - {None}
    if len(known) > 1:
        raise ValueError(f"{what}: all `values` must have one rank, got {sorted(known)}.")
    if not known:
        return parts, None
    (rank,) = known
    return [with_rank(part, rank) for part in parts] if None in ranks else parts, rank


@scoped("RaggedConcat")
def _concat(values: Any, axis: Any, name: str = "concat") -> Any:
    parts, rank = _operands(values, "tf.concat")
    place = positive_axis(_known_axis(axis), rank, "axis")
    return _joined(_cut_to(parts, place, rank), place)


def _cut_to(parts: list[Any], axis: int, rank: int | None) -> list[Any]:
    """Operands of unknown rank with partitions down to an axis, since it may be an inner one."""
    return [with_ragged_rank(part, axis) for part in parts] if rank is None else parts


def _known_axis(axis: Any) -> int:
    if hasattr(axis, "numpy"):
        axis = axis.numpy()
    if not isinstance(axis, int | np.integer | np.ndarray):
        raise TypeError(f"`axis` must be an int, got {axis!r}.")
    return int(axis)


def _joined(parts: list[Any], axis: int) -> Any:
    if len(parts) == 1:
        return parts[0]
    if not isinstance(parts[0], RaggedTensor):
        return joining.concat(parts, axis)
    if axis == 0:
        return _below(parts)
    if axis == 1:
        return _beside(parts)
    message = "tf.concat: rows must have the same lengths"
    for part in parts[1:]:
        first, its = parts[0].row_splits, part.row_splits
        first.shape.assert_is_compatible_with(its.shape)
        require(raw_ops.Equal(first, its), message, its)
    return parts[0].with_values(_joined([part.values for part in parts], axis - 1))


def _below(parts: list[RaggedTensor]) -> RaggedTensor:
    """The rows of all parts, one part after another."""
    values = _joined([part.values for part in parts], 0)
    lengths = raw_ops.ConcatV2([part.row_lengths() for part in parts], 0)
    sizes = {part._row_partition.static_uniform_row_length for part in parts}
    if len(sizes) == 1 and None not in sizes:
        length = parts[0].uniform_row_length
        count = raw_ops.Shape(lengths, out_type=lengths.dtype)[0]
        return RaggedTensor.from_uniform_row_length(values, length, count, validate=False)
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


def _beside(parts: list[RaggedTensor]) -> RaggedTensor:
    """Each row of the first part, followed by the same row of the others."""
    best = next((part for part in parts if part.shape[:1].is_fully_defined()), parts[0])
    count = best.nrows()
    for part in parts:
        if part is best:
            continue
        message = "tf.concat: all `values` must have the same number of rows"
        require(raw_ops.Equal(count, part.nrows()), message, part.nrows())
    together = _below(parts)
    number = len(parts)
    grid = raw_ops.Reshape(
        raw_ops.Range(
            convert_to_tensor(0, count.dtype), together.nrows(), convert_to_tensor(1, count.dtype)
        ),
        [number, -1],
    )
    order = raw_ops.Reshape(raw_ops.Transpose(grid, [1, 0]), [-1])
    rows = gather_rows(together, order)
    lengths = raw_ops.Reshape(
        rows.row_lengths(),
        raw_ops.Pack([raw_ops.Cast(count, DstT=dtypes.int32), np.int32(number)], axis=0),
    )
    return RaggedTensor.from_row_lengths(rows.values, raw_ops.Sum(lengths, 1), validate=False)


@scoped("RaggedConcat")
def _stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    parts, rank = _operands(values, "tf.stack")
    place = positive_axis(_known_axis(axis), None if rank is None else rank + 1, "axis")
    return _stacked(_cut_to(parts, place, rank), place)


def _stacked(parts: list[Any], axis: int) -> Any:
    if axis == 0:
        dtype = parts[0].row_splits.dtype
        counts = raw_ops.Pack([part.nrows(dtype) for part in parts], axis=0)
        return RaggedTensor.from_row_lengths(_joined_or_one(parts), counts, validate=False)
    return _joined([expand_dims(part, axis) for part in parts], axis)


def _joined_or_one(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else _joined(parts, 0)


@scoped("RaggedConcat")
def stack(values: Sequence[TensorLike], axis: int = 0, name: str | None = None) -> Any:
    """Tensors, of which dimensions may differ in size, as the rows of a ragged tensor.

    >>> tf.ragged.stack([[1, 2], [3], []])
    <tf.RaggedTensor [[1, 2], [3], []]>
    """
    given = list(values) if isinstance(values, list | tuple) else [values]
    if not given:
        raise ValueError("tf.ragged.stack: `values` must not be empty.")
    hint = next((v.dtype for v in given if isinstance(v, RaggedTensor)), None)
    parts = [
        v if isinstance(v, RaggedTensor) else convert_to_tensor(v, dtype_hint=hint) for v in given
    ]
    found = {part.dtype for part in parts}
    if len(found) > 1 and any(len(np.shape(v)) and not np.size(v) for v in _lists(given)):
        wanted = next(p.dtype for p, v in zip(parts, given, strict=True) if not _is_empty(v))
        parts = [
            convert_to_tensor(v, wanted) if _is_empty(v) else p
            for p, v in zip(parts, given, strict=True)
        ]
    parts, rank = _of_one_rank(parts, "tf.ragged.stack")
    if rank == 0:
        return joining.stack(parts, axis)
    place = positive_axis(_known_axis(axis), None if rank is None else rank + 1, "axis")
    if rank == 1 and not any(isinstance(part, RaggedTensor) for part in parts):
        if place == 1:
            return joining.stack(parts, 1)
        lengths = raw_ops.Pack([raw_ops.Shape(p)[0] for p in parts], axis=0)
        return RaggedTensor.from_row_lengths(joining.concat(parts, 0), lengths, validate=False)
    levels = max(part.ragged_rank if isinstance(part, RaggedTensor) else 1 for part in parts)
    cut = [with_ragged_rank(as_values(part), levels) for part in parts]
    return _stacked(_cut_to(cut, place, rank), place)


def _lists(given: list[Any]) -> list[Any]:
    return [value for value in given if isinstance(value, list | tuple)]


def _is_empty(value: Any) -> bool:
    return isinstance(value, list | tuple) and not len(value)


def _has_ragged(values: Any) -> bool:
    return isinstance(values, RaggedTensor) or _lists_ragged(values)


def _lists_ragged(values: Any) -> bool:
    return isinstance(values, list | tuple) and any(isinstance(v, RaggedTensor) for v in values)


dispatch.add_target(joining.concat, _concat, [{"values": _has_ragged}])
dispatch.add_target(joining.stack, _stack, [{"values": _lists_ragged}])
