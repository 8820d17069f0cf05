"""Programs of segments that follow each other are compiled side by side, before they run.

A segment is traced with the shapes of what the ones before it will have computed. Its compiler runs
in a thread, without the interpreter's lock, while the next one is traced: networks of ten segments
are ready in little more than half the time on two cores. JAX finds the programs when the segments
are run; what could not be foreseen is compiled then.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from runnel.backend import compile_cache, compiling
from runnel.backend.collection import Pause
from runnel.core.values.tracebacks import let_through
from runnel.graph.run.segment import Segment

if TYPE_CHECKING:
    from runnel.graph.run.program import Node

_MOST_THREADS = 4  # the compiler needs some hundred megabytes in each


class Ahead:
    """What is compiled for the segments up to the next host operation, by segment."""

    def __init__(self, key: Any) -> None:
        self._key = key  # under which segments note their seconds
        self._futures: dict[int, Future[None]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._pause = Pause()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self._pause.end()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def run(self, stages: Sequence[Segment | Node], number: int, env: list[Any]) -> None:
        """Run a segment, having the ones behind it compiled meanwhile."""
        start = time.perf_counter()
        segment = stages[number]
        assert isinstance(segment, Segment)
        if number not in self._futures and _is_segment(stages, number + 1):
            self._prepare(stages, number, env)
        future = self._futures.pop(number, None)
        if future is not None:
            future.result()
        segment.run(env)
        if future is None:
            segment.compile_seconds[self._key] = time.perf_counter() - start

    def _prepare(self, stages: Sequence[Segment | Node], number: int, env: Sequence[Any]) -> None:
        if self._pool is None:
            count = min(os.cpu_count() or 1, _MOST_THREADS)
            self._pool = ThreadPoolExecutor(count, "runnel-compile")
        expected = list(env)
        while _is_segment(stages, number):
            segment = stages[number]
            assert isinstance(segment, Segment)
            start = time.perf_counter()
            lowered = _lowered(segment, expected)
            if lowered is None:
                return
            note = _note(segment, self._key, time.perf_counter() - start)
            job = compile_cache.as_chosen_here(_compiling(lowered, note))
            handed = compiling.Handed()
            self._futures[number] = future = self._pool.submit(job)
            future.add_done_callback(handed.end)  # also if it is cancelled
            number += 1


def _is_segment(stages: Sequence[Segment | Node], number: int) -> bool:
    return number < len(stages) and isinstance(stages[number], Segment)


def _note(segment: Segment, key: Any, before: float) -> Callable[[float], None]:
    def note(seconds: float) -> None:
        segment.compile_seconds[key] = before + seconds

    return note


def _compiling(lowered: Any, note: Callable[[float], None]) -> Callable[[], None]:
    def compile() -> None:
        start = time.perf_counter()
        try:
            lowered.compile()
        except Exception as error:  # the run of the segment meets it again
            let_through(error)
        note(time.perf_counter() - start)

    return compile


def _lowered(segment: Segment, env: list[Any]) -> Any:
    """A segment's program before the compiler, and what it will compute in `env`.

    Values in `env` may be descriptions of what is not there yet. None if there is something that
    only the run can tell.
    """
    try:
        traced, own = segment.traced(env)
        lowered = traced.lower()
    except Exception as error:  # the run meets it again
        let_through(error)
        return None
    found = traced.out_info[own : own + len(segment.outputs)]
    for slot, value in zip(segment.outputs, found, strict=True):
        env[slot] = value
    return lowered
