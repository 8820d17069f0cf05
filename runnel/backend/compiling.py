"""Which program is being compiled, and for how long, for whoever shows progress.

JAX calls a function to compile it, and sends an event when the program is there. Other programs
that are made on the way, while the function is still being called, are part of it.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 2.0  # seconds after which waiting is worth a word
_EVERY = 1.0  # second
_DONE = "/jax/core/compile/backend_compile_duration"

Show = Callable[[int, float], None]


class _Compiling(threading.local):
    """What a thread compiles."""

    depth = 0  # of functions that are being called
    begun: float | None = None
    over: threading.Event | None = None


_thread = _Compiling()
_seconds = 0.0  # of compiling, in all
_shows: list[tuple[Show, list[int]]] = []  # each with the number of programs it has seen


def seconds() -> float:
    """How long this process has compiled so far."""
    return _seconds


@contextmanager
def watching(show: Show) -> Iterator[None]:
    """While programs are compiled for more than two seconds, call `show` again and again.

    It is given the number of the program since the beginning, and the seconds so far, in a thread
    of its own.
    """
    watch = (show, [0])
    _shows.append(watch)
    try:
        yield
    finally:
        _shows[:] = [other for other in _shows if other is not watch]
        _end()


def noted(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, to be compiled: a call of it is the beginning of a program."""

    @functools.wraps(fn)
    def begun(*args: Any) -> Any:
        if not _thread.depth:
            _begin()
        _thread.depth += 1
        try:
            return fn(*args)
        finally:
            _thread.depth -= 1

    return begun


def listen(jax: Any) -> None:
    """Hear of programs that are done."""
    jax.monitoring.register_event_duration_secs_listener(_heard)


def _heard(event: str, duration: float, **details: Any) -> None:
    if event == _DONE and not _thread.depth:
        _end()


class Handed:
    """What this thread has begun to compile and another one goes on with, to its `end`."""

    def __init__(self) -> None:
        self._begun, self._over = _thread.begun, _thread.over
        _thread.begun = _thread.over = None

    def end(self, *_: Any) -> None:
        global _seconds
        if self._begun is not None:
            _seconds += time.perf_counter() - self._begun
            self._begun = None
        if self._over is not None:
            self._over.set()


def _begin() -> None:
    _end()
    _thread.begun = time.perf_counter()
    if _shows:
        show, count = _shows[-1]
        count[0] += 1
        _thread.over = threading.Event()
        arguments = (show, count[0], _thread.over, _thread.begun)
        threading.Thread(target=_tell, args=arguments, daemon=True).start()


def _tell(show: Show, number: int, over: threading.Event, begun: float) -> None:
    wait = PATIENCE
    while not over.wait(wait):
        show(number, time.perf_counter() - begun)
        wait = _EVERY


def _end() -> None:
    global _seconds
    if _thread.begun is not None:
        _seconds += time.perf_counter() - _thread.begun
        _thread.begun = None
    if _thread.over is not None:
        _thread.over.set()
        _thread.over = None
