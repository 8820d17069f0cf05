"""A line on the terminal about work that takes long: what it is, how far, since when."""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from runnel.backend.compiling import PATIENCE

_EVERY = 0.5  # seconds
Function = TypeVar("Function", bound=Callable[..., Any])


def is_watched(stream: Any) -> bool:
    """Whether somebody looks at what is written to a stream: a terminal, or a notebook."""
    terminal = getattr(stream, "isatty", lambda: False)
    return terminal() or "ipykernel" in sys.modules or "PYCHARM_HOSTED" in os.environ


def tells(what: str, place: int = 0) -> Callable[[Function], Function]:
    """Decorator for a function that takes long: its line has one of its arguments, a path."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            path = args[place] if len(args) > place else next(iter(kwargs.values()), "")
            with Working(f"{what} {path}"):
                return function(*args, **kwargs)

        return cast(Function, call)

    return decorate


class Working:
    """Work that tells of itself if it takes more than two seconds and somebody looks.

    `done` and `total`, where they are known, count what `unit` says. The line is written by a
    thread, to the standard error, and wiped out in the end.
    """

    def __init__(self, what: str, total: int | None = None, unit: str = "") -> None:
        self.what, self.total, self.unit = what, total, unit
        self.done = 0
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._width = 0

    def __enter__(self) -> Working:
        if is_watched(sys.stderr):
            self._begun = time.monotonic()
            self._thread = threading.Thread(target=self._tell, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._width:
            self._write("")
            sys.stderr.write("\r")

    def _tell(self) -> None:
        wait = PATIENCE
        while not self._over.wait(wait):
            self._write(self.line(time.monotonic() - self._begun))
            wait = _EVERY

    def line(self, seconds: float) -> str:
        """What stands on the terminal after some seconds."""
        text = f"{self.what}, {seconds:.0f} s"
        if self.done:
            of = f" of {self.total:,}" if self.total and self.total > 0 else ""
            text += f": {self.done:,}{of} {self.unit}".rstrip()
        return text

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text + " " * (self._width - len(text)))
        sys.stderr.flush()
        self._width = max(self._width, len(text))
