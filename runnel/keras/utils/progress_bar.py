"""`tf.keras.utils.Progbar`: a bar that grows in one line of the terminal.

Where the output is no terminal, such as a file, only the last state of the bar is written.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.utils.messages import is_interactive_logging_enabled, print_message

_progress = tf.__internal__.progress
_WIDTH_SECONDS = (3600, 60)


class Progbar:
    """How far something is, with running values beside it.

    >>> bar = tf.keras.utils.Progbar(2, verbose=2)
    >>> bar.update(1)
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Any = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width = target, width
        self.verbose, self.interval, self.unit_name = verbose, interval, unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._total_width = 0
        self._seen_so_far = 0
        self._values: dict[str, Any] = {}
        self._start = time.time()
        self._last_update = 0.0
        self._first_step: float | None = None
        self._compiled = _progress.seconds_of_compiling()  # later, until the first step was done

    def is_due(self) -> bool:
        """Whether enough time has passed to draw again."""
        first = self._last_update == 0.0  # when the first step was done is of interest in any case
        return first or (time.time() - self._last_update >= self.interval and _is_dynamic())

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Draw the bar at `current`, with new values of what is shown beside it."""
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        self._gather(current, values or [])
        now = time.time()
        spent = f" - {now - self._start:.0f}s"
        if self.verbose == 1:
            if not finalize and not _is_dynamic():
                self._step_duration(current, now)
            elif now - self._last_update < self.interval and not finalize:
                return
            else:
                self._draw(current, now, spent, finalize)
        elif self.verbose == 2 and finalize:
            self._summarise(current, now, spent)
        self._last_update = now

    def add(self, n: int, values: Any = None) -> None:
        """Go on by `n`."""
        self.update(self._seen_so_far + n, values)

    def _gather(self, current: int, values: Any) -> None:
        for key, value in values:
            if key in self.stateful_metrics:
                self._values[key] = [value, 1]
                continue
            steps = max(current - self._seen_so_far, 1)
            if key not in self._values:
                self._values[key] = [value * steps, steps]
            else:
                self._values[key][0] += value * steps
                self._values[key][1] += steps
        self._seen_so_far = current

    def note(self, text: str) -> None:
        """Draw the bar as it stands, with a text where the remaining time is else.

        >>> tf.keras.utils.Progbar(2).note("compiling")  # shown on a terminal only
        """
        if self.verbose == 1 and _is_dynamic():
            self._write(self._bar(self._seen_so_far), f" - {text}", finalize=False)

    def _draw(self, current: int, now: float, spent: str, finalize: bool) -> None:
        lost = self._lost_in_compiling(current)
        each = self._step_duration(current, now)
        if self.target is None or finalize:
            info = spent + _duration(each, self.unit_name)
        else:
            each = max(each - lost, 0.0)
            info = f" - ETA: {_clock(each * (self.target - current))}"
        self._write(self._bar(current), info + self._shown(), finalize)

    def _write(self, bar: str, info: str, finalize: bool) -> None:
        before = self._total_width
        self._total_width = len(bar) + len(info)
        info += " " * max(before - self._total_width, 0)
        back = "\b" * before + "\r" if _is_dynamic() else ""
        print_message(back + bar + info + ("\n" if finalize else ""), line_break=False)

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        digits = int(math.log10(self.target)) + 1 if self.target else 1
        done = int(self.width * current / self.target) if self.target else self.width
        head = "=" * (done - 1) + (">" if current < self.target else "=") if done > 0 else ""
        return f"{current:{digits}d}/{self.target} [{head}{'.' * (self.width - done)}]"

    def _summarise(self, current: int, now: float, spent: str) -> None:
        target = self.target or current
        digits = int(math.log10(target)) + 1 if target else 1
        # Here Keras asks for the value, not its size: negative ones get an exponent.
        info = f"{current:{digits}d}/{target}{spent}{self._shown(size=float)}"
        each = self._step_duration(current, now)
        info += f" -{_duration(now - self._start, 'epoch')} -{_duration(each, self.unit_name)}"
        print_message(info + "\n", line_break=False)

    def _shown(self, size: Callable[[Any], float] = abs) -> str:
        text = ""
        for key, (total, count) in self._values.items():
            value = np.mean(total / max(1, count)) if _is_number(total) else total
            text += f" - {key}:" + (_format(value, size) if _is_number(value) else f" {value}")
        return text

    def _step_duration(self, current: int, now: float) -> float:
        if not current:
            return 0.0
        if self._first_step is not None and current > 1:
            each = (now - self._first_step) / (current - 1)
        else:
            each = (now - self._start) / current
        if current == 1:
            self._first_step = now
            self._compiled = _progress.seconds_of_compiling()
        return each

    def _lost_in_compiling(self, current: int) -> float:
        """What compiling took of each step that `_step_duration` counts: later ones do without."""
        counted = current - (self._first_step is not None)
        return (_progress.seconds_of_compiling() - self._compiled) / max(counted, 1)


def _is_dynamic() -> bool:
    return _progress.is_watched(sys.stdout) or not is_interactive_logging_enabled()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.generic | np.ndarray)


def _format(value: Any, size: Callable[[Any], float]) -> str:
    return f" {value:.4f}" if size(value) > 1e-3 else f" {value:.4e}"


def _clock(seconds: float) -> str:
    seconds = int(seconds)
    if seconds > _WIDTH_SECONDS[0]:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
    if seconds > _WIDTH_SECONDS[1]:
        return f"{seconds // 60}:{seconds % 60:02d}"
    return f"{seconds}s"


def _duration(seconds: float, unit: str) -> str:
    if seconds >= 1 or seconds == 0:
        return f" {seconds:.0f}s/{unit}"
    if seconds >= 1e-3:
        return f" {seconds * 1e3:.0f}ms/{unit}"
    return f" {seconds * 1e6:.0f}us/{unit}"
