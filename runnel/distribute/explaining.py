"""`tf.distribute.explain`: what the replicas of a function do, and what they send each other."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import Any

from runnel.core.values.dtypes import resource
from runnel.graph.control.collectives import all_gather, all_reduce
from runnel.graph.control.replicated import ROWS, STACKED, replicated_call
from runnel.graph.run.effects import graphs_in

_stepped: weakref.WeakKeyDictionary[Any, list[str]] = weakref.WeakKeyDictionary()  # by graph


def note_stepped(graph: Any, why: str) -> None:
    """Remember why a call of `Strategy.run` in a graph was traced for each replica."""
    _stepped.setdefault(graph, []).append(why)


def explain(fn: Any) -> str:
    """What the traces of a function have their replicas do, in words.

    For each call of `Strategy.run`: whether it is one program for all devices, or why not; the
    devices; what of the arguments each gets; the variables with their bytes on each device; and
    what the replicas send each other in a step.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> step = tf.function(lambda x: strategy.run(lambda x: x + 1.0, args=(x,)))
    >>> float(step(tf.constant(1.0)))
    2.0
    >>> print(tf.distribute.explain(step))
    trace 1: stepped, since there is one replica
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


def _steps(graph: Any) -> list[str]:
    return [f"stepped, since {why}" for why in _stepped.get(graph, ())]


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
            shape = tuple(tensor.shape[1:])
            lines.append(f"  part: {tensor.dtype.name} {shape}, {_bytes(tensor.shape[1:], tensor)}")
    for tensor, kind in zip(operation.inputs, attrs["layout"], strict=True):
        if tensor.dtype is resource:
            lines.append(_variable(tensor, kind))
    exchanged = list(_collectives(attrs["body"]))
    lines += [text for text, _ in exchanged]
    lines.append(f"  sent by each replica in a step: {sum(size for _, size in exchanged)} bytes")
    return lines


def _variable(handle: Any, kind: str) -> str:
    held = getattr(handle, "_value", None) or handle._handle_data
    rows = kind == ROWS
    shape = held.static_shape[1:] if rows else held.static_shape
    how = "a row for each replica" if rows else "mirrored"
    return f"  variable {held.name!r}: {how}, {_bytes(shape, held)} on each device"


def _collectives(graph: Any) -> Iterator[tuple[str, int]]:
    for operation in graph.get_operations():
        if operation.op in (all_reduce, all_gather):
            value = operation.inputs[0]
            count = value.shape.num_elements()
            size = 0 if count is None else count * value.dtype.size
            what = "all-reduce" if operation.op is all_reduce else "all-gather"
            shape = "?" if count is None else tuple(value.shape)
            yield f"  {what} {operation.name!r}: {value.dtype.name} {shape}, {size} bytes", size
        for inner in graphs_in(operation):
            yield from _collectives(inner)


def _bytes(shape: Any, held: Any) -> str:
    if not shape.is_fully_defined():
        return "of unknown size"
    return f"{math.prod(shape) * held.dtype.size} bytes"
