"""Making the graphs inside operations: the branches of `If`, the condition and body of `While`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from runnel.backend import configuration
from runnel.core.gradients.backprop import backprop
from runnel.core.gradients.naming import FUNCTION
from runnel.core.gradients.ones_and_zeros import held, zeros_like
from runnel.core.gradients.tape import differentiable
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource, variant
from runnel.core.values.shape import TensorShape
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.reference_ops import ReferenceTensor
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.call_gradients import stops
from runnel.graph.run.alarms import unmark
from runnel.graph.run.plan import Plan


def trace(
    fn: Callable[..., Any],
    name: str,
    specs: Sequence[Tensor] = (),
    within: str | None = None,
    pick: Tensor | None = None,
) -> FuncGraph:
    """The graph of `fn`, called with a placeholder for each tensor of `specs`.

    Inside an operation `name` is its last word: `scope/cond` has the graph `scope_cond_true`.
    `pick` is what chooses a branch; see `without_operations`.
    """
    graph = FuncGraph(name, outer=state.graph, within=within)
    if graph._scope:
        graph.name = f"{graph._scope}/{name}".replace("/", "_")
    if not configuration.control_flow_v2 and _is_plain(state.graph):
        graph.op_seeds = state.graph.op_seeds
    with context.building(graph):
        inputs = [graph.add_input(*_described(t), "arg") for t in specs]
        for placeholder, outside in zip(inputs, specs, strict=True):
            placeholder._handle_data = getattr(outside, "_handle_data", None)
            placeholder._from_outside = getattr(outside, "_from_outside", False)
        result = fn(*inputs)
        set_outputs(graph, result if pick is None else without_operations(result, pick))
    return graph


def _described(spec: Any) -> tuple[Any, Any]:
    """The dtype and the dimensions of a placeholder; a reference enters as the handle it is."""
    if isinstance(spec, ReferenceTensor):
        return resource, ()
    return spec.dtype, spec.shape._dims


def _is_plain(graph: Any) -> TypeGuard[Graph]:
    """Whether a graph is no function's, or a branch or body in such a graph."""
    if graph is None or not graph.building_function:
        return graph is not None
    return graph.outer_graph is not None and graph.op_seeds is graph.outer_graph.op_seeds


def without_operations(result: Any, pick: Tensor) -> Any:
    """What a branch gave, with `pick` after an operation in the place of that operation."""

    def after(operation: Operation) -> Any:
        with operation.graph.control_dependencies([operation]):
            return raw_ops.Identity(pick)

    if not any(isinstance(leaf, Operation) for leaf in nest.flatten(result)):
        return result
    return nest.map_structure(lambda x: after(x) if isinstance(x, Operation) else x, result)


def set_outputs(graph: FuncGraph, result: Any) -> None:
    """Make `result`, a nest of tensors, the output of `graph`."""
    result = with_constants(result)
    leaves = [
        None if leaf is None else inside(graph, convert_to_tensor(leaf))
        for leaf in nest.flatten(result, expand_composites=True)
    ]
    graph.structured_outputs = nest.pack_sequence_as(result, leaves, expand_composites=True)
    graph.outputs = [leaf for leaf in leaves if leaf is not None]


def with_constants(result: Any) -> Any:
    """What a function gave with `tf.constant` of Python's numbers, which may be weak."""
    if not any(type(leaf) in NUMBERS for leaf in nest.flatten(result)):
        return result
    return nest.map_structure(lambda x: constant(x) if type(x) in NUMBERS else x, result)


NUMBERS = (int, float, complex)


def in_structure(structure: Any, outputs: Iterable[Tensor]) -> Any:
    """Values of a graph's outputs in the structure of its result, in which some may be None."""
    rest = iter(outputs)
    leaves = nest.flatten(structure, expand_composites=True)
    filled = [None if leaf is None else next(rest) for leaf in leaves]
    return nest.pack_sequence_as(structure, filled, expand_composites=True)


def inside(graph: FuncGraph, tensor: Tensor) -> SymbolicTensor:
    """A tensor as one of `graph`."""
    if not belongs_to(tensor, graph):
        tensor = graph.capture(tensor)
    assert isinstance(tensor, SymbolicTensor)
    return tensor


def joint_shapes(graphs: Sequence[FuncGraph]) -> tuple[TensorShape, ...]:
    """What the outputs' shapes have in common, one graph or another."""
    shapes = [[t.shape for t in graph.outputs] for graph in graphs]
    join = TensorShape.most_specific_compatible_shape
    return tuple(functools.reduce(join, column) for column in zip(*shapes, strict=True))


def match_captures(graphs: Sequence[FuncGraph]) -> list[Tensor]:
    """Give all graphs the same captures, in the same order; the captured tensors."""
    union: dict[int, Tensor] = {}
    for graph in graphs:
        union.update((t._id, t) for t in graph.external_captures)
    for graph in graphs:
        for tensor in union.values():
            if tensor._id not in graph._captures:
                unmark([graph._new_capture(tensor)])  # the branch does not use it
        graph._captures = {key: graph._captures[key] for key in union}
    return list(union.values())


def plan_of(graph: FuncGraph, extra: Sequence[SymbolicTensor] = ()) -> Plan:
    """The plan from all inputs of a graph to its outputs and `extra` tensors; made once."""
    key = ("plan", *[t._id for t in graph.outputs], None, *[t._id for t in extra])
    if key not in graph.programs:
        outputs = [*graph.outputs, *extra]
        graph.programs[key] = Plan(graph, graph.inputs, outputs, inner=True)
    return graph.programs[key]  # type: ignore[no-any-return]


class Gradient:
    """The backward graph of a function's graph.

    Its inputs are the gradients that arrive at `targets`, followed by captures of what it needs of
    the forward graph, and of what a gradient function of the user's takes from outside it: `needed`
    are the intermediate values among them. `places` are the inputs of
    the forward graph that have a gradient; `parts` says how many outputs of the backward graph each
    has: one, or the three of `tf.IndexedSlices` unless `dense`. The inputs in `filled` have a
    gradient in any case, if only zeros.
    """

    def __init__(
        self,
        forward: FuncGraph,
        inputs: Sequence[SymbolicTensor],
        targets: Sequence[SymbolicTensor],
        *,
        dense: bool = True,
        filled: Sequence[SymbolicTensor] = (),
    ) -> None:
        sources = [t for t in inputs if differentiable(t.dtype)]
        self.graph = FuncGraph(f"__backward_{forward.name}", outer=forward)
        self.graph.hoists, self.graph.dense = True, dense
        self.graph.aliases = {**forward.aliases, **{t._id: inner for t, inner in forward.captures}}
        with context.building(self.graph), context.unrecorded():
            arriving = [self.graph.add_input(t.dtype, t.shape._dims) for t in targets]
            with self.graph.name_scope("gradients"):
                ops = forward.get_operations()
                found = backprop(ops, targets, sources, arriving, naming=FUNCTION)
            zeros = {t._id for t in filled}
            pairs = zip(found, sources, strict=True)
            found = [_zeros(s) if g is None and s._id in zeros else g for g, s in pairs]
            parts = [None if g is None else _parts(g, dense) for g in found]
            flat = [inside(self.graph, t) for part in parts if part is not None for t in part]
        ids = [t._id for t in inputs]
        self.places = [
            ids.index(s._id) for s, p in zip(sources, parts, strict=True) if p is not None
        ]
        self.parts = [len(p) for p in parts if p is not None]
        self.graph.outputs = flat
        unmark(self.graph.inputs)  # where they come from has been looked at
        self.captured: list[Any] = self.graph.external_captures
        self.needed: list[Any] = [
            t for t in self.captured if t._id not in ids and belongs_to(t, forward)
        ]

    def assemble(self, flat: Sequence[Tensor], count: int) -> list[Any]:
        """The gradients of all `count` inputs from the outputs of the backward graph."""
        answers: list[Any] = [None] * count
        rest = iter(flat)
        for place, size in zip(self.places, self.parts, strict=True):
            parts = [next(rest) for _ in range(size)]
            answers[place] = parts[0] if size == 1 else IndexedSlices(*parts)
        return answers


def belongs_to(tensor: Tensor, graph: FuncGraph) -> bool:
    return isinstance(tensor, SymbolicTensor) and tensor.graph is graph


def _zeros(tensor: Tensor) -> Tensor:
    """Zeros of a tensor's shape, of which a backward graph needs to know no more."""
    if tensor.shape.is_fully_defined() or tensor.dtype is variant:
        return zeros_like(tensor)
    zero = np.zeros((), tensor.dtype.np_dtype)
    return raw_ops.Fill(raw_ops.Shape(tensor), zero)  # type: ignore[no-any-return]


def influences(outputs: Sequence[SymbolicTensor]) -> set[int]:
    """The ids of the tensors on which `outputs` depend by a way that gradients may take."""
    found: set[int] = set()
    pending: list[Any] = list(outputs)
    while pending:
        tensor = pending.pop()
        if tensor._id not in found and differentiable(tensor.dtype):
            found.add(tensor._id)
            pending += () if stops(tensor.op) else tensor.op.inputs
    return found


def is_asked_for(tensor: Tensor) -> bool:
    """Whether the gradient of a tensor is of use to the computation of gradients under way.

    A handle has one if it is that of a variable, and none if it is that of a table or an iterator.
    """
    if tensor._dtype is resource and not isinstance(held(tensor), VariableResource):
        return False
    return differentiable(tensor.dtype) and (state.live is None or tensor._id in state.live)


def _parts(gradient: Any, dense: bool) -> list[Tensor]:
    if isinstance(gradient, IndexedSlices) and not dense and gradient.dense_shape is not None:
        return [gradient.values, gradient.indices, gradient.dense_shape]
    return [convert_to_tensor(gradient)]
