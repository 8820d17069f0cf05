"""The gradient of `If` and `Case`: the same choice between the gradients of the branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import differentiable, note_more_outputs
from runnel.core.op.context import state
from runnel.core.op.op import execute
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import RegisterGradient
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, int32, int64, variant
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import get_default_graph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from .branches import Saved, choosing_op
from .subgraphs import Gradient, influences, is_asked_for, joint_shapes, match_captures, trace


def _branches_of(attrs: Mapping[str, Any]) -> tuple[FuncGraph, ...]:
    if "branches" in attrs:
        return tuple(attrs["branches"])
    return (attrs["else_branch"], attrs["then_branch"])


def _gradient(operation: Operation, *arriving: Any) -> list[Any]:
    """The gradients of all inputs.

    As in TensorFlow, inputs that only other outputs depend on have zeros.
    """
    inputs = operation.inputs[1:]  # as tapes know them
    operation = getattr(operation, "operation", operation)  # the one in the graph
    branches = _branches_of(operation.attrs)
    count = len(branches[0].outputs)
    places = [i for i in range(count) if arriving[i] is not None]
    extra = _saved_arriving(operation, arriving[count:])
    backward = [
        _of_branch(graph, [*[graph.outputs[i] for i in places], *[t for t, _ in more]])
        for graph, more in zip(branches, extra, strict=True)
    ]
    saved = _save(operation, tuple(tuple(b.needed) for b in backward))
    found = dict.fromkeys(sorted({place for b in backward for place in b.places}))
    kinds: dict[int, DType | None] = {**found, **_index_kinds(backward)}
    graphs = []
    for b, graph, more, kept in zip(backward, branches, extra, saved, strict=True):
        given = [*[arriving[i] for i in places], *[g for _, g in more]]
        graphs.append(_backward_branch(b, graph, kinds, given, list(inputs), kept))
    outer = match_captures(graphs)
    outputs = iter(_emit(operation, graphs, outer))
    answers: list[Any] = [None] * len(operation.inputs)
    for place, kind in kinds.items():
        answers[1 + place] = _assembled(outputs, slices=kind is not None)
    for place in _connected(branches) if len(places) < count else ():
        if answers[1 + place] is None and is_asked_for(inputs[place]):
            answers[1 + place] = zeros_like(inputs[place])
    return answers


def _of_branch(graph: FuncGraph, targets: Sequence[SymbolicTensor]) -> Gradient:
    """The gradient of a branch, in slices where it is so unless a loop will add it to others."""
    dense = isinstance(state.graph, FuncGraph) and state.graph.dense
    return Gradient(graph, graph.inputs, targets, dense=dense)


def _index_kinds(backward: Sequence[Gradient]) -> dict[int, DType]:
    """The inputs whose gradient is slices in some branch, and the dtype of the indices."""
    kinds: dict[int, DType] = {}
    for gradient in backward:
        found = gradient.assemble(gradient.graph.outputs, 1 + max(gradient.places, default=0))
        for place, slices in enumerate(found):
            if isinstance(slices, IndexedSlices):
                wide = int64 in (kinds.get(place), slices.indices.dtype)
                kinds[place] = int64 if wide else slices.indices.dtype
    return kinds


def _as_slices(gradient: Any, kind: DType) -> list[Tensor]:
    """A gradient as slices: the values, the indices and the shape; of a tensor, all its rows."""
    if isinstance(gradient, IndexedSlices):
        shape = raw_ops.Cast(gradient.dense_shape, DstT=int32)
        return [gradient.values, raw_ops.Cast(gradient.indices, DstT=kind), shape]
    shape = raw_ops.Shape(gradient)
    return [gradient, raw_ops.Cast(raw_ops.Range(0, shape[0], 1), DstT=kind), shape]


def _assembled(outputs: Iterator[Tensor], *, slices: bool) -> Any:
    """The gradient of an input from the next outputs."""
    if slices:
        return IndexedSlices(*[raw_ops.Identity(next(outputs)) for _ in range(3)])
    value = next(outputs)
    return value if value.dtype is variant else raw_ops.Identity(value)


def _connected(branches: Sequence[FuncGraph]) -> set[int]:
    """The inputs on which any output of any branch depends."""
    found: set[int] = set()
    for graph in branches:
        influencing = influences(graph.outputs)
        found.update(i for i, t in enumerate(graph.inputs) if t._id in influencing)
    return found


def _saved_arriving(operation: Operation, arriving: Sequence[Any]) -> list[list[tuple[Any, Any]]]:
    """For each branch, the values it saved to which a gradient of second order arrives, with it."""
    saved: Saved = operation.attrs.get("saved") or ((),) * len(_branches_of(operation.attrs))
    rest = iter(arriving)
    pairs = [[(tensor, next(rest)) for tensor in branch] for branch in saved]
    return [[(t, g) for t, g in branch if g is not None] for branch in pairs]


for _name in ("If", "StatelessIf", "Case", "StatelessCase"):
    RegisterGradient(_name)(_gradient)


def _save(operation: Operation, wanted: Saved) -> list[list[SymbolicTensor]]:
    """Make an operation also return `wanted`, for each branch; the new outputs."""
    before: Saved = operation.attrs.get("saved") or ((),) * len(wanted)
    count = len(_branches_of(operation.attrs)[0].outputs)
    known = {
        t._id: o
        for t, o in zip([t for b in before for t in b], operation.outputs[count:], strict=True)
    }
    joined = tuple(
        (*old, *[t for t in new if t._id not in known])
        for old, new in zip(before, wanted, strict=True)
    )
    extra = {}
    for tensor in (t for branch in joined for t in branch):
        extra[tensor._id] = (
            known[tensor._id]
            if tensor._id in known
            else SymbolicTensor(operation, 0, tensor.dtype, None)
        )
    note_more_outputs(operation, [t for t in extra.values() if differentiable(t.dtype)])
    operation.outputs = [*operation.outputs[:count], *[extra[t._id] for b in joined for t in b]]
    for index, output in enumerate(operation.outputs):
        output._value_index = index
    kinds = tuple(t.dtype for t in operation.outputs)
    operation.attrs = {**operation.attrs, "saved": joined, "Tout": kinds, "output_shapes": ()}
    return [[extra[t._id] for t in branch] for branch in wanted]


def _backward_branch(
    backward: Gradient,
    forward: FuncGraph,
    kinds: Mapping[int, DType | None],
    arriving: Sequence[Tensor],
    inputs: Sequence[Tensor],
    saved: Sequence[SymbolicTensor],
) -> FuncGraph:
    """The gradient of one branch as a graph over the tensors around the operation.

    It has results for the inputs in `kinds`, the three of slices where there is a dtype of indices.
    """
    outside = {t._id: v for t, v in zip(forward.inputs, inputs, strict=True)}
    outside.update((t._id, v) for t, v in zip(backward.needed, saved, strict=True))
    captured = [outside.get(t._id, t) for t in backward.captured]

    def run() -> list[Tensor]:
        graph = backward.graph
        values = inline(
            graph, graph.inputs, graph.outputs, [*arriving, *captured], get_default_graph()
        )
        found = backward.assemble(values, len(inputs))
        results: list[Tensor] = []
        for place, kind in kinds.items():
            value = zeros_like(inputs[place]) if found[place] is None else found[place]
            results += [value] if kind is None else _as_slices(value, kind)
        return results

    return trace(run, f"{forward.name}_grad")


def _emit(
    operation: Operation, graphs: Sequence[FuncGraph], captured: Sequence[Tensor]
) -> list[Tensor]:
    kinds = tuple(t.dtype for t in graphs[0].outputs)
    case = "branches" in operation.attrs
    declared = choosing_op(graphs, case=case)
    if case:
        attrs: dict[str, Any] = {"branches": tuple(graphs)}
    else:
        attrs = {"else_branch": graphs[0], "then_branch": graphs[1]}
    args, full = declared.flatten(
        (operation.inputs[0], list(captured)),
        {**attrs, "Tout": kinds, "output_shapes": joint_shapes(graphs), "saved": ()},
    )
    return execute(declared, args, full)  # type: ignore[no-any-return]
