"""`VectorizedMap` as TensorFlow can run it: a call of a function that loops over the elements."""

from __future__ import annotations

from typing import Any

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.tensor.tensor import Tensor
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.control.accumulators import Plain
from runnel.graph.control.subgraphs import trace
from runnel.graph.functions.functional import map_fn
from runnel.graph.run.effects import is_stateful


def mapped_form(operation: Operation) -> Plain:
    """The operation as a call, with the same inputs and outputs."""
    inner: FuncGraph = operation.attrs["graph"]
    count = len(inner.arguments)
    kinds = [t.dtype for t in inner.outputs]

    def run(*given: Tensor) -> Any:
        captured = list(given[count:])

        def one(elements: list[Tensor]) -> list[Tensor]:
            assert state.graph is not None
            values = [*elements, *captured]
            return inline(inner, inner.inputs, inner.outputs, values, state.graph)

        return map_fn(one, list(given[:count]), fn_output_signature=kinds)

    with context.building(None), context.unrecorded():
        graph = trace(run, "vectorized_map", operation.inputs)
        attrs = {"f": graph, "Tin": tuple(t.dtype for t in operation.inputs), "Tout": tuple(kinds)}
    return Plain(attrs, type="StatefulPartitionedCall" if is_stateful(inner) else "PartitionedCall")
