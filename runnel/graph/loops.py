"""`While`: an operation that holds a condition and a body, and repeats the body.

All tensors the two graphs use are inputs; the body hands on unchanged what does not vary. To be
differentiated, a loop also returns, stacked over its iterations, the values its gradient needs
(`stacks`) and the number of iterations; see `loop_gradients`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core import xla
from runnel.core.dtypes import DType, int32, variant
from runnel.core.op import Op, execute, op
from runnel.core.raw import raw_ops
from runnel.core.tape import note_more_outputs
from runnel.core.tensor import Tensor
from runnel.core.tensor_list import Copies, Stacked, TensorList, as_list, depth_of, pile
from runnel.core.types import Array, Dims, Namespace
from runnel.graph.branches import truth
from runnel.graph.func_graph import FuncGraph
from runnel.graph.invariants import moving_slots, nodes_for, padded, sums_of_products
from runnel.graph.lowering import FAILURES, NotStatic, States, lower
from runnel.graph.operation import Operation
from runnel.graph.program import Node, Program, all_inputs, on_host, program_of, written_inputs
from runnel.graph.subgraphs import (
    has_effects,
    match_captures,
    plan_of,
)
from runnel.graph.tensor import SymbolicTensor


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
    T: tuple[DType, ...],
    output_shapes: tuple[Any, ...] = (),
    parallel_iterations: int = 10,
    limit: int = -1,
    Tout: tuple[DType, ...] = (),
    stacks: tuple[SymbolicTensor, ...] | None = None,
    chunks: Any = None,
) -> Any:
    """Repeat the body from the host, if need be in chunks of iterations that are compiled."""
    if chunks is not None:
        return [chunks.run(input)]
    test, step = plan_of(cond), plan_of(body, stacks or ())
    values, count = list(input), 0
    columns: list[list[Array]] = [[] for _ in stacks or ()]
    while truth(test.run(values)[0]):
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


class _Loop:
    """What lowering a loop needs: which inputs vary, which variables and states are threaded."""

    def __init__(self, node: Node, values: list[Any], states: States) -> None:
        self.node = node
        self.values = values
        self.stacks = node.attrs.get("stacks") or ()
        self.test = program_of(node.attrs["cond"])
        self.step = program_of(node.attrs["body"], self.stacks)
        inputs, outputs = all_inputs(node.attrs["body"]), node.attrs["body"].outputs
        varying = [i for i, (a, b) in enumerate(zip(inputs, outputs, strict=True)) if a is not b]
        self.variables = [i for i, v in enumerate(values) if v is None]
        self.changed = written_inputs(node.operation)
        self.kept = states.threaded(node.operation)
        self.outer = states
        self.bound = self._bound()
        self.sums = [] if self.bound is None else sums_of_products(self.step, varying)
        summed = {s.place for s in self.sums}
        self.varying = [i for i in varying if i not in summed]
        self.saved = self.step.outputs[len(values) :]
        changing = [self.step.inputs[i] for i in (*varying, *self.changed)]
        moving = moving_slots(self.step, changing) if self.saved else set()
        factors = [slot for s in self.sums for slot in (s.left, s.right)]
        self.piled = list(dict.fromkeys([*[s for s in self.saved if s in moving], *factors]))
        self.steady = [s for s in self.saved if s not in moving]
        self.depths: dict[int, int] = {}  # of lists among the piled values

    def _bound(self) -> int | None:
        """How many iterations there are at most, if that is known."""
        limit = self.node.attrs.get("limit", -1)
        bound = self.values[limit] if limit >= 0 else None
        known = isinstance(bound, np.ndarray | np.generic) and int(bound) >= 0
        return int(bound) if known else None  # type: ignore[arg-type]

    def start(self) -> tuple[Any, ...]:
        varying = [_carried(self.values[i]) for i in self.varying]
        changed = [xla.jnp.asarray(self.outer.values[self.node.ins[i]]) for i in self.changed]
        kept = [self.outer.values[k] for k in self.kept]
        if any(isinstance(v, TensorList) for v in varying):
            varying = self._fix_lists(varying, changed, kept)
        return varying, changed, kept

    def _fix_lists(self, varying: list[Any], changed: list[Any], kept: list[Any]) -> list[Any]:
        """Lists whose elements have no known shape yet, as arrays of the shape that an iteration
        writes.
        """

        def once() -> list[Any]:
            env, _ = self.run(self.step, (varying, changed, kept))
            return [env[self.step.outputs[i]] for i in self.varying]

        specs = xla.jax.eval_shape(once)
        return [
            Stacked(xla.jnp.zeros(spec.buffer.shape, spec.buffer.dtype))
            if isinstance(v, TensorList)
            else v
            for v, spec in zip(varying, specs, strict=True)
        ]

    def run(
        self, program: Program, carry: Sequence[Any], nodes: Sequence[Node] | None = None
    ) -> tuple[dict[int, Any], States]:
        """Lower one of the two graphs, or some of its nodes, on the values of an iteration."""
        varying, changed, kept = carry
        values = list(self.values)
        for i, value in zip(self.varying, varying, strict=True):
            values[i] = value
        held = {i: self.outer.values[self.node.ins[i]] for i in self.variables}
        held.update(zip(self.changed, changed, strict=True))
        inner: dict[Any, Any] = {program.inputs[i]: value for i, value in held.items()}
        inner.update(zip(self.kept, kept, strict=True))
        states = self.outer.inside(inner)
        env = {**program.constants, **dict(zip(program.inputs, values, strict=True))}
        lower(program.nodes if nodes is None else nodes, env, states)
        return env, states

    def condition(self, carry: Any) -> Any:
        env, _ = self.run(self.test, carry[:3])
        answer = xla.jnp.asarray(env[self.test.outputs[0]])
        return answer.reshape(()) != xla.jnp.zeros((), answer.dtype)

    def iterate(self, carry: Any) -> Any:
        varying, changed, kept, piles, count = carry
        env, states = self.run(self.step, (varying, changed, kept))
        new = [_carried(env[self.step.outputs[i]]) for i in self.varying]
        written = [states.values[self.step.inputs[i]] for i in self.changed]
        piles = [
            xla.lax.dynamic_update_index_in_dim(
                pile, xla.jnp.asarray(_held(env[slot]), pile.dtype), count, 0
            )
            for pile, slot in zip(piles, self.piled, strict=True)
        ]
        return new, written, [states.values[k] for k in self.kept], piles, count + 1

    def empty_piles(self, start: tuple[Any, ...]) -> list[Any]:
        """Memory for the stacks; only possible when the number of iterations has a known limit."""
        if not self.piled and not self.steady:
            return []
        if self.bound is None:
            why = "only the run tells how many iterations it keeps values of for its gradient"
            raise NotStatic(self.node, why)

        def saved(*carry: Any) -> list[Any]:
            env, _ = self.run(self.step, carry)
            self.depths = {slot: depth_of(env[slot]) for slot in self.piled}
            return [_held(env[slot]) for slot in self.piled]

        specs = xla.jax.eval_shape(saved, *start)
        zeros = {s.right for s in self.sums}  # where a factor that is not written must not count
        return [
            xla.jnp.full((padded(self.bound), *s.shape), -0.0 if slot in zeros else n, s.dtype)
            for n, (slot, s) in enumerate(zip(self.piled, specs, strict=True), 1)
        ]  # of different numbers: several alike would be one that is copied, at twice the cost

    def stacked(self, start: tuple[Any, ...], piles: Sequence[Any]) -> list[Any]:
        """The values of `stacks` in all iterations."""
        found: dict[int, Any] = {
            slot: as_list(pile[: self.bound], self.depths[slot] + 1)
            for slot, pile in zip(self.piled, piles, strict=True)
        }
        if self.steady:
            length = self.bound or 0
            env = self.run(self.step, start, nodes_for(self.step, self.steady))[0]
            found.update({s: Copies(xla.jnp.asarray(env[s]), length) for s in self.steady})
        return [found[slot] for slot in self.saved]

    def totals(self, piles: Sequence[Any], count: Any) -> dict[int, Any]:
        """The results that are sums of products, by their places."""
        held = dict(zip(self.piled, piles, strict=True))
        return {
            s.place: s.total(self.values[s.place], held[s.left], held[s.right], count)
            for s in self.sums
        }


def _held(value: Any) -> Any:
    """The array that a pile keeps of a value."""
    return value.buffer if isinstance(value, Stacked) else value


def _carried(value: Any) -> Any:
    """A value as a loop of XLA carries it."""
    if isinstance(value, TensorList):
        written = any(i is not None for i in value.items)
        known = value.dims is not None and None not in value.dims
        return value.stacked(value.dims) if written or known else value
    return value if isinstance(value, Stacked) else xla.jnp.asarray(value)


def _lower(node: Node, values: list[Any], states: States) -> Any:
    loop = _Loop(node, values, states)
    try:
        start = loop.start()
        carry = (*start, loop.empty_piles(start), np.int32(0))
        varying, changed, kept, piles, count = xla.lax.while_loop(
            loop.condition, loop.iterate, carry
        )
    except FAILURES as error:
        raise NotStatic.inside(node, error) from error
    for i, value in zip(loop.changed, changed, strict=True):
        states.write(node.ins[i], value)
    for key, value in zip(loop.kept, kept, strict=True):
        states.write(key, value)
    outputs = list(values)
    for i, value in zip(loop.varying, varying, strict=True):
        outputs[i] = value
    for i, value in loop.totals(piles, count).items():
        outputs[i] = value
    if node.attrs.get("stacks") is None:
        return [outputs]
    return [[*outputs, *loop.stacked(start, piles), count]]


_WHILE = "input: *T -> output: *T"
op("While", _WHILE, stateful=True, lower=_lower, shape=_shapes)(_run)
op("StatelessWhile", _WHILE, lower=_lower, shape=_shapes)(_run)
_STACKING = {
    "While": Op(
        "While", "input: *T -> output: *Tout", _run, stateful=True, lower=_lower, shape=_shapes
    ),
    "StatelessWhile": Op(
        "StatelessWhile", "input: *T -> output: *Tout", _run, lower=_lower, shape=_shapes
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
    shapes = tuple(t.shape for t in all_inputs(body))
    declared: Op = (
        raw_ops.While if has_effects(cond) or has_effects(body) else raw_ops.StatelessWhile
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
    for inside, outside in zip(all_inputs(body), outputs, strict=True):
        outside._handle_data = inside._handle_data
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
    operation.outputs = (*operation.outputs[:size], *[known[t._id] for t in stacks], count)
    for index, output in enumerate(operation.outputs):
        output._value_index = index
    operation.op_def = _STACKING[operation.type]
    kinds = tuple(t.dtype for t in operation.outputs)
    operation.attrs = {**operation.attrs, "stacks": stacks, "Tout": kinds, "output_shapes": ()}
    return [known[t._id] for t in wanted], count
