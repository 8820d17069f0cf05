"""Elements kept in memory after the first time."""

from __future__ import annotations

import threading
from typing import Any

from runnel.data.nodes.node import Node, Run, Stage, State, Values


class Memory:
    """The elements of a whole iteration, once there has been one."""

    def __init__(self) -> None:
        self.elements: list[Values] | None = None
        self.lock = threading.Lock()


class Cache(Node):
    """Elements that are kept when they have all been seen."""

    kind = "CacheDataset"
    derived = frozenset(["memory"])

    def __init__(self, source: Node) -> None:
        super().__init__([source], source.structure)
        self.rebound()

    def rebound(self) -> None:
        self.memory = Memory()

    def make(self, run: Run) -> Stage:
        return _Cache(self, run)

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Cache(Stage):
    def __init__(self, node: Cache, run: Run) -> None:
        self._memory = node.memory
        self._kept = node.memory.elements
        self._source: Any = None if self._kept is not None else run.build(node.input)
        self._seen: list[Values] = []
        self._place = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return len(self._seen) if self._kept is None else self._place

    def __next__(self) -> Values:
        if self._kept is not None:
            if self._place >= len(self._kept):
                raise StopIteration
            self._place += 1
            return self._kept[self._place - 1]
        try:
            values: Values = next(self._source)
        except StopIteration:
            with self._memory.lock:
                if self._memory.elements is None:
                    self._memory.elements = self._seen
            self._kept, self._place, self._source = self._seen, len(self._seen), None
            raise
        self._seen.append(values)
        return values

    def save(self) -> State:
        if self._kept is not None:
            return ["kept", self._place, self._kept]
        return ["seen", self._seen, self._source.save()]

    def restore(self, state: State) -> None:
        if state[0] == "kept":
            _, self._place, self._kept = state
            self._memory.elements = self._kept
            self._source = None
            return
        _, self._seen, source = state
        if self._source is None:
            self._kept, self._place = self._seen, len(self._seen)
        else:
            self._source.restore(source)
