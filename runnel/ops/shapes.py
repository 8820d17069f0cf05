"""Shape rules that many ops share: from the specs of inputs to the dimensions of the output.

A rule with a keyword `op_name` is told the name of the op it is asked for, for its error messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Namespace, Spec


def same(first: Spec, *others: Any, **attrs: Any) -> Dims:
    """The shape of the first input."""
    return first.dims


def scalar(*inputs: Any, **attrs: Any) -> Dims:
    return ()


def nothing(*inputs: Any, **attrs: Any) -> list[Dims]:
    """For ops without an output."""
    return []


def unknown(*inputs: Any, **attrs: Any) -> Dims:
    """For ops whose output shape is known only when they have run."""
    return None


def broadcast(x: Spec, y: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    """NumPy's broadcasting of all inputs."""
    dims = x.dims
    for other in (y, *others):
        try:
            dims = broadcast_shapes(dims, other.dims)
        except ValueError:
            raise bad_shape(op_name, want=f"broadcast with shape {x.shape}", y=other) from None
    return dims


broadcast.broadcasts = True  # type: ignore[attr-defined]
broadcast.elementwise = True  # type: ignore[attr-defined]  # the engine sums both gradients


def axes_of(axis: Spec, rank: int, op_name: str) -> tuple[int, ...]:
    """The axes that a reduction names, counted from the front."""
    assert axis.value is not None
    axes = []
    for a in np.asarray(axis.value).ravel().tolist():
        if not -rank <= a < rank:
            raise bad_value(op_name, want=f"be in [{-rank}, {rank})", axis=a)
        axes.append(a % rank)
    return tuple(axes)


def reduced(
    input: Spec, axis: Spec, *, op_name: str, keep_dims: bool = False, **attrs: Any
) -> Dims:
    """The input's shape without the axes that are reduced, or with 1 in their places."""
    if input.dims is None:
        return None
    rank = len(input.dims)
    if axis.value is None:
        if keep_dims:
            return (None,) * rank
        count = axis.dims[0] if axis.dims else (1 if axis.dims == () else None)
        return (None,) * (rank - count) if count is not None else None
    axes = axes_of(axis, rank, op_name)
    if keep_dims:
        return tuple(1 if i in axes else d for i, d in enumerate(input.dims))
    return tuple(d for i, d in enumerate(input.dims) if i not in axes)


def shape_of(x: Any) -> Any:
    """The shape of a tensor for use as an op's input: an array where it is known, else the op
    Shape.
    """
    dims = x.shape._dims
    if dims is None or None in dims:
        return raw_ops.Shape(x)
    return np.array(dims, np.int32)


def with_shape_of(source: Any, result: Any) -> Any:
    """The result, of which a graph then knows the shape that it is known to have."""
    if state.graph is not None and result.shape.rank is None:
        result.set_shape(source.shape)
    return result


def shapes_of(*inputs: Any) -> list[Any]:
    """`shape_of` each of some tensors: in a graph, from one operation."""
    if state.graph is None:
        return [shape_of(x) for x in inputs]
    return list(raw_ops.ShapeN(list(inputs)))


def same_shapes(op_name: str, argument: str) -> Callable[..., None]:
    """A check for ops on two inputs of one shape, which NumPy would broadcast."""

    def check(first: Array, second: Array, **attrs: Any) -> None:
        if first.shape != second.shape:
            raise bad_shape(op_name, want=f"have shape {first.shape}", **{argument: second})

    return check


def as_shaped(dy: Array, y: Array) -> Array:
    """`dy` in the shape of `y`: gradients are only checked to have as many elements."""
    return dy if dy.shape == y.shape else dy.reshape(y.shape)


def where_asked(xp: Namespace, dy: Array, gradient: Array) -> Array:
    """A gradient that is 0 where nothing arrives, though the slope there has no end."""
    return xp.where(dy == 0, dy, gradient)


def same_sizes(op_name: str, first: str, argument: str) -> Callable[..., None]:
    """A check for ops on two inputs of as many elements, which NumPy would broadcast."""

    def check(one: Array, other: Array, **attrs: Any) -> None:
        if one.size != other.size:
            want = f"have as many elements as `{first}` of shape {one.shape}"
            raise bad_shape(op_name, want=want, **{argument: other})

    return check
