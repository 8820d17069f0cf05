"""Rounding floats, and the floats next to one."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, SIGNED_INTS
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.ops.shapes import broadcast, same


@op("Ceil", "x: T -> y: T", T=FLOATS, shape=same, elementwise=True)
def _ceil(xp: Namespace, x: Array) -> Array:
    return xp.ceil(x)


@RegisterGradient("Ceil", needs="")
def _ceil_grad(op: Any, dy: Tensor) -> Gradients:
    return None


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number that is not below `x`.

    >>> tf.math.ceil([-1.5, 1.5]).numpy()
    array([-1.,  2.], dtype=float32)
    """
    return raw_ops.Ceil(x, name=name)


@op("Floor", "x: T -> y: T", T=FLOATS, shape=same, elementwise=True)
def _floor(xp: Namespace, x: Array) -> Array:
    return xp.floor(x)


@RegisterGradient("Floor", needs="")
def _floor_grad(op: Any, dy: Tensor) -> Gradients:
    return None


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not above `x`.

    >>> tf.floor([-1.5, 1.5]).numpy()
    array([-2.,  1.], dtype=float32)
    """
    return raw_ops.Floor(x, name=name)


@op("Round", "x: T -> y: T", T=FLOATS | SIGNED_INTS | COMPLEX, shape=same, recompute=1)
def _round(xp: Namespace, x: Array) -> Array:
    return x if x.dtype.kind == "i" else xp.rint(x)


@RegisterGradient("Round", needs="")
def _round_grad(op: Any, dy: Tensor) -> Gradients:
    return None


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number; the even one of two that are equally near.

    Args:
        x: a tensor, or what can become one.

    >>> tf.round([0.5, 1.5, -2.6]).numpy()
    array([ 0.,  2., -3.], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x if x.dtype.is_integer else raw_ops.Round(x, name=name)


@op("Rint", "x: T -> y: T", T=FLOATS, shape=same, elementwise=True)
def _rint(xp: Namespace, x: Array) -> Array:
    return xp.rint(x)


no_gradient("Rint")


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number; the even one of two that are equally near.

    >>> tf.math.rint([0.5, 1.5, -2.6]).numpy()
    array([ 0.,  2., -3.], dtype=float32)
    """
    return raw_ops.Rint(x, name=name)


@op(
    "NextAfter",
    "x1: T=float32, x2: T -> output: T",
    T=frozenset({dtypes.float32, dtypes.float64}),
    shape=broadcast,
)
def _next_after(xp: Namespace, x1: Array, x2: Array) -> Array:
    return xp.nextafter(x1, x2)


@RegisterGradient("NextAfter", needs="")
def _next_after_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, raw_ops.ZerosLike(op.inputs[1])


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The float that follows `x1` in the direction of `x2`.

    >>> tf.math.nextafter([1.0], [2.0]).numpy() - 1
    array([1.1920929e-07], dtype=float32)
    """
    return raw_ops.NextAfter(x1, x2, name=name)
