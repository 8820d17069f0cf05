"""The part of a dataset that one of several processes gets.

By data: every process reads all elements, and takes its rows of each batch. By file: each reads
files of its own, in batches that make up a whole one together. Where processes may have different
numbers of elements, one that has no more goes on with batches without rows until all have ended.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.base import made
from runnel.data.dataset.options import AutoShardPolicy
from runnel.data.nodes.batching import Batch, Unbatch
from runnel.data.nodes.node import UNKNOWN, CountingStage, Node, Run, Stage, Values, known_number
from runnel.data.nodes.shuffling import Seeds
from runnel.data.service.policies import ShardingPolicy
from runnel.data.service.sharding import names_of_files, part_of, rewritten
from runnel.distribute.cluster.exchange import Exchange
from runnel.distribute.cluster.ops import joined
from runnel.distribute.datasets import divide

_BY_FILE = {AutoShardPolicy.FILE: ShardingPolicy.FILE, AutoShardPolicy.HINT: ShardingPolicy.HINT}
_numbers = itertools.count()


def _exchange() -> Exchange:
    assert joined.exchange is not None
    return joined.exchange


def part_of_process(dataset: Any, processes: int, process: int, replicas: int) -> Any:
    """The dataset of one process, as its option `auto_shard_policy` asks for."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    node = dataset._node
    if policy is AutoShardPolicy.AUTO:
        names = names_of_files(node)
        few = names is None or 0 <= names.cardinality() < processes
        policy = AutoShardPolicy.DATA if few else AutoShardPolicy.FILE
    if policy is AutoShardPolicy.DATA:
        node = _in_one_order(node)
        if node.structure.plain:
            return made(_OwnRows(node, processes * replicas, process * replicas, replicas))
        return made(node).map(
            lambda *element: own_part(_one(element), processes, process, replicas, divides=False)
        )
    if policy in _BY_FILE:
        node = part_of(node, _BY_FILE[policy], processes, process)
    return agreed(_in_smaller_batches(made(node), processes, process))


def _one(element: tuple[Any, ...]) -> Any:
    return element[0] if len(element) == 1 else element


def own_part(
    element: Any, processes: int, process: int, replicas: int, divides: bool = True
) -> Any:
    """What a process has to do of a batch, divided among its replicas."""

    def rows(value: Any) -> Any:
        if value is None:
            return None
        total = processes * replicas
        known = value.shape[0] if isinstance(value, Tensor) else None
        count: Any = raw_ops.Shape(value)[0] if known is None else known
        if not isinstance(value, Tensor):
            count = value.nrows()
        share = (count + (total - 1)) // total
        begin = share * process * replicas
        part = value[begin : begin + share * replicas]
        return divide(part, replicas) if divides else part

    return nest.map_structure(rows, element)


def _in_one_order(node: Node) -> Node:
    """The same where what is random without a seed is the same in all processes."""

    def change(source: Node) -> Node:
        if not isinstance(getattr(source, "seeds", None), Seeds) or source.pair != (0, 0):  # type: ignore[attr-defined]
            return source
        same = copy.copy(source)
        same.pair = same_seeds(source.seeds._fixed)  # type: ignore[attr-defined]
        same.rebound()
        return same

    return rewritten(node, change)


def same_seeds(own: tuple[int, int]) -> tuple[int, int]:
    """The seeds that the first process has."""
    first, second = _exchange().roll.agree(f"seeds {next(_numbers)}", list(own))[0]
    return first, second


class _OwnRows(Node):
    """The rows of some parts of each batch, of so many of equal size."""

    kind = "OwnRowsDataset"

    def __init__(self, source: Node, parts: int, first: int, count: int) -> None:
        self.parts, self.first, self.count = parts, first, count
        super().__init__([source], source.structure.map_leaves(self._spec))

    def _spec(self, spec: Any) -> Any:
        rows = spec.shape[0] if spec.shape.rank else None
        if spec.shape.rank is None:
            return spec
        own = rows // self.parts * self.count if rows and rows % self.parts == 0 else None
        return TensorSpec([own, *spec.shape[1:]], spec.dtype)

    def make(self, run: Run) -> Stage:
        return _OwnRowsStage(self, run.build(self.input))

    def cardinality(self) -> int:
        return self.input.cardinality()


class _OwnRowsStage(CountingStage):
    def __init__(self, node: _OwnRows, source: Any) -> None:
        self._node, self._source, self._count = node, source, 0

    def __next__(self) -> Values:
        node = self._node
        found = []
        for value in next(self._source):
            share = -(-len(value) // node.parts)
            found.append(value[share * node.first : share * (node.first + node.count)])
        self._count += 1
        return found


def _in_smaller_batches(dataset: Any, processes: int, process: int) -> Any:
    """Batches of this process that have, with those of the others, the size that was asked for."""
    size = _batch_size(dataset._node)
    if size is None:
        raise ValueError(
            "Files are divided among processes, and batches with them, but the size of the batches "
            "is not known: call Dataset.batch last, or choose AutoShardPolicy.DATA."
        )
    sizes = [
        size // processes + ((step + process) % processes < size % processes)
        for step in range(processes)
    ]
    return dataset.rebatch(sizes)


def _batch_size(node: Node) -> int | None:
    """The size of the batches that a dataset gives, as far as it can be known."""
    while True:
        if isinstance(node, Batch):
            return known_number(node.size)
        if isinstance(node, Unbatch) or len(node.inputs) != 1:
            return None
        node = node.input


def agreed(dataset: Any) -> Any:
    """A dataset that ends in all processes at once, when the last one has no more elements."""
    return made(_Agreed(dataset._node))


class _Agreed(Node):
    """Elements, and ones without rows after the last, until all processes have ended."""

    kind = "AgreedDataset"

    def __init__(self, source: Node) -> None:
        self.number = next(_numbers)
        self.begun = itertools.count()
        super().__init__([source], source.structure.map_leaves(self._spec))

    def _spec(self, spec: Any) -> Any:
        if isinstance(spec, TensorSpec) and spec.shape.rank:
            return TensorSpec([None, *spec.shape[1:]], spec.dtype)
        return spec

    def make(self, run: Run) -> Stage:
        key = f"elements {self.number}.{next(self.begun)}"
        sizes = _exchange().roll.agree(key, self.input.cardinality())
        source = run.build(self.input)
        if len(set(sizes)) == 1 and sizes[0] != UNKNOWN:
            return source  # type: ignore[no-any-return]
        return _AgreedStage(self, key, source)

    def cardinality(self) -> int:
        return UNKNOWN


class _AgreedStage(CountingStage):
    def __init__(self, node: _Agreed, key: str, source: Any) -> None:
        self._node, self._source, self._key, self._count = node, source, key, 0
        self._latest: Values | None = None

    def __next__(self) -> Values:
        values: Values | None = next(self._source, None)
        if values is not None:
            self._latest = values
        self._count += 1
        if not any(_exchange().roll.agree(f"{self._key}.{self._count}", values is not None)):
            raise StopIteration
        return self._empty() if values is None else values

    def _empty(self) -> Values:
        if self._latest is not None:
            return [np.asarray(value)[:0] for value in self._latest]
        return [
            np.zeros([0, *[d or 0 for d in spec.shape[1:]]], spec.dtype.as_numpy_dtype)
            for spec in self._node.structure.flat
        ]
