"""Devices of the CPU that have one thread each, for programs that run side by side.

All programs on JAX's own device share its threads. A program that waits for one of them to do its
share of a product then waits for the other program that this thread is busy with: two LSTMs at the
same time take 10 ms there and 8 ms in two lanes, which is what two processes take.

Where there is a lane for every core, each stays on its own. Otherwise two of them are often found
on one core, and stay there for some ten milliseconds while another core is idle.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from runnel.core.xla import jax, load

_THREADS = "NPROC"  # the environment variable in which jaxlib looks for their number
_lock = threading.Lock()


def cores() -> list[int]:
    """The cores that this thread may use."""
    mine = getattr(os, "sched_getaffinity", None)  # of Linux
    return sorted(mine(0)) if mine else list(range(os.cpu_count() or 1))


class Lanes:
    """Where programs are put that are to run side by side.

    A place is what JAX calls a sharding. In the first lane a program runs before the call returns,
    in the thread that calls it, which is to be `at_home` meanwhile.
    """

    def __init__(self, count: int) -> None:
        self._cores = cores() if count == len(cores()) and hasattr(os, "sched_setaffinity") else []
        self.places = [self._made(number) for number in range(count)]

    def _made(self, number: int) -> Any:
        with _one_thread(), staying_on(self._cores[number : number + 1]):  # as its threads will
            client = load("jaxlib.xla_client").make_cpu_client(asynchronous=number > 0)
        return jax.sharding.SingleDeviceSharding(client.local_devices()[0])

    def at_home(self) -> AbstractContextManager[None]:
        """A context in which the thread stays on the core of the first lane, if it has one."""
        return staying_on(self._cores[:1])


@functools.cache
def _lanes(count: int) -> Lanes | None:
    jax.devices()  # JAX's own device comes first and has all threads
    try:
        return Lanes(count)
    except Exception:  # not part of JAX's public interface: it may go, or take other arguments
        return None


def lanes(count: int) -> Lanes | None:
    """So many lanes; None if this jaxlib has none."""
    with _lock:
        return _lanes(count)


@contextmanager
def staying_on(chosen: Sequence[int]) -> Iterator[None]:
    """Let this thread, and those that it makes, use the chosen cores only, if it may use them."""
    before = os.sched_getaffinity(0) if chosen else set()
    if not chosen or not before.issuperset(chosen):
        yield
        return
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
