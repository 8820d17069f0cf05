"""Bessel functions of order 0 and 1; those whose names end in `e` are scaled by an exponential."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import FLOATS
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import in_float32, special
from runnel.ops.shapes import same


def _at_zero(x: Tensor, value: float, elsewhere: Tensor) -> Tensor:
    """`elsewhere`, but `value` where `x` is 0."""
    zero = raw_ops.Equal(x, raw_ops.ZerosLike(x))
    return raw_ops.SelectV2(zero, convert_to_tensor(value, dtype=x.dtype), elsewhere)


@op("BesselI0", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _bessel_i0(xp: Namespace, x: Array) -> Array:
    # Infinity times zero in TensorFlow's formula: no number.
    return xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), special(xp, "i0")(x))


@RegisterGradient("BesselI0", needs="x")
def _bessel_i0_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.BesselI1(op.inputs[0])


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    >>> tf.math.special.bessel_i0([0.5, 2.0]).numpy().round(3)
    array([1.063, 2.28 ], dtype=float32)
    """
    return raw_ops.BesselI0(x, name=name)


@op("BesselI0e", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _bessel_i0e(xp: Namespace, x: Array) -> Array:
    return special(xp, "i0e")(x)


@RegisterGradient("BesselI0e", needs="x outputs")
def _bessel_i0e_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * (raw_ops.BesselI1e(x) - raw_ops.Sign(x) * y)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(-abs(x)) * bessel_i0(x)`.

    >>> tf.math.special.bessel_i0e([0.5, 2.0]).numpy().round(3)
    array([0.645, 0.309], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(bessel_i0e, x, name)
    return raw_ops.BesselI0e(x, name=name)


@op("BesselI1", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _bessel_i1(xp: Namespace, x: Array) -> Array:
    # Infinity times zero in TensorFlow's formula: no number.
    return xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), special(xp, "i1")(x))


@RegisterGradient("BesselI1", needs="x outputs")
def _bessel_i1_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * _at_zero(x, 1.0, raw_ops.BesselI0(x) - y / x)  # TensorFlow's 1; in truth 0.5


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    >>> tf.math.special.bessel_i1([0.5, 2.0]).numpy().round(3)
    array([0.258, 1.591], dtype=float32)
    """
    return raw_ops.BesselI1(x, name=name)


@op("BesselI1e", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _bessel_i1e(xp: Namespace, x: Array) -> Array:
    return special(xp, "i1e")(x)


@RegisterGradient("BesselI1e", needs="x outputs")
def _bessel_i1e_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * _at_zero(x, 0.5, raw_ops.BesselI0e(x) - y * (raw_ops.Sign(x) + 1 / x))


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(-abs(x)) * bessel_i1(x)`.

    >>> tf.math.special.bessel_i1e([0.5, 2.0]).numpy().round(3)
    array([0.156, 0.215], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(bessel_i1e, x, name)
    return raw_ops.BesselI1e(x, name=name)


@op("BesselJ0", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_j0(xp: Namespace, x: Array) -> Array:
    return xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), special(xp, "j0")(x))


@RegisterGradient("BesselJ0", needs="x")
def _bessel_j0_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy * raw_ops.BesselJ1(op.inputs[0])


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0.

    >>> tf.math.special.bessel_j0([0.5, 2.0]).numpy().round(3)
    array([0.938, 0.224], dtype=float32)
    """
    return raw_ops.BesselJ0(x, name=name)


@op("BesselJ1", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_j1(xp: Namespace, x: Array) -> Array:
    return xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), special(xp, "j1")(x))


@RegisterGradient("BesselJ1", needs="x outputs")
def _bessel_j1_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * _at_zero(x, 0.5, raw_ops.BesselJ0(x) - y / x)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1.

    >>> tf.math.special.bessel_j1([0.5, 2.0]).numpy().round(3)
    array([0.242, 0.577], dtype=float32)
    """
    return raw_ops.BesselJ1(x, name=name)


@op("BesselK0", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_k0(xp: Namespace, x: Array) -> Array:
    return xp.where(x <= 0, np.asarray(np.inf, x.dtype), special(xp, "k0")(x))


@RegisterGradient("BesselK0", needs="x")
def _bessel_k0_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy * raw_ops.BesselK1(op.inputs[0])


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_k0([0.5, 2.0]).numpy().round(3)
    array([0.924, 0.114], dtype=float32)
    """
    return raw_ops.BesselK0(x, name=name)


@op("BesselK0e", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_k0e(xp: Namespace, x: Array) -> Array:
    return xp.where(x <= 0, np.asarray(np.inf, x.dtype), special(xp, "k0e")(x))


@RegisterGradient("BesselK0e", needs="x outputs")
def _bessel_k0e_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * (y - raw_ops.BesselK1e(x))


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x) * bessel_k0(x)`.

    >>> tf.math.special.bessel_k0e([0.5, 2.0]).numpy().round(3)
    array([1.524, 0.842], dtype=float32)
    """
    return raw_ops.BesselK0e(x, name=name)


@op("BesselK1", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_k1(xp: Namespace, x: Array) -> Array:
    return xp.where(x <= 0, np.asarray(np.inf, x.dtype), special(xp, "k1")(x))


@RegisterGradient("BesselK1", needs="x outputs")
def _bessel_k1_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * (-raw_ops.BesselK0(x) - y / x)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_k1([0.5, 2.0]).numpy().round(3)
    array([1.656, 0.14 ], dtype=float32)
    """
    return raw_ops.BesselK1(x, name=name)


@op("BesselK1e", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_k1e(xp: Namespace, x: Array) -> Array:
    return xp.where(x <= 0, np.asarray(np.inf, x.dtype), special(xp, "k1e")(x))


@RegisterGradient("BesselK1e", needs="x outputs")
def _bessel_k1e_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * (y * (1 - 1 / x) - raw_ops.BesselK0e(x))


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x) * bessel_k1(x)`.

    >>> tf.math.special.bessel_k1e([0.5, 2.0]).numpy().round(3)
    array([2.731, 1.033], dtype=float32)
    """
    return raw_ops.BesselK1e(x, name=name)


@op("BesselY0", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_y0(xp: Namespace, x: Array) -> Array:
    value = special(xp, "y0")(x)
    value = xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), value)
    return xp.where(x <= 0, np.asarray(-np.inf, x.dtype), value)


@RegisterGradient("BesselY0", needs="x")
def _bessel_y0_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy * raw_ops.BesselY1(op.inputs[0])


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0.

    >>> tf.math.special.bessel_y0([0.5, 2.0]).numpy().round(3)
    array([-0.445,  0.51 ], dtype=float32)
    """
    return raw_ops.BesselY0(x, name=name)


@op("BesselY1", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _bessel_y1(xp: Namespace, x: Array) -> Array:
    value = special(xp, "y1")(x)
    value = xp.where(xp.isinf(x), np.asarray(np.nan, x.dtype), value)
    return xp.where(x <= 0, np.asarray(-np.inf, x.dtype), value)


@RegisterGradient("BesselY1", needs="x outputs")
def _bessel_y1_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    return dy * (raw_ops.BesselY0(x) - y / x)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1.

    >>> tf.math.special.bessel_y1([0.5, 2.0]).numpy().round(3)
    array([-1.471, -0.107], dtype=float32)
    """
    return raw_ops.BesselY1(x, name=name)
