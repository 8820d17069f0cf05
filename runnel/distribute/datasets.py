"""Datasets whose elements are divided among replicas.

A batch of `g` rows becomes parts of ceil(g / n) rows for `n` replicas; the last ones get fewer
rows, or none. So every row is used once, whatever the sizes are.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op.raw import raw_ops
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.data.dataset.base import made
from runnel.data.dataset.dataset import Dataset
from runnel.data.dataset.optional import Optional
from runnel.data.nodes.node import CountingStage, Node, Run, Stage, Values
from runnel.data.run.structure import Structure
from runnel.distribute.contexts import has_strategy, in_cross_replica_context
from runnel.distribute.values import PerReplica, PerReplicaSpec, Stacked


class DistributedDataset:
    """A dataset whose elements have a part for each replica.

    Made by `Strategy.experimental_distribute_dataset` and `distribute_datasets_from_function`.
    `divided`: the elements are so already.
    """

    def __init__(self, dataset: Any, replicas: int, divided: bool = False) -> None:
        if not isinstance(dataset, Dataset):
            raise no_dataset(dataset)
        self._dataset, self._replicas, self._divided = dataset, replicas, divided
        if not divided:
            nest.map_structure(_check_batched, dataset.element_spec)

    @property
    def element_spec(self) -> Any:
        """The types of the parts."""
        return _element_spec(self._dataset.element_spec, self._replicas, self._divided)

    @property
    def cardinality(self) -> Any:
        """How many elements there are."""
        return self._dataset.cardinality()

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._dataset), self._replicas, self._divided)

    def _autograph_for(self, *loop: Any) -> None:
        iter(self)._autograph_for(*loop, relaxes=True)

    def enumerate(self, start: int = 0) -> DistributedDataset:
        """Pairs of a number and an element."""
        raise NotImplementedError("DistributedDataset.enumerate: enumerate the dataset itself")

    def reduce(self, initial_state: Any, reduce_fn: Callable[..., Any]) -> Any:
        """The state after `reduce_fn(state, element)` for all elements."""
        found = initial_state
        for element in self:
            found = reduce_fn(found, element)
        return found

    @property
    def _type_spec(self) -> DistributedDatasetSpec:
        return DistributedDatasetSpec(self._dataset._type_spec, self._replicas, self._divided)


class DistributedIterator(Trackable):
    """An iterator over a `DistributedDataset`; checkpoints keep its place."""

    def __init__(self, iterator: Any, replicas: int, divided: bool = False) -> None:
        if not hasattr(iterator, "get_next"):
            raise TypeError(f"DistributedIterator: `iterator` is no iterator, got {iterator!r}.")
        self._iterator, self._replicas, self._divided = iterator, replicas, divided
        self._track_trackable(iterator, "iterator")

    @property
    def element_spec(self) -> Any:
        """The types of the parts."""
        return _element_spec(self._iterator.element_spec, self._replicas, self._divided)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        _check_across()
        return self._parts(next(self._iterator))

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        _check_across()
        return self._parts(self._iterator.get_next())

    def get_next_as_optional(self) -> Optional:
        """The next element as an optional, which has no value after the last."""
        _check_across()
        return _OptionalParts(self._iterator.get_next_as_optional(), self)

    def _parts(self, element: Any) -> Any:
        if self._divided:
            return element
        return nest.map_structure(lambda leaf: divide(leaf, self._replicas), element)

    def _autograph_for(
        self,
        test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        *rest: Any,
        relaxes: bool = False,
    ) -> None:
        def on_parts(element: Any) -> None:
            body(self._parts(element))

        self._iterator._autograph_for(test, on_parts, *rest, relaxes=relaxes)

    @property
    def _type_spec(self) -> DistributedIteratorSpec:
        return DistributedIteratorSpec(self._iterator._type_spec, self._replicas, self._divided)


def no_dataset(value: Any) -> ValueError:
    return ValueError(f"A tf.data.Dataset is needed to distribute it, got {value!r}")


def _check_across() -> None:
    if has_strategy() and not in_cross_replica_context():
        raise ValueError(
            "A replica asks for the next element of a distributed dataset, which has a part for "
            "each of them. Ask for it outside: strategy.run(fn, args=(next(iterator),))."
        )


class _OptionalParts(Optional):
    """An optional whose value is divided when it is asked for."""

    def __init__(self, optional: Optional, iterator: DistributedIterator) -> None:
        super().__init__(optional._tensor, optional._structure)
        self._of = iterator

    def get_value(self, name: str | None = None) -> Any:
        return self._of._parts(super().get_value(name))

    @property
    def element_spec(self) -> Any:
        return self._of.element_spec


class _DistributedSpec(TypeSpec):
    """The type of a dataset or an iterator with a part for each replica."""

    def __init__(self, spec: TypeSpec, replicas: int, divided: bool) -> None:
        self._spec, self._replicas, self._divided = spec, replicas, divided

    def _serialize(self) -> tuple[Any, ...]:
        return self._spec, self._replicas, self._divided

    @property
    def _component_specs(self) -> Any:
        return self._spec


class DistributedDatasetSpec(_DistributedSpec):
    @property
    def value_type(self) -> Any:
        return DistributedDataset

    def _to_components(self, value: Any) -> Any:
        return value._dataset

    def _from_components(self, components: Any) -> Any:
        return DistributedDataset(components, self._replicas, self._divided)


class DistributedIteratorSpec(_DistributedSpec):
    @property
    def value_type(self) -> Any:
        return DistributedIterator

    def _to_components(self, value: Any) -> Any:
        return value._iterator

    def _from_components(self, components: Any) -> Any:
        return DistributedIterator(components, self._replicas, self._divided)


def divided(element: Any, strategy: Any) -> Any:
    """A batch with a part for each replica of this process, where it has not."""
    extended = strategy.extended

    def parts(leaf: Any) -> Any:
        done = leaf is None or isinstance(leaf, PerReplica)
        return leaf if done else extended._own_part(leaf)

    return nest.map_structure(parts, element)


def divide(value: Any, replicas: int) -> Any:
    """The parts of a batch, one for each replica."""
    if replicas == 1:
        return value
    if isinstance(value, SparseTensor):
        raise NotImplementedError(
            "A batch of sparse tensors is not divided among replicas; distribute the dataset by "
            "Strategy.distribute_datasets_from_function."
        )
    known = value.shape[0] if isinstance(value, Tensor) else None
    if known and known % replicas == 0:
        return Stacked(_in_rows(value, replicas, known // replicas), replicas)
    rows: Any = known
    if isinstance(value, RaggedTensor):
        rows = value.nrows()
    elif known is None:
        rows = raw_ops.Shape(value)[0]
    share = (rows + (replicas - 1)) // replicas
    return PerReplica([_rows(value, share * i, share) for i in range(replicas)])


def _in_rows(value: Tensor, replicas: int, share: int) -> Tensor:
    """A batch with an axis for the replicas, which copies nothing."""
    if isinstance(value, EagerTensor):
        array = value._value
        return EagerTensor(array.reshape(replicas, share, *array.shape[1:]), value.dtype)
    rest = raw_ops.Shape(value)[1:]
    shape = raw_ops.ConcatV2(values=[[replicas, share], rest], axis=0)
    return raw_ops.Reshape(value, shape)  # type: ignore[no-any-return]


def _rows(value: Any, begin: Any, count: Any) -> Any:
    return value[begin : begin + count]


def _check_batched(spec: Any) -> None:
    if getattr(spec, "shape", None) is not None and spec.shape.rank == 0:
        raise ValueError(
            f"A dataset is divided among replicas by the rows of its batches, but its elements "
            f"have a scalar ({spec}). Batch the dataset (by the size for all replicas) first."
        )


def _element_spec(spec: Any, replicas: int, divided: bool) -> Any:
    if divided or replicas == 1:
        return spec

    def parts(leaf: Any) -> Any:
        return PerReplicaSpec(*[_part_spec(leaf, replicas)] * replicas)

    return nest.map_structure(parts, spec)


def _part_spec(spec: Any, replicas: int) -> Any:
    if not isinstance(spec, TensorSpec):
        made = copy.copy(spec)
        return made
    rows = spec.shape[0] if spec.shape.rank else None
    share = rows // replicas if rows is not None and rows % replicas == 0 else None
    shape = spec.shape if spec.shape.rank is None else [share, *spec.shape[1:]]
    return TensorSpec(shape, spec.dtype)


def grouped(dataset: Any, replicas: int) -> Any:
    """A dataset whose elements are those of `dataset` for each replica in turn."""
    if not isinstance(dataset, Dataset):
        raise ValueError(f"The function must return a tf.data.Dataset, got {dataset!r}")
    return dataset if replicas == 1 else made(_Grouped(dataset._node, replicas))


class _Grouped(Node):
    """So many consecutive elements as one, each for a replica; the last may be without rows."""

    kind = "GroupedDataset"

    def __init__(self, source: Node, replicas: int) -> None:
        self.replicas = replicas
        specs = nest.map_structure(self._spec, source.structure.spec)
        super().__init__([source], Structure(specs))

    def _spec(self, spec: Any) -> Any:
        one = spec
        if isinstance(spec, TensorSpec) and spec.shape.rank:
            one = TensorSpec([None, *spec.shape[1:]], spec.dtype)
        return PerReplicaSpec(*[one] * self.replicas)

    def make(self, run: Run) -> Stage:
        return _GroupedStage(self, run.build(self.input))

    def cardinality(self) -> int:
        count = self.input.cardinality()
        return count if count < 0 else -(-count // self.replicas)


class _GroupedStage(CountingStage):
    def __init__(self, node: _Grouped, source: Any) -> None:
        self._node, self._source, self._count = node, source, 0

    def __next__(self) -> Values:
        rows: list[Values] = [next(self._source)]
        for _ in range(self._node.replicas - 1):
            try:
                rows.append(next(self._source))
            except StopIteration:
                rows.append([_empty(value) for value in rows[0]])
        self._count += 1
        return self._interleaved(rows)

    def _interleaved(self, rows: Sequence[Values]) -> Values:
        """The tensors of the first leaf of all replicas, then those of the second …"""
        found: Values = []
        place = 0
        for spec in nest.flatten(self._node.input.structure.spec):
            count = len(spec.flatten())
            found += [value for row in rows for value in row[place : place + count]]
            place += count
        return found


def _empty(value: Any) -> Any:
    """What a replica gets that there is no element for."""
    array = np.asarray(value)
    if array.ndim == 0:
        raise ValueError(
            "The last elements do not suffice for all replicas, and a scalar cannot be without "
            "rows. Batch the dataset that the function returns."
        )
    return array[:0]
