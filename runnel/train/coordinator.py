"""`tf.train.Coordinator`: ending several threads together."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.values.errors import OutOfRangeError


class Coordinator:
    """Tells threads when to stop, and hands on the error of one of them.

    >>> import threading
    >>> coordinator, seen = tf.train.Coordinator(), []
    >>> def work():
    ...     with coordinator.stop_on_exception():
    ...         while not coordinator.should_stop():
    ...             seen.append(1)
    ...             coordinator.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coordinator.join([thread])
    >>> seen
    [1]
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (OutOfRangeError,))
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; the first error given here is raised by `join`."""
        if isinstance(ex, tuple):
            ex = ex[1]
        with self._lock:
            if self._joined:
                if isinstance(ex, BaseException):
                    raise ex
                return
            first = not self._stop.is_set()
            if first and isinstance(ex, BaseException) and not isinstance(ex, self._clean):
                self._error = ex
            self._stop.set()

    def clear_stop(self) -> None:
        """Begin again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """An error inside asks all threads to stop, and goes to `join` instead of further up."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for; False if `timeout` seconds pass before."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Add a thread that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    @property
    def joined(self) -> bool:
        return self._joined

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait for the threads; once a stop was asked for, no longer than the grace period."""
        every = [*self._threads, *(threads or ())]
        while any(t.is_alive() for t in every) and not self.wait_for_stop(0.05):
            pass
        self._stop.set()
        end = time.monotonic() + stop_grace_period_secs
        for thread in every:
            thread.join(max(0.0, end - time.monotonic()))
        with self._lock:
            self._joined = True
            self._threads = set()
            error, self._error = self._error, None
        if error is not None:
            raise error
        late = [t.name for t in every if t.is_alive()]
        if late and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(late)}")

    def raise_requested_exception(self) -> None:
        """Raise the error that a stop was asked for with, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error
