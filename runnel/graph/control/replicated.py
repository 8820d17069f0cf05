"""`ReplicatedCall`: a graph that each replica runs on a device of its own, as one XLA program.

The graph is traced once, for one replica. Inputs and outputs that differ between replicas are
stacked along a new first axis, which is divided among the devices. Variables are the same on all
devices, or have a row for each replica. Where XLA cannot compile the graph, the replicas go through
it step by step, on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.op import Op
from runnel.core.settings.meshes import AXIS, mesh_of, spec
from runnel.core.values.dtypes import DType
from runnel.core.values.types import Dims, Namespace
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.collectives import COLLECTIVES, all_gather, all_reduce, stepped
from runnel.graph.run.alarms import ALARM
from runnel.graph.run.effects import graphs_in
from runnel.graph.run.lowering import FAILURES, NotStatic, States, is_known, lower
from runnel.graph.run.nested import written_inputs
from runnel.graph.run.program import Node, program_of

SHARED, STACKED, ROWS = "shared", "stacked", "rows"  # what an input is to the replicas
Layout = tuple[str, ...]


class Differs(Exception):
    """Replicas may write different values to a variable that is the same on all of them."""


def _shapes(*inputs: Any, output_shapes: Any = (), **attrs: Any) -> list[list[Dims]]:
    return [[shape._dims for shape in output_shapes]]


def _kernel(
    xp: Namespace,
    input: list[Any],
    *,
    body: FuncGraph,
    layout: tuple[str, ...],
    stacks: tuple[bool, ...],
    devices: tuple[str, ...],
    Tin: tuple[DType, ...],
    Tout: tuple[DType, ...],
    output_shapes: tuple[Any, ...] = (),
) -> Any:
    """All replicas step by step."""
    program, count = program_of(body), len(devices)
    envs = [
        program.environment(
            [v[number] if kind == STACKED else v for v, kind in zip(input, layout, strict=True)]
        )
        for number in range(count)
    ]
    common = {s for s, kind in zip(program.inputs, layout, strict=True) if kind == SHARED}
    for node in program.nodes:
        if node.op in COLLECTIVES:
            inputs = [[env[slot] for slot in node.ins] for env in envs]
            for env, value in zip(envs, stepped(node.op, inputs, node.attrs), strict=True):
                env[node.outs[0]] = value
        elif common.intersection(_written(node)):
            node.run(envs[0])
            for env in envs[1:]:
                for slot in node.outs:
                    env[slot] = envs[0][slot]
        else:
            for env in envs:
                node.run(env)
    found = []
    for slot, is_stacked in zip(program.outputs, stacks, strict=True):
        found.append(np.stack([env[slot] for env in envs]) if is_stacked else envs[0][slot])
    return [found]


def _written(node: Node) -> list[int]:
    if node.op.writes:
        return list(node.ins[: node.op.held])
    return [node.ins[i] for i in written_inputs(node.operation)]


def _lower(node: Node, values: list[Any], states: States) -> Any:
    try:
        return _Lowering(node, values, states).run()
    except FAILURES as error:
        raise NotStatic.inside(node, error) from error


class _Lowering:
    """A call as `jax.shard_map` over the devices."""

    def __init__(self, node: Node, values: list[Any], states: States) -> None:
        self.node, self.values, self.states = node, values, states
        self.layout: Layout = node.attrs["layout"]
        self.program = program_of(node.attrs["body"])
        self.variables = [i for i, v in enumerate(values) if v is None]
        known = [v is not None and is_known(v) for v in values]
        plain = [i for i, v in enumerate(values) if v is not None]
        self.args = [i for i in plain if self.layout[i] == STACKED or not known[i]]
        self.constants = [i for i in plain if i not in self.args]
        self.changed = written_inputs(node.operation)
        self.kept = states.threaded(node.operation)

    def run(self) -> Any:
        node, states = self.node, self.states
        mesh = mesh_of(node.attrs["devices"])
        stacks = node.attrs["stacks"]
        body = xla.jax.shard_map(
            self._body,
            mesh=mesh,
            in_specs=(
                [self._spec(i) for i in self.args],
                [self._spec(i) for i in self.variables],
                [spec()] * len(self.kept),
            ),
            out_specs=(
                [spec(AXIS) if is_stacked else spec() for is_stacked in stacks],
                [self._spec(i) for i in self.changed],
                [spec()] * len(self.kept),
            ),
            check_vma=False,
        )
        held = [states.values[node.ins[i]] for i in self.variables]
        own = [states.values[key] for key in self.kept]
        outs, new, own = body([self.values[i] for i in self.args], held, own)
        for i, value in zip(self.changed, new, strict=True):
            states.write(node.ins[i], value)
        for key, value in zip(self.kept, own, strict=True):
            states.write(key, value)
        return [list(outs)]

    def _spec(self, place: int) -> Any:
        return spec() if self.layout[place] == SHARED else spec(AXIS)

    def _body(self, args: list[Any], held: list[Any], own: list[Any]) -> Any:
        """What one replica does."""
        program = self.program
        env: dict[int, Any] = dict(program.constants)
        env.update((program.inputs[i], self.values[i]) for i in self.constants)
        for i, value in zip(self.args, args, strict=True):
            env[program.inputs[i]] = value[0] if self.layout[i] == STACKED else value
        inner = {program.inputs[i]: v for i, v in zip(self.variables, held, strict=True)}
        inside = self.states.inside({**inner, **dict(zip(self.kept, own, strict=True))})
        inside.replica = xla.lax.axis_index(AXIS)
        lower(program.nodes, env, inside)
        found = [xla.jnp.asarray(env[slot]) for slot in program.outputs]
        stacks = self.node.attrs["stacks"]
        outs = [v[None] if is_stacked else v for v, is_stacked in zip(found, stacks, strict=True)]
        new = [inside.values[program.inputs[i]] for i in self.changed]
        return outs, new, [self._agreed(key, inside.values[key]) for key in self.kept]

    def _agreed(self, key: Any, value: Any) -> Any:
        """A state as all replicas have it: the alarm of one is that of all."""
        return xla.lax.pmax(value, AXIS) if key == ALARM else value


replicated_call = Op(
    "ReplicatedCall",
    "input: *Tin -> output: *Tout",
    _kernel,
    stateful=True,
    lower=_lower,
    shape=_shapes,
)


def is_replicated(nodes: Sequence[Node]) -> tuple[Any, ...] | None:
    """The devices of the first of some nodes that is such a call."""
    return next((n.attrs["devices"] for n in nodes if n.op is replicated_call), None)


def varying_outputs(graph: FuncGraph, given: Sequence[bool], shared: set[int]) -> list[bool]:
    """Which outputs of a graph may differ between replicas, if the inputs `given` as True do.

    `shared` are the ids of handles of variables that are the same on all; `Differs` if what is
    written to one may not be.
    """
    inputs = graph.inputs
    differs = {t._id for t, is_given in zip(inputs, given, strict=True) if is_given}
    for operation in graph._operations:
        if operation.op in (all_reduce, all_gather):
            continue
        own = operation.op.state == "own" or operation.op in COLLECTIVES
        flags = [t._id in differs for t in operation.inputs]
        inner = list(graphs_in(operation))
        if operation.op.traits.identity and len(flags) == len(operation.outputs):
            found = flags
        elif inner:
            found = _through(operation, inner, flags, shared)
        else:
            varies = own or (any(flags) and operation.op.traits.reads is None)
            _check_writes(operation, flags, shared)
            found = [varies] * len(operation.outputs)
        differs.update(t._id for t, v in zip(operation.outputs, found, strict=True) if v)
    return [t._id in differs for t in graph.outputs]


def _check_writes(operation: Any, flags: list[bool], shared: set[int]) -> None:
    if not operation.op.writes:
        return
    held = operation.inputs[: operation.op.held]
    if any(t._id in shared for t in held) and any(flags[len(held) :]):
        raise Differs(operation.name)


def _through(operation: Any, graphs: list[Any], flags: list[bool], shared: set[int]) -> list[bool]:
    """The same for an operation with branches, or with a loop's condition and body."""
    found = [False] * len(operation.outputs)
    first = len(operation.inputs) - len(graphs[0].inputs)
    chosen = any(flags[:first])
    given = flags[first:]
    for _ in range(len(given) + 1):  # what a loop's body gives is what it gets next
        before = (list(found), list(given))
        for graph in graphs:
            handles = operation.inputs[len(operation.inputs) - len(graph.inputs) :]
            inner = {p._id for p, t in zip(graph.inputs, handles, strict=True) if t._id in shared}
            outs = varying_outputs(graph, given[len(given) - len(graph.inputs) :], inner)
            chosen = chosen or (len(graph.outputs) != len(found) and any(outs))
            if len(outs) == len(found):
                found = [a or b for a, b in zip(found, outs, strict=True)]
        if "body" in operation.attrs:
            given = [a or (i < len(found) and found[i]) for i, a in enumerate(given)]
        if (found, given) == before:
            break
    if chosen:
        written = {operation.inputs[i]._id for i in written_inputs(operation)}
        if written & shared:
            raise Differs(operation.name)
        return [True] * len(found)
    return found


def held_by(handle: Any) -> Any:
    """The memory of a variable that a tensor is the handle of."""
    return handle._value if hasattr(handle, "_value") else handle._handle_data
