"""A graph made ready to run: its needed operations in order, with numbered slots for values.

On the reading path after `graph/build/inference.py`, before `graph/run/passes.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import configuration
from runnel.backend import jax as xla
from runnel.core.op import eager
from runnel.core.op.context import state
from runnel.core.op.explaining import explain, fails_always
from runnel.core.op.op import Op
from runnel.core.state.owned_state import OwnedState
from runnel.core.state.resource import Resource
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values.dtypes import resource
from runnel.core.values.errors import OpError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array
from runnel.graph.build.operation import Operation
from runnel.graph.run import alarms
from runnel.graph.run.effects import dead_slots, has_effect, is_kept
from runnel.graph.run.passes import optimize
from runnel.graph.run.unmade_strings import leave_unmade

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph
    from runnel.graph.build.tensor import SymbolicTensor


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

    def run(self, env: list[Any]) -> None:
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
            error = explain(self.op, found, self.attrs, error)
        if not isinstance(error, OpError) or getattr(error.op, "traceback", None) is not None:
            return error
        located = type(error)(None, self.operation, error.message)  # type: ignore[call-arg]
        return ValueError(str(located)) if fails_always(self.operation, error, values) else located


class Program:
    """The operations that `outputs` and side effects need, ready to run on values for `inputs`."""

    def __init__(
        self, graph: Graph, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
    ) -> None:
        self.slots: dict[Any, int] = {}
        self.constants: dict[int, Array] = {}
        self.inputs = [self._slot(t) for t in inputs]
        self._given = {t._id for t in inputs}
        self.nodes: list[Node] = [self._looking_at(t) for t in inputs if t.op.watcher is not None]
        for operation in needed(graph, inputs, outputs):
            self._add(operation)
        self.outputs = [self._slot(t) for t in outputs]
        self.needed = len(self.nodes)  # before the passes
        self.passes = optimize(self)
        leave_unmade(self)
        self.resources = [
            slot for slot, t in zip(self.inputs, inputs, strict=True) if t._dtype is resource
        ]
        self.dead = dead_slots(self)
        self._template: list[Any] = [None] * len(self.slots)
        for slot, value in self.constants.items():
            self._template[slot] = value

    def _slot(self, tensor: Any) -> int:
        return self.slots.setdefault(tensor._id, len(self.slots))

    def new_slot(self) -> int:
        """A slot for a value that is no tensor of the graph."""
        return self.slots.setdefault(object(), len(self.slots))

    def _add(self, operation: Operation) -> None:
        outs = [
            self.new_slot() if t._id in self._given else self._slot(t) for t in operation.outputs
        ]  # what is given stays as it is
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
        for node, dead in zip(self.nodes, self.dead, strict=True):
            node.run(env)
            for slot in dead:
                env[slot] = None
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
    if graph.is_pruned or configuration.optimizer_options.get("disable_model_pruning"):
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
        pending += [t.op for t in op.inputs if t._id not in stop]
        pending += op.after
    return [op for op in graph._operations if id(op) in wanted and op.type != "Placeholder"]


def program_of(graph: Any, extra: Sequence[SymbolicTensor] = ()) -> Program:
    """The program of a function's graph, to its outputs and `extra` tensors; made once."""
    key = (*[t._id for t in graph.outputs], None, *[t._id for t in extra])
    programs: dict[Any, Program] = graph.programs
    if key not in programs:
        programs[key] = Program(graph, graph.inputs, [*graph.outputs, *extra])
    return programs[key]
