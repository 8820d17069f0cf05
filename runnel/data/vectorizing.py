"""Running a function on many elements at once, where nobody can tell the difference.

A function whose ops all work element by element gives for a stack of elements the stack of its
results, provided that broadcasting cannot mistake the new first dimension: every tensor has the
rank of the elements, and every constant at most that. Then batches are computed in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.tensor import EagerTensor
from runnel.data.functions import UserFunction
from runnel.data.straight import Straight
from runnel.graph.plan import Plan
from runnel.graph.program import all_inputs

_ELEMENTWISE = frozenset(
    """Abs Add AddV2 Sub Mul Neg Cast Maximum Minimum Square SquaredDifference Identity RealDiv
    Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr LogicalNot Sqrt
    Relu Relu6 Sign Floor Ceil ZerosLike OnesLike ClipByValue BitwiseAnd BitwiseOr BitwiseXor
    Invert StopGradient""".split()
)

Vectorized = Callable[[Sequence[Any], int], list[Any]]


def vectorized(function: UserFunction) -> Vectorized | None:
    """The function for stacked elements, or None if it must be called one by one."""
    if function.debug or not function.output.plain or not all(s.plain for s in function.inputs):
        return None
    if not function.graph.inputs or not function.graph.outputs:
        return None
    rank = function.graph.inputs[0].shape.rank
    if rank is None or not all(isinstance(t, EagerTensor) for t in function.captured):
        return None
    plan = Plan(function.graph, all_inputs(function.graph), function.graph.outputs)
    if not _elementwise(function, plan, rank):
        return None
    straight = Straight(plan.program)
    captured = [t._value for t in function.captured]  # type: ignore[attr-defined]
    constant = _constant_outputs(plan)

    def run(columns: Sequence[Any], rows: int) -> list[Any]:
        results = straight([*columns, *captured])
        for place in constant:
            value = np.asarray(results[place])
            results[place] = np.broadcast_to(value, (rows, *value.shape))
        return results

    return run


def _constant_outputs(plan: Plan) -> list[int]:
    """The places of outputs that are the same for all elements."""
    varying = set(plan.program.inputs)
    for node in plan.program.nodes:
        if varying.intersection(node.ins):
            varying.update(node.outs)
    return [i for i, slot in enumerate(plan.program.outputs) if slot not in varying]


def _elementwise(function: UserFunction, plan: Plan, rank: int) -> bool:
    for tensor in function.graph.inputs:
        if tensor.shape.rank != rank or not tensor.shape.is_fully_defined():
            return False
        if tensor.shape._dims != function.graph.inputs[0].shape._dims:
            return False
    for captured in function.graph.internal_captures:
        if captured.dtype.name in ("resource", "variant", "string") or captured.shape.rank != 0:
            return False
    for node in plan.program.nodes:
        if node.op.name not in _ELEMENTWISE or node.op.stateful:
            return False
        if any(t.shape.rank != rank for t in node.operation.outputs):
            return False
    return all(np.ndim(value) <= rank for value in plan.program.constants.values())
