"""`While`: an operation that holds a condition and a body, and repeats the body.

All tensors the two graphs use are inputs; the body hands on unchanged what does not vary. To be
differentiated, a loop also returns, stacked over its iterations, the values its gradient needs
(`stacks`) and the number of iterations; see `loop_gradients`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import configuration
from runnel.backend.patience import SLOW
from runnel.core.gradients.tape import note_more_outputs
from runnel.core.op.op import Op, execute, op
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.tensor.tensor_list import pile
from runnel.core.values.dtypes import DType, int32, variant
from runnel.core.values.types import Array, Dims, Namespace
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import get_default_graph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.capacity.programs import Roomy
from runnel.graph.control.branches import truth
from runnel.graph.control.compiled import lower_loop
from runnel.graph.control.subgraphs import match_captures, plan_of, trace
from runnel.graph.run.effects import is_stateful
from runnel.graph.run.nested import count_nodes, is_host, owners
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import on_host, program_of

MOST = 64  # iterations of a part of a loop
_PER_NODE = 0.01  # seconds; what compiling takes for an operation, about


def _shapes(
    *inputs: Any, output_shapes: Any = (), T: Any = (), Tout: Any = (), **attrs: Any
) -> list[list[Dims]]:
    if not output_shapes:
        return [[None] * len(Tout or T)]
    return [[shape._dims for shape in output_shapes]]


def _run(
    xp: Namespace,
    input: list[Any],
    *,
    cond: FuncGraph,
    body: FuncGraph,
    T: tuple[DType, ...] = (),
    output_shapes: tuple[Any, ...] = (),
    parallel_iterations: int = 10,
    limit: int = -1,
    Tout: tuple[DType, ...] = (),
    stacks: tuple[SymbolicTensor, ...] | None = None,
    chunks: Any = None,
    room: Any = None,
) -> Any:
    """Repeat the body from the host, if need be in chunks of iterations that are compiled."""
    if room is not None:
        raise NotImplementedError("a loop with room to spare is run by XLA alone")
    if limit >= 0 and int(input[limit]) >= 0:
        found = _run_with_room(cond, body, stacks, limit, input)
        if found is not None:
            return [found]
    if chunks is not None:
        return [chunks.run(input)]
    test, step = plan_of(cond), plan_of(body, stacks or ())
    values, count, start = list(input), 0, time.perf_counter()
    columns: list[list[Array]] = [[] for _ in stacks or ()]
    while truth(test.run(values)[0]):
        if count and not count % MOST and stacks is None and _pays(cond, body, start):
            return [_run_parts(cond, body, values)]
        found = step.run(values)
        values = found[: len(values)]
        for column, value in zip(columns, found[len(values) :], strict=True):
            column.append(value)
        count += 1
    if stacks is None:
        return [values]
    pairs = zip(columns, stacks, strict=True)
    piles = [pile([on_host(v) for v in column], t.dtype, t.shape._dims) for column, t in pairs]
    return [[*values, *piles, np.int32(count)]]


def _run_with_room(
    cond: FuncGraph,
    body: FuncGraph,
    stacks: tuple[SymbolicTensor, ...] | None,
    limit: int,
    values: list[Any],
) -> list[Any] | None:
    """The results of a program for many lengths, if there is to be one for this loop."""
    key = ("room", cond, None if stacks is None else tuple([t._id for t in stacks]))
    roomy = body.programs.get(key)
    if roomy is None:
        attrs = {"cond": cond, "body": body, "limit": limit, "parallel_iterations": 10}
        attrs |= {"output_shapes": ()}
        kind = "While" if is_stateful(cond) or is_stateful(body) else "StatelessWhile"
        declared: Op = getattr(raw_ops, kind)
        if stacks is not None:
            kinds = [*[t.dtype for t in body.inputs], *[variant] * len(stacks), int32]
            attrs |= {"stacks": stacks, "Tout": tuple(kinds)}
            declared = _STACKING[kind]
        roomy = body.programs[key] = Roomy(declared, attrs, stacks)
    return roomy.run(values) if roomy.fits else None


def _pays(cond: FuncGraph, body: FuncGraph, start: float) -> bool:
    """Whether a loop that has run since `start` might as well have been compiled.

    XLA takes no strings, and what keeps a state of its own would start anew in the copy of the body
    that is compiled.
    """
    spent = time.perf_counter() - start
    if configuration.by_shape or spent < SLOW or spent < _PER_NODE * count_nodes(body):
        return False
    operations = [n.operation for graph in (cond, body) for n in program_of(graph).nodes]
    return not any(map(is_host, operations)) and not owners(operations)


def _run_parts(cond: FuncGraph, body: FuncGraph, values: list[Any]) -> list[Any]:
    """Go on with a loop that takes long, in parts that are compiled."""
    plan, varying, count = _part_of(cond, body), varying_places(body), MOST
    while count == MOST:
        *found, last = plan.run(values)
        for place in varying:
            values[place] = found[place]
        count = int(last)
    return values


def varying_places(body: FuncGraph) -> list[int]:
    """Which values the body of a loop changes."""
    pairs = zip(body.inputs, body.outputs, strict=True)
    return [place for place, (before, after) in enumerate(pairs) if before is not after]


def _part_of(cond: FuncGraph, body: FuncGraph) -> Plan:
    """The plan of one part of a loop; made once."""
    key = ("part", cond)
    if key not in body.programs:
        graph = trace(
            lambda *v: some_iterations(cond, body, (), v), f"{body.name}_part", body.inputs
        )
        body.programs[key] = plan_of(graph)
    return body.programs[key]  # type: ignore[no-any-return]


def some_iterations(
    cond: FuncGraph, body: FuncGraph, stacks: Sequence[SymbolicTensor], values: Sequence[Tensor]
) -> list[Tensor]:
    """Up to `MOST` iterations of a loop: the values after them, the stacks, and how many."""
    wanted: list[SymbolicTensor] = []

    def go_on(count: Tensor, most: Tensor, *values: Tensor) -> Tensor:
        (answer,) = inline(cond, cond.inputs, cond.outputs, values, get_default_graph())
        one = raw_ops.Reshape(answer, np.zeros(0, np.int32))
        return raw_ops.LogicalAnd(count < most, one)  # type: ignore[no-any-return]

    def step(count: Tensor, most: Tensor, *values: Tensor) -> list[Tensor]:
        outputs = [*body.outputs, *stacks]
        found = inline(body, body.inputs, outputs, values, get_default_graph())
        wanted[:] = found[len(values) :]  # type: ignore[assignment]
        return [count + 1, most, *found[: len(values)]]

    first = [convert_to_tensor(np.int32(n)) for n in (0, MOST)]
    test = trace(go_on, f"{cond.name}_part", [*first, *values])
    again = trace(step, f"{body.name}_step", [*first, *values])
    outputs = emit_loop(test, again, [*first, *values], limit=1)
    if not stacks:
        return [*outputs[2:], outputs[0]]
    lists, count = stack(outputs[0].op, wanted)
    return [*outputs[2:], *lists, count]


_WHILE = "input: *T -> output: *T"
op("While", _WHILE, stateful=True, lower=lower_loop, shape=_shapes)(_run)
op("StatelessWhile", _WHILE, lower=lower_loop, shape=_shapes)(_run)
_STACKING = {
    "While": Op(
        "While", "input: *T -> output: *Tout", _run, stateful=True, lower=lower_loop, shape=_shapes
    ),
    "StatelessWhile": Op(
        "StatelessWhile", "input: *T -> output: *Tout", _run, lower=lower_loop, shape=_shapes
    ),
}


def emit_loop(
    cond: FuncGraph,
    body: FuncGraph,
    inputs: Sequence[Tensor],
    limit: int = -1,
    name: str | None = None,
) -> list[Tensor]:
    """Append a loop to the graph being built.

    `limit` is the place of the input that bounds its iterations.
    """
    captured = match_captures([cond, body])
    body.outputs = [*body.outputs, *body.internal_captures]
    shapes = tuple(t.shape for t in body.inputs)
    declared: Op = (
        raw_ops.While if is_stateful(cond) or is_stateful(body) else raw_ops.StatelessWhile
    )
    attrs = {
        "cond": cond,
        "body": body,
        "output_shapes": shapes,
        "parallel_iterations": 10,
        "limit": limit,
    }
    args, full = declared.flatten(([*inputs, *captured],), attrs)
    outputs: list[Any] = execute(declared, args, full, name)
    for inside, last, outside in zip(body.inputs, body.outputs, outputs, strict=True):
        outside._handle_data = inside._handle_data
        outside._from_outside = (last if last.dtype is variant else inside)._from_outside
    return outputs[: len(inputs)]


def stack(
    operation: Operation, wanted: Sequence[SymbolicTensor]
) -> tuple[list[SymbolicTensor], SymbolicTensor]:
    """Make a loop also return `wanted` stacked, and its number of iterations."""
    size = len(operation.inputs)
    before: tuple[SymbolicTensor, ...] = operation.attrs.get("stacks") or ()
    known = dict(zip([t._id for t in before], operation.outputs[size:], strict=False))
    stacks = (*before, *[t for t in wanted if t._id not in known])
    for tensor in stacks[len(before) :]:
        known[tensor._id] = SymbolicTensor(operation, 0, variant, ())
    had_count = operation.attrs.get("stacks") is not None
    count = operation.outputs[-1] if had_count else SymbolicTensor(operation, 0, int32, ())
    note_more_outputs(operation, [known[t._id] for t in stacks])
    operation.outputs = [*operation.outputs[:size], *[known[t._id] for t in stacks], count]
    for index, output in enumerate(operation.outputs):
        output._value_index = index
    operation.op = _STACKING[operation.type]
    kinds = tuple(t.dtype for t in operation.outputs)
    operation.attrs = {**operation.attrs, "stacks": stacks, "Tout": kinds, "output_shapes": ()}
    return [known[t._id] for t in wanted], count
