"""Who gets which part of a source, as workers ask for it: `ShardingPolicy.DYNAMIC`.

The sources of a dataset are numbered. A worker asks the dispatcher for the next number of a source,
passes its own copy of the source on to that element, and so no element is made twice. A source
that cannot be divided, such as a generator, goes as a whole to the worker that asks first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from runnel.data.nodes.node import Node, Run, Stage, Values
from runnel.data.nodes.random_numbers import RandomNumbers
from runnel.data.nodes.sources import Counter, FromList, FromSlices, FromTensors, FromValues, Range
from runnel.data.service.sharding import rewritten

_DIVISIBLE = (Counter, FromList, FromSlices, FromTensors, FromValues, RandomNumbers, Range)

Ask = Callable[[int, int], int]  # from the numbers of a source and of a repetition to the next part


def divided(node: Node, ask: Ask) -> Node:
    """The dataset with sources that read the parts which `ask` gives."""
    numbers = itertools.count()

    def change(made: Node) -> Node:
        return made if made.inputs else _Divided(made, next(numbers), ask)

    return rewritten(node, change)


class _Divided(Node):
    """The elements of a source that this worker gets."""

    portable = False

    def __init__(self, source: Node, number: int, ask: Ask) -> None:
        super().__init__((), source.structure)
        self.kind, self.source = source.kind, source
        self.number, self.ask = number, ask
        self.repetitions = itertools.count()

    def make(self, run: Run) -> Stage:
        repetition = next(self.repetitions)
        stage = run.build(self.source)
        ask = lambda: self.ask(self.number, repetition)  # noqa: E731
        return _Parts(stage, ask) if isinstance(self.source, _DIVISIBLE) else _Whole(stage, ask)

    def cardinality(self) -> int:
        return self.source.cardinality()


class _Parts(Stage):
    """Elements by their numbers, which only grow."""

    def __init__(self, source: Any, ask: Callable[[], int]) -> None:
        self._source, self._ask = source, ask
        self._place = 0

    def __next__(self) -> Values:
        wanted = self._ask()
        if hasattr(self._source, "skip"):
            self._source.skip(wanted - self._place)
        else:
            for _ in range(wanted - self._place):
                next(self._source)
        self._place = wanted + 1
        return next(self._source)  # type: ignore[no-any-return]


class _Whole(Stage):
    """All elements, or none if another worker was first."""

    def __init__(self, source: Any, ask: Callable[[], int]) -> None:
        self._source, self._ask = source, ask
        self._mine: bool | None = None

    def __next__(self) -> Values:
        if self._mine is None:
            self._mine = self._ask() == 0
        if not self._mine:
            raise StopIteration
        return next(self._source)  # type: ignore[no-any-return]
