"""Gradients that programs gave to operations (`tf.custom_gradient`), for TensorFlow's files.

There such a gradient is a function of its own, which takes tensors of the function that the
operation is in. TensorFlow finds these in a function that was called, but not in a branch or in the
body of a loop. So an operation that needs some is written there as a call of a function which holds
that operation alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from runnel.core.op import context
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import copy
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.accumulators import Plain


class OwnGradient(NamedTuple):
    """The graph of an operation's own gradient, and for which of its inputs that has one."""

    graph: FuncGraph
    places: list[bool]

    @property
    def captured(self) -> list[SymbolicTensor]:
        """The tensors of the operation's graph that it takes."""
        return [t for t in self.graph.external_captures if isinstance(t, SymbolicTensor)]


class SavedGradient(NamedTuple):
    """The gradient that a program gave to an operation, as a graph.

    `captured` are the names of tensors in the operation's function, or tensors from outside;
    `places` says for which of the operation's inputs there is a gradient.
    """

    kind: str
    graph: FuncGraph
    places: list[bool]
    function: str
    captured: list[str | Tensor]


def own_gradients(
    forward: FuncGraph, operations: Iterable[Operation]
) -> dict[Operation, OwnGradient]:
    """By operation of a graph with a gradient of its own: that gradient."""
    found = {}
    for operation in operations:
        if operation.backward is None:
            continue
        graph = FuncGraph("internal_grad_fn", outer=forward)
        graph.aliases = {t._id: inner for t, inner in forward.captures}
        with context.building(graph), context.unrecorded():
            given = [graph.add_input(t.dtype, t.shape._dims) for t in operation.outputs]
            try:
                answers = operation.backward(*given)
            except LookupError:  # it came from a file that lacks it, and is lacking there too
                continue
            kept = [None if g is None else convert_to_tensor(g) for g in answers]
            graph.outputs = [raw_ops.Identity(g) for g in kept if g is not None]
        made = OwnGradient(graph, [g is not None for g in kept])
        if all(t.graph is forward for t in made.captured):  # and none of a graph around it
            found[operation] = made
    return found


def gradient_kind(operation: Operation) -> str:
    """What a file calls the gradient of an operation."""
    return f"CustomGradient-{id(operation)}"


def called_apart(forward: FuncGraph, operation: Operation, gradient: OwnGradient) -> Plain:
    """The operation as a call of a function that holds it alone."""
    outputs = {t._id for t in operation.outputs}
    more = [t for t in gradient.captured if t._id not in outputs]
    taken = [*operation.inputs, *more]
    graph = FuncGraph("custom_gradient")
    found: dict[int, Tensor] = {outer._id: inner for outer, inner in forward.captures}
    with context.building(graph), context.unrecorded():
        for tensor in taken:
            found[tensor._id] = graph.add_input(tensor.dtype, tensor.shape._dims)
            found[tensor._id]._handle_data = tensor._handle_data  # type: ignore[attr-defined]
        copy([operation], found, graph)
    graph.outputs = [found[t._id] for t in operation.outputs]  # type: ignore[misc]
    attrs = {
        "f": graph,
        "Tin": tuple(t.dtype for t in taken),
        "Tout": tuple(t.dtype for t in operation.outputs),
    }
    return Plain(attrs, inputs=more, type="PartitionedCall")
