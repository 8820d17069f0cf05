"""`tf.vectorized_map`: a function of one element, run on all of them at once through `jax.vmap`.

The function is traced into a graph, which an op of our own holds. Where a node of that graph
cannot be vectorised (it works on the host, keeps a state, or needs a value while compiling), the
op takes the elements in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.composite.extension_type import BatchableExtensionType
from runnel.core.gradients import jacobian
from runnel.core.gradients.gradient_tape import GradientTape
from runnel.core.gradients.tape import differentiable
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.op import Op, execute
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import RegisterGradient, wants_gradient
from runnel.core.settings.logging import warning
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, resource
from runnel.core.values.type_spec import type_spec_from_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import inline
from runnel.graph.control.subgraphs import in_structure, plan_of, set_outputs
from runnel.graph.run.effects import has_effect, is_watched_inside
from runnel.graph.run.lowering import NotStatic, States, lower
from runnel.graph.run.nested import is_host
from runnel.graph.run.program import Node, program_of


def _rows_shape(
    batched: list[Spec], captured: list[Spec], *, graph: FuncGraph, **attrs: Any
) -> list[list[Dims]]:
    sizes = [spec.dims[0] for spec in batched if spec.dims]
    size = next((s for s in sizes if s is not None), None)
    return [[None if t.shape._dims is None else (size, *t.shape._dims) for t in graph.outputs]]


def _at_once(
    graph: FuncGraph, batched: Sequence[Array], captured: Sequence[Any], states: dict[int, Array]
) -> list[Any]:
    """The outputs for all elements; `states` has the values of captured variables by place."""
    program = program_of(graph)
    for node in program.nodes:
        if is_host(node.operation) or node.op.state == "own" or has_effect(node.operation):
            raise NotStatic(node)
    count = len(batched)

    def one(*elements: Any) -> list[Any]:
        variables = States({program.inputs[count + i]: value for i, value in states.items()})
        env = {
            **program.constants,
            **dict(zip(program.inputs, [*elements, *captured], strict=True)),
        }
        lower(program.nodes, env, variables)
        return [xla.jnp.asarray(env[slot]) for slot in program.outputs]

    return list(xla.vmapped(one)(*batched))


def _lower(node: Node, values: list[Any], states: States) -> Any:
    graph: FuncGraph = node.attrs["graph"]
    if is_watched_inside(graph):
        raise NotStatic(node, "somebody looks at what it computes")
    count = len(graph.arguments)
    captured = values[count:]
    held = {
        i: states.values[node.ins[count + i]] for i, value in enumerate(captured) if value is None
    }
    try:
        return [_at_once(graph, values[:count], captured, held)]
    except NotStatic as error:
        raise NotStatic(node) from error


def _kernel(
    xp: Namespace,
    batched: list[Array],
    captured: list[Any],
    *,
    graph: FuncGraph,
    Tout: tuple[DType, ...],
) -> Any:
    held = {i: value.read() for i, value in enumerate(captured) if hasattr(value, "read")}
    if is_watched_inside(graph):
        return [_in_turn(graph, batched, captured)]
    try:
        return [[np.asarray(r) for r in _at_once(graph, batched, captured, held)]]
    except NotStatic:
        return [_in_turn(graph, batched, captured)]


def _in_turn(graph: FuncGraph, batched: list[Array], captured: list[Any]) -> list[Array]:
    plan = plan_of(graph)
    count = len(batched[0])  # a row of a vector is an array, too: a string would not be one
    rows = [plan.run([*[x[i, ...] for x in batched], *captured]) for i in range(count)]
    if not rows:
        dims = [(0, *[d or 0 for d in t.shape._dims or ()]) for t in graph.outputs]
        return [np.zeros(d, t.dtype.np_dtype) for d, t in zip(dims, graph.outputs, strict=True)]
    return [np.stack([np.asarray(value) for value in column]) for column in zip(*rows, strict=True)]


_OP = Op(
    "VectorizedMap",
    "batched: *Tb, captured: *Tc -> output: *Tout",
    _kernel,
    lower=_lower,
    shape=_rows_shape,
)


@RegisterGradient("VectorizedMap")
def _gradient(op: Any, *arriving: Any) -> list[Any]:
    """Each element's gradient, again all at once; those of what all elements share are summed."""
    graph: FuncGraph = op.attrs["graph"]
    count = len(graph.arguments)
    batched, captured = list(op.inputs[:count]), list(op.inputs[count:])
    places = [
        i for i, t in enumerate(op.inputs) if differentiable(t.dtype) and wants_gradient(op, i)
    ]
    used = [i for i, g in enumerate(arriving) if g is not None]
    shared = {i for i, t in enumerate(op.inputs) if i >= count and t._dtype is not resource}
    reached: list[int] = []

    def one(elements: Any) -> Any:
        upstream, xs = elements
        with GradientTape(watch_accessed_variables=False) as tape:
            inputs = [*xs, *[c if c._dtype is resource else raw_ops.Identity(c) for c in captured]]
            sources = [inputs[i] for i in places]
            tape.watch(sources)
            assert state.graph is not None
            outputs = inline(graph, graph.inputs, graph.outputs, inputs, state.graph)
        found = tape.gradient([outputs[i] for i in used], sources, list(upstream))
        reached[:] = [place for place, g in zip(places, found, strict=True) if g is not None]
        there = [g for g in found if g is not None]
        return [g if i in shared else convert_to_tensor(g) for i, g in zip(reached, there)]

    found = vectorized_map(one, ([arriving[i] for i in used], batched))
    answers: list[Any] = [None] * len(op.inputs)
    for place, value in zip(reached, found, strict=True):
        answers[place] = value if place < count else _summed(value, op.inputs[place])
    return answers


def _summed(gradients: Any, x: Tensor) -> Any:
    """The gradient of `x`, which all elements share, from those that each of them gives it."""
    if not isinstance(gradients, IndexedSlices):
        return raw_ops.Sum(gradients, np.int32(0))
    values, indices = (
        raw_ops.Reshape(
            t, raw_ops.ConcatV2([np.array([-1], np.int32), raw_ops.Shape(t)[2:]], np.int32(0))
        )
        for t in (gradients.values, gradients.indices)
    )
    return IndexedSlices(values, indices, raw_ops.Shape(x))


def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """`fn` of each element along the first dimension of `elems`, all at once; results are stacked.

    >>> rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), rows).numpy()
    array([ 5., 25.], dtype=float32)
    """
    leaves = nest.flatten(elems)
    flat = [convert_to_tensor(t) for leaf in leaves for t in _parts_of(leaf)]
    if not flat or any(t.shape.rank == 0 for t in flat):
        raise ValueError(
            f"vectorized_map: elems must be tensors with one dimension or more, got {elems!r}."
        )
    first: list[Any] = [t.shape._dims[0] if t.shape._dims else None for t in flat]
    sizes = {size for size in first if size is not None and size != 1}
    if len(sizes) > 1:
        raise ValueError(
            f"vectorized_map: elems must have the same first dimension, got {sorted(sizes)}."
        )
    shared = [bool(sizes) and size == 1 for size in first]  # one for all elements
    batched = [t for t, one in zip(flat, shared, strict=True) if not one]
    graph = FuncGraph("vectorized_map", outer=state.graph)
    with context.building(graph):
        inputs = iter([graph.add_input(t.dtype, t.shape[1:]._dims) for t in batched])
        element = [
            raw_ops.Squeeze(t, axis=[0]) if one else next(inputs)
            for t, one in zip(flat, shared, strict=True)
        ]
        rest = iter(element)
        single = [
            type_spec_from_value(leaf)._unbatch().from_tensors(rest)  # type: ignore[attr-defined]
            if isinstance(leaf, BatchableExtensionType)
            else next(rest)
            for leaf in leaves
        ]
        set_outputs(graph, fn(nest.pack_sequence_as(elems, single)))
    _tell_of_fallback(graph, allowed=fallback_to_while_loop, warn=warn)
    return in_structure(graph.structured_outputs, _emit(graph, batched))


def _parts_of(leaf: Any) -> list[Any]:
    """A tensor, or those that a value which can be stacked consists of."""
    if isinstance(leaf, BatchableExtensionType):
        return nest.flatten(leaf, expand_composites=True)
    return [leaf]


def _tell_of_fallback(graph: FuncGraph, *, allowed: bool, warn: bool) -> None:
    """Say which op makes the map run element after element, if one does."""
    culprit = next((n for n in program_of(graph).nodes if is_host(n.operation)), None)
    if culprit is None:
        return
    found = (
        f"vectorized_map: the op {culprit.op.name!r} at {culprit.operation.where} cannot be "
        "vectorised"
    )
    if not allowed:
        raise ValueError(f"{found}, and fallback_to_while_loop is False.")
    if warn:
        warning(f"{found}; the elements are mapped one after another.")


def _emit(graph: FuncGraph, batched: Sequence[Tensor]) -> list[Tensor]:
    flat, attrs = _OP.flatten((list(batched), list(graph.external_captures)), {})
    attrs |= {"graph": graph, "Tout": tuple(t.dtype for t in graph.outputs)}
    return list(execute(_OP, flat, attrs, "vectorized_map"))


def _pull_rows(pull: Callable[[Tensor], list[Tensor | None]], seeds: Tensor) -> list[Tensor | None]:
    """`pull` of each seed, where a graph is built; None stays None."""
    missing: list[bool] = []

    def one(seed: Tensor) -> list[Tensor]:
        found = pull(seed)
        missing[:] = [t is None for t in found]
        return [t for t in found if t is not None]

    rest = iter(vectorized_map(one, seeds))
    return [None if absent else next(rest) for absent in missing]


jacobian.rows_in_graph = _pull_rows
