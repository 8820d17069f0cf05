"""`Timeline`: the operations of a traced run as an event file for Chrome's tracing page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class StepStatsAnalysis(NamedTuple):
    """A chart of a run, and the most memory that each allocator held."""

    chrome_trace: Any
    allocator_maximums: dict[str, Any]


class AllocationMaximum(NamedTuple):
    """The most bytes held at one time, when, and by the outputs of which operations."""

    timestamp: int
    num_bytes: int
    tensors: set[str]


class _Trace:
    """Events in the format of Chrome's tracing page."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def name_process(self, number: int, name: str) -> None:
        args = {"name": name}
        self.events.append({"name": "process_name", "ph": "M", "pid": number, "args": args})

    def add(self, phase: str, **event: Any) -> None:
        self.events.append({"ph": phase, **event})

    def format_to_string(self, pretty: bool = False) -> str:
        trace = {"traceEvents": self.events}
        return json.dumps(trace, indent=4 if pretty else None, separators=(",", ": "))


class Timeline:
    """The statistics of a run, from `RunMetadata.step_stats`, as a chart.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
    ...     run = tf.compat.v1.RunMetadata()
    ...     options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    ...     values = session.run(tf.add(x, x, name="sum"), {x: [1.0, 2.0]}, options, run)
    >>> '"sum"' in Timeline(run.step_stats).generate_chrome_trace_format()
    True
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._stats, self._graph = step_stats, graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The chart as JSON."""
        found = self.analyze_step_stats(show_dataflow, show_memory, op_time)
        return str(found.chrome_trace.format_to_string(pretty=True))

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """The chart, and the most memory that was held."""
        if op_time not in ("schedule", "gpu", "all"):
            raise ValueError(f"Timeline: `op_time` is schedule, gpu or all, got {op_time!r}.")
        trace = _Trace()
        for number, device in enumerate(self._stats.dev_stats):
            trace.name_process(number, f"{device.device} Compute")
            for stats in device.node_stats:
                trace.add("X", **_event(stats, number))
        if show_dataflow:
            self._add_flow(trace)
        if show_memory:
            self._add_memory(trace)
        return StepStatsAnalysis(trace, self._maximums())

    def _add_flow(self, trace: _Trace) -> None:
        """An arrow from what makes a tensor to what takes it."""
        made = {}
        for number, device in enumerate(self._stats.dev_stats):
            for stats in device.node_stats:
                made[stats.node_name] = _end(stats), number
        arrows = iter(range(1 << 30))
        for number, device in enumerate(self._stats.dev_stats):
            for stats in device.node_stats:
                for name in _label(stats)[2]:
                    if name in made:
                        when, where = made[name]
                        arrow = {"cat": "DataFlow", "name": name, "id": next(arrows), "tid": 0}
                        trace.add("s", pid=where, ts=when, **arrow)
                        trace.add("t", pid=number, ts=stats.all_start_micros, **arrow)

    def _held(self) -> Iterator[tuple[int, int, str]]:
        """When bytes were taken or, after their last use, let go, and by whom."""
        last: dict[str, int] = {}
        every = [stats for device in self._stats.dev_stats for stats in device.node_stats]
        for stats in every:
            for name in (stats.node_name, *_label(stats)[2]):
                last[name] = max(last.get(name, 0), _end(stats))
        for stats in every:
            size = sum(m.total_bytes for m in stats.memory)
            if size:
                yield stats.all_start_micros, size, stats.node_name
                yield last[stats.node_name], -size, stats.node_name

    def _add_memory(self, trace: _Trace) -> None:
        total, number = 0, len(self._stats.dev_stats)
        trace.name_process(number, "Memory")
        for when, size, _ in sorted(self._held(), key=lambda change: change[0]):
            total += size
            trace.add("C", cat="Memory", name="cpu", pid=number, ts=when, args={"cpu": total})

    def _maximums(self) -> dict[str, Any]:
        total, most, held = 0, AllocationMaximum(0, 0, set()), set[str]()
        for when, size, name in sorted(self._held(), key=lambda change: change[0]):
            total += size
            if size > 0:
                held.add(name)
            else:
                held.discard(name)
            if total > most.num_bytes:
                most = AllocationMaximum(when, total, set(held))
        return {"cpu": most} if most.num_bytes else {}


def _end(stats: Any) -> int:
    return int(stats.all_start_micros + stats.all_end_rel_micros)


def _label(stats: Any) -> tuple[str, str, list[str]]:
    """The name of an operation, its op, and the operations that its inputs are of."""
    name, _, rest = stats.timeline_label.partition(" = ")
    op, _, inputs = rest.rstrip(")").partition("(")
    names = [text.partition(":")[0].strip() for text in inputs.split(",") if text.strip()]
    return name or stats.node_name, op or stats.node_name, names


def _event(stats: Any, number: int) -> dict[str, Any]:
    name, op, inputs = _label(stats)
    args = {"name": name, "op": op, **{f"input{i}": text for i, text in enumerate(inputs)}}
    took = int(stats.op_end_rel_micros - stats.op_start_rel_micros)
    begun = int(stats.all_start_micros + stats.op_start_rel_micros)
    return {
        "cat": "Op",
        "name": op,
        "pid": number,
        "tid": 0,
        "ts": begun,
        "dur": took,
        "args": args,
    }
