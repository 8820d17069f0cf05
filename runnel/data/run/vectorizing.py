"""Running a function on many elements at once, where nobody can tell the difference.

A function whose ops all work element by element gives for a stack of elements the stack of its
results, provided that broadcasting cannot mistake the new first dimension: all varying inputs of
an op have one rank, and its constants at most that. So do the ops that parse a record or a line,
and those that put tensors side by side. Then batches are computed in one go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.tensor.tensor import EagerTensor
from runnel.data.run.functions import UserFunction
from runnel.graph.cutting.straight import Straight
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import Node
from runnel.graph.run.runner import Runner


class Vectorized:
    """Runs a function on stacked elements: columns in, columns out.

    The outputs at the places in `constant` are the same for all elements.
    """

    def __init__(self, straight: Runner, captured: Sequence[Any], constant: Sequence[int]) -> None:
        self._straight, self._captured, self._constant = straight, captured, constant

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        results = self._straight([*values, *self._captured])
        for place in self._constant:
            value = np.asarray(results[place])
            results[place] = np.broadcast_to(value, (len(values[0]), *value.shape))
        return results


def vectorized(function: UserFunction) -> Runner | None:
    """The function for stacked elements, or None if it must be called one by one."""
    if function.debug or not function.output.plain or not all(s.plain for s in function.inputs):
        return None
    if not function.graph.arguments or not function.graph.outputs:
        return None
    if not all(isinstance(t, EagerTensor) for t in function.captured):
        return None
    plan = Plan(function.graph, function.graph.inputs, function.graph.outputs)
    varying = _varying(function, plan)
    if not _known(function) or not all(_stackable(n, varying) for n in plan.program.nodes):
        return None
    for node in plan.program.nodes:
        if node.op.name == "Pack" and node.attrs["axis"] >= 0:
            node.attrs = {**node.attrs, "axis": node.attrs["axis"] + 1}
    constant = [i for i, slot in enumerate(plan.program.outputs) if slot not in varying]
    return Vectorized(Straight(plan.program), _captured_values(function), constant)


def row_by_row(function: UserFunction) -> Runner | None:
    """The function for several batches as one, or None if it must be called for each.

    A row of its results may depend on that row of its arguments only: its ops work element by
    element, with constants that do not reach the first dimension, or parse records.
    """
    if function.debug or not function.output.plain or not all(s.plain for s in function.inputs):
        return None
    if not function.graph.outputs or not all(isinstance(t, EagerTensor) for t in function.captured):
        return None
    if any(t.dtype.name in ("resource", "variant") for t in function.graph.internal_captures):
        return None
    plan = Plan(function.graph, function.graph.inputs, function.graph.outputs)
    varying = _varying(function, plan)
    if not all(rank for rank in varying.values()):  # unknown, or without a first dimension
        return None
    if not all(slot in varying for slot in plan.program.outputs):
        return None
    if not all(_keeps_rows(node, varying) for node in plan.program.nodes):
        return None
    return Vectorized(Straight(plan.program), _captured_values(function), [])


def _captured_values(function: UserFunction) -> list[Any]:
    return [t._value for t in function.captured]  # type: ignore[attr-defined]


def _keeps_rows(node: Node, varying: dict[int, int | None]) -> bool:
    """Whether a row of an op's results follows from that row of its inputs, and nobody looks."""
    if node.watcher is not None:
        return False
    if node.op.traits.rows:
        return _is_parsed(node, varying)
    if not node.op.traits.elementwise or not _stackable(node, varying):
        return False
    ranks = [varying[slot] or 0 for slot in node.ins if slot in varying]
    fixed = [
        t.shape.rank for slot, t in zip(node.ins, node.operation.inputs) if slot not in varying
    ]
    return all(rank is not None and rank < ranks[0] for rank in fixed) if ranks else True


def _varying(function: UserFunction, plan: Plan) -> dict[int, int | None]:
    """The slots of tensors that differ between elements, and their ranks."""
    inputs = function.graph.arguments
    varying = {slot: t.shape.rank for slot, t in zip(plan.program.inputs, inputs)}
    for node in plan.program.nodes:
        if any(slot in varying for slot in node.ins):
            outputs = zip(node.outs, node.operation.outputs)
            varying.update((slot, tensor.shape.rank) for slot, tensor in outputs)
    return varying


def _known(function: UserFunction) -> bool:
    """Whether the shapes of the elements are known, and what was captured are numbers."""
    if not all(tensor.shape.is_fully_defined() for tensor in function.graph.arguments):
        return False
    return not any(
        t.dtype.name in ("resource", "variant", "string") or t.shape.rank != 0
        for t in function.graph.internal_captures
    )


def _stackable(node: Node, varying: dict[int, int | None]) -> bool:
    """Whether an op gives for stacked inputs the stack of its results, and nobody looks."""
    if node.watcher is not None:
        return False
    if node.op.traits.rows:
        return _is_parsed(node, varying)
    if node.op.name == "Pack":
        return _all_vary_alike(node, varying)
    if not node.op.traits.elementwise or node.op.stateful:
        return False
    ranks = {varying[slot] for slot in node.ins if slot in varying}
    if len(ranks) != 1:
        return not ranks  # it does not vary, and is computed once
    rank = ranks.pop()
    fixed = [
        t.shape.rank for slot, t in zip(node.ins, node.operation.inputs) if slot not in varying
    ]
    return (
        rank is not None
        and all(r is not None and r <= rank for r in fixed)
        and all(t.shape.rank == rank for t in node.operation.outputs)
    )


def _is_parsed(node: Node, varying: dict[int, int | None]) -> bool:
    """Whether an op parses records, and only these vary."""
    if [slot in varying for slot in node.ins] != [True] + [False] * (len(node.ins) - 1):
        return False
    rows = node.op.traits.rows
    return rows(node.operation) if callable(rows) else rows


def _all_vary_alike(node: Node, varying: dict[int, int | None]) -> bool:
    ranks = {varying.get(slot) for slot in node.ins}
    return len(ranks) == 1 and None not in ranks
