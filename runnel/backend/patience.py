"""When shapes that come again are worth a compilation."""

from __future__ import annotations

import math
import threading
from typing import Any

from runnel.backend import configuration
from runnel.backend.cache import BoundedCache

FREE = 8  # shapes; most programs have no more
SLOW = 0.05  # seconds; a run that takes longer need not be waited for again
COMPILED, INTERPRETED = (-1, 0.0), (-2, 0.0)  # for good
TRIES = 5  # of each way to run, to see which is faster


class _Compiling(threading.local):
    seconds = 0.0


compiling = _Compiling()  # what this thread has spent with it: no part of what a run takes


class Patience:
    """Knows for which shapes something is compiled, and what it costs to run it without.

    The first shapes are compiled when they have come `least` times. Once there are many, one is
    compiled when running it has taken as long as compiling did on average: a program whose shapes
    are ever new, such as sentences of any length, so spends no more time in the compiler than out
    of it. As long as nothing was compiled, that is expected to take `usual` seconds.
    """

    def __init__(self, least: int, usual: float = 0.0, limit: int = 256) -> None:
        self.shapes: BoundedCache[tuple[int, float]] = BoundedCache(limit)  # runs and seconds
        self.spent = 0.0  # seconds, at all shapes
        self.met = 0  # different shapes, as far as they are remembered
        self.kept = 0  # compiled shapes since `forget`
        self._least, self._usual = least, usual
        self._compilations, self._compiling = 0, 0.0

    def pays(self, shapes: Any, price: float = 0.0) -> bool:
        """Whether such shapes are to be compiled now; if there is a `price`, not before running
        them has taken so many seconds.
        """
        if configuration.by_shape:
            return True
        runs, seconds = self.shapes.get(shapes) or (0, 0.0)
        if runs < self._least:
            return False
        count = self._compilations
        average = self._compiling / count if count else self._usual
        return seconds >= (price if self.met <= FREE else max(price, average))

    def ran(self, shapes: Any, seconds: float) -> None:
        """Note a run that was not compiled."""
        runs, before = self._known(shapes)
        seconds = max(seconds, 0.0)
        self.spent += seconds
        self.shapes[shapes] = (self._least if seconds > SLOW else runs + 1, before + seconds)

    def compiled(self, shapes: Any, seconds: float) -> None:
        """Note that such shapes have been compiled."""
        self._known(shapes)
        self.shapes[shapes] = COMPILED
        self.kept += 1
        self._compilations += 1
        self._compiling += seconds
        compiling.seconds += seconds

    def _known(self, shapes: Any) -> tuple[int, float]:
        known = self.shapes.get(shapes)
        if known is None:
            self.met += 1
        return known or (0, 0.0)

    def insist(self, shapes: Any) -> None:
        """Have such shapes compiled the next time."""
        self._known(shapes)
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
