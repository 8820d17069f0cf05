"""`tf.gather` and `tf.gather_nd` where the parameters or the indices are ragged."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_tensor import RaggedTensor, count_of
from runnel.core.composite.row_partition import require, with_known_length
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_dtype
from runnel.ops.array import gathering
from runnel.ops.ragged.joining import with_ragged_rank


@scoped("RaggedGather")
def _gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    params = params if isinstance(params, RaggedTensor) else convert_to_tensor(params)
    indices = indices if isinstance(indices, RaggedTensor) else convert_to_tensor(indices)
    batch = batch_dims
    if batch < 0:
        batch = positive_axis(batch, indices.shape.rank, "batch_dims")
    place = batch if axis is None else positive_axis(axis, params.shape.rank, "axis")
    if place < batch:
        raise ValueError(f"tf.gather: `axis` {axis} must not be before `batch_dims` {batch_dims}.")
    return _taken(params, indices, place, batch)


def _taken(params: Any, indices: Any, axis: int, batch: int) -> Any:
    if batch > 1:
        params, indices = with_ragged_rank(params, 1), with_ragged_rank(indices, 1)
        return indices.with_values(_taken(params.values, indices.values, axis - 1, batch - 1))
    if batch == 1:
        return _taken_by_row(params, indices, axis)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_taken(params, indices.values, axis, 0))
    if not isinstance(params, RaggedTensor):
        return gathering.gather(params, indices, axis=axis)
    if axis > 1:
        return params.with_values(_taken(params.values, indices, axis - 1, 0))
    if axis == 1:
        return _columns(params, indices)
    return _rows(params, indices)


def _rows(params: RaggedTensor, indices: Tensor) -> Any:
    rank = indices.shape.rank
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        raise bad_dtype("RaggedGather", want="be int32 or int64", indices=indices)
    if rank == 0:
        return params[indices]
    splits = list(params.nested_row_splits)
    levels = len(splits) + (rank or 1) - 1
    *found, values = raw_ops.RaggedGather(
        splits, params.flat_values, indices, OUTPUT_RAGGED_RANK=levels
    )
    uniform = [None if d is None else d for d in indices.shape.as_list()[1:]]
    uniform += [p.static_uniform_row_length for p in params._nested_row_partitions]
    for part, length in reversed([*zip(found, uniform, strict=True)]):
        values = RaggedTensor(values, with_known_length(part, length), internal=True)
    return values


def _columns(params: RaggedTensor, indices: Tensor) -> Any:
    """The same columns of each row, which all rows must have."""
    dtype = params.row_splits.dtype
    places = raw_ops.Cast(indices, DstT=dtype)
    flat = raw_ops.Reshape(places, [1, -1])
    lengths = raw_ops.ExpandDims(params.row_lengths(), 1)
    _check_within(flat, lengths)
    starts = raw_ops.ExpandDims(params.row_starts(), 1)
    chosen = raw_ops.AddV2(starts, flat)
    shape = raw_ops.ConcatV2([raw_ops.Shape(params.row_starts()), raw_ops.Shape(indices)], 0)
    return _taken(params.values, raw_ops.Reshape(chosen, shape), 0, 0)


def _check_within(indices: Tensor, lengths: Tensor) -> None:
    zero = raw_ops.ZerosLike(indices)
    inside = raw_ops.LogicalAnd(raw_ops.GreaterEqual(indices, zero), raw_ops.Less(indices, lengths))
    require(inside, "Indices must be within their rows", indices)


def _taken_by_row(params: Any, indices: Any, axis: int) -> Any:
    """Row `i` of the result has elements of row `i` of the parameters."""
    if axis > 1:
        params = with_ragged_rank(params, 1).with_row_splits_dtype(dtypes.int64)
        _check_rows(params, count_of(indices))
        each = _taken(indices, params.value_rowids(), 0, 0)  # its row's indices for each value
        return params.with_values(_taken_by_row(params.values, each, axis - 1))
    if not isinstance(indices, RaggedTensor) and indices.shape.rank == 1:
        inner = _taken_by_row(params, raw_ops.ExpandDims(indices, 1), axis)
        return inner[:, 0] if isinstance(inner, Tensor) else inner.values
    params = with_ragged_rank(params, 1).with_row_splits_dtype(dtypes.int64)
    if not isinstance(indices, RaggedTensor):
        params.shape[:1].assert_is_compatible_with(indices.shape[:1])
        _check_rows(params, count_of(indices))
        return _shifted(params.values, indices, params.row_starts(), params.row_lengths())
    ids = indices.with_row_splits_dtype(dtypes.int64)
    params.shape[:1].assert_is_compatible_with(ids.shape[:1])
    _check_rows(params, ids.nrows())
    row = ids.value_rowids()
    starts = raw_ops.GatherV2(params.row_starts(), row, 0)
    lengths = raw_ops.GatherV2(params.row_lengths(), row, 0)
    return ids.with_values(_shifted(params.values, ids.values, starts, lengths))


def _check_rows(params: RaggedTensor, count: Tensor) -> None:
    message = "tf.gather: `params` and `indices` must have the same number of rows"
    require(raw_ops.Equal(params.nrows(), raw_ops.Cast(count, DstT=dtypes.int64)), message, count)


def _shifted(values: Any, indices: Any, starts: Tensor, lengths: Tensor) -> Any:
    """The values at `indices`, counted from the `starts` of their rows."""
    if isinstance(indices, RaggedTensor):
        row = indices.value_rowids()
        inner = [raw_ops.GatherV2(part, row, 0) for part in (starts, lengths)]
        return indices.with_values(_shifted(values, indices.values, *inner))
    ids = raw_ops.Cast(indices, DstT=dtypes.int64)
    for _ in range((ids.shape.rank or 1) - 1):
        starts, lengths = raw_ops.ExpandDims(starts, -1), raw_ops.ExpandDims(lengths, -1)
    _check_within(ids, lengths)
    return _taken(values, raw_ops.AddV2(ids, starts), 0, 0)


@scoped("RaggedGatherNd")
def _gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    if bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise ValueError(
            "tf.gather_nd: `bad_indices_policy` must be the default for ragged tensors."
        )
    if batch_dims != 0:
        raise ValueError("tf.gather_nd: `batch_dims` must be 0 for ragged tensors.")
    params = params if isinstance(params, RaggedTensor) else convert_to_tensor(params)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather_nd(params, indices.values))
    ids = convert_to_tensor(indices)
    size = ids.shape[-1] if ids.shape.rank else None
    if size is None:
        raise ValueError("tf.gather_nd: the last dimension of `indices` must be known.")
    if not isinstance(params, RaggedTensor):
        return gathering.gather_nd(params, ids)
    if ids.shape.rank == 1:
        found = _gather_nd(params, raw_ops.ExpandDims(ids, 0))
        return (
            found
            if size < (params.shape.rank or 0) and isinstance(found, RaggedTensor)
            else found[0]
        )
    ids = raw_ops.Cast(ids, DstT=params.row_splits.dtype)
    return _at(params, [ids[..., i] for i in range(size)])


def _at(params: Any, parts: list[Tensor]) -> Any:
    """The elements at the given places, one tensor of places for each dimension."""
    first, *rest = parts
    if not isinstance(params, RaggedTensor):
        return gathering.gather_nd(params, raw_ops.Pack([first, *rest], axis=-1))
    count = params.nrows()
    _check_within(first, count)
    if not rest:
        return _taken(params, first, 0, 0)
    starts = raw_ops.GatherV2(params.row_starts(), first, 0)
    _check_within(rest[0], raw_ops.GatherV2(params.row_lengths(), first, 0))
    return _at(params.values, [raw_ops.AddV2(starts, rest[0]), *rest[1:]])


_EITHER: list[dict[Any, Any]] = [{"params": RaggedTensor}, {"indices": RaggedTensor}]
dispatch.add_target(gathering.gather, _gather, _EITHER)
dispatch.add_target(gathering.gather_nd, _gather_nd, _EITHER)
