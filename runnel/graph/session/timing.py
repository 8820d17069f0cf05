"""Runs that are traced: each operation by itself, and how long it took, as `StepStats`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from runnel.core.values.dtypes import FROM_NUMPY
from runnel.graph.run.program import Node, Program, on_host

_TO_MICROS = 1000


class Timed(NamedTuple):
    """One operation that ran: when it began, and when it was done, in nanoseconds."""

    node: Node
    start: int
    end: int
    outputs: list[Any]


class _Traces(threading.local):
    """What has run since a trace was asked for on this thread; None where none is."""

    taken: list[Timed] | None = None


traces = _Traces()


@contextmanager
def tracing() -> Iterator[list[Timed]]:
    """Runs inside are traced into the list."""
    outer, traces.taken = traces.taken, []
    try:
        yield traces.taken
    finally:
        traces.taken = outer


def run_timed(program: Program, values: Sequence[Any], taken: list[Timed]) -> list[Any]:
    """Run every operation with its eager kernel, as `Program.interpret` does, and note the time."""
    env = program.environment([on_host(v) for v in values])
    for node in program.nodes:
        start = time.time_ns()
        node.run(env)
        taken.append(Timed(node, start, time.time_ns(), [env[slot] for slot in node.outs]))
    return [env[slot] for slot in program.outputs]


def write_stats(step_stats: Any, taken: Sequence[Timed], default_device: str) -> None:
    """The operations as a `StepStats`, by the devices that they stand on."""
    devices: dict[str, Any] = {}
    for timed in taken:
        device = _device(timed.node.operation.device, default_device)
        if device not in devices:
            devices[device] = step_stats.dev_stats.add(device=device)
        _write_node(devices[device].node_stats.add(), timed)


def _device(name: Any, default: str) -> str:
    kind, _, number = str(name or "").rpartition("/")[2].rpartition(":")
    if not kind:
        return default
    kind = kind.removeprefix("device:").upper()
    return f"{default.partition('/device:')[0]}/device:{kind}:{number}"


def _write_node(stats: Any, timed: Timed) -> None:
    operation, took = timed.node.operation, timed.end - timed.start
    stats.node_name = operation.name
    inputs = ", ".join(t.name.removesuffix(":0") for t in operation.inputs)
    stats.timeline_label = f"{operation.name} = {operation.type}({inputs})"
    stats.thread_id = threading.get_native_id() & 0xFFFFFFFF
    stats.all_start_micros = stats.scheduled_micros = timed.start // _TO_MICROS
    stats.all_start_nanos = stats.scheduled_nanos = timed.start
    stats.op_end_rel_micros = stats.all_end_rel_micros = max(1, took // _TO_MICROS)
    stats.op_end_rel_nanos = stats.all_end_rel_nanos = took
    total = sum(_write_output(stats, slot, v) for slot, v in enumerate(timed.outputs))
    if total:
        stats.memory.add(allocator_name="cpu", total_bytes=total, peak_bytes=total)


def _write_output(stats: Any, slot: int, value: Any) -> int:
    """Describe an output, if it is an array; its bytes."""
    if not isinstance(value, np.ndarray | np.generic) or value.dtype not in FROM_NUMPY:
        return 0
    made = stats.output.add(slot=slot).tensor_description
    made.dtype = FROM_NUMPY[value.dtype].enum
    for size in value.shape:
        made.shape.dim.add(size=size)
    allocation = made.allocation_description
    allocation.requested_bytes = allocation.allocated_bytes = value.nbytes
    allocation.allocator_name = "cpu"
    return int(value.nbytes)
