"""What `run` is asked for: nests of tensors, operations and names, and back."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values.dtypes import variant
from runnel.core.values.errors import InternalError
from runnel.graph.build.capturing import InaccessibleTensorError
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.session.values import IndexedSlicesValue, RaggedTensorValue

Rebuild = Callable[[Iterator[Any]], Any]


class Fetches:
    """A nest of what is wanted, flat: `elements` are tensors and operations of the graph."""

    def __init__(self, graph: Graph, wanted: Any) -> None:
        self.elements: list[SymbolicTensor | Operation] = []
        self._graph = graph
        self._rebuild = self._taken(wanted)

    def rebuilt(self, values: Sequence[Any]) -> Any:
        """The nest with values in the places of elements."""
        return self._rebuild(iter(values))

    def _taken(self, wanted: Any) -> Rebuild:
        if wanted is None:
            raise TypeError("Session.run: a fetch is None; it must be a tensor, operation or name.")
        if isinstance(wanted, (list, tuple)):
            return self._sequence(wanted)
        if isinstance(wanted, collections.abc.Mapping):
            return self._mapping(wanted)
        if hasattr(type(wanted), "__attrs_attrs__"):
            return self._attributes(wanted)
        if isinstance(wanted, SparseTensor):
            return self._parts([wanted.indices, wanted.values, wanted.dense_shape], _sparse)
        if isinstance(wanted, IndexedSlices):
            parts = [wanted.values, wanted.indices, wanted.dense_shape]
            return self._parts([p for p in parts if p is not None], _slices)
        if isinstance(wanted, RaggedTensor):
            splits = wanted.nested_row_splits
            return self._parts([wanted.flat_values, *splits], _ragged)
        self.elements.append(self._element(wanted))
        return next

    def _element(self, wanted: Any) -> SymbolicTensor | Operation:
        try:
            found = self._graph.as_graph_element(wanted)
        except TypeError as error:
            raise TypeError(
                f"Session.run: the fetch {wanted!r} has invalid type {type(wanted)}; it must be a "
                "tensor, an operation, or the name of one."
            ) from error
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Session.run: the fetch {wanted!r} cannot be found. {error.args[0]}"
            ) from error
        if not self._graph.is_fetchable(found):
            raise InaccessibleTensorError(f"Session.run: {found!r} is marked as not fetchable.")
        if isinstance(found, SymbolicTensor) and found.dtype is variant:
            raise InternalError(
                None, found.op, f"Session.run: {found!r} is a variant, which NumPy has no form for."
            )
        return found  # type: ignore[no-any-return]

    def _parts(self, parts: Sequence[Any], make: Callable[[list[Any]], Any]) -> Rebuild:
        self.elements += [self._element(part) for part in parts]
        count = len(parts)
        return lambda values: make([next(values) for _ in range(count)])

    def _sequence(self, wanted: Any) -> Rebuild:
        inner = [self._taken(item) for item in wanted]
        kind = type(wanted)
        if hasattr(kind, "_fields"):
            return lambda values: kind(*[rebuild(values) for rebuild in inner])
        made = kind if kind in (list, tuple) else list
        return lambda values: made([rebuild(values) for rebuild in inner])

    def _mapping(self, wanted: Any) -> Rebuild:
        inner = {key: self._taken(item) for key, item in wanted.items()}
        kind = type(wanted)
        return lambda values: kind((key, rebuild(values)) for key, rebuild in inner.items())

    def _attributes(self, wanted: Any) -> Rebuild:
        names = [a.name for a in type(wanted).__attrs_attrs__]
        inner = [self._taken(getattr(wanted, name)) for name in names]
        return lambda values: type(wanted)(*[rebuild(values) for rebuild in inner])


def _sparse(parts: list[Any]) -> SparseTensorValue:
    return SparseTensorValue(*parts)


def _slices(parts: list[Any]) -> IndexedSlicesValue:
    values, indices, *shape = parts
    return IndexedSlicesValue(values, indices, shape[0] if shape else None)


def _ragged(parts: list[Any]) -> Any:
    flat, *splits = parts
    value = flat
    for split in reversed(splits):
        value = RaggedTensorValue(value, split)
    return value


def as_result(value: Any) -> Any:
    """A value as `run` returns it: an array of its own, or a scalar of NumPy."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.ndim else value[()]
    return value
