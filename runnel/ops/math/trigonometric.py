"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

from runnel.backend.cpu_features import slow_in_numpy
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.tensor.filling import number_of
from runnel.core.values.dtypes import COMPLEX, FLOATS
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels import approximations
from runnel.ops.math.complex import conj
from runnel.ops.shapes import broadcast, same

_FLOATING = FLOATS | COMPLEX


@op("Sin", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("sin"), recompute=4)
def _sin(xp: Namespace, x: Array) -> Array:
    return approximations.sin(xp, x)


@RegisterGradient("Sin", needs="x")
def _sin_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Cos(conj(op.inputs[0]))


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of angles in radians.

    Args:
        x: a tensor, or what can become one.

    >>> tf.sin([0.0, np.pi / 2]).numpy()
    array([0., 1.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(sin, x, name)
    return raw_ops.Sin(x, name=name)


@op("Cos", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("cos"), recompute=4)
def _cos(xp: Namespace, x: Array) -> Array:
    return approximations.cos(xp, x)


@RegisterGradient("Cos", needs="x")
def _cos_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy * raw_ops.Sin(conj(op.inputs[0]))


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of angles in radians.

    Args:
        x: a tensor, or what can become one.

    >>> tf.cos([0.0, np.pi]).numpy()
    array([ 1., -1.], dtype=float32)
    """
    return raw_ops.Cos(x, name=name)


@op("Tan", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("tan"), recompute=4)
def _tan(xp: Namespace, x: Array) -> Array:
    return approximations.tan(xp, x)


@RegisterGradient("Tan", needs="x")
def _tan_grad(op: Any, dy: Tensor) -> Gradients:
    secant = raw_ops.Reciprocal(raw_ops.Cos(conj(op.inputs[0])))
    return dy * raw_ops.Square(secant)


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of angles in radians.

    >>> tf.tan([0.0, np.pi / 4]).numpy().round(3)
    array([0., 1.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(tan, x, name)
    return raw_ops.Tan(x, name=name)


@op("Asin", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arcsin"))
def _asin(xp: Namespace, x: Array) -> Array:
    return approximations.asin(xp, x)


@RegisterGradient("Asin", needs="x")
def _asin_grad(op: Any, dy: Tensor) -> Gradients:
    x = conj(op.inputs[0])
    return dy * _arc_slope(x)


def _arc_slope(x: Tensor) -> Tensor:
    """The derivative of the angle whose sine is `x`."""
    square = raw_ops.Square(x)
    rest = raw_ops.Sub(number_of(1.0, x.dtype), square, name="Sub")
    return raw_ops.Reciprocal(raw_ops.Sqrt(rest))  # type: ignore[no-any-return]


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose sine is `x`.

    >>> tf.asin([0.0, 1.0]).numpy().round(3)
    array([0.   , 1.571], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(asin, x, name)
    return raw_ops.Asin(x, name=name)


@op("Acos", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arccos"))
def _acos(xp: Namespace, x: Array) -> Array:
    return approximations.acos(xp, x)


@RegisterGradient("Acos", needs="x")
def _acos_grad(op: Any, dy: Tensor) -> Gradients:
    x = conj(op.inputs[0])
    return dy * -_arc_slope(x)


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from 0 to pi, whose cosine is `x`.

    >>> tf.acos([1.0, -1.0]).numpy().round(3)
    array([0.   , 3.142], dtype=float32)
    """
    return raw_ops.Acos(x, name=name)


@op("Atan", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arctan"))
def _atan(xp: Namespace, x: Array) -> Array:
    return approximations.atan(xp, x)


@RegisterGradient("Atan", needs="x")
def _atan_grad(op: Any, dy: Tensor) -> Gradients:
    x = conj(op.inputs[0])
    square = raw_ops.Square(x)
    return dy * raw_ops.Reciprocal(raw_ops.AddV2(number_of(1.0, x.dtype), square, name="Add"))


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose tangent is `x`.

    >>> tf.atan([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.785], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(atan, x, name)
    return raw_ops.Atan(x, name=name)


@op("Atan2", "y: T, x: T -> z: T", T=FLOATS, shape=broadcast, heavy=slow_in_numpy("arctan2"))
def _atan2(xp: Namespace, y: Array, x: Array) -> Array:
    return approximations.atan2(xp, y, x)


@RegisterGradient("Atan2", needs="y x")
def _atan2_grad(op: Any, dz: Tensor) -> Gradients:
    y, x = op.inputs
    part = dz / (raw_ops.Square(x) + raw_ops.Square(y))
    return x * part, -y * part


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from -pi to pi, of the point with coordinates `x` and `y`.

    >>> tf.atan2([1.0, -1.0], [-1.0, 1.0]).numpy().round(3)
    array([ 2.356, -0.785], dtype=float32)
    """
    return raw_ops.Atan2(y, x, name=name)


@op("Sinh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("sinh"))
def _sinh(xp: Namespace, x: Array) -> Array:
    return xp.sinh(x)


@RegisterGradient("Sinh", needs="x")
def _sinh_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Cosh(conj(op.inputs[0]))


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine.

    >>> tf.sinh([0.0, 1.0]).numpy().round(3)
    array([0.   , 1.175], dtype=float32)
    """
    return raw_ops.Sinh(x, name=name)


@op("Cosh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("cosh"))
def _cosh(xp: Namespace, x: Array) -> Array:
    return xp.cosh(x)


@RegisterGradient("Cosh", needs="x")
def _cosh_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Sinh(conj(op.inputs[0]))


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine.

    >>> tf.cosh([0.0, 1.0]).numpy().round(3)
    array([1.   , 1.543], dtype=float32)
    """
    return raw_ops.Cosh(x, name=name)


@op("Asinh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arcsinh"))
def _asinh(xp: Namespace, x: Array) -> Array:
    return xp.arcsinh(x)


@RegisterGradient("Asinh", needs="outputs")
def _asinh_grad(op: Any, dy: Tensor) -> Gradients:
    return dy / raw_ops.Cosh(conj(op.outputs[0]))


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic sine is `x`.

    >>> tf.asinh([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.881], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(asinh, x, name)
    return raw_ops.Asinh(x, name=name)


@op("Acosh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arccosh"))
def _acosh(xp: Namespace, x: Array) -> Array:
    return xp.arccosh(x)


@RegisterGradient("Acosh", needs="outputs")
def _acosh_grad(op: Any, dy: Tensor) -> Gradients:
    return dy / raw_ops.Sinh(conj(op.outputs[0]))


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number, not negative, whose hyperbolic cosine is `x`.

    >>> tf.acosh([1.0, 2.0]).numpy().round(3)
    array([0.   , 1.317], dtype=float32)
    """
    return raw_ops.Acosh(x, name=name)


@op("Atanh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("arctanh"))
def _atanh(xp: Namespace, x: Array) -> Array:
    return xp.arctanh(x)


@RegisterGradient("Atanh", needs="x")
def _atanh_grad(op: Any, dy: Tensor) -> Gradients:
    x = conj(op.inputs[0])
    return dy * raw_ops.Reciprocal(1 - raw_ops.Square(x))


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic tangent is `x`.

    >>> tf.atanh([0.0, 0.5]).numpy().round(3)
    array([0.   , 0.549], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(atanh, x, name)
    return raw_ops.Atanh(x, name=name)
