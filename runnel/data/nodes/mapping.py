"""A function for every element: map, filter, scan, enumerate; and the elements of a function's
datasets: flat_map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from runnel.data.nodes.batching import BatchStage
from runnel.data.nodes.node import (
    UNKNOWN,
    CountingStage,
    DatasetValue,
    Node,
    Run,
    SourcedStage,
    Stage,
    State,
    Values,
    located,
    number,
)
from runnel.data.run.blocks import FilterBlocks, MapAhead, MapBatches, MapBlocks, batches_ahead
from runnel.data.run.functions import UserFunction, truth
from runnel.data.run.parallel import ParallelMap
from runnel.data.run.structure import Structure, raw
from runnel.data.run.vectorizing import row_by_row, vectorized


class Map(Node):
    """What a function returns for each element."""

    kind = "MapDataset"

    def __init__(
        self,
        source: Node,
        function: UserFunction,
        calls: Any = None,
        deterministic: bool | None = None,
    ) -> None:
        super().__init__([source], function.output)
        self.function = function
        self.calls = calls
        self.deterministic = deterministic
        self.label = function.name
        if calls is not None:
            self.kind = "ParallelMapDataset"

    def make(self, run: Run) -> Stage:
        source = run.build(self.input)
        whole = self.function.form(vectorized) if source.blocks else None
        if whole is not None:
            return MapBlocks(self, self.function, whole, source)
        if isinstance(source, BatchStage) and source.of_blocks:
            if self.function.many is not None:
                return MapAhead(self.function.many, source)
            rows = self.function.form(row_by_row)
            count = batches_ahead(source.size, self.input.structure, self.structure)
            if rows is not None and count > 1:
                return MapBatches(self, rows, source, count)
        if self.calls is None or not run.threads or self.function.debug:
            return _Map(self, source)
        ordered = run.deterministic if self.deterministic is None else self.deterministic
        return ParallelMap(self, source, run.workers(number(self.calls)), ordered)

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Map(CountingStage):
    def __init__(self, node: Map, source: Any) -> None:
        self._node = node
        self._function = node.function
        self._source = source
        self._count = 0

    def __next__(self) -> Values:
        values = next(self._source)
        try:
            result = self._function(values)
        except Exception as error:
            self._count += 1
            raise located(error, self._node, self._count - 1) from error
        self._count += 1
        return result


class Filter(Node):
    """The elements that a predicate accepts."""

    kind = "FilterDataset"

    def __init__(self, source: Node, predicate: UserFunction) -> None:
        super().__init__([source], source.structure)
        self.predicate = predicate
        self.label = predicate.name

    def make(self, run: Run) -> Stage:
        source = run.build(self.input)
        whole = self.predicate.form(vectorized) if source.blocks else None
        if whole is not None:
            return FilterBlocks(self, self.predicate, whole, source)
        return _Filter(self, source)


class _Filter(SourcedStage):
    def __init__(self, node: Filter, source: Any) -> None:
        self._node = node
        self._predicate = node.predicate
        self._source = source
        self._count = 0

    def __next__(self) -> Values:
        while True:
            values: Values = next(self._source)
            try:
                keep = truth(self._predicate(values))
            except Exception as error:
                self._count += 1
                raise located(error, self._node, self._count - 1) from error
            self._count += 1
            if keep:
                self.made += 1
                return values


class Scan(Node):
    """What a function returns for a state, which it carries along, and each element."""

    kind = "ScanDataset"

    def __init__(
        self, source: Node, initial: Sequence[Any], function: UserFunction, out: Structure
    ):
        super().__init__([source], out)
        self.initial = tuple(initial)
        self.function = function
        self.label = function.name

    def make(self, run: Run) -> Stage:
        return _Scan(self, run.build(self.input))

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Scan(CountingStage):
    kept = ("_count", "_state")

    def __init__(self, node: Scan, source: Any) -> None:
        self._node = node
        self._source = source
        self._count = 0
        self._state = [raw(t) for t in node.initial]

    def __next__(self) -> Values:
        values = next(self._source)
        try:
            result = self._node.function([*self._state, *values])
        except Exception as error:
            raise located(error, self._node, self._count) from error
        self._count += 1
        width = len(self._state)
        self._state = result[:width]
        return result[width:]


class Enumerate(Node):
    """Elements with their numbers."""

    kind = "EnumerateDataset"

    def __init__(self, source: Node, start: Any) -> None:
        spec = TensorSpec(TensorShape(()), np.int64)
        super().__init__([source], Structure((spec, source.structure.spec)))
        self.start = start

    def make(self, run: Run) -> Stage:
        return _Enumerate(run.build(self.input), number(self.start))

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Enumerate(SourcedStage):
    kept = ("_number",)

    def __init__(self, source: Any, start: int) -> None:
        self._source = source
        self._number = start
        self.blocks = source.blocks

    def __next__(self) -> Values:
        values = self._take(next)
        self._number += 1
        self.made += 1
        return [np.int64(self._number - 1), *values]

    def _take(self, take: Callable[[Any], Values]) -> Values:
        try:
            return take(self._source)
        except Exception as error:
            if not isinstance(error, StopIteration):
                self._number += 1  # an element that failed has a number too
            raise

    def block(self, count: int) -> Values:
        columns = self._take(lambda source: source.block(count))
        start = self._number
        self._number += len(columns[0])
        self.made += len(columns[0])
        return [np.arange(start, self._number, dtype=np.int64), *columns]


class FlatMap(Node):
    """The elements of the datasets that a function returns, one dataset after another."""

    kind = "FlatMapDataset"

    def __init__(self, source: Node, function: UserFunction) -> None:
        super().__init__([source], function.output.leaves[0]._structure)  # type: ignore[attr-defined]
        self.function = function
        self.label = function.name

    def make(self, run: Run) -> Stage:
        return _FlatMap(self, run)

    def cardinality(self) -> int:
        return UNKNOWN


def opened(node: Any, values: Values, count: int) -> Node:
    """The dataset that a node's function returns for an element."""
    try:
        found = node.function(values)[0]
    except Exception as error:
        raise located(error, node, count) from error
    assert isinstance(found, DatasetValue)
    return found.node


class _FlatMap(Stage):
    def __init__(self, node: FlatMap, run: Run) -> None:
        self._node, self._run = node, run
        self._source = run.build(node.input)
        self._count = 0
        self._inner: Any = None
        self._values: Values | None = None  # what the dataset that is open was made of

    def __next__(self) -> Values:
        while True:
            if self._inner is None:
                self._open(next(self._source))
            try:
                values: Values = next(self._inner)
                self.made += 1
                return values
            except StopIteration:
                self._inner = self._values = None

    def _open(self, values: Values) -> None:
        self._values = values
        self._inner = self._run.build(opened(self._node, values, self._count))
        self._count += 1

    def save(self) -> State:
        inner = None if self._inner is None else self._inner.save()
        return [self._count, self._values, inner, self._source.save()]

    def restore(self, state: State) -> None:
        count, values, inner, source = state
        self._source.restore(source)
        if values is not None:
            self._open(values)
            self._inner.restore(inner)
        self._count = count
