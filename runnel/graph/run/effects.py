"""What an operation does beside computing its outputs: effects, uses of a state, being watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from runnel.core.values.dtypes import resource
from runnel.graph.build.operation import Operation

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph


def has_effect(operation: Operation) -> bool:
    """Whether an operation does something beside computing its outputs."""
    op = operation.op
    if op.lower is not None:
        return op.stateful and any(map(has_effects, graphs_in(operation)))
    return op.writes or (op.stateful and op.state is None)


def is_kept(operation: Operation) -> bool:
    """Whether an operation runs even if nobody reads its outputs."""
    return has_effect(operation) or is_watched(operation)


def is_watched(operation: Operation) -> bool:
    """Whether somebody looks at what an operation, or one inside it, computes."""
    return operation.watcher is not None or any(map(is_watched_inside, graphs_in(operation)))


def is_watched_inside(graph: Any) -> bool:
    """Whether somebody looks at what is computed in the finished graph of a branch or a loop."""
    known: dict[Any, Any] = graph.programs
    if "watched" not in known:
        known["watched"] = any(map(is_watched, graph._operations))
    return known["watched"]  # type: ignore[no-any-return]


def has_effects(graph: Any) -> bool:
    """Whether the finished graph of a branch or a loop does something beside computing."""
    known: dict[Any, Any] = graph.programs
    if "effects" not in known:
        known["effects"] = any(has_effect(op) for op in graph._operations)
    return known["effects"]  # type: ignore[no-any-return]


def is_stateful(graph: Graph) -> bool:
    """Whether an operation of a graph uses a state, if it only reads it, as TensorFlow counts."""
    return any(op.op.stateful for op in graph._operations)


def uses_state(operation: Operation) -> bool:
    """Whether an operation has a side effect, or depends on those of others."""
    op = operation.op
    if op.lower is not None and any(t._dtype is resource for t in operation.inputs):
        return True
    return has_effect(operation) or op.state not in (None, "own")


def graphs_in(operation: Operation) -> Iterator[Any]:
    """The graphs that an operation holds: branches, a loop's condition and body."""
    if operation.op.lower is None:
        return
    for value in operation.attrs.values():
        for item in value if isinstance(value, tuple) else (value,):
            if hasattr(item, "internal_captures"):
                yield item


def runs_python(operation: Operation) -> bool:
    """Whether an operation, or one inside it, calls a function of Python that may do anything."""
    return operation.op.traits.effects == "python" or any(
        runs_python(inner) for graph in graphs_in(operation) for inner in graph._operations
    )


def replicas_of(nodes: Iterable[Any]) -> tuple[Any, frozenset[int]]:
    """The devices of the replicas that some nodes are run by, and the slots they get in parts."""
    devices = None
    divided: set[int] = set()
    for node in nodes:
        if "devices" in node.attrs and node.op.lower is not None:
            devices = devices or node.attrs["devices"]
            pairs = zip(node.ins, node.attrs["layout"], strict=True)
            divided.update(slot for slot, kind in pairs if kind == "stacked")
    return devices, frozenset(divided)


def share_states(graph: Graph, like: Graph) -> None:
    """Let the operations of a graph go on where those of another trace of the same code are."""
    for one, other in zip(_with_own_state(graph), _with_own_state(like)):
        if one.type == other.type and one is not other:
            one._lender = other._lender or other


def _with_own_state(graph: Graph) -> Iterator[Operation]:
    for operation in graph._operations:
        if operation.op.state == "own":
            yield operation
        for inner in graphs_in(operation):
            yield from _with_own_state(inner)


def dead_slots(program: Any) -> list[list[int]]:
    """For each node of a program, the slots that nobody reads after it.

    What is let go of is still in the processor's cache when the next node wants memory: the
    attention of a network takes three quarters of the time.
    """
    last: dict[int, int] = {}
    for number, node in enumerate(program.nodes):
        last.update(dict.fromkeys((*node.outs, *node.ins), number))
    found: list[list[int]] = [[] for _ in program.nodes]
    for slot in last.keys() - program.constants.keys() - {*program.outputs, *program.inputs}:
        found[last[slot]].append(slot)
    return found
