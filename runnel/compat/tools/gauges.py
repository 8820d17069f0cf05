"""Counters and gauges that programs keep about themselves, as `eager.monitoring` has them."""

from __future__ import annotations

import threading
from typing import Any


class _Cell:
    """One value of a metric."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._lock = threading.Lock()

    def set(self, value: Any) -> None:
        self._value = value

    def increase_by(self, value: int) -> None:
        with self._lock:
            self._value += value

    def value(self) -> Any:
        return self._value


class _Metric:
    """A metric: a cell for each combination of its labels' values."""

    start: Any = 0

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name, self.description, self.labels = name, description, labels
        self._cells: dict[tuple[str, ...], _Cell] = {}
        self._lock = threading.Lock()

    def get_cell(self, *labels: str) -> _Cell:
        if len(labels) != len(self.labels):
            raise ValueError(
                f"{self.name} has {len(self.labels)} labels, got the values of {len(labels)}"
            )
        with self._lock:
            return self._cells.setdefault(labels, _Cell(self.start))


class Counter(_Metric):
    """A number that only grows."""


class IntGauge(_Metric):
    """A number that changes."""


class BoolGauge(_Metric):
    """Whether something is so."""

    start = False


class StringGauge(_Metric):
    """A text that changes."""

    start = ""
