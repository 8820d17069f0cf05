"""Batching, slicing and padding of one component: dense, sparse, ragged, a dataset or None.

A component's value is a group of flat values, as many as its spec has tensors. Composite ones are
put together, given to the public functions for them, and taken apart again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import BatchableExtensionTypeSpec
from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.ragged_tensor import count_of
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from runnel.core.op import context
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import nest
from runnel.core.values.dtypes import variant
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.data.run.structure import NoneTensorSpec, Structure, raw, row
from runnel.graph.functions.collecting import element, first_part
from runnel.ops.ragged.joining import stack as ragged_stack


def sliced_spec(spec: TypeSpec) -> TypeSpec:
    """The spec of an element of what `spec` describes."""
    return _own(spec)._unbatch()  # type: ignore[no-any-return]


def batched_spec(spec: TypeSpec, size: int | None) -> TypeSpec:
    """The spec of a batch of what `spec` describes."""
    return _own(spec)._batch(size)  # type: ignore[no-any-return]


def _own(spec: Any) -> Any:
    if not hasattr(spec, "_batch"):
        raise TypeError(f"Elements of type {spec.value_type} cannot be batched or sliced.")
    return spec


def rows_of(spec: Any) -> TensorShape | None:
    """The shape whose first size is the number of rows of a component; None if nothing tells."""
    if isinstance(spec, BatchableExtensionTypeSpec):
        shapes = [rows_of(part) for part in nest.flatten(spec._encoding_specs)]
        return next((shape for shape in shapes if shape is not None and shape.rank), None)
    return getattr(spec, "shape", None)


def packed(spec: TypeSpec, group: Sequence[Any]) -> Any:
    """A component as users see it."""
    parts = [EagerTensor(v, s.dtype) for v, s in zip(group, spec.flatten())]
    return spec.from_tensors(iter(parts))


def unpacked(spec: TypeSpec, value: Any) -> list[Any]:
    """The flat values of a component."""
    return [raw(t) for t in spec.to_tensors(value)]


def stack(spec: TypeSpec, groups: Sequence[Sequence[Any]], place: str) -> list[Any]:
    """The batch of a component's values."""
    if isinstance(spec, TensorSpec):
        return [stack_arrays([group[0] for group in groups], place)]
    if isinstance(spec, NoneTensorSpec):
        return []
    if spec.flatten()[0].dtype is variant:
        return [_stack_resources([group[0] for group in groups])]
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank == 0:
        return _stack_rows([group[0] for group in groups], spec.row_splits_dtype.np_dtype, place)
    if isinstance(spec, SparseTensorSpec):
        return _stack_sparse(groups, place)
    with context.building(None), context.unrecorded():
        values = [packed(spec, group) for group in groups]
        if isinstance(spec, BatchableExtensionTypeSpec):
            return unpacked(batched_spec(spec, None), _stack_extensions(spec, values, place))
        return unpacked(batched_spec(spec, None), ragged_stack(values))


def stack_arrays(values: Sequence[Any], place: str) -> Any:
    """Dense values under each other, which must have one shape."""
    first = values[0]
    shape = np.shape(first)
    if not hasattr(first, "dtype"):
        return _stack_resources(values)
    out = np.empty((len(values), *shape), first.dtype)
    if not shape and first.dtype != object:
        out[:] = values
        return out
    for i, value in enumerate(values):
        if value.shape != shape:
            raise InvalidArgumentError(
                None,
                None,
                f"Cannot batch tensors with different shapes in {place}. First element had shape "
                f"{list(shape)} and element {i} had shape {list(value.shape)}.",
            )
        out[i] = value if shape else value[()]
    return out


def _stack_resources(values: Sequence[Any]) -> Any:
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        out[i] = value
    return out


def _stack_rows(rows: Sequence[Any], dtype: Any, place: str) -> list[Any]:
    """Dense values of different lengths as the flat values and row splits of a ragged batch."""
    if len({row.shape[1:] for row in rows}) != 1:
        shapes = sorted({row.shape for row in rows})
        message = f"Cannot batch tensors of shapes {shapes} in {place}: only the first may differ."
        raise InvalidArgumentError(None, None, message)
    splits = np.zeros(len(rows) + 1, dtype)
    np.cumsum([len(row) for row in rows], out=splits[1:])
    return [np.concatenate(rows), splits]


def _stack_sparse(groups: Sequence[Sequence[Any]], place: str) -> list[Any]:
    """Indices, values and shape of a batch of those of several."""
    places, values, shapes = zip(*groups)
    if len({len(shape) for shape in shapes}) > 1:
        ranks = [len(shape) for shape in shapes]
        message = f"Cannot batch sparse tensors of different ranks in {place}: {ranks}."
        raise InvalidArgumentError(None, None, message)
    firsts = np.repeat(np.arange(len(groups), dtype=np.int64), [len(part) for part in values])
    indices = np.concatenate([firsts[:, None], np.concatenate(places)], 1)
    shape = np.array([len(groups), *np.stack(shapes).max(0)], np.int64)
    return [indices, np.concatenate(values), shape]


def _stack_extensions(spec: BatchableExtensionTypeSpec, values: list[Any], place: str) -> Any:
    """The batch of values of an extension type: each part of their encodings is batched."""
    encoded = [nest.flatten(spec._encode(value)) for value in values]
    parts = []
    for part, found in zip(nest.flatten(spec._encoding_specs), zip(*encoded)):
        flat = stack(part, [unpacked(part, each) for each in found], place)
        parts.append(packed(batched_spec(part, None), flat))
    return spec._batch(None)._decode_flat(parts)


def sliced(structure: Structure, values: Sequence[Any]) -> list[list[Any]]:
    """The elements that the flat values of a batch hold."""
    leaves = zip(structure.leaves, structure.groups(values))
    parts = [slicer(leaf, group) for leaf, group in leaves if group]  # None has nothing to slice
    count = min((len(part) for part in parts), default=0)
    return [[value for part in parts for value in part[i]] for i in range(count)]


def slicer(spec: TypeSpec, group: Sequence[Any]) -> list[list[Any]]:
    """The elements of a component along its first dimension."""
    if isinstance(spec, TensorSpec):
        array = group[0]
        return [[row(array, i)] for i in range(len(array))]
    if spec.flatten()[0].dtype is variant:
        return [[dataset] for dataset in group[0]]
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        return _ragged_rows(*group)
    with context.building(None), context.unrecorded():
        value = packed(spec, group)
        if isinstance(spec, SparseTensorSpec):
            return _sparse_rows(value)
        inner = sliced_spec(spec)
        if isinstance(spec, BatchableExtensionTypeSpec):
            count = int(raw(count_of(first_part(value))))
            return [unpacked(inner, element(value, np.int32(i))) for i in range(count)]
        return [unpacked(inner, value[i]) for i in range(_length(value))]


def _length(value: Any) -> int:
    return int(value.nrows()) if hasattr(value, "nrows") else len(value)


def _ragged_rows(values: Any, outer: Any, *inner: Any) -> list[list[Any]]:
    """The values of each row, and the splits of the rows within it."""
    found = []
    for start, stop in pairwise(outer.tolist()):
        cuts = []
        for splits in inner:
            part = splits[start : stop + 1]
            cuts.append(part - part[0])
            start, stop = int(part[0]), int(part[-1])
        found.append([values[start:stop], *cuts])
    return found


def _sparse_rows(value: SparseTensor) -> list[list[Any]]:
    indices, values, shape = (raw(t) for t in (value.indices, value.values, value.dense_shape))
    order = np.argsort(indices[:, 0], kind="stable")
    indices, values = indices[order], values[order]
    cuts = np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1))
    return [
        [indices[a:b, 1:], values[a:b], shape[1:]]
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist())
    ]
