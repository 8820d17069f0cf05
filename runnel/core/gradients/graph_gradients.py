"""`tf.gradients` and `tf.hessians`: derivatives of tensors of the graph being built."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.gradients import jacobian
from runnel.core.gradients.backprop import backprop
from runnel.core.gradients.composite import flatten_sources, flatten_targets
from runnel.core.gradients.naming import GRAPH
from runnel.core.gradients.ones_and_zeros import ones_like, unconnected
from runnel.core.gradients.tape import DIFFERENTIABLE
from runnel.core.gradients.unconnected import UnconnectedGradients, wants_zeros
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.tensor import Tensor
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource, variant


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Any]:
    """The derivative of the sum of `ys` by each of `xs`, inside a `tf.function` or a graph.

    Tensors in `stop_gradients` count as constants. `gate_gradients` and `aggregation_method` are
    about how a sum is computed, which is left to the compiler: the gradients are the same.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x * x, x)
    >>> slope(tf.constant(3.0))[0].numpy()
    np.float32(6.0)
    """
    graph = state.graph
    if graph is None:
        raise RuntimeError(
            "tf.gradients works inside a tf.function or a graph. In eager mode use tf.GradientTape."
        )
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(
            "tf.gradients: aggregation_method must be one of tf.AggregationMethod, got "
            f"{aggregation_method!r}."
        )
    ys, xs = (nest.map_structure(_of_graph, each) for each in (ys, xs))
    targets, sources = flatten_targets(ys), [_inside(graph, x) for x in flatten_sources(xs)]
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    if len(given) != len(targets):
        raise ValueError(
            f"tf.gradients: grad_ys must have one gradient per target ({len(targets)}), got "
            f"{len(given)}."
        )
    arriving = [None if g is None else convert_to_tensor(g) for g in given]
    stops = [] if stop_gradients is None else nest.flatten(stop_gradients)
    stopped = {_inside(graph, t)._id for t in stops}
    records = [op for op in graph.get_operations() if not any(o._id in stopped for o in op.outputs)]
    by_itself = {source._id for source in sources}
    kept = [
        (t, g)
        for t, g in zip([_inside(graph, t) for t in targets], arriving, strict=True)
        if t._dtype in DIFFERENTIABLE or t._id in by_itself
    ]
    with graph.name_scope(name):
        seeds = [_seed(place, t, g) for place, (t, g) in enumerate(kept)]
        found = backprop(records, [t for t, _ in kept], sources, seeds, naming=GRAPH)
    if wants_zeros(unconnected_gradients):
        return [unconnected(s) if g is None else g for s, g in zip(sources, found, strict=True)]
    return found


def _seed(place: int, target: Tensor, given: Tensor | None) -> Tensor:
    """The gradient of a target itself: the given one, or ones."""
    name = f"grad_ys_{place}"
    if given is not None:
        return raw_ops.Identity(given, name=name)  # type: ignore[no-any-return]
    if target._dtype in (resource, variant):
        return ones_like(target)
    if target._dtype.is_complex:
        raise TypeError(
            f"tf.gradients: {target!r} is complex, so that grad_ys must be given for it."
        )
    shape = shape_tensor(target)
    with scope_of_ops(name) as scope:
        return raw_ops.Fill(shape, emit(np.ones((), target._dtype.np_dtype)), name=scope)  # type: ignore[no-any-return]


def _of_graph(value: Any) -> Any:
    """The tensor of a graph that a library's own kind of tensor stands for."""
    return value._graph_tensor() if hasattr(value, "_graph_tensor") else value


def _inside(graph: Any, tensor: Any) -> Tensor:
    """A tensor as one of the graph: what stands for it there, if it is from outside."""
    tensor = getattr(tensor, "handle", tensor)
    return tensor if getattr(tensor, "graph", None) is graph else graph.capture(tensor)  # type: ignore[no-any-return]


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """The second derivatives of the sum of `ys` by each of `xs`, each by itself.

    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x * x * x), x)
    >>> curvature(tf.constant([1.0, 2.0]))[0].numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    sources = nest.flatten(xs)
    first = gradients(
        ys, sources, name=name, gate_gradients=gate_gradients, aggregation_method=aggregation_method
    )
    return [
        None if g is None else _hessian(convert_to_tensor(g), x)
        for g, x in zip(first, sources, strict=True)
    ]


def _hessian(gradient: Tensor, x: Any) -> Tensor:
    graph = state.graph
    assert graph is not None
    source = _inside(graph, *flatten_sources(x))
    (rows,) = jacobian.rows(
        graph.get_operations(), gradient, [source], jacobian.unit_seeds(gradient), vectorise=True
    )
    return (
        jacobian.shaped(rows, gradient, source)
        if rows is not None
        else jacobian.zeros_for(gradient, source)
    )
