"""Ragged tensors from other kinds of tensors, and other kinds of tensors from ragged ones.

These are methods of `RaggedTensor`, kept apart from the class: those that make one take the class
as their first argument.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.composite.row_partition import RowPartition, after, require, with_known_length
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op.raw import raw_ops
from runnel.core.settings.arguments import integers
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexing import parts_where
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike

if TYPE_CHECKING:
    from runnel.core.composite.ragged_tensor import RaggedTensor


def from_tensor(
    cls: type[RaggedTensor],
    value: TensorLike,
    lengths: Any,
    padding: TensorLike,
    ragged_rank: int,
    dtype: DType,
) -> Any:
    """The rows of a tensor, whole or cut."""
    if lengths is not None and padding is not None:
        raise ValueError("RaggedTensor.from_tensor: give `lengths` or `padding`, not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"RaggedTensor.from_tensor: `ragged_rank` must be int, got {ragged_rank!r}")
    if ragged_rank <= 0:
        raise ValueError(f"RaggedTensor.from_tensor: `ragged_rank` must be > 0, got {ragged_rank}.")
    tensor = convert_to_tensor(value)
    if tensor.shape.rank is not None and tensor.shape.rank < ragged_rank + 1:
        raise ValueError(
            f"RaggedTensor.from_tensor: `tensor` must have rank {ragged_rank + 1} or more, "
            f"got shape {tensor.shape}."
        )
    if _is_nested(lengths):
        return _cut_at_all_levels(cls, tensor, list(lengths), dtype)
    if ragged_rank > 1:
        return _from_inner_rows(cls, tensor, lengths, padding, ragged_rank, dtype)
    if lengths is None and padding is None:
        return _whole_rows(cls, tensor, dtype)
    if padding is not None:
        lengths = _lengths_before(padding, tensor, dtype)
    return _cut_rows(cls, tensor, lengths, dtype)


def _is_nested(lengths: Any) -> bool:
    if not isinstance(lengths, list | tuple) or not lengths:
        return False
    return not isinstance(lengths[0], int | float | np.generic)


def _cut_at_all_levels(
    cls: type[RaggedTensor], tensor: Tensor, lengths: list[Any], dtype: DType
) -> RaggedTensor:
    rows = _cut_rows(cls, tensor, lengths[0], dtype)
    if len(lengths) == 1:
        return rows
    return rows.with_values(_cut_at_all_levels(cls, rows.values, lengths[1:], dtype))


def _from_inner_rows(
    cls: type[RaggedTensor],
    tensor: Tensor,
    lengths: Any,
    padding: Any,
    ragged_rank: int,
    dtype: DType,
) -> Any:
    """The innermost rows are cut; all dimensions around them are uniform."""
    dims = _dims(tensor, ragged_rank, dtype)
    flat = _reshape(tensor, [-1], ragged_rank, dtype)
    result: Any = from_tensor(cls, flat, lengths, padding, 1, dtype)
    for axis in range(ragged_rank - 1, 0, -1):
        count = dims[0]
        for size in dims[1:axis]:
            count = count * size
        result = cls.from_uniform_row_length(result, dims[axis], count, validate=False)
    return result


def _whole_rows(cls: type[RaggedTensor], tensor: Tensor, dtype: DType) -> RaggedTensor:
    dims = _dims(tensor, 2, dtype)
    flat = _reshape(tensor, [dims[0] * dims[1]], 2, dtype)
    rows = RowPartition.from_uniform_row_length(
        dims[1], dims[0] * dims[1], dims[0], validate=False, dtype=dtype
    )
    return cls._from_row_partition(flat, rows, validate=False)


def _cut_rows(cls: type[RaggedTensor], tensor: Tensor, lengths: Any, dtype: DType) -> RaggedTensor:
    """The first `lengths[i]` elements of each row."""
    size = convert_to_tensor(_dims(tensor, 2, dtype)[1], dtype)
    given = convert_to_tensor(lengths, dtype_hint=dtype)
    given = given if given.dtype is dtype else raw_ops.Cast(given, DstT=dtype)
    given.shape.assert_has_rank(1)
    given.shape.concatenate(tensor.shape[1:]).assert_is_compatible_with(tensor.shape)
    bounded = raw_ops.Maximum(raw_ops.Minimum(given, size), convert_to_tensor(0, dtype))
    columns = raw_ops.Range(convert_to_tensor(0, dtype), size, convert_to_tensor(1, dtype))
    inside = raw_ops.Less(columns, raw_ops.ExpandDims(bounded, 1))
    values = parts_where(tensor, inside, 2)
    return cls.from_row_lengths(values, bounded, validate=False)


def _lengths_before(padding: TensorLike, tensor: Tensor, dtype: DType) -> Tensor:
    """How long the rows are without the padding at their ends."""
    pad = convert_to_tensor(padding, tensor.dtype)
    pad.shape.assert_is_compatible_with(tensor.shape[2:])
    differs = raw_ops.NotEqual(tensor, pad)
    if tensor.shape.rank is None:
        differs = raw_ops.Any(differs, raw_ops.Range(2, raw_ops.Rank(differs), 1))
    elif tensor.shape.rank > 2:
        differs = raw_ops.Any(differs, list(range(2, tensor.shape.rank)))
    size = convert_to_tensor(_dims(tensor, 2, dtype)[1], dtype)
    one = convert_to_tensor(1, dtype)
    place = raw_ops.Range(one, raw_ops.AddV2(size, one), one)
    last = raw_ops.Max(raw_ops.Mul(raw_ops.Cast(differs, DstT=dtype), place), 1)
    return raw_ops.Maximum(last, convert_to_tensor(0, dtype))  # type: ignore[no-any-return]


def _dims(tensor: Tensor, count: int, dtype: DType) -> list[Any]:
    """The first dimensions of a tensor: numbers where they are known, else scalar tensors."""
    known = tensor.shape.as_list()[:count] if tensor.shape.rank is not None else [None] * count
    if None not in known:
        return known
    shape = raw_ops.Shape(tensor, out_type=dtype)
    return [shape[i] if d is None else d for i, d in enumerate(known)]


def _reshape(tensor: Tensor, front: list[Any], count: int, dtype: DType) -> Tensor:
    """The tensor with `front` in place of its first `count` dimensions."""
    if tensor.shape.rank is None:
        kept = raw_ops.Shape(tensor, out_type=dtype)[count:]
        return raw_ops.Reshape(tensor, raw_ops.ConcatV2([_packed(front, dtype), kept], 0))  # type: ignore[no-any-return]
    dims = [*front, *_dims(tensor, tensor.shape.rank, dtype)[count:]]
    return raw_ops.Reshape(tensor, _packed(dims, dtype))  # type: ignore[no-any-return]


def _packed(dims: list[Any], dtype: DType) -> Tensor:
    if all(isinstance(d, int) for d in dims):
        return convert_to_tensor(np.array(dims, dtype.np_dtype))
    return raw_ops.Pack([convert_to_tensor(d, dtype) for d in dims], axis=0)  # type: ignore[no-any-return]


def from_sparse(cls: type[RaggedTensor], sparse: Any, dtype: DType) -> RaggedTensor:
    """The rows of a sparse matrix without gaps in them."""
    if not isinstance(sparse, SparseTensor):
        kind = type(sparse).__name__
        raise TypeError(f"RaggedTensor.from_sparse: `st_input` must be a SparseTensor, got {kind}.")
    rank = sparse.dense_shape.shape[0] if sparse.dense_shape.shape.rank else None
    if rank is None:
        rank = sparse.indices.shape[1]
    if rank != 2:
        raise ValueError(f"RaggedTensor.from_sparse: `st_input` must have rank 2, got {rank}.")
    row, column = sparse.indices[:, 0], sparse.indices[:, 1]
    message = "RaggedTensor.from_sparse: elements must stand at the beginning of their rows"
    waiting = require(_without_gaps(row, column), message, sparse.indices)
    rows = raw_ops.Cast(after(waiting, row), DstT=dtype)
    count = raw_ops.Cast(sparse.dense_shape[0], DstT=dtype)
    return cls.from_value_rowids(sparse.values, rows, count, validate=False)


def _without_gaps(row: Tensor, column: Tensor) -> Tensor:
    """Whether each element follows its predecessor, or begins a row."""
    same = raw_ops.Cast(raw_ops.Equal(row[1:], row[:-1]), DstT=dtypes.int64)
    expected = raw_ops.Mul(raw_ops.AddV2(column[:-1], 1), same)
    first = raw_ops.ZerosLike(column[:1])
    return raw_ops.Equal(column, raw_ops.ConcatV2([first, expected], 0))  # type: ignore[no-any-return]


def to_tensor(ragged: RaggedTensor, default_value: TensorLike, shape: Any) -> Tensor:
    """The rows filled up, or cut."""
    values = ragged.flat_values
    if default_value is None:
        empty = b"" if values.dtype is dtypes.string else np.zeros((), values.dtype.np_dtype)
        default_value = empty
    default = convert_to_tensor(default_value, values.dtype)
    static = None
    if shape is None:
        wanted = convert_to_tensor(-1)
    elif isinstance(shape, Tensor):
        wanted = shape
    elif _has_tensor(shape):
        wanted = convert_to_tensor([-1 if d is None else d for d in shape])
    else:
        static = TensorShape(shape)
        dims = [-1] if static.rank is None else [-1 if d is None else d for d in static.as_list()]
        wanted = convert_to_tensor(
            -1 if static.rank is None else integers("to_tensor", "shape", dims)
        )
    kinds, tensors = _partitions(ragged)
    dense = raw_ops.RaggedTensorToTensor(
        wanted, values, default, tensors, row_partition_types=kinds
    )
    if hasattr(dense, "graph"):
        dense.set_shape(_dense_shape(ragged, static if shape is not None else None, shape))
    return dense  # type: ignore[no-any-return]


def _has_tensor(shape: Any) -> bool:
    return isinstance(shape, list | tuple) and any(isinstance(d, Tensor) for d in shape)


def _partitions(ragged: RaggedTensor) -> tuple[tuple[str, ...], list[Tensor]]:
    splits = list(ragged.nested_row_splits)
    return ("ROW_SPLITS",) * len(splits), splits


def _dense_shape(ragged: RaggedTensor, static: TensorShape | None, given: Any) -> TensorShape:
    """What a graph knows of the shape of `to_tensor`: what was asked for, else what is uniform."""
    mine = ragged.shape
    if static is None and given is not None:
        return TensorShape([None] * mine.rank if mine.rank is not None else None)
    if static is None or static.rank is None:
        return mine
    if mine.rank is None:
        return static
    pairs = zip(mine.as_list(), static.as_list(), strict=False)
    return TensorShape([known if asked is None else asked for known, asked in pairs])


def to_sparse(ragged: RaggedTensor) -> SparseTensor:
    """All elements and where they are."""
    parts = raw_ops.RaggedTensorToSparse(list(ragged.nested_row_splits), ragged.flat_values)
    sparse = SparseTensor(*parts)
    if ragged.shape.rank is not None and sparse.shape.rank is None:
        sparse.set_shape([None] * ragged.shape.rank)
    return sparse


def row_lengths(ragged: RaggedTensor, axis: int) -> Any:
    """How long the rows of a dimension are."""
    place = positive_axis(axis, ragged.shape.rank, "axis")
    if place == 0:
        return ragged.nrows()
    if place == 1:
        return ragged._row_partition.row_lengths()
    values = ragged.values
    if not isinstance(values, Tensor):
        return ragged.with_values(row_lengths(values, place - 1))
    shape = raw_ops.Shape(values, out_type=ragged.row_splits.dtype)
    return ragged.with_values(raw_ops.Fill(shape[: place - 1], shape[place - 1]))


def positive_axis(axis: Any, rank: int | None, name: str) -> int:
    """An axis counted from the front; ValueError if there is none such."""
    if not isinstance(axis, int | np.integer):
        raise TypeError(f"RaggedTensor: `{name}` must be an int, got {axis!r}.")
    if rank is None:
        if axis < 0:
            raise ValueError(f"RaggedTensor: `{name}` may be negative for a known rank only.")
        return int(axis)
    if not -rank <= axis < rank:
        raise ValueError(
            f"RaggedTensor: `{name}` must be in [{-rank}, {rank}), got {axis}: out of bounds"
        )
    return int(axis) % rank


def bounding_shape(ragged: RaggedTensor, axis: Any, dtype: DType) -> Tensor:
    """The number of rows, and the length of the longest one in each dimension."""
    partitions = ragged._nested_row_partitions
    outer = [partitions[0].nrows()]
    for partition in partitions:
        longest = raw_ops.Max(raw_ops.ConcatV2([_ZERO(partition), partition.row_lengths()], 0), 0)
        outer.append(longest)
    parts = [part if part.dtype is dtype else raw_ops.Cast(part, DstT=dtype) for part in outer]
    inner = raw_ops.Shape(ragged.flat_values, out_type=dtype)[1:]
    shape = raw_ops.ConcatV2([raw_ops.Pack(parts, axis=0), inner], 0)
    if axis is None:
        return shape  # type: ignore[no-any-return]
    return raw_ops.GatherV2(shape, axis, 0)  # type: ignore[no-any-return]


def _ZERO(partition: RowPartition) -> Tensor:
    return convert_to_tensor(np.zeros(1, partition.dtype.np_dtype))


def merge_dims(ragged: Any, outer_axis: int, inner_axis: int) -> Any:
    """The dimensions from one axis to another as one."""
    rank = ragged.shape.rank
    outer = positive_axis(outer_axis, rank, "outer_axis")
    inner = positive_axis(inner_axis, rank, "inner_axis")
    if not outer <= inner:
        raise ValueError(
            f"merge_dims: `outer_axis` {outer_axis} must not be after `inner_axis` {inner_axis}."
        )
    for _ in range(inner - outer):
        ragged = _merge_two(ragged, outer)
    return ragged


def _merge_two(value: Any, axis: int) -> Any:
    """A tensor, ragged or not, with one dimension in place of `axis` and the next."""
    if isinstance(value, Tensor):
        dims = _dims(value, axis + 2, dtypes.int64)
        merged = [*dims[:axis], dims[axis] * dims[axis + 1]]
        return _reshape(value, merged, axis + 2, dtypes.int64)
    if axis == 0:
        return value.values
    if axis > 1:
        return value.with_values(_merge_two(value.values, axis - 1))
    outer, inside = value._row_partition, value.values
    if isinstance(inside, Tensor):
        size = raw_ops.Shape(inside, out_type=outer.dtype)[1]
        splits = raw_ops.Mul(outer.row_splits(), size)
        known = None if inside.shape.rank is None else inside.shape[1]
        length = _product(outer.static_uniform_row_length, known)
        rest = _merge_two(inside, 0)
    else:
        below = inside._row_partition
        splits = raw_ops.GatherV2(below.row_splits(), outer.row_splits(), 0)
        length = _product(outer.static_uniform_row_length, below.static_uniform_row_length)
        rest = inside.values
    return type(value)(rest, with_known_length(splits, length), internal=True)


def _product(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else x * y


def nested_array(ragged: Any) -> np.ndarray[Any, Any]:
    """The rows as one array, or as an array of arrays where they differ in length."""
    if isinstance(ragged, Tensor):
        value: np.ndarray[Any, Any] = ragged.numpy()
        return value
    values = nested_array(ragged.values)
    splits = ragged.row_splits.numpy().tolist()
    rows = [values[a:b] for a, b in pairwise(splits)]
    if not rows:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    if all(len(row) == len(rows[0]) for row in rows):
        return np.stack(rows)
    result = np.empty(len(rows), object)
    result[:] = rows
    return result


def nested_list(ragged: Any) -> list[Any]:
    """The rows as lists."""
    if isinstance(ragged, Tensor):
        flat: list[Any] = np.asarray(constant_value(ragged)).tolist()
        return flat
    values = nested_list(ragged.values)
    splits = ragged.row_splits.numpy().tolist()
    return [values[a:b] for a, b in pairwise(splits)]


def text(array: np.ndarray[Any, Any]) -> str:
    """The rows as NumPy would show them, with commas."""
    with np.printoptions(formatter={"all": _shown}):
        return _shown(array)


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size == 0:
        return repr(value.tolist())
    return np.array2string(value, separator=", ")
