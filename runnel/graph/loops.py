"""`While`: an operation that holds a condition and a body, and repeats the body.

All tensors the two graphs use are inputs; the body hands on unchanged what does not vary. To be
differentiated, a loop also returns, stacked over its iterations, the values its gradient needs
(`stacks`) and the number of iterations; see `loop_gradients`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.dtypes import DType, int32, variant
from runnel.core.op import Op, execute, op
from runnel.core.raw import raw_ops
from runnel.core.tape import note_more_outputs
from runnel.core.tensor import Tensor
from runnel.core.tensor_list import pile
from runnel.core.types import Array, Dims, Namespace
from runnel.graph.branches import truth
from runnel.graph.compiled_loops import lower_loop
from runnel.graph.func_graph import FuncGraph
from runnel.graph.operation import Operation
from runnel.graph.program import is_stateful, on_host
from runnel.graph.subgraphs import (
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
