"""A graph made ready to run: its needed operations in order, with numbered slots for values."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import configuration
from runnel.backend import jax as xla
from runnel.core.op import eager
from runnel.core.op.context import state
from runnel.core.op.op import Op
from runnel.core.state.resource import OwnedState, Resource
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values.dtypes import QUANTIZED_DTYPES, resource, string
from runnel.core.values.errors import OpError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array
from runnel.graph.build.operation import Operation
from runnel.graph.run import alarms
from runnel.graph.run.passes import optimize
from runnel.graph.run.unmade_strings import leave_unmade

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph
    from runnel.graph.build.tensor import SymbolicTensor


_HOST_DTYPES = QUANTIZED_DTYPES | {string}  # XLA has none of these
_CHOOSING = frozenset({"Pack", "GatherV2"})  # of handles, they give one that is not known before
_HERE = (np.ndarray, np.generic, Resource)

# What looks at a constant or an input has the name of what made that, and a kernel of its own.
_LOOKS = {
    name: Op(name, "value: T -> output: T", lambda xp, value: value)
    for name in ("Const", "Placeholder")
}


class Node:
    """One operation: where its inputs come from and where its outputs go."""

    __slots__ = ("attrs", "ins", "op", "operation", "outs", "static", "watcher")

    def __init__(self, operation: Operation, ins: list[int], outs: list[int]) -> None:
        self.operation = operation
        self.op: Op = operation.op
        self.attrs: Mapping[str, Any] = operation.attrs
        self.ins = ins
        self.outs = outs
        self.static = self.op.static_places(self.attrs)
        self.watcher = operation.watcher

    def using(self, ins: list[int], **attrs: Any) -> Node:
        """The same on other inputs, with other attributes."""
        node = copy.copy(self)
        node.ins, node.attrs = ins, {**self.attrs, **attrs}
        return node

    @property
    def has_effect(self) -> bool:
        return has_effect(self.operation)

    @property
    def is_kept(self) -> bool:
        return is_kept(self.operation)

    @property
    def owner(self) -> OwnedState | None:
        return self.operation.owner

    def interpret(self, env: list[Any]) -> None:
        """Run the eager kernel on the values in `env`."""
        values = [env[i] for i in self.ins]
        try:
            if self.op.plain:
                result = state.run(self.op.kernel, np, *values, **self.attrs)
            else:
                result = eager.compute(self.op, values, self.attrs, self.owner)
        except Exception as error:
            let_through(error)
            raise self.explained(error, values) from error
        if self.op.single:
            env[self.outs[0]] = result
            if self.watcher is not None:
                alarms.look(self.watcher, self, values, [result])
            return
        found = eager.flat_results(result)
        if self.op.lower is not None:
            found = [on_host(value) for value in found]
        if self.watcher is not None:
            alarms.look(self.watcher, self, values, found)
        for slot, value in zip(self.outs, found, strict=True):
            env[slot] = value

    def explained(self, error: Exception, values: Sequence[Array]) -> Exception:
        """The error with the name of the operation and the user's line that made it."""
        if not isinstance(error, OpError):
            found = [
                EagerTensor(v, t._dtype) for v, t in zip(values, self.operation.inputs, strict=True)
            ]
            error = eager.explain(self.op, found, self.attrs, error)
        if isinstance(error, OpError) and getattr(error.op, "traceback", None) is None:
            return type(error)(None, self.operation, error.message)  # type: ignore[call-arg]
        return error


class Program:
    """The operations that `outputs` and side effects need, ready to run on values for `inputs`."""

    def __init__(
        self, graph: Graph, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
    ) -> None:
        self.slots: dict[Any, int] = {}
        self.constants: dict[int, Array] = {}
        self.inputs = [self._slot(t) for t in inputs]
        self.nodes: list[Node] = [self._looking_at(t) for t in inputs if t.op.watcher is not None]
        for operation in needed(graph, inputs, outputs):
            self._add(operation)
        self.outputs = [self._slot(t) for t in outputs]
        self.needed = len(self.nodes)  # before the passes
        self.passes = optimize(self)
        leave_unmade(self)
        self.resources = [
            slot for slot, t in zip(self.inputs, inputs, strict=True) if t.dtype.name == "resource"
        ]
        self._template: list[Any] = [None] * len(self.slots)
        for slot, value in self.constants.items():
            self._template[slot] = value

    def _slot(self, tensor: Any) -> int:
        return self.slots.setdefault(tensor._id, len(self.slots))

    def new_slot(self) -> int:
        """A slot for a value that is no tensor of the graph."""
        return self.slots.setdefault(object(), len(self.slots))

    def _add(self, operation: Operation) -> None:
        outs = [self._slot(t) for t in operation.outputs]
        if operation.type == "Const":
            self.constants[outs[0]] = operation.attrs["value"]
            watcher = operation.watcher
            if watcher is not None and not watcher.fine(np, operation.attrs["value"]):
                self.nodes.append(self._looking_at(operation.outputs[0]))
        else:
            self.nodes.append(Node(operation, [self._slot(t) for t in operation.inputs], outs))

    def _looking_at(self, tensor: SymbolicTensor) -> Node:
        """A node whose only use is that somebody sees a constant, or an input of the graph."""
        made = tensor.op
        looking = Operation(made.graph, _LOOKS[made.type], made.name, (tensor,), {})
        looking.outputs, looking.watcher = [tensor], made.watcher
        looking.belong_to(made)
        return Node(looking, [self._slot(tensor)], [self.new_slot()])

    def environment(self, values: Sequence[Any]) -> list[Any]:
        """The slots before anything has run."""
        env = self._template.copy()
        for slot, value in zip(self.inputs, values, strict=True):
            env[slot] = value
        return env

    def interpret(self, values: Sequence[Any]) -> list[Any]:
        """Run every operation with its eager kernel; the values of the outputs."""
        env = self.environment([on_host(v) for v in values])
        for node in self.nodes:
            node.interpret(env)
        return [env[slot] for slot in self.outputs]


def on_host(value: Any) -> Any:
    """A value as NumPy's, or as it is if it is no array; what XLA made is brought over."""
    if isinstance(value, _HERE):
        return value
    if isinstance(value, Stacked):
        return value.holding(xla.fetched(value.held))
    if isinstance(value, TensorList):
        if value.is_here:
            return value
        kinds = set(map(type, value.items))  # without a step in Python for each element
        if all(issubclass(kind, (*_HERE, type(None))) for kind in kinds):
            value.is_here = True
            return value
        return value.with_items(tuple(None if i is None else on_host(i) for i in value.items))
    return xla.fetched(value)


def needed(
    graph: Graph, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
) -> list[Operation]:
    """The operations that an output or a side effect depends on, in program order."""
    if configuration.optimizer_options.get("disable_model_pruning"):
        return [op for op in graph._operations if op.type != "Placeholder"]
    stop = {t._id for t in inputs}
    wanted: set[int] = set()
    pending = [t.op for t in outputs if t._id not in stop]
    pending += [op for op in graph._operations if is_kept(op)]
    while pending:
        op = pending.pop()
        if id(op) in wanted:
            continue
        wanted.add(id(op))
        pending += [t.op for t in op.inputs if t._id not in stop]  # type: ignore[attr-defined]
        pending += op.after
    return [op for op in graph._operations if id(op) in wanted and op.type != "Placeholder"]


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
    if op.lower is not None and any(t.dtype is resource for t in operation.inputs):
        return True
    return has_effect(operation) or op.state not in (None, "own")


def program_of(graph: Any, extra: Sequence[SymbolicTensor] = ()) -> Program:
    """The program of a function's graph, to its outputs and `extra` tensors; made once."""
    key = (*[t._id for t in graph.outputs], None, *[t._id for t in extra])
    programs: dict[Any, Program] = graph.programs
    if key not in programs:
        programs[key] = Program(graph, graph.inputs, [*graph.outputs, *extra])
    return programs[key]


def graphs_in(operation: Operation) -> Iterator[Any]:
    """The graphs that an operation holds: branches, a loop's condition and body."""
    if operation.op.lower is None:
        return
    for value in operation.attrs.values():
        for item in value if isinstance(value, tuple) else (value,):
            if hasattr(item, "internal_captures"):
                yield item


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
        slot for slot, t in zip(node.ins, node.operation.inputs, strict=True) if t.dtype is resource
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
    if operation.type in _CHOOSING and operation.outputs[0].dtype is resource:
        return True
    return any(
        is_host(node.operation)
        for graph in graphs_in(operation)
        for node in program_of(graph).nodes
    )


def runs_python(operation: Operation) -> bool:
    """Whether an operation, or one inside it, calls a function of Python that may do anything."""
    return operation.op.traits.effects == "python" or any(
        runs_python(inner) for graph in graphs_in(operation) for inner in graph._operations
    )
