"""Special functions: the error function and its inverses, Dawson's, Fresnel's and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.filling import number_of
from runnel.core.values.dtypes import FLOATS
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import in_float32, special
from runnel.ops.shapes import same


@op("Erf", "x: T -> y: T", T=FLOATS, shape=same, heavy=True, recompute=0)
@in_float32
def _erf(xp: Namespace, x: Array) -> Array:
    return special(xp, "erf")(x)


@RegisterGradient("Erf", needs="x")
def _erf_grad(op: Any, dy: Tensor) -> Gradients:
    slope = number_of((2 / np.sqrt(np.pi)).item(), dy.dtype)
    return dy * slope * raw_ops.Exp(-raw_ops.Square(op.inputs[0]))


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function: twice the integral of the normal density with variance 1/2 from 0 to `x`.

    >>> tf.math.erf([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.843], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(erf, x, name)
    return raw_ops.Erf(x, name=name)


@op("Erfc", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _erfc(xp: Namespace, x: Array) -> Array:
    return special(xp, "erfc")(x)


@RegisterGradient("Erfc", needs="x")
def _erfc_grad(op: Any, dy: Tensor) -> Gradients:
    slope = number_of((-2 / np.sqrt(np.pi)).item(), dy.dtype)
    return dy * slope * raw_ops.Exp(-raw_ops.Square(op.inputs[0]))


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 - erf(x)`, exact also where that is close to 0.

    >>> tf.math.erfc([0.0, 5.0]).numpy().round(3)
    array([1., 0.], dtype=float32)
    """
    return raw_ops.Erfc(x, name=name)


@op("Erfinv", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _erfinv(xp: Namespace, x: Array) -> Array:
    return special(xp, "erfinv")(x)


@RegisterGradient("Erfinv", needs="outputs")
def _erfinv_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * (np.sqrt(np.pi) / 2).item() * raw_ops.Exp(raw_ops.Square(op.outputs[0]))


@scoped("erfinv")
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose error function is `x`.

    >>> tf.math.erfinv([0.0, 0.5, 1.0]).numpy().round(3)
    array([0.   , 0.477,   inf], dtype=float32)
    """
    return raw_ops.Erfinv(x, name=name)


@scoped("erfcinv")
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose complementary error function is `x`.

    >>> tf.math.erfcinv([1.0, 2.0]).numpy()
    array([ -0., -inf], dtype=float32)
    """
    half = convert_to_tensor(x) * 0.5
    return raw_ops.Mul(-ndtri(half), float(np.sqrt(0.5)), name=name)


@op("Ndtri", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _ndtri(xp: Namespace, x: Array) -> Array:
    return special(xp, "ndtri")(x)


@RegisterGradient("Ndtri", needs="outputs")
def _ndtri_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * np.sqrt(2 * np.pi).item() * raw_ops.Exp(raw_ops.Square(op.outputs[0]) / 2)


@scoped("ndtri")
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution: below it lies a share `x` of the whole.

    >>> tf.math.ndtri([0.5, 0.975]).numpy().round(3)
    array([0.  , 1.96], dtype=float32)
    """
    return raw_ops.Ndtri(x, name=name)


@op("Dawsn", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _dawsn(xp: Namespace, x: Array) -> Array:
    return special(xp, "dawsn")(x)


@RegisterGradient("Dawsn", needs="x outputs")
def _dawsn_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * (1 - 2 * op.inputs[0] * op.outputs[0])


def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: `exp(-x²)` times the integral of `exp(t²)` from 0 to `x`.

    >>> tf.math.special.dawsn([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.538], dtype=float32)
    """
    return raw_ops.Dawsn(x, name=name)


@op("Expint", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _expint(xp: Namespace, x: Array) -> Array:
    value = special(xp, "expi")(xp.abs(x))
    value = xp.where(x == 0, np.asarray(-np.inf, x.dtype), value)
    return xp.where((x < 0) | xp.isinf(x), np.asarray(np.nan, x.dtype), value)


@RegisterGradient("Expint", needs="x")
def _expint_grad(op: Any, dy: Tensor) -> Gradients:
    x = op.inputs[0]
    return dy * raw_ops.Exp(x) / x


def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral of `exp(t) / t` from minus infinity to `x`, which is not negative.

    >>> tf.math.special.expint([1.0, 2.0]).numpy().round(3)
    array([1.895, 4.954], dtype=float32)
    """
    return raw_ops.Expint(x, name=name)


@op("FresnelCos", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _fresnel_cos(xp: Namespace, x: Array) -> Array:
    return special(xp, "fresnel")(x)[1]


@RegisterGradient("FresnelCos", needs="x")
def _fresnel_cos_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Cos((np.pi / 2) * raw_ops.Square(op.inputs[0]))


def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's integral of `cos(pi/2 t²)` from 0 to `x`.

    >>> tf.math.special.fresnel_cos([0.0, 1.0]).numpy().round(3)
    array([0.  , 0.78], dtype=float32)
    """
    return raw_ops.FresnelCos(x, name=name)


@op("FresnelSin", "x: T -> y: T", T=FLOATS, shape=same, host=True)
@in_float32
def _fresnel_sin(xp: Namespace, x: Array) -> Array:
    return special(xp, "fresnel")(x)[0]


@RegisterGradient("FresnelSin", needs="x")
def _fresnel_sin_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Sin((np.pi / 2) * raw_ops.Square(op.inputs[0]))


def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's integral of `sin(pi/2 t²)` from 0 to `x`.

    >>> tf.math.special.fresnel_sin([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.438], dtype=float32)
    """
    return raw_ops.FresnelSin(x, name=name)


@op("Spence", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _spence(xp: Namespace, x: Array) -> Array:
    return special(xp, "spence")(x)


@RegisterGradient("Spence", needs="x")
def _spence_grad(op: Any, dy: Tensor) -> Gradients:
    x = op.inputs[0]
    one = raw_ops.OnesLike(x)
    at_one = raw_ops.Equal(x, one)
    return dy * raw_ops.SelectV2(at_one, -one, raw_ops.Log(x) / (1 - x))


def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's integral of `log(t) / (1 - t)` from 1 to `x`.

    >>> tf.math.special.spence([0.5, 1.0]).numpy().round(3)
    array([0.582, 0.   ], dtype=float32)
    """
    return raw_ops.Spence(x, name=name)
