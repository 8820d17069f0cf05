"""When shapes that come again are worth a compilation."""

from __future__ import annotations

import math
from typing import Any

from runnel.backend import configuration
from runnel.backend.cache import BoundedCache

FREE = 8  # shapes; most programs have no more
SLOW = 0.05  # seconds; a run that takes longer need not be waited for again
COMPILED, INTERPRETED = (-1, 0.0), (-2, 0.0)  # for good
TRIES = 5  # of each way to run, to see which is faster


class Patience:
    """Knows for which shapes something is compiled, and what it costs to run it without.

    The first shapes are compiled when they have come `least` times. Later ones are compiled when
    running them has taken as long as compiling did on average: a program whose shapes are ever
    new, such as sentences of any length, so spends no more time in the compiler than out of it.
    """

    def __init__(self, least: int, limit: int = 256) -> None:
        self.shapes: BoundedCache[tuple[int, float]] = BoundedCache(limit)  # runs and seconds
        self.spent = 0.0  # seconds, at all shapes
        self.kept = 0  # compiled shapes since `forget`
        self._least = least
        self._compilations, self._compiling = 0, 0.0

    def pays(self, shapes: Any) -> bool:
        """Whether such shapes are to be compiled now."""
        if configuration.by_shape:
            return True
        runs, seconds = self.shapes.get(shapes) or (0, 0.0)
        if runs < self._least:
            return False
        return self._compilations < FREE or seconds * self._compilations >= self._compiling

    def ran(self, shapes: Any, seconds: float) -> None:
        """Note a run that was not compiled."""
        runs, before = self.shapes.get(shapes) or (0, 0.0)
        self.spent += seconds
        self.shapes[shapes] = (self._least if seconds > SLOW else runs + 1, before + seconds)

    def compiled(self, shapes: Any, seconds: float) -> None:
        """Note that such shapes have been compiled."""
        self.shapes[shapes] = COMPILED
        self.kept += 1
        self._compilations += 1
        self._compiling += seconds

    def insist(self, shapes: Any) -> None:
        """Have such shapes compiled the next time."""
        self.shapes[shapes] = (self._least, math.inf)

    def interpreted(self, shapes: Any) -> None:
        """Note that such shapes are never to be compiled."""
        self.shapes[shapes] = INTERPRETED

    def not_compiled(self) -> list[Any]:
        """The shapes that are never to be compiled."""
        return [shapes for shapes, known in self.shapes.items() if known is INTERPRETED]

    def forget(self) -> None:
        """Start anew with all shapes."""
        self.shapes.clear()
        self.kept = 0


class Trial:
    """Whether something runs faster compiled than not, found by running it both ways in turns.

    Functions that are cut into small segments take 2.3 times as long without it ("trial" in
    `benchmarks/mechanisms.py`), on a machine with nothing else to do and on a busy one.
    """

    def __init__(self) -> None:
        self._best = {True: math.inf, False: math.inf}
        self._runs = 0

    @property
    def compiles(self) -> bool:
        """Whether the next run is to be a compiled one."""
        return self._runs % 2 == 0

    def note(self, seconds: float) -> None:
        """Note what that run took."""
        self._best[self.compiles] = min(self._best[self.compiles], seconds)
        self._runs += 1

    @property
    def is_over(self) -> bool:
        return self._runs >= 2 * TRIES

    @property
    def pays(self) -> bool:
        """Whether compiled runs were faster."""
        return self._best[True] <= self._best[False]
