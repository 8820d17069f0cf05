"""What one worker does of a job: it hands out the elements of its part of a dataset."""

from __future__ import annotations

import threading
from collections import deque

from runnel.core.values.errors import InvalidArgumentError
from runnel.data.graph.ops import IteratorResource
from runnel.data.nodes.node import Node, Values

_WINDOW = 64  # elements that a cache keeps for slower trainers
_ROUNDS = 16  # rounds that a consumer may be ahead of the slowest


class Source:
    """An iterator that tasks share; None after the last element."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._held: IteratorResource | None = None
        self._lock = threading.Lock()
        self._over = False

    def next(self) -> Values | None:
        with self._lock:
            if self._over:
                return None
            if self._held is None:
                self._held = IteratorResource(self._node)
            values = self._held.advance()
            self._over = values is None
            return values


class Task:
    """The elements of a source: in turn, in rounds of consumers, or from a cache."""

    def __init__(self, source: Source, consumers: int, *, shared: bool) -> None:
        self._source = source
        self.shared = shared  # by several clients, so that none of them can end it
        self._consumers = consumers
        self._changed = threading.Condition()
        self._rounds: dict[int, list[Values | None]] = {}
        self._left: dict[int, set[int]] = {}  # by round: consumers that have not got theirs
        self._begun = 0
        self._window: deque[Values] = deque(maxlen=_WINDOW)
        self._made = 0  # elements that went into the window
        self._places: dict[str, int] = {}  # of trainers

    def next(self, consumer: int | None, number: int, trainer: str | None) -> Values | None:
        """The next element for whoever asks."""
        if trainer is not None:
            return self._cached(trainer)
        if consumer is not None:
            return self._of_round(number, consumer)
        return self._source.next()

    def _cached(self, trainer: str) -> Values | None:
        with self._changed:
            place = max(self._places.get(trainer, 0), self._made - len(self._window))
            if place == self._made:
                values = self._source.next()
                if values is None:
                    return None
                self._window.append(values)
                self._made += 1
            self._places[trainer] = place + 1
            return self._window[place - self._made]

    def _of_round(self, number: int, consumer: int) -> Values | None:
        if not 0 <= consumer < self._consumers:
            message = f"There are {self._consumers} consumers, got number {consumer}."
            raise InvalidArgumentError(None, None, message)
        with self._changed:
            while number not in self._rounds and len(self._rounds) >= _ROUNDS:
                self._changed.wait()
            while self._begun <= number:
                found = [self._source.next() for _ in range(self._consumers)]
                self._rounds[self._begun] = found
                self._left[self._begun] = set(range(self._consumers))
                self._begun += 1
            values = self._rounds[number][consumer]
            self._left[number].discard(consumer)
            if not self._left[number]:
                del self._rounds[number], self._left[number]
                self._changed.notify_all()
            return values
