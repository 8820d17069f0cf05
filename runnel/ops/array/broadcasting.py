"""Shapes that meet by repetition: `tf.broadcast_to` and the arithmetic of broadcast shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import INDICES
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape, broadcast_shapes
from runnel.core.values.types import Array, Dims, Gradients, Namespace, ShapeLike, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.shaping import WIDE, entries, index_operand, index_tensor


def _broadcast_to_shape(input: Spec, shape: Spec) -> Dims:
    wanted = entries(shape)
    if wanted is None:
        return None
    if any(d is not None and d < 0 for d in wanted):
        raise bad_value("BroadcastTo", want="hold no negative sizes", shape=shape.value)
    if input.dims is not None:
        try:
            reached = broadcast_shapes(input.dims, wanted)
        except ValueError:
            reached = None
        if (
            reached is None
            or len(input.dims) > len(wanted)
            or any(
                w is not None and r not in (w, None) for r, w in zip(reached, wanted, strict=True)
            )
        ):
            raise bad_shape("BroadcastTo", want=f"broadcast to {list(wanted)}", input=input)
        return tuple(r if w is None and r != 1 else w for r, w in zip(reached, wanted, strict=True))
    return wanted


_broadcast_to_shape.broadcasts = True  # type: ignore[attr-defined]  # the engine sums its gradient


@op(
    "BroadcastTo",
    "input: T, shape: Tidx[1] -> output: T",
    Tidx=WIDE,
    static=("shape",),
    shape=_broadcast_to_shape,
)
def _broadcast_to(xp: Namespace, input: Array, shape: np.ndarray) -> Array:
    dims = tuple(shape.tolist())
    check_room("BroadcastTo", dims, input.dtype.itemsize)
    return arrays.broadcast_to(xp, input, dims)


@RegisterGradient("BroadcastTo", needs="")
def _broadcast_to_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, None


def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`input` repeated, without a copy, until it has `shape`.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    return raw_ops.BroadcastTo(input, index_operand(shape), name=name)  # type: ignore[no-any-return]


def _args_shape(s0: Spec, s1: Spec) -> Dims:
    if s0.value is not None and s1.value is not None:
        return (len(_joined("BroadcastArgs", s0.value, s1.value)),)
    if s0.dims and s1.dims and s0.dims[0] is not None and s1.dims[0] is not None:
        return (max(s0.dims[0], s1.dims[0]),)
    return (None,)


def _joined(op_name: str, s0: Array, s1: Array) -> tuple[int, ...]:
    try:
        return broadcast_shapes(tuple(s0.tolist()), tuple(s1.tolist()))  # type: ignore[return-value]
    except ValueError:
        raise bad_value(op_name, want=f"broadcast with {s0.tolist()}", s1=s1) from None


@op(
    "BroadcastArgs",
    "s0: T[1], s1: T[1] -> r0: T",
    T=INDICES,
    static=("s0", "s1"),
    shape=_args_shape,
)
def _broadcast_args(xp: Namespace, s0: np.ndarray, s1: np.ndarray) -> Array:
    return np.array(_joined("BroadcastArgs", s0, s1), s0.dtype)


def _reduction_axes(s0: Array, s1: Array) -> tuple[Array, Array]:
    """The axes along which operands of these shapes were repeated to meet each other."""
    _joined("BroadcastGradientArgs", s0, s1)
    if np.array_equal(s0, s1):
        return np.zeros(0, s0.dtype), np.zeros(0, s0.dtype)
    rank = max(s0.size, s1.size)
    a, b = (np.concatenate([np.ones(rank - s.size, s.dtype), s]) for s in (s0, s1))
    single = (a == 1) & (b == 1)  # either may be summed over: it changes nothing
    r0 = np.flatnonzero((a == 1) & ((b != 1) | single) | (np.arange(rank) < rank - s0.size))
    r1 = np.flatnonzero((b == 1) & ((a != 1) | single) | (np.arange(rank) < rank - s1.size))
    return r0.astype(s0.dtype), r1.astype(s0.dtype)


def _gradient_args_shape(s0: Spec, s1: Spec) -> list[Dims]:
    if s0.value is None or s1.value is None:
        return [(None,), (None,)]
    return [part.shape for part in _reduction_axes(s0.value, s1.value)]


@op(
    "BroadcastGradientArgs",
    "s0: T[1], s1: T[1] -> r0: T, r1: T",
    T=INDICES,
    static=("s0", "s1"),
    shape=_gradient_args_shape,
)
def _broadcast_gradient_args(xp: Namespace, s0: np.ndarray, s1: np.ndarray) -> tuple[Array, Array]:
    return _reduction_axes(s0, s1)


no_gradient("BroadcastGradientArgs")


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape, as a tensor, of the result of broadcasting tensors of two shapes given as tensors.

    >>> tf.broadcast_dynamic_shape([1, 2, 3], [5, 1, 3]).numpy()
    array([5, 2, 3], dtype=int32)
    """
    x, y = (index_tensor(s) if _is_empty(s) else s for s in (shape_x, shape_y))
    return raw_ops.BroadcastArgs(x, y)  # type: ignore[no-any-return]


def _is_empty(shape: Any) -> bool:
    """Whether it is `[]`, the shape of a scalar, which would by itself be a list of floats."""
    return isinstance(shape, list | tuple) and not shape


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape of the result of broadcasting tensors of two known shapes.

    >>> tf.broadcast_static_shape(tf.TensorShape([1, 2, 3]), tf.TensorShape([5, 1, 3]))
    TensorShape([5, 2, 3])
    """
    try:
        return TensorShape(broadcast_shapes(shape_x._dims, shape_y._dims))
    except ValueError:
        raise ValueError(f"Shapes {shape_x} and {shape_y} do not broadcast together.") from None
