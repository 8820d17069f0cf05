"""Work that nobody waits for, one job after the other in a thread.

When the program ends, the job at hand is finished and the others are dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable

Job = Callable[[], None]

_lock = threading.Lock()
_jobs: deque[Job] = deque()
_thread: threading.Thread | None = None


def add(jobs: Iterable[Job]) -> None:
    """Have something done some time."""
    global _thread
    with _lock:
        _jobs.extend(jobs)
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_work, name="runnel-background")
            _thread.start()


def wait() -> None:
    """Wait until everything is done."""
    while (thread := _thread) is not None:
        thread.join()


def _work() -> None:
    while (job := _next()) is not None:
        job()


def _next() -> Job | None:
    """The next job, unless the program is at its end; without one, the thread is over."""
    global _thread
    with _lock:
        if _jobs and threading.main_thread().is_alive():
            return _jobs.popleft()
        _jobs.clear()
        _thread = None
        return None
