"""The gradient of `While`: a loop that runs backwards over the values that the loop has stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import differentiable
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import RegisterGradient
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import resource
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import get_default_graph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.chunks import Chunks
from runnel.graph.control.loops import emit_loop, stack
from runnel.graph.control.subgraphs import Gradient, belongs_to, influences, is_asked_for, trace


def _gradient(operation: Operation, *arriving: Any) -> list[Any]:
    """A loop backwards: each iteration takes the gradient of the body at the values it had.

    As in TensorFlow, what the loop takes and no gradient gets to has zeros.
    """
    outside = operation.inputs  # as tapes know them
    operation = getattr(operation, "operation", operation)  # the one in the graph
    body: FuncGraph = operation.attrs["body"]
    inputs = body.inputs
    extra = _stacks_arriving(operation, arriving)
    targets = _reached(body, inputs, arriving, [t for t, _ in extra])
    ends = [*[body.outputs[i] for i in targets], *[t for t, _ in extra]]
    backward = Gradient(body, inputs, ends, filled=[inputs[i] for i in targets])
    varying = [t for t in backward.captured if _varies(t, inputs, body)]
    stacks, count = stack(operation, varying)
    operation.attrs = {**operation.attrs, "chunks": Chunks(operation)}
    kept = sorted({*backward.places, *targets})
    start = [_first(arriving, operation, i) for i in kept]
    limit = operation.attrs.get("limit", -1)
    bound = operation.inputs[limit] if limit >= 0 else np.int32(-1)
    back = _BackwardBody(
        outside, backward, list(zip(varying, stacks, strict=True)), kept, targets, extra, inputs
    )

    # The first variable counts the iterations: TensorFlow's gradient of a loop reads it there.
    def step(number: Tensor, bound: Tensor, index: Tensor, *grads: Tensor) -> list[Tensor]:
        return [number + 1, bound, index - 1, *back.step(index, grads)]

    last = raw_ops.Sub(count, np.int32(1))
    first = [raw_ops.Identity(np.int32(0)), raw_ops.Identity(bound), last, *start]
    backward_body = trace(step, f"{body.name}_grad", first)
    test = trace(lambda number, bound, index, *rest: index >= 0, f"{body.name}_grad_cond", first)
    found = emit_loop(test, backward_body, first, limit=1)[3:]
    answers: list[Any] = [None] * len(operation.inputs)
    for place, value in zip(kept, found, strict=True):
        answers[place] = value
    for place, tensor in enumerate(outside):
        if answers[place] is None and is_asked_for(tensor):
            answers[place] = zeros_like(tensor)
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
    return belongs_to(tensor, body)


def _first(arriving: Sequence[Any], operation: Operation, place: int) -> Tensor:
    """The gradient that enters the loop from behind: what arrives at an output, or zeros."""
    if operation.inputs[place]._dtype is resource:
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
        outside: Sequence[Tensor],
        backward: Gradient,
        stacks: Sequence[tuple[SymbolicTensor, Tensor]],
        kept: Sequence[int],
        targets: Sequence[int],
        extra: Sequence[tuple[SymbolicTensor, Tensor]],
        inputs: Sequence[SymbolicTensor],
    ) -> None:
        self.outside, self.backward, self.stacks = outside, backward, stacks
        self.kept, self.targets, self.extra = kept, targets, extra
        self.inputs = inputs

    def step(self, index: Tensor, grads: Sequence[Tensor]) -> list[Tensor]:
        """The gradients before an iteration from those after it."""
        after = dict(zip(self.kept, grads, strict=True))
        arriving = [after[i] for i in self.targets]
        arriving += [_item(g, index, t) for t, g in self.extra]
        graph = self.backward.graph
        given = [*arriving, *self._captured(index)]
        flat = inline(graph, graph.inputs, graph.outputs, given, get_default_graph())
        before = dict(zip(self.backward.places, flat, strict=True))
        return [self._next(place, after[place], before[place]) for place in self.kept]

    def _captured(self, index: Tensor) -> list[Tensor]:
        """What the backward graph needs, as it was in this iteration."""
        now = {t._id: _item(s, index, t) for t, s in self.stacks}
        for inside, outside in zip(self.inputs, self.outside, strict=True):
            now.setdefault(inside._id, outside)
        return [now.get(t._id, t) for t in self.backward.captured]

    def _next(self, place: int, after: Tensor, before: Tensor) -> Tensor:
        if self.inputs[place]._dtype is resource:
            return raw_ops.AddV2(after, before)  # type: ignore[no-any-return]
        return before
