"""`While`: an operation that holds a condition and a body, and repeats the body.

All tensors the two graphs use are inputs; the body hands on unchanged what does not vary. To be
differentiated, a loop also returns, stacked over its iterations, the values its gradient needs
(`stacks`) and the number of iterations; its gradient is a loop that runs backwards over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core import xla
from runnel.core.backprop import zeros_like
from runnel.core.dtypes import DType, int32, resource, variant
from runnel.core.op import Op, execute, op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient
from runnel.core.tape import differentiable
from runnel.core.tensor import Tensor
from runnel.core.tensor_list import Stacked, TensorList, pile
from runnel.core.types import Array, Dims, Namespace
from runnel.graph.branches import truth
from runnel.graph.func_graph import FuncGraph
from runnel.graph.graph import get_default_graph
from runnel.graph.inlining import inline
from runnel.graph.lowering import FAILURES, NotStatic, States, lower
from runnel.graph.operation import Operation
from runnel.graph.program import Node, Program, all_inputs, on_host, program_of, written_inputs
from runnel.graph.subgraphs import Gradient, has_effects, influences, match_captures, plan_of, trace
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
) -> Any:
    """Repeat the body from the host."""
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
        self.varying = [
            i for i, (a, b) in enumerate(zip(inputs, outputs, strict=True)) if a is not b
        ]
        self.variables = [i for i, v in enumerate(values) if v is None]
        self.changed = written_inputs(node.operation)
        self.kept = states.threaded(node.operation)
        self.outer = states

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
            env, _ = self.run(self.step, varying, changed, kept)
            return [env[self.step.outputs[i]] for i in self.varying]

        specs = xla.jax.eval_shape(once)
        return [
            Stacked(xla.jnp.zeros(spec.buffer.shape, spec.buffer.dtype))
            if isinstance(v, TensorList)
            else v
            for v, spec in zip(varying, specs, strict=True)
        ]

    def run(
        self, program: Program, varying: Any, changed: Any, kept: Any
    ) -> tuple[dict[int, Any], States]:
        """Lower one of the two graphs on the values of an iteration."""
        values = list(self.values)
        for i, value in zip(self.varying, varying, strict=True):
            values[i] = value
        held = {i: self.outer.values[self.node.ins[i]] for i in self.variables}
        held.update(zip(self.changed, changed, strict=True))
        inner: dict[Any, Any] = {program.inputs[i]: value for i, value in held.items()}
        inner.update(zip(self.kept, kept, strict=True))
        states = self.outer.inside(inner)
        env = {**program.constants, **dict(zip(program.inputs, values, strict=True))}
        lower(program.nodes, env, states)
        return env, states

    def condition(self, carry: Any) -> Any:
        env, _ = self.run(self.test, *carry[:3])
        answer = xla.jnp.asarray(env[self.test.outputs[0]])
        return answer.reshape(()) != xla.jnp.zeros((), answer.dtype)

    def iterate(self, carry: Any) -> Any:
        varying, changed, kept, piles, count = carry
        env, states = self.run(self.step, varying, changed, kept)
        outputs = [env[s] for s in self.step.outputs]
        new = [_carried(outputs[i]) for i in self.varying]
        written = [states.values[self.step.inputs[i]] for i in self.changed]
        saved = outputs[len(self.values) :]
        piles = [
            xla.lax.dynamic_update_index_in_dim(pile, xla.jnp.asarray(value, pile.dtype), count, 0)
            for pile, value in zip(piles, saved, strict=True)
        ]
        return new, written, [states.values[k] for k in self.kept], piles, count + 1

    def empty_piles(self, start: tuple[Any, ...]) -> list[Any]:
        """Memory for the stacks; only possible when the number of iterations has a known limit."""
        if not self.stacks:
            return []
        limit = self.node.attrs.get("limit", -1)
        bound = self.values[limit] if limit >= 0 else None
        if not isinstance(bound, np.ndarray | np.generic) or int(bound) < 0:
            raise NotStatic(self.node)

        def saved(*carry: Any) -> list[Any]:
            env, _ = self.run(self.step, *carry)
            return [env[s] for s in self.step.outputs[len(self.values) :]]

        specs = xla.jax.eval_shape(saved, *start)
        return [xla.jnp.zeros((int(bound), *s.shape), s.dtype) for s in specs]


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
    if node.attrs.get("stacks") is None:
        return [outputs]
    return [[*outputs, *[Stacked(pile) for pile in piles], count]]


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


def _stack(
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
    operation.outputs = (*operation.outputs[:size], *[known[t._id] for t in stacks], count)
    for index, output in enumerate(operation.outputs):
        output._value_index = index
    operation.op_def = _STACKING[operation.type]
    kinds = tuple(t.dtype for t in operation.outputs)
    operation.attrs = {**operation.attrs, "stacks": stacks, "Tout": kinds, "output_shapes": ()}
    return [known[t._id] for t in wanted], count


def _gradient(operation: Operation, *arriving: Any) -> list[Any]:
    """A loop backwards: each iteration takes the gradient of the body at the values it had."""
    operation = getattr(operation, "operation", operation)  # the one in the graph
    body: FuncGraph = operation.attrs["body"]
    inputs = all_inputs(body)
    extra = _stacks_arriving(operation, arriving)
    targets = _reached(body, inputs, arriving, [t for t, _ in extra])
    ends = [*[body.outputs[i] for i in targets], *[t for t, _ in extra]]
    backward = Gradient(body, inputs, ends, filled=[inputs[i] for i in targets])
    varying = [t for t in backward.captured if _varies(t, inputs, body)]
    stacks, count = _stack(operation, varying)
    kept = sorted({*backward.places, *targets})
    start = [_first(arriving, operation, i) for i in kept]
    limit = operation.attrs.get("limit", -1)
    bound = operation.inputs[limit] if limit >= 0 else np.int32(-1)
    back = _BackwardBody(
        operation, backward, list(zip(varying, stacks, strict=True)), kept, targets, extra
    )

    def step(index: Tensor, bound: Tensor, *grads: Tensor) -> list[Tensor]:
        return [index - 1, bound, *back.step(index, grads)]

    first = [raw_ops.Sub(count, np.int32(1)), raw_ops.Identity(bound), *start]
    backward_body = trace(step, f"{body.name}_grad", first)
    test = trace(lambda index, *rest: index >= 0, f"{body.name}_grad_cond", first)
    found = emit_loop(test, backward_body, first, limit=1)[2:]
    answers: list[Any] = [None] * len(operation.inputs)
    for place, value in zip(kept, found, strict=True):
        answers[place] = value
    return answers


def _stacks_arriving(operation: Operation, arriving: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The stacked values to which a gradient arrives (of second order), with it."""
    stacks = operation.attrs.get("stacks") or ()
    first = len(operation.inputs)
    pairs = zip(stacks, arriving[first : first + len(stacks)], strict=True)
    return [(t, g) for t, g in pairs if g is not None and differentiable(t.dtype)]


for _name in ("While", "StatelessWhile"):
    RegisterGradient(_name)(_gradient)


def _varies(tensor: SymbolicTensor, inputs: Sequence[SymbolicTensor], body: FuncGraph) -> bool:
    """Whether a tensor of the body may differ between iterations."""
    for i, placeholder in enumerate(inputs):
        if placeholder is tensor:
            return body.outputs[i] is not placeholder
    return True


def _first(arriving: Sequence[Any], operation: Operation, place: int) -> Tensor:
    """The gradient that enters the loop from behind: what arrives at an output, or zeros."""
    if operation.inputs[place].dtype is resource:
        return zeros_like(operation.inputs[place])
    return zeros_like(operation.outputs[place]) if arriving[place] is None else arriving[place]


def _reached(
    body: FuncGraph,
    inputs: Sequence[SymbolicTensor],
    arriving: Sequence[Any],
    extra: Sequence[SymbolicTensor],
) -> list[int]:
    """The loop variables with a gradient, after the last iteration or an earlier one."""
    reached = {i for i in range(len(inputs)) if arriving[i] is not None}
    while True:
        found = influences([*[body.outputs[i] for i in reached], *extra])
        more = reached | {i for i, t in enumerate(inputs) if t._id in found}
        if more == reached:
            kinds = {i: inputs[i].dtype for i in reached}
            return [
                i for i in sorted(reached) if kinds[i] is not resource and differentiable(kinds[i])
            ]
        reached = more


def _item(stack: Tensor, index: Tensor, like: SymbolicTensor) -> Tensor:
    """An element of a list of values that one tensor had."""
    dims = like.shape._dims
    shape = (
        np.int32(-1) if dims is None else np.array([-1 if d is None else d for d in dims], np.int32)
    )
    item: Tensor = raw_ops.TensorListGetItem(stack, index, shape, element_dtype=like.dtype)
    return item


class _BackwardBody:
    """One iteration of the loop backwards."""

    def __init__(
        self,
        operation: Operation,
        backward: Gradient,
        stacks: Sequence[tuple[SymbolicTensor, Tensor]],
        kept: Sequence[int],
        targets: Sequence[int],
        extra: Sequence[tuple[SymbolicTensor, Tensor]],
    ) -> None:
        self.operation, self.backward, self.stacks = operation, backward, stacks
        self.kept, self.targets, self.extra = kept, targets, extra
        self.inputs = all_inputs(operation.attrs["body"])

    def step(self, index: Tensor, grads: Sequence[Tensor]) -> list[Tensor]:
        """The gradients before an iteration from those after it."""
        after = dict(zip(self.kept, grads, strict=True))
        arriving = [after[i] for i in self.targets]
        arriving += [_item(g, index, t) for t, g in self.extra]
        graph = self.backward.graph
        given = [*arriving, *self._captured(index)]
        flat = inline(graph, all_inputs(graph), graph.outputs, given, get_default_graph())
        before = dict(zip(self.backward.places, flat, strict=True))
        return [self._next(place, after[place], before[place]) for place in self.kept]

    def _captured(self, index: Tensor) -> list[Tensor]:
        """What the backward graph needs, as it was in this iteration."""
        now = {t._id: _item(s, index, t) for t, s in self.stacks}
        for inside, outside in zip(self.inputs, self.operation.inputs, strict=True):
            now.setdefault(inside._id, outside)
        return [now[t._id] for t in self.backward.captured]

    def _next(self, place: int, after: Tensor, before: Tensor) -> Tensor:
        if self.inputs[place].dtype is resource:
            return raw_ops.AddV2(after, before)  # type: ignore[no-any-return]
        return before
