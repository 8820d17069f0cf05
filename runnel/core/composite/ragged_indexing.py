"""`ragged[...]`: rows, slices of rows, slices within rows, new dimensions.

A dimension whose rows differ in length can be sliced, but not indexed: its rows need not have the
element. Each step below takes the first key off, and leaves the rest to the dimensions inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.composite.row_partition import RowPartition, with_known_length
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import TensorLike

if TYPE_CHECKING:
    from runnel.core.composite.ragged_tensor import RaggedTensor

_ALL = slice(None)


def getitem(ragged: RaggedTensor, key: Any) -> Any:
    """`ragged[key]`."""
    keys = list(key) if isinstance(key, list | tuple) else [key]
    keys = _without_ellipsis(keys, ragged.shape.rank)
    for place, item in enumerate(keys):
        _check_key(item, is_first=place == 0)
    return _outer(ragged, keys)


def _without_ellipsis(keys: list[Any], rank: int | None) -> list[Any]:
    """The keys with full slices in place of `...`."""
    places = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not places:
        return keys
    keys = [_ALL if i in places[1:] else key for i, key in enumerate(keys)]
    if rank is None:
        raise ValueError("Only a ragged tensor of known rank can be indexed with `...`.")
    taken = sum(key is not None and key is not Ellipsis for key in keys)
    full = [_ALL] * max(rank - taken, 0)
    return [*keys[: places[0]], *full, *keys[places[0] + 1 :]]


def _check_key(key: Any, *, is_first: bool) -> None:
    if isinstance(key, slice):
        for part in (key.start, key.stop, key.step):
            if not (part is None or _is_index(part)):
                raise TypeError(f"The bounds of a slice must be integers or None, got {part!r}.")
        if _known_step(key.step) == 0:
            raise InvalidArgumentError(None, None, "The step of a slice must not be 0.")
    elif not (key is None or _is_index(key)):
        kind = TypeError if is_first and not isinstance(key, bool) else ValueError
        raise kind(f"A ragged tensor is indexed with integers and slices, got {key!r}.")


def _is_index(key: Any) -> bool:
    if isinstance(key, Tensor):
        return key.dtype.is_integer and key.shape.rank in (None, 0)
    return isinstance(key, int | np.integer) and not isinstance(key, bool)


def _known_step(step: Any) -> int | None:
    """The step of a slice, None if it is known only when a graph runs."""
    if step is None:
        return 1
    known = constant_value(step) if isinstance(step, Tensor) else step
    return None if known is None else int(known)


def _outer(ragged: RaggedTensor, keys: list[Any]) -> Any:
    """Apply keys, of which the first is for the outermost dimension."""
    if not keys:
        return ragged
    first, *rest = keys
    if first is None:
        return _with_outer_dimension(ragged, _outer(ragged, rest))
    if isinstance(first, slice):
        return _inner(slice_rows(ragged, first), rest)
    row = _one_row(ragged, first)
    return row[tuple(rest)] if rest else row


def _one_row(ragged: RaggedTensor, index: Any) -> Any:
    count = ragged._row_partition.static_nrows
    if isinstance(index, int) and count is not None and not -count <= index < count:
        kind = IndexError if state.graph is None else ValueError
        raise kind(f"There is no row {index} in a ragged tensor with {count} rows.")
    start, limit = ragged.row_starts()[index], ragged.row_limits()[index]
    values = ragged.values
    if isinstance(values, Tensor):
        row = values[start:limit]
        length = ragged._row_partition.static_uniform_row_length
        if length is not None and hasattr(row, "graph"):
            row.set_shape([length, *values.shape[1:]])
        return row
    return slice_rows(values, slice(start, limit))


def _with_outer_dimension(ragged: RaggedTensor, inner: Any) -> Any:
    if isinstance(inner, Tensor):
        return raw_ops.ExpandDims(inner, 0)
    count = convert_to_tensor(1, inner.row_splits.dtype)
    return type(ragged).from_uniform_row_length(inner, inner.nrows(), nrows=count)


def slice_rows(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    """Some of the rows, as Python slices a list."""
    if key == _ALL:
        return ragged
    count = ragged.nrows()
    zero, one = convert_to_tensor(0, count.dtype), convert_to_tensor(1, count.dtype)
    return gather_rows(ragged, raw_ops.Range(zero, count, one)[key])


def gather_rows(ragged: RaggedTensor, indices: TensorLike) -> RaggedTensor:
    """The rows with the given numbers, which are a vector."""
    splits = list(ragged.nested_row_splits)
    places = convert_to_tensor(indices)
    *found, values = raw_ops.RaggedGather(
        splits, ragged.flat_values, places, OUTPUT_RAGGED_RANK=len(splits)
    )
    partitions = ragged._nested_row_partitions
    for partition, part in reversed([*zip(partitions, found, strict=True)]):
        rows = with_known_length(part, partition.static_uniform_row_length)
        values = type(ragged)(values, rows, internal=True)
    return values  # type: ignore[no-any-return]


def _inner(ragged: Any, keys: list[Any]) -> Any:
    """Apply keys to the dimensions after the first one, of a ragged tensor or a tensor."""
    if not keys:
        return ragged
    if isinstance(ragged, Tensor):
        return ragged[(_ALL, *keys)]
    first, *rest = keys
    if first is None:
        inner = _inner(ragged, rest)
        one = convert_to_tensor(1, ragged.row_splits.dtype)
        rows = RowPartition.from_uniform_row_length(one, nrows=ragged.nrows(), validate=False)
        return type(ragged)._from_row_partition(inner, rows, validate=False)
    if not isinstance(first, slice):
        return _inner(_column(ragged, first), rest)
    if first != _ALL:
        ragged = _slice_columns(ragged, first)
    return ragged.with_values(_inner(ragged.values, rest)) if rest else ragged


def _column(ragged: RaggedTensor, index: Any) -> Any:
    """One element of each row, all rows being of one length."""
    length = ragged.uniform_row_length
    if length is None:
        raise ValueError("An inner ragged dimension can be sliced, but not indexed.")
    dtype = length.dtype
    zero, one = convert_to_tensor(0, dtype), convert_to_tensor(1, dtype)
    within = raw_ops.Range(zero, length, one)[index]
    places = raw_ops.AddV2(ragged.row_starts(), within)
    values = ragged.values
    if isinstance(values, Tensor):
        return raw_ops.GatherV2(values, places, 0)
    return gather_rows(values, places)


def _slice_columns(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    """A slice of each row."""
    known = _known_step(key.step)
    lengths = ragged._row_partition.row_lengths()
    dtype = lengths.dtype
    step = _in_dtype(key.step if known is None else known, dtype)
    forward = known > 0 if known is not None else raw_ops.Greater(step, _in_dtype(0, dtype))
    starts = _bound(key.start, lengths, forward, is_start=True)
    stops = _bound(key.stop, lengths, forward, is_start=False)
    first = ragged.row_starts()
    splits, places = raw_ops.RaggedRange(
        raw_ops.AddV2(first, starts), raw_ops.AddV2(first, stops), step, Tsplits=dtype
    )
    values = ragged.values
    if isinstance(values, Tensor):
        chosen: Any = raw_ops.GatherV2(values, places, 0)
    else:
        chosen = gather_rows(values, places)
    return type(ragged)(chosen, with_known_length(splits, _sliced_length(ragged, key)), True)


def _in_dtype(value: Any, dtype: DType) -> Tensor:
    given = convert_to_tensor(value)
    return given if given.dtype is dtype else raw_ops.Cast(given, DstT=dtype)


def _bound(bound: Any, lengths: Tensor, forward: bool | Tensor, *, is_start: bool) -> Tensor:
    """Where a slice of each row begins or ends: Python's rule, for many lengths at once."""
    dtype = lengths.dtype
    if not isinstance(forward, bool):
        ways = [_bound(bound, lengths, way, is_start=is_start) for way in (True, False)]
        return raw_ops.SelectV2(forward, *ways)  # type: ignore[no-any-return]
    lowest, highest = (0, lengths) if forward else (-1, raw_ops.Sub(lengths, 1))
    low = raw_ops.Fill(raw_ops.Shape(lengths), convert_to_tensor(lowest, dtype))
    high = convert_to_tensor(highest)
    if bound is None:
        return low if is_start == forward else high
    given = _in_dtype(bound, dtype)
    negative = raw_ops.Less(given, convert_to_tensor(0, dtype))
    from_end = raw_ops.Mul(raw_ops.Cast(negative, DstT=dtype), lengths)
    place = raw_ops.AddV2(given, from_end)
    return raw_ops.Maximum(raw_ops.Minimum(place, high), low)  # type: ignore[no-any-return]


def _sliced_length(ragged: RaggedTensor, key: slice) -> int | None:
    length = ragged._row_partition.static_uniform_row_length
    parts = [None if p is None else constant_value(p) for p in (key.start, key.stop, key.step)]
    if length is None or any(
        given is not None and known is None
        for given, known in zip((key.start, key.stop, key.step), parts, strict=True)
    ):
        return None
    return len(range(length)[slice(*[None if p is None else int(p) for p in parts])])
