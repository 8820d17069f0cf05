"""Dimensions of ragged tensors: added, taken away, counted."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_shape import DynamicRaggedShape
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition, require
from runnel.core.extend import convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array import broadcasting, constants, shaping
from runnel.ops.ragged.broadcasting import same_rows, with_outer_dimension


def with_rank(value: Any, rank: int) -> Any:
    """A tensor, ragged or not, of which a graph knows the rank from here on."""
    if value.shape.rank is not None:
        return value
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(with_rank(value.flat_values, rank - value.ragged_rank))
    return shaping.ensure_shape(value, [None] * rank)


def _expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    if hasattr(axis, "numpy"):
        axis = int(axis)
    rank = input.shape.rank
    return expanded(input, positive_axis(axis, None if rank is None else rank + 1, "axis"))


def expanded(ragged: Any, axis: int) -> Any:
    """A ragged tensor or a tensor with one more dimension, at an axis that is not negative."""
    if not isinstance(ragged, RaggedTensor):
        return shaping.expand_dims(ragged, axis)
    if axis == 0:
        return with_outer_dimension(ragged)
    if axis > 1:
        return ragged.with_values(expanded(ragged.values, axis - 1))
    one = convert_to_tensor(1, ragged.row_splits.dtype)
    rows = RowPartition.from_uniform_row_length(one, nrows=ragged.nrows(), validate=False)
    return RaggedTensor._from_row_partition(ragged, rows, validate=False)


def _squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    if axis is None:
        raise ValueError("tf.squeeze: `axis` must be given for a ragged tensor.")
    given = axis if isinstance(axis, list | tuple) else [axis]
    places = sorted(positive_axis(a, input.shape.rank, "axis") for a in given)
    for place in reversed(places):
        input = _squeezed(input, place)
    return input


def _squeezed(ragged: Any, axis: int) -> Any:
    if not isinstance(ragged, RaggedTensor):
        return shaping.squeeze(ragged, axis)
    if axis > 1:
        return ragged.with_values(_squeezed(ragged.values, axis - 1))
    sizes = ragged.nrows() if axis == 0 else ragged.row_lengths()
    message = f"tf.squeeze: dimension {axis} must have size 1"
    require(raw_ops.Equal(sizes, convert_to_tensor(1, sizes.dtype)), message, sizes)
    return ragged.values


def _size(input: Any, out_type: DTypeLike = None, name: str | None = None) -> Any:
    return shaping.size(input.flat_values, out_type)


def _rank(input: Any, name: str | None = None) -> Any:
    known = input.shape.rank
    if known is not None:
        return convert_to_tensor(known, dtypes.int32)
    return raw_ops.AddV2(shaping.rank(input.flat_values), input.ragged_rank)


def _shape(input: Any, out_type: DTypeLike = None, name: str | None = None) -> DynamicRaggedShape:
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    return DynamicRaggedShape.from_tensor(input, dtype)


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    values = tensor.flat_values if isinstance(tensor, RaggedTensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return shaping.reshape(values, shape)
    flat = shaping.reshape(values, shape.inner_shape)
    return _with_partitions(flat, shape)


def _with_partitions(flat: Any, shape: DynamicRaggedShape) -> Any:
    partitions = shape.row_partitions
    return RaggedTensor._from_nested_row_partitions(flat, partitions, validate=False)


def _broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    if not isinstance(shape, DynamicRaggedShape):
        raise ValueError(
            "tf.broadcast_to: a ragged tensor takes the shape of a ragged tensor only."
        )
    if isinstance(input, RaggedTensor):
        raise ValueError("tf.broadcast_to: `input` must not be ragged.")
    tensor = convert_to_tensor(input)
    ones = _with_partitions(constants.ones(shape.inner_shape, tensor.dtype), shape)
    if not isinstance(ones, RaggedTensor):
        return broadcasting.broadcast_to(tensor, shape.inner_shape)
    inner = ones.flat_values.shape.rank or 1
    if (tensor.shape.rank or 0) < inner:
        return ones.with_flat_values(broadcasting.broadcast_to(tensor, shape.inner_shape))
    return same_rows(ones, tensor)[1]


def _fill(dims: Any, value: TensorLike, name: str | None = None, layout: Any = None) -> Any:
    return _with_partitions(constants.fill(dims.inner_shape, value), dims)


def _zeros(
    shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    return _with_partitions(constants.zeros(shape.inner_shape, dtype), shape)


def _ones(
    shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    return _with_partitions(constants.ones(shape.inner_shape, dtype), shape)


_RAGGED = [{0: RaggedTensor}]
_SHAPED = [{"shape": DynamicRaggedShape}]
dispatch.add_target(shaping.expand_dims, _expand_dims, _RAGGED)
dispatch.add_target(shaping.squeeze, _squeeze, _RAGGED)
dispatch.add_target(shaping.size, _size, _RAGGED)
dispatch.add_target(shaping.rank, _rank, _RAGGED)
dispatch.add_target(shaping.shape, _shape, _RAGGED)
dispatch.add_target(shaping.reshape, _reshape, [{"tensor": RaggedTensor}, *_SHAPED])
dispatch.add_target(broadcasting.broadcast_to, _broadcast_to, [{"input": RaggedTensor}, *_SHAPED])
dispatch.add_target(constants.fill, _fill, [{"dims": DynamicRaggedShape}])
dispatch.add_target(constants.zeros, _zeros, _SHAPED)
dispatch.add_target(constants.ones, _ones, _SHAPED)
