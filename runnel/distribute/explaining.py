"""`tf.distribute.explain`: what the replicas of a function do, and what they send each other."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource
from runnel.distribute.cluster.ops import process_gather, process_join, process_reduce
from runnel.distribute.values import DistributedValues
from runnel.graph.control.collectives import all_gather, all_reduce
from runnel.graph.control.replicated import ROWS, STACKED, held_by, replicated_call
from runnel.graph.run.effects import graphs_in

# By graph: why a call of `Strategy.run` was traced for each replica, its devices and processes.
_stepped: weakref.WeakKeyDictionary[Any, list[_Steps]] = weakref.WeakKeyDictionary()
_EXCHANGES = {
    process_reduce: "all-reduce",
    process_join: "all-reduce",
    process_gather: "all-gather",
}


class _Steps(NamedTuple):
    why: str
    devices: tuple[str, ...]
    processes: int
    parts: tuple[str, ...]  # of the arguments, for each of these replicas


def note_stepped(graph: Any, why: str, extended: Any, arguments: Any) -> None:
    """Remember how a call of `Strategy.run` in a graph was traced for each replica."""
    devices, processes = extended._replica_devices, extended._processes
    parts = [v for v in nest.flatten(arguments) if isinstance(v, DistributedValues)]
    told = tuple(", ".join(map(_tensor, v.values[: len(devices)])) for v in parts)
    _stepped.setdefault(graph, []).append(_Steps(why, devices, processes, told))


def _tensor(value: Any) -> str:
    if not isinstance(value, Tensor):
        return type(value).__name__
    shape = "of unknown shape" if value.shape.rank is None else tuple(value.shape)
    return f"{value.dtype.name} {shape}"


def explain(fn: Any) -> str:
    """What the traces of a function have their replicas do, in words.

    For each call of `Strategy.run`: whether it is one program for all devices, or why not; the
    devices and processes; what of the arguments each replica gets; the variables with their bytes
    on each device; and what the replicas of a program, or the processes, send each other in a step.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> step = tf.function(lambda x: strategy.run(lambda x: x + 1.0, args=(x,)))
    >>> float(step(tf.constant(1.0)))
    2.0
    >>> print(tf.distribute.explain(step))
    trace 1: stepped, since there is one replica
      replicas: 1 on CPU:0
    """
    listed = getattr(fn, "_list_all_concrete_functions", None)
    traces = [fn] if listed is None and hasattr(fn, "graph") else listed() if listed else None
    if traces is None:
        raise TypeError(f"tf.distribute.explain: `fn` must be a tf.function, got {fn!r}")
    lines: list[str] = []
    for number, trace in enumerate(traces, start=1):
        found = [*_calls(trace.graph), *_steps(trace.graph)]
        lines += [f"trace {number}: {text}" for text in found or ["no call of Strategy.run"]]
    return "\n".join(lines) or "The function has not been traced: call it first."


def _steps(graph: Any) -> Iterator[str]:
    for why, devices, processes, parts in _stepped.get(graph, ()):
        names = ", ".join(name.rpartition("device:")[2] for name in devices)
        where = "" if processes == 1 else f", in each of {processes} processes"
        lines = [f"stepped, since {why}", f"  replicas: {len(devices)} on {names}{where}"]
        lines += [f"  parts: {part}" for part in parts]
        handles = [t for t in graph.external_captures if t.dtype is resource]
        kinds = [(t, getattr(held_by(t), "replicas", None)) for t in handles]
        lines += [_variable(t, kind) for t, kind in kinds if kind is not None]
        exchanged = list(_between(graph))
        lines += [text for text, _ in exchanged]
        if processes > 1:
            lines.append(f"  sent by each process in a step: {_total(exchanged)} bytes")
        yield "\n".join(lines)


def _between(graph: Any) -> Iterator[tuple[str, int]]:
    """What a graph sends to other processes, and how many bytes."""
    for operation in graph.get_operations():
        if operation.op in _EXCHANGES:
            for value in operation.inputs:
                yield _sent(_EXCHANGES[operation.op], operation.name, value)
        for inner in graphs_in(operation):
            yield from _between(inner)


def _sent(what: str, name: str, value: Any) -> tuple[str, int]:
    count = value.shape.num_elements()
    size = 0 if count is None else count * value.dtype.size
    told = "of unknown size" if count is None else f"{size} bytes"
    return f"  {what} {name!r}: {_tensor(value)}, {told}", size


def _total(exchanged: list[tuple[str, int]]) -> int:
    return sum(size for _, size in exchanged)


def _calls(graph: Any) -> Iterator[str]:
    for operation in graph.get_operations():
        if operation.op is replicated_call:
            yield "\n".join(_described(operation))
        for inner in graphs_in(operation):
            if operation.op is not replicated_call:
                yield from _calls(inner)


def _described(operation: Any) -> list[str]:
    attrs = operation.attrs
    names = [name.rpartition("device:")[2] for name in attrs["devices"]]
    lines = [f"fused, one program for {len(names)} replicas on {', '.join(names)}"]
    for tensor, kind in zip(operation.inputs, attrs["layout"], strict=True):
        if kind == STACKED:
            shape = tensor.shape[1:]
            text = f"{tensor.dtype.name} {tuple(shape)}, {_bytes(shape, tensor)}"
            lines.append(f"  part: {text}")
    for tensor, kind in zip(operation.inputs, attrs["layout"], strict=True):
        if tensor.dtype is resource:
            lines.append(_variable(tensor, kind))
    exchanged = list(_collectives(attrs["body"]))
    lines += [text for text, _ in exchanged]
    lines.append(f"  sent by each replica in a step: {_total(exchanged)} bytes")
    return lines


def _variable(handle: Any, kind: str) -> str:
    held = held_by(handle)
    rows = kind == ROWS
    shape = held.static_shape[1:] if rows else held.static_shape
    how = "a row for each replica" if rows else "mirrored"
    return f"  variable {held.name!r}: {how}, {_bytes(shape, held)} on each device"


def _collectives(graph: Any) -> Iterator[tuple[str, int]]:
    for operation in graph.get_operations():
        if operation.op in (all_reduce, all_gather):
            what = "all-reduce" if operation.op is all_reduce else "all-gather"
            yield _sent(what, operation.name, operation.inputs[0])
        for inner in graphs_in(operation):
            yield from _collectives(inner)


def _bytes(shape: Any, held: Any) -> str:
    if not shape.is_fully_defined():
        return "of unknown size"
    return f"{math.prod(shape) * held.dtype.size} bytes"
