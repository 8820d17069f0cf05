"""Broadcasting with ragged dimensions.

Dimensions are aligned from the right, as always. One of size 1 is repeated, if it is known to be
uniform; other dimensions must have rows of the same lengths.

Both operands are walked from the outside in. At each level they have, for every row of the result,
the number of their own row that goes there; a level that is repeated names the same row again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition, require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import int32, int64
from runnel.core.values.errors import InvalidArgumentError, invalid


def on_flat_values(function: Callable[..., Any], *operands: Any) -> Any:
    """`function` of operands, one of them ragged at least, after broadcasting."""
    parts = _as_operands(operands)
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    outer = max(ragged, key=lambda part: part.shape.rank or 0)
    rows = [i for i, part in enumerate(parts) if not _is_inside(part, outer)]
    for i in rows[1:]:
        parts[rows[0]], parts[i] = same_rows(parts[rows[0]], parts[i])
    for i in rows[1:-1]:  # the first one may have grown since
        parts[rows[0]], parts[i] = same_rows(parts[rows[0]], parts[i])
    flat = [part.flat_values if isinstance(part, RaggedTensor) else part for part in parts]
    return parts[rows[0]].with_flat_values(function(*flat))


def _as_operands(operands: tuple[Any, ...]) -> list[Any]:
    """Tensors, of which a Python value has the dtype of a partner where it can."""
    hint = next((x.dtype for x in operands if isinstance(x, RaggedTensor | Tensor)), None)
    return [
        x if isinstance(x, RaggedTensor) else convert_to_tensor(x, dtype_hint=hint)
        for x in operands
    ]


def _is_inside(dense: Any, ragged: Any) -> bool:
    """Whether a tensor has no more dimensions than the flat values have beside the rows."""
    if not isinstance(dense, Tensor) or dense.shape.rank is None:
        return False
    if dense.shape.rank == 0:
        return True
    inner = ragged.flat_values.shape.rank
    return inner is not None and dense.shape.rank <= inner - 1


class Rows(NamedTuple):
    """The outer dimensions of an operand: how many rows, and how they are cut."""

    number: Tensor
    partitions: tuple[RowPartition, ...]
    flat: Tensor


def same_rows(x: Any, y: Any) -> tuple[RaggedTensor, RaggedTensor]:
    """Two operands repeated so that their partitions are the same."""
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor) and _alike(x, y):
        return x, y
    kinds = {part.row_splits.dtype for part in (x, y) if isinstance(part, RaggedTensor)}
    dtype = int32 if kinds == {int32} else int64
    rank = max(_rank(x), _rank(y))
    levels = max(_levels(x, rank), _levels(y, rank))
    first, second = _rows_of(x, rank, levels), _rows_of(y, rank, levels)
    left, right = _outermost(first.number, second.number)
    partitions = []
    for mine, its in zip(first.partitions, second.partitions, strict=True):
        rows, left, right = _next_level(mine, its, left, right)
        partitions.append(rows)
    results = []
    for operand, places in ((first, left), (second, right)):
        flat = operand.flat if places is None else raw_ops.GatherV2(operand.flat, places, 0)
        result = RaggedTensor._from_nested_row_partitions(flat, partitions, validate=False)
        results.append(result.with_row_splits_dtype(dtype))
    return results[0], results[1]


def _alike(x: RaggedTensor, y: RaggedTensor) -> bool:
    """Whether the partitions are known to be the same."""
    mine, its = x.nested_row_splits, y.nested_row_splits
    return len(mine) == len(its) and all(_same(a, b) for a, b in zip(mine, its, strict=True))


def _same(a: Tensor, b: Tensor) -> bool:
    if a is b:
        return True
    left, right = constant_value(a), constant_value(b)
    return left is not None and right is not None and np.array_equal(left, right)


def _rank(value: Any) -> int:
    rank = value.shape.rank
    if rank is None:
        raise ValueError("Ragged tensors of unknown rank cannot be broadcast.")
    return int(rank)


def _levels(value: Any, rank: int) -> int:
    """How many partitions an operand has once it has `rank` dimensions."""
    return rank - _rank(value) + value.ragged_rank if isinstance(value, RaggedTensor) else 0


def _rows_of(value: Any, rank: int, levels: int) -> Rows:
    """An operand with `rank` dimensions and `levels` partitions, further ones being uniform."""
    for _ in range(rank - _rank(value)):
        value = with_outer_dimension(value)
    if isinstance(value, Tensor):
        value = RaggedTensor.from_tensor(value, ragged_rank=levels)
    missing = levels - value.ragged_rank
    if missing > 0:
        flat = RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing)
        value = value.with_flat_values(flat)
    value = value.with_row_splits_dtype(int64)
    return Rows(value.nrows(), value._nested_row_partitions, value.flat_values)


def with_outer_dimension(value: Any) -> Any:
    """The one row of a new outermost dimension."""
    if isinstance(value, Tensor):
        return raw_ops.ExpandDims(value, 0)
    one = convert_to_tensor(1, value.row_splits.dtype)
    return RaggedTensor.from_uniform_row_length(value, value.nrows(), nrows=one)


def _outermost(mine: Tensor, its: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """Which rows of each operand the rows of the result are; None for all in order."""
    left, right = constant_value(mine), constant_value(its)
    if left is not None and right is not None and left == right:
        return None, None
    if left is not None and left == 1:
        return raw_ops.Fill(raw_ops.ExpandDims(its, 0), np.int64(0)), None
    if right is not None and right == 1:
        return None, raw_ops.Fill(raw_ops.ExpandDims(mine, 0), np.int64(0))
    if left is not None and right is not None:
        raise _unequal(f"{left} and {right} rows")
    require(raw_ops.Equal(mine, its), "Ragged tensors must have as many rows", mine)
    return None, None


def _unequal(what: str) -> InvalidArgumentError:
    return invalid(f"Ragged tensors cannot be broadcast: there are {what} in a dimension.")


def _next_level(
    mine: RowPartition, its: RowPartition, left: Tensor | None, right: Tensor | None
) -> tuple[RowPartition, Tensor | None, Tensor | None]:
    """The partition of the result, and which values of each operand it has."""
    mine_is_one = mine.static_uniform_row_length == 1
    its_is_one = its.static_uniform_row_length == 1
    my_rows, its_rows = _chosen(mine, left), _chosen(its, right)
    if its_is_one and not mine_is_one:
        return my_rows, _values_of(mine, my_rows, left), _repeated(its, my_rows, right)
    if mine_is_one and not its_is_one:
        return its_rows, _repeated(mine, its_rows, left), _values_of(its, its_rows, right)
    if not _same(my_rows.row_splits(), its_rows.row_splits()):
        message = "Ragged tensors cannot be broadcast: rows must have the same lengths"
        holds = raw_ops.Equal(my_rows.row_lengths(), its_rows.row_lengths())
        require(holds, message, my_rows.row_lengths())
    best = its_rows if its_rows.is_uniform() else my_rows
    return best, _values_of(mine, my_rows, left), _values_of(its, its_rows, right)


def _chosen(rows: RowPartition, places: Tensor | None) -> RowPartition:
    """The partition of the rows at `places`."""
    if places is None:
        return rows
    if rows.is_uniform():
        count = raw_ops.Shape(places, out_type=int64)[0]
        length = rows.uniform_row_length()
        return RowPartition.from_uniform_row_length(length, nrows=count, validate=False)
    lengths = raw_ops.GatherV2(rows.row_lengths(), places, 0)
    return RowPartition.from_row_lengths(lengths, validate=False)


def _values_of(rows: RowPartition, result: RowPartition, places: Tensor | None) -> Tensor | None:
    """The values of the rows at `places`, row by row as `result` has them."""
    if places is None:
        return None
    starts = raw_ops.GatherV2(rows.row_starts(), places, 0)
    first = raw_ops.GatherV2(starts, result.value_rowids(), 0)
    return raw_ops.AddV2(first, result.offsets_in_rows())  # type: ignore[no-any-return]


def _repeated(rows: RowPartition, result: RowPartition, places: Tensor | None) -> Tensor:
    """The one value of each row at `places`, for all elements of its row in `result`."""
    starts = rows.row_starts()
    if places is not None:
        starts = raw_ops.GatherV2(starts, places, 0)
    return raw_ops.GatherV2(starts, result.value_rowids(), 0)  # type: ignore[no-any-return]
