"""Questions about operations that are also put to those inside their loops and branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from runnel.backend import jax as xla
from runnel.core.values.dtypes import QUANTIZED_DTYPES, resource, string
from runnel.core.values.shape import TensorShape
from runnel.graph.build.operation import Operation
from runnel.graph.run.effects import graphs_in

if TYPE_CHECKING:
    pass
from runnel.graph.run.program import Node, program_of

_HOST_DTYPES = QUANTIZED_DTYPES | {string}  # XLA has none of these


_CHOOSING = frozenset({"Pack", "GatherV2"})  # of handles, they give one that is not known before


def written(nodes: Sequence[Node]) -> set[int]:
    """The slots of variables that nodes write, also inside their loops and branches."""
    slots = {slot for node in nodes if node.op.writes for slot in node.ins[: node.op.held]}
    for node in nodes:
        slots |= {node.ins[i] for i in written_inputs(node.operation)}
    return slots


def written_inputs(operation: Operation) -> list[int]:
    """The places, among the inputs of an operation with graphs, of variables that these write."""
    places: set[int] = set()
    for graph in graphs_in(operation):
        program = program_of(graph)
        first = len(operation.inputs) - len(program.inputs)
        slots = written(program.nodes)
        places |= {first + i for i, slot in enumerate(program.inputs) if slot in slots}
    return sorted(places)


def variable_slots(node: Node) -> list[int]:
    """The slots of the variables that a node reads or writes."""
    if node.op.state not in (None, "own"):
        return list(node.ins[: node.op.held])
    if node.op.lower is None:
        return []
    return [
        slot
        for slot, t in zip(node.ins, node.operation.inputs, strict=True)
        if t._dtype is resource
    ]


def owners(operations: Iterable[Operation]) -> list[Operation]:
    """The operations that keep a state of their own, also inside loops and branches."""
    found = []
    for operation in operations:
        if operation.op.state == "own":
            found.append(operation)
        for graph in graphs_in(operation):
            found += owners(node.operation for node in program_of(graph).nodes)
    return found


def count_nodes(graph: Any) -> int:
    """How many operations a graph has, with those inside loops and branches."""
    return size_of(program_of(graph).nodes)


def size_of(nodes: Sequence[Node]) -> int:
    """How many operations some nodes are, with those inside loops and branches."""
    return len(nodes) + sum(count_nodes(g) for node in nodes for g in graphs_in(node.operation))


def is_guarded(operation: Operation) -> bool:
    """Whether an operation, or one inside it, has inputs whose values a compiled run checks."""
    guard = operation.op.guard
    if guard is not None and (guard.needed is None or guard.needed(operation)):
        return True
    return any(
        is_guarded(node.operation)
        for graph in graphs_in(operation)
        for node in program_of(graph).nodes
    )


def is_host(operation: Operation) -> bool:
    """Whether XLA cannot compile an operation, or one inside it."""
    if operation.op.host or any(
        t.dtype in _HOST_DTYPES for t in (*operation.inputs, *operation.outputs)
    ):
        return True
    if operation.type in _CHOOSING and operation.outputs[0]._dtype is resource:
        return True
    return any(
        is_host(node.operation)
        for graph in graphs_in(operation)
        for node in program_of(graph).nodes
    )


def check_shape(node: Node, place: int, value: Any) -> None:
    """A variable keeps its shape, which need not have been known when the graph was traced."""
    held = getattr(node.operation.inputs[place], "_handle_data", None)
    shape = getattr(held, "static_shape", None)
    found = TensorShape(value.shape)
    if shape is not None and getattr(held, "replicas", None) == "rows":
        shape, found = shape[1:], found[1:]  # a device has one of the rows
    if shape is not None and not shape.is_compatible_with(found):
        raise ValueError(f"a variable of shape {shape} is assigned a value of shape {value.shape}")


def run_with_state(node: Node, kept: Any, values: Sequence[Any], replica: Any) -> Any:
    """The result of an op with a state of its own while it is compiled, and the new state.

    Each replica draws random numbers of its own, unless a seed says which, and all go on alike.
    """
    result, new = node.op.run(xla.jnp, [kept, *values], node.attrs)
    if replica is not None and kept.shape == (3,) and not node.operation.seed_given:
        own = kept.at[1].add(replica.astype(kept.dtype) << 32)
        result, _ = node.op.run(xla.jnp, [own, *values], node.attrs)
    return result, new
