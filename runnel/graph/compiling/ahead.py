"""Programs of segments that follow each other are compiled side by side, before they run.

A segment is traced with the shapes of what the ones before it will have computed. Its compiler runs
in a thread, without the interpreter's lock, while the next one is traced: networks of ten segments
are ready in little more than half the time on two cores. JAX finds the programs when the segments
are run; what could not be foreseen is compiled then. Who hurries gets first versions of programs
that are not on disk (`versions.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent import futures  # its pools are loaded when one is made
from typing import TYPE_CHECKING, Any, NamedTuple

from runnel.backend import compile_cache, compiling
from runnel.backend.collection import Pause
from runnel.backend.meanwhile import first_version
from runnel.core.values.tracebacks import let_through
from runnel.graph.compiling.versions import Traced
from runnel.graph.run.segment import Segment

if TYPE_CHECKING:
    from runnel.graph.run.program import Node

_MOST_THREADS = 4  # the compiler needs some hundred megabytes in each


class Ahead:
    """What is compiled for the segments up to the next host operation, by segment."""

    def __init__(self, key: Any, *, hurries: bool = False) -> None:
        self._key = key  # under which segments note their seconds
        self._hurries = hurries
        self.later: list[Callable[[], None]] = []  # jobs: to compile what has a first version
        self._futures: dict[int, futures.Future[None]] = {}
        self._pool: futures.ThreadPoolExecutor | None = None
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
        if number not in self._futures and (self._hurries or _is_segment(stages, number + 1)):
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
            self._pool = futures.ThreadPoolExecutor(count, "runnel-compile")
        expected = list(env)
        while _is_segment(stages, number):
            segment = stages[number]
            assert isinstance(segment, Segment)
            start = time.perf_counter()
            lowered = _lowered(segment, expected)
            if lowered is None:
                return
            before = time.perf_counter() - start
            job = compile_cache.as_chosen_here(self._compiling(segment, lowered, before))
            handed = compiling.Handed()
            self._futures[number] = future = self._pool.submit(job)
            future.add_done_callback(handed.end)  # also if it is cancelled
            number += 1

    def _compiling(self, segment: Segment, lowered: _Lowered, before: float) -> Callable[[], None]:
        hurries = self._hurries and not lowered.is_long
        well = compile_cache.as_chosen_here(_compiling_well(segment, lowered, self._key))

        def compile() -> None:
            start = time.perf_counter()
            try:
                if not hurries:
                    lowered.stage.compile()
                elif not first_version.is_at_hand(lowered.stage):
                    lowered.traced.stand_in(first_version.compile(lowered.stage))
                    segment.well_seconds[self._key] = None
                    self.later.append(well)
            except Exception as error:  # the run of the segment meets it again
                let_through(error)
            segment.compile_seconds[self._key] = before + time.perf_counter() - start

        return compile


class _Lowered(NamedTuple):
    """A segment's program before the compiler."""

    stage: Any  # JAX's
    traced: Traced
    is_long: bool  # to run


def _is_segment(stages: Sequence[Segment | Node], number: int) -> bool:
    return number < len(stages) and isinstance(stages[number], Segment)


def _compiling_well(segment: Segment, lowered: _Lowered, key: Any) -> Callable[[], None]:
    def compile() -> None:
        start = time.perf_counter()
        try:
            lowered.stage.compile()
        except Exception as error:  # the first version goes on
            let_through(error)
            return
        segment.well_seconds[key] = time.perf_counter() - start
        lowered.traced.made_well()

    return compile


def _lowered(segment: Segment, env: list[Any]) -> _Lowered | None:
    """A segment's program before the compiler, and what it will compute in `env`.

    Values in `env` may be descriptions of what is not there yet. None if there is something that
    only the run can tell.
    """
    try:
        first_version.begin_tracing()
        traced = segment.traced(env)
        is_long = first_version.is_long(traced.stage.jaxpr.jaxpr)
        lowered = _Lowered(traced.stage.lower(), traced, is_long)
    except Exception as error:  # the run meets it again
        let_through(error)
        return None
    found = traced.stage.out_info[traced.own : traced.own + len(segment.outputs)]
    for slot, value in zip(segment.outputs, found, strict=True):
        env[slot] = value
    return lowered
