"""Finding how many steps to run in one call while a model trains."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np


class StepsPerExecutionTuner:
    """Measures steps per second and moves `spe_variable` up or down while that gets better."""

    def __init__(
        self,
        optimizer: Any,
        spe_variable: Any,
        interval: float = 5,
        change_spe_interval: int = 10,
        change_threshold: float = 0.1,
    ) -> None:
        self.optimizer = optimizer
        self._steps_per_execution = spe_variable
        self.interval = interval
        self.change_spe_interval = change_spe_interval
        self.spe_change_threshold = change_threshold
        self.init_spe = 1
        self.thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._speeds: list[float] = []
        self._last_speed = 0.0
        self._growing = True
        self._measurements = 0
        self._last = (0, 0.0)  # iteration, time

    @property
    def steps_per_execution(self) -> Any:
        """The variable that is tuned."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        self._steps_per_execution.assign(value)
        self.init_spe = value

    def start(self) -> threading.Thread:
        """Begin to measure and tune in a thread."""
        if self.thread is not None and self.thread.is_alive():
            return self.thread
        self._stop.clear()
        self._last = (int(self.optimizer.iterations.numpy()), time.time())
        self.init_spe = int(self._steps_per_execution.numpy())
        self._speeds, self._last_speed, self._growing, self._measurements = [], 0.0, True, 0
        self.thread = threading.Thread(target=self._repeat, daemon=True)
        self.thread.start()
        return self.thread

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()

    def _repeat(self) -> None:
        while not self._stop.wait(self.interval):
            self._measure()

    def _measure(self) -> None:
        iteration, now = int(self.optimizer.iterations.numpy()), time.time()
        before, then = self._last
        self._measurements += 1
        self._speeds.append((iteration - before) / max(now - then, 1e-9))
        del self._speeds[: -self.change_spe_interval]
        if iteration == 0:
            return
        self._last = (iteration, now)
        # No step since the last look: an epoch ended, which says nothing about speed.
        if self._measurements % self.change_spe_interval == 0 and self._speeds[-1] > 0:
            self._tune()

    def _tune(self) -> None:
        """Go on in the same direction while it gets faster, turn around when it got slower."""
        speed = float(np.mean(self._speeds))
        current = int(self._steps_per_execution.numpy())
        if speed < (1 - self.spe_change_threshold) * self._last_speed:
            self._growing = not self._growing
        elif speed <= (1 + self.spe_change_threshold) * self._last_speed:
            self._last_speed = speed
            return
        wanted = current * (1.5 if self._growing else 0.5)
        if current >= self._steps_per_execution.dtype.max / 1.5:
            wanted = current
        self._steps_per_execution.assign(round(wanted) or self.init_spe)
        self._last_speed = speed
