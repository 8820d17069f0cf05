"""The ops RaggedTensorToTensor and RaggedTensorToSparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.choices import at_least
from runnel.ops.ragged.row_numbers import check_splits, row_of_each, splits_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_NAME = "RaggedTensorToTensor"


def _dense_rule(
    shape: Spec,
    values: Spec,
    default_value: Spec,
    row_partition_tensors: list[Spec],
    *,
    row_partition_types: tuple[str, ...],
) -> Dims:
    levels = sum(kind != "FIRST_DIM_SIZE" for kind in row_partition_types)
    if values.dims is None:
        return None
    if default_value.dims and len(default_value.dims) >= len(values.dims):
        want = f"have fewer dimensions than the flat values, {len(values.dims)}"
        raise bad_shape(_NAME, want=want, default_value=default_value)
    rank = levels + len(values.dims)
    known: Any = shape.partial if shape.value is None else shape.value
    if known is None or np.ndim(known) == 0:
        return (None,) * (levels + 1) + values.dims[1:]
    asked = [None if d is None or d < 0 else int(d) for d in known]
    if len(asked) != rank:
        want = f"have {rank} elements, as the ragged tensor has dimensions"
        raise bad_shape(_NAME, want=want, shape=shape)
    inner = values.dims[1:]
    tail = [d if a is None else a for a, d in zip(asked[levels + 1 :], inner, strict=True)]
    return (*asked[: levels + 1], *tail)


_dense_rule.broadcasts = True  # type: ignore[attr-defined]  # the default value, that is


def _all_splits(tensors: list[Array], kinds: tuple[str, ...]) -> list[Array]:
    """Row splits from whatever partitions were given."""
    if not kinds:
        raise bad_value(_NAME, want="name one partition or more", row_partition_types=kinds)
    found: list[Array] = []
    count = None
    for kind, tensor in zip(kinds, tensors, strict=True):
        if kind == "FIRST_DIM_SIZE":
            count = int(tensor)
        elif kind == "VALUE_ROWIDS":
            rows = int(count) if count is not None else len(tensor)
            found.append(splits_of(np.bincount(tensor, minlength=rows)[:rows]))
            count = len(tensor)
        elif kind == "ROW_SPLITS":
            found.append(tensor)
            count = int(tensor[-1]) if tensor.ndim == 1 and len(tensor) else 0
        else:
            want = "be ROW_SPLITS, VALUE_ROWIDS or FIRST_DIM_SIZE"
            raise bad_value(_NAME, want=want, row_partition_types=kind)
    return found


def _sizes(shape: Array, nested: list[Array], values: Array) -> list[int]:
    """The dimensions of the result up to the innermost ragged one."""
    longest = [int(np.max(s[1:] - s[:-1], initial=0)) for s in nested]
    natural = [len(nested[0]) - 1, *longest]
    if np.ndim(shape) == 0:
        if shape != -1:
            raise bad_value(_NAME, want="be a vector, or -1", shape=shape)
        return natural
    rank = len(nested) + values.ndim
    if len(shape) != rank:
        want = f"have {rank} elements, as the ragged tensor has dimensions"
        raise bad_value(_NAME, want=want, shape=shape)
    inner = shape[len(natural) :]
    if np.any((inner >= 0) & (inner != np.array(values.shape[1:]))):
        want = f"end with {values.shape[1:]}, which is uniform"
        raise bad_value(_NAME, want=want, shape=shape)
    return [n if s < 0 else int(s) for n, s in zip(natural, shape, strict=False)]


def _places(nested: list[Array], sizes: list[int]) -> Array:
    """Where each value goes in the flat result, or -1 where it is cut off."""
    place = np.arange(len(nested[0]) - 1)
    place[place >= sizes[0]] = -1
    for splits, size in zip(nested, sizes[1:], strict=True):
        row = row_of_each(splits)
        within = np.arange(len(row)) - splits[row]
        parent = place[row]
        place = np.where((parent >= 0) & (within < size), parent * size + within, -1)
    return place


def _filled(values: Array, default: Array, nested: list[Array], sizes: list[int]) -> Array:
    if len(nested) == 1:
        return _filled_rows(values, default, nested[0], *sizes)
    result = _defaults(int(np.prod(sizes)), values, default)
    place = _places(nested, sizes)
    kept = place >= 0
    result[place[kept]] = values[kept]
    return result.reshape(*sizes, *values.shape[1:])


def _defaults(count: int, values: Array, default: Array) -> Array:
    result = np.empty((count, *values.shape[1:]), values.dtype)
    result[...] = default
    return result


def _filled_rows(values: Array, default: Array, splits: Array, rows: int, size: int) -> Array:
    """The same for one partition, which is the common case."""
    count = min(rows, len(splits) - 1)
    starts = splits[:count, None]
    within = np.arange(size)
    inside = within < splits[1 : count + 1, None] - starts
    result = _defaults(rows * size, values, default)
    top = result[: count * size]
    if np.count_nonzero(inside) == len(values):
        top[inside.ravel()] = values
    elif len(values):
        chosen = values.take((starts + within).ravel(), axis=0, mode="clip")
        np.copyto(top, chosen, where=inside.reshape(-1, *[1] * (values.ndim - 1)))
    return result.reshape(rows, size, *values.shape[1:])


@op(
    "RaggedTensorToTensor",
    "shape: Tshape, values: T, default_value: T, "
    "row_partition_tensors: num_row_partition_tensors*Tindex -> result: T",
    num_row_partition_tensors=at_least(1),
    Tindex=_INDEX,
    Tshape=_INDEX,
    host=True,
    shape=_dense_rule,
)
def _ragged_to_dense(
    xp: Namespace,
    shape: Array,
    values: Array,
    default_value: Array,
    row_partition_tensors: list[Array],
    *,
    row_partition_types: tuple[str, ...],
) -> Array:
    nested = _all_splits(row_partition_tensors, row_partition_types)
    check_splits(_NAME, nested, len(values))
    inner = values.shape[1:]
    try:
        fits = np.broadcast_shapes(default_value.shape, inner) == inner
    except ValueError:
        fits = False
    if not fits:
        want = f"be a scalar or broadcast to {inner}"
        raise bad_shape(_NAME, want=want, default_value=default_value)
    return _filled(values, default_value, nested, _sizes(shape, nested, values))


@RegisterGradient(_NAME, needs="shape values default_value row_partition_tensors")
def _ragged_to_dense_grad(op: Any, dy: Tensor) -> Gradients:
    """The values' numbers, filled up like the values, say where each gradient came from."""
    shape, values, default, *partitions = op.inputs
    kinds = op.attrs["row_partition_types"]
    count = raw_ops.Shape(values, out_type=dtypes.int64)
    numbers = raw_ops.Range(np.int64(0), count[0], np.int64(1))
    levels = sum(kind != "FIRST_DIM_SIZE" for kind in kinds)
    outer = shape[: levels + 1] if shape.shape.rank != 0 else shape
    ids = raw_ops.RaggedTensorToTensor(
        outer, numbers, np.int64(-1), partitions, row_partition_types=kinds
    )
    flat_ids = raw_ops.Reshape(ids, [-1])
    size = raw_ops.Shape(flat_ids, out_type=dtypes.int64)
    flat = raw_ops.Reshape(dy, raw_ops.ConcatV2([size, count[1:]], 0))
    d_values = raw_ops.UnsortedSegmentSum(flat, flat_ids, count[0])
    zero = raw_ops.ZerosLike(flat_ids)
    outside = raw_ops.Cast(raw_ops.Less(flat_ids, zero), DstT=dtypes.int64)
    total = raw_ops.UnsortedSegmentSum(flat, raw_ops.Sub(outside, np.int64(1)), np.int64(1))[0]
    extra = (total.shape.rank or 0) - (default.shape.rank or 0)
    d_default = raw_ops.Sum(total, list(range(extra))) if extra else total
    return (None, d_values, d_default, *[None] * len(partitions))


def _sparse_rule(rt_nested_splits: list[Spec], rt_dense_values: Spec) -> list[Dims]:
    if not rt_nested_splits:
        want = "be one tensor or more"
        raise bad_value("RaggedTensorToSparse", want=want, rt_nested_splits=rt_nested_splits)
    rank = None if rt_dense_values.rank is None else len(rt_nested_splits) + rt_dense_values.rank
    count = None
    if rt_dense_values.dims is not None and None not in rt_dense_values.dims:
        count = int(np.prod([d for d in rt_dense_values.dims if d is not None]))
    return [(count, rank), (count,), (rank,)]


def _check_sparse(rt_nested_splits: list[Array], rt_dense_values: Array) -> None:
    if not rt_dense_values.ndim:
        want = "have rank 1 or more"
        raise bad_shape("RaggedTensorToSparse", want=want, rt_dense_values=rt_dense_values)
    check_splits("RaggedTensorToSparse", rt_nested_splits, len(rt_dense_values))


@op(
    "RaggedTensorToSparse",
    "rt_nested_splits: RAGGED_RANK*Tsplits[1], rt_dense_values: T[1+] -> sparse_indices: int64, "
    "sparse_values: T, sparse_dense_shape: int64",
    RAGGED_RANK=at_least(1),
    Tsplits=_INDEX,
    host=True,
    shape=_sparse_rule,
    check=_check_sparse,
)
def _ragged_to_sparse(
    xp: Namespace, rt_nested_splits: list[Array], rt_dense_values: Array
) -> list[Array]:
    columns: list[Array] = []
    for splits in rt_nested_splits:
        row = row_of_each(splits)
        columns = [column[row] for column in columns] if columns else [row]
        columns.append(np.arange(len(row)) - np.repeat(splits[:-1], splits[1:] - splits[:-1]))
    longest = [int(np.max(s[1:] - s[:-1], initial=0)) for s in rt_nested_splits]
    inner = rt_dense_values.shape[1:]
    per_value = int(np.prod(inner))
    parts = columns if per_value == 1 else [np.repeat(column, per_value) for column in columns]
    parts += [np.tile(axis.ravel(), len(rt_dense_values)) for axis in np.indices(inner)]
    indices = np.empty((rt_dense_values.size, len(parts)), np.int64)
    for place, part in enumerate(parts):
        indices[:, place] = part
    shape = np.array([len(rt_nested_splits[0]) - 1, *longest, *inner], np.int64)
    return [indices, rt_dense_values.reshape(-1), shape]


@RegisterGradient("RaggedTensorToSparse", needs="rt_dense_values")
def _ragged_to_sparse_grad(op: Any, d_indices: Any, d_values: Tensor, d_shape: Any) -> Gradients:
    *splits, values = op.inputs
    return (*[None] * len(splits), raw_ops.Reshape(d_values, raw_ops.Shape(values)))
