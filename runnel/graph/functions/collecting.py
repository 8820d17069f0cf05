"""What a loop over elements returns, collected: tensors, ragged tensors, sparse tensors.

A collector knows how the results of one kind are written to `TensorArray`s, one iteration at a
time, and what is made of the arrays at the end. Ragged and sparse results are written part by part,
so that nothing has to be of one size and gradients flow as they always do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.ragged_tensor import RaggedTensor, count_of
from runnel.core.composite.row_partition import RowPartition
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import invalid
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.ops.resources.tensor_array import TensorArray


class Collector(Protocol):
    """One result of a loop."""

    def arrays(self, count: Any) -> list[TensorArray]:
        """The arrays for `count` iterations, empty yet."""

    def parts(self, value: Any) -> list[Tensor]:
        """What one iteration writes, a tensor for each array."""

    def result(self, arrays: Sequence[TensorArray]) -> Any:
        """What all iterations make together."""


class Stacked:
    """Tensors of one shape, stacked."""

    def __init__(
        self, dtype: DType, *, infer_shape: bool, shape: TensorShape | None = None
    ) -> None:
        self.dtype = dtype
        self.infer_shape = infer_shape
        self.shape = shape

    def arrays(self, count: Any) -> list[TensorArray]:
        each = self.shape if self.infer_shape else None
        made = TensorArray(self.dtype, size=count, infer_shape=self.infer_shape, element_shape=each)
        return [made]

    def parts(self, value: Any) -> list[Tensor]:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise invalid(
                f"tf.map_fn: fn returned {tensor.dtype.name} where {self.dtype.name} was expected; "
                "say with fn_output_signature what it returns."
            )
        return [tensor]

    def result(self, arrays: Sequence[TensorArray]) -> Any:
        return arrays[0].stack()


class RaggedRows:
    """Tensors, ragged or not, whose first dimensions differ: rows of a ragged tensor.

    The arrays are for the flat values, the number of rows, and the row lengths of each partition.
    """

    def __init__(self, spec: RaggedTensorSpec) -> None:
        self.spec = spec
        self.levels = max(spec.ragged_rank, 0)

    def arrays(self, count: Any) -> list[TensorArray]:
        inner = self.spec.shape[self.levels + 1 :] if self.spec.shape.rank is not None else None
        shape = None if inner is None else [None, *inner]
        flat = TensorArray(self.spec.dtype, size=count, infer_shape=False, element_shape=shape)
        kind = self.spec.row_splits_dtype
        rows = TensorArray(kind, size=count, element_shape=[])
        lengths = [
            TensorArray(kind, size=count, infer_shape=False, element_shape=[None])
            for _ in range(self.levels)
        ]
        return [flat, rows, *lengths]

    def parts(self, value: Any) -> list[Tensor]:
        kind = self.spec.row_splits_dtype
        if self.levels and not isinstance(value, RaggedTensor):
            value = RaggedTensor.from_tensor(value, ragged_rank=self.levels)
        if isinstance(value, RaggedTensor):
            value = value.with_row_splits_dtype(kind)
            return [value.flat_values, value.nrows(), *value.nested_row_lengths()]
        tensor = convert_to_tensor(value, self.spec.dtype)
        if tensor.shape.rank == 0:
            raise invalid(f"tf.map_fn: fn must return {self.spec}, got the scalar {tensor!r}.")
        return [tensor, count_of(tensor, kind)]

    def result(self, arrays: Sequence[TensorArray]) -> Any:
        flat, rows, *lengths = arrays
        nested = [rows.stack(), *[part.joined() for part in lengths]]
        partitions = [RowPartition.from_row_lengths(part, validate=False) for part in nested]
        return RaggedTensor._from_nested_row_partitions(flat.joined(), partitions, validate=False)


class SparseRows:
    """Sparse tensors, put together along a new first dimension."""

    def __init__(self, spec: SparseTensorSpec) -> None:
        self.spec = spec

    def arrays(self, count: Any) -> list[TensorArray]:
        rank = self.spec.shape.rank
        indices = TensorArray(
            dtypes.int64, size=count, infer_shape=False, element_shape=[None, rank]
        )
        values = TensorArray(self.spec.dtype, size=count, infer_shape=False, element_shape=[None])
        shapes = TensorArray(dtypes.int64, size=count, element_shape=[rank])
        counts = TensorArray(dtypes.int64, size=count, element_shape=[])
        return [indices, values, shapes, counts]

    def parts(self, value: Any) -> list[Tensor]:
        if not isinstance(value, SparseTensor):
            raise TypeError(f"tf.map_fn: fn must return {self.spec}, got {value!r}.")
        return [value.indices, value.values, value.dense_shape, count_of(value.values)]

    def result(self, arrays: Sequence[TensorArray]) -> Any:
        indices, values, shapes, counts = arrays
        rows = RowPartition.from_row_lengths(counts.stack(), validate=False)
        first = raw_ops.ExpandDims(rows.value_rowids(), 1)
        places = raw_ops.ConcatV2([first, indices.joined()], 1)
        each = shapes.stack()
        inner = raw_ops.Max(raw_ops.ConcatV2([raw_ops.ZerosLike(each[:1]), each], 0), 0)
        shape = raw_ops.ConcatV2([raw_ops.ExpandDims(rows.nrows(), 0), inner], 0)
        return SparseTensor(places, values.joined(), shape)


class Composite:
    """Values of an extension type, each component collected by itself."""

    def __init__(self, spec: Any, *, infer_shape: bool) -> None:
        self.spec = spec
        self.inner = [
            collector(part, infer_shape=infer_shape) for part in nest.flatten(spec._encoding_specs)
        ]
        self.sizes: list[int] = []

    def arrays(self, count: Any) -> list[TensorArray]:
        found = [part.arrays(count) for part in self.inner]
        self.sizes = [len(part) for part in found]
        return [array for part in found for array in part]

    def parts(self, value: Any) -> list[Tensor]:
        encoded = nest.flatten(self.spec._encode(value))
        pairs = zip(self.inner, encoded, strict=True)
        return [tensor for part, item in pairs for tensor in part.parts(item)]

    def result(self, arrays: Sequence[TensorArray]) -> Any:
        rest = iter(arrays)
        found = [
            part.result([next(rest) for _ in range(size)])
            for part, size in zip(self.inner, self.sizes, strict=True)
        ]
        return self.spec._batch(None)._decode_flat(found)


def collector(spec: Any, *, infer_shape: bool) -> Collector:
    """The collector for results of a type, which may be given by a dtype."""
    if isinstance(spec, TensorSpec):
        return Stacked(spec.dtype, infer_shape=infer_shape, shape=spec.shape)
    if isinstance(spec, RaggedTensorSpec):
        if spec.shape.rank == 0:
            return Stacked(spec.dtype, infer_shape=infer_shape)
        return RaggedRows(spec)
    if isinstance(spec, SparseTensorSpec):
        return SparseRows(spec)
    if hasattr(spec, "_encoding_specs"):
        return Composite(spec, infer_shape=infer_shape)
    if isinstance(spec, TypeSpec):
        raise NotImplementedError(f"tf.map_fn: fn_output_signature {spec!r} is not supported.")
    return Stacked(as_dtype(spec), infer_shape=infer_shape)


def element(value: Any, index: Any) -> Any:
    """One element along the first dimension of a tensor, ragged tensor, sparse tensor …"""
    if isinstance(value, Tensor):
        return raw_ops.GatherV2(value, index, np.int32(0))
    if isinstance(value, RaggedTensor):
        return value[index]
    if isinstance(value, SparseTensor):
        return _sparse_row(value, index)
    spec = value._type_spec
    if not hasattr(spec, "_encode"):
        raise TypeError(f"Only values that can be batched have elements, got {value!r}.")
    parts = [element(part, index) for part in nest.flatten(spec._encode(value))]
    return spec._unbatch()._decode_flat(parts)


def first_part(value: Any) -> Any:
    """The value itself, or a component that has the first dimension of an extension type."""
    spec: Any = getattr(value, "_type_spec", None)
    if hasattr(spec, "_encode"):  # whose own shape, if it has one, may be anything
        return first_part(nest.flatten(spec._encode(value))[0])
    if hasattr(value, "shape"):
        return value
    raise ValueError(f"Only values that can be batched have elements, got {value!r}.")


def _sparse_row(value: SparseTensor, index: Any) -> SparseTensor:
    row = raw_ops.Cast(index, DstT=dtypes.int64)
    here = raw_ops.Reshape(raw_ops.Where(raw_ops.Equal(value.indices[:, 0], row)), [-1])
    return SparseTensor(
        raw_ops.GatherV2(value.indices, here, 0)[:, 1:],
        raw_ops.GatherV2(value.values, here, 0),
        value.dense_shape[1:],
    )


def element_spec(value: Any) -> Any:
    """The type of the elements of a value."""
    if isinstance(value, Tensor):
        return value.dtype
    return value._type_spec._unbatch()
