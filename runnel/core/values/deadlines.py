"""How long the run of a session may wait: for elements of queues, or for room in them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.values.errors import DeadlineExceededError


class _Deadline(threading.local):
    """When the waiting of this thread ends, by `time.monotonic`; None for never."""

    at: float | None = None


_deadline = _Deadline()


@contextmanager
def within(milliseconds: int) -> Iterator[None]:
    """What runs inside waits no longer than that in all; 0 is for ever."""
    outer = _deadline.at
    _deadline.at = time.monotonic() + milliseconds / 1000 if milliseconds > 0 else outer
    try:
        yield
    finally:
        _deadline.at = outer


def limited(run: Callable[[Any], Any], milliseconds: int) -> Callable[[Any], Any]:
    """A function that waits no longer than that, unless a limit of the caller's says otherwise."""

    def call(values: Any) -> Any:
        with within(milliseconds if _deadline.at is None else 0):
            return run(values)

    return call


def _left() -> float | None:
    return None if _deadline.at is None else max(_deadline.at - time.monotonic(), 0.0)


def wait_for(changed: threading.Condition, ready: Callable[[], bool]) -> None:
    """Wait until something is so; DeadlineExceededError if the time is over before."""
    if not changed.wait_for(ready, _left()):
        raise _over()


@contextmanager
def holding(lock: threading.Lock) -> Iterator[None]:
    """Wait for a lock, and hold it; DeadlineExceededError if the time is over before."""
    left = _left()
    if left is None:
        with lock:
            yield
        return
    if not lock.acquire(timeout=left):
        raise _over()
    try:
        yield
    finally:
        lock.release()


def _over() -> DeadlineExceededError:
    return DeadlineExceededError(
        None, None, "Timed out: the run waited longer than its options allow."
    )
