"""Loops and branches that keep values for their gradient, as TensorFlow writes them.

Here a loop simply has more outputs: lists of values it had, and the number of its iterations. In a
`GraphDef` these are loop variables like others, that begin as empty lists and grow in the body. A
branch that was not taken returns something for what only the other ones keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import int32, variant
from runnel.core.values.type_spec import TensorSpec
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.control.subgraphs import trace

_ANY_SHAPE = np.int32(-1)


class Plain(NamedTuple):
    """An operation in TensorFlow's form: its attributes, and what it needs beside its inputs.

    `before` are operations of a graph of their own, of which `inputs` are the results. `type` is
    the name of the op where it is another one.
    """

    attrs: Mapping[str, Any]
    before: Sequence[Operation] = ()
    inputs: Sequence[Any] = ()
    type: str | None = None


def plain_form(operation: Operation) -> Plain:
    """The form of an operation whose further outputs are used."""
    if "While" in operation.type:
        return _plain_loop(operation)
    return Plain(_plain_branches(operation))


def _plain_loop(operation: Operation) -> Plain:
    stacks, size = operation.attrs["stacks"], len(operation.inputs)
    cond, body = operation.attrs["cond"], operation.attrs["body"]
    lists = [TensorSpec([], variant)] * len(stacks)
    specs: list[Any] = [*operation.inputs, *lists, TensorSpec([], int32)]

    def step(*given: Tensor) -> list[Any]:
        found = _copied(body, [*body.outputs, *stacks], given[:size])
        pairs = zip(given[size:-1], found[size:], strict=True)
        grown = [raw_ops.TensorListPushBack(handle, value) for handle, value in pairs]
        return [*found[:size], *grown, given[-1] + 1]

    def test(*given: Tensor) -> Tensor:
        return _copied(cond, cond.outputs, given[:size])[0]

    with context.building(None):
        graphs = {"cond": trace(test, cond.name, specs), "body": trace(step, body.name, specs)}
    start = Graph()
    with start.as_default(), start.name_scope(f"{operation.name}/kept"):
        empty = [_empty_list(t.dtype) for t in stacks]
        inputs = [*empty, raw_ops.Identity(np.int32(0))]
    kinds = (*[t.dtype for t in operation.inputs], *[variant] * len(stacks), int32)
    shapes = tuple(t.shape for t in (*operation.inputs, *operation.outputs[size:]))
    attrs = {**operation.attrs, **graphs, "T": kinds, "output_shapes": shapes, "Tout": None}
    return Plain(attrs, start.get_operations(), inputs)


def _plain_branches(operation: Operation) -> Mapping[str, Any]:
    saved = operation.attrs["saved"]
    names = ["branches"] if "branches" in operation.attrs else ["else_branch", "then_branch"]
    graphs = [g for n in names for g in _listed(operation.attrs[n])]

    def branch(index: int, graph: FuncGraph) -> Any:
        def run(*given: Tensor) -> list[Any]:
            count = len(graph.outputs)
            found = _copied(graph, [*graph.outputs, *saved[index]], given)
            kept = [
                found[count:] if i == index else [_nothing(t.dtype) for t in tensors]
                for i, tensors in enumerate(saved)
            ]
            return [*found[:count], *[t for part in kept for t in part]]

        return run

    with context.building(None):
        made = [trace(branch(i, g), g.name, operation.inputs[1:]) for i, g in enumerate(graphs)]
    named: dict[str, Any] = (
        {"branches": tuple(made)} if names == ["branches"] else dict(zip(names, made, strict=True))
    )
    kinds = tuple(t.dtype for t in operation.outputs)
    shapes = tuple(t.shape for t in operation.outputs)
    known = operation.op.type_attrs(operation.inputs, operation.attrs)
    return {**known, **named, "Tout": kinds, "output_shapes": shapes}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)


def _copied(graph: FuncGraph, outputs: Sequence[Any], given: Sequence[Tensor]) -> list[Tensor]:
    """What a graph computes from `given`, in the graph being built."""
    assert state.graph is not None
    return inline(graph, graph.inputs, outputs, given, state.graph)


def _empty_list(dtype: Any) -> Tensor:
    made: Tensor = raw_ops.EmptyTensorList(_ANY_SHAPE, _ANY_SHAPE, element_dtype=dtype)
    return made


def _nothing(dtype: Any) -> Any:
    """Any value of a dtype: nobody reads it."""
    return _empty_list(dtype) if dtype is variant else np.zeros((), dtype.np_dtype)
