"""Processes that a trial forks: they have what the trial has imported, and tell it what they do.

A trial that forks has not used XLA, whose threads a child would not have.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

Tell = Callable[[Any], None]


class Child:
    """A forked process that runs `body(tell)`; what it tells, the parent reads."""

    def __init__(self, body: Callable[[Tell], None]) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of threads, and BLAS has one
            self.pid = os.fork()
        if not self.pid:
            os.close(reading)
            _live(body, writing)
        os.close(writing)
        self._pipe = reading
        self._unread = b""

    def hear(self, seconds: float) -> Any:
        """The next thing the child tells; None if it has ended, or the time is over."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = max(deadline - time.monotonic(), 0)
            if not select.select([self._pipe], [], [], left)[0]:
                return None
            piece = os.read(self._pipe, 1 << 16)
            if not piece:
                return None
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return json.loads(line)

    def hear_working(self, seconds: float) -> Any:
        """As `hear`, in seconds that it computes; where the machine has other work, in a minute."""
        before = self._worked()
        for _ in range(round(max(60 / seconds, 1))):
            word = self.hear(seconds)
            if word is not None or self._worked() - before > 0.9 * seconds:
                return word
        return None

    def _worked(self) -> float:
        """Seconds of processor time; endless if it has ended."""
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                told = file.read().rpartition(b")")[2].split()
        except OSError:
            return float("inf")
        ended = told[0] == b"Z"
        return float("inf") if ended else sum(map(int, told[11:13])) / os.sysconf("SC_CLK_TCK")

    def listen(self, seconds: float) -> list[Any]:
        """All that the child tells until it ends or the time is over."""
        deadline = time.monotonic() + seconds
        told = []
        while (word := self.hear(deadline - time.monotonic())) is not None:
            told.append(word)
        return told

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def end(self, seconds: float) -> str:
        """Wait until it has ended, and tell how, if not well; after `seconds` it is killed."""
        deadline = time.monotonic() + seconds
        ended = 0
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            time.sleep(0 if ended else 0.001)
        if not ended:
            self.kill()
            _, status = os.waitpid(self.pid, 0)
        os.close(self._pipe)
        if not ended:
            return f"it had not ended after {seconds:.0f} s"
        if os.WIFSIGNALED(status):
            return f"it died of {signal.Signals(os.WTERMSIG(status)).name}"
        code = os.waitstatus_to_exitcode(status)
        return f"it ended with {code}" if code else ""


def _live(body: Callable[[Tell], None], pipe: int) -> None:
    """The child's whole life; it never returns to the parent's code."""
    try:
        body(lambda value: _write_all(pipe, json.dumps(value).encode() + b"\n"))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _write_all(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]
