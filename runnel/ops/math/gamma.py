"""The gamma function's family: its logarithm and derivatives, incomplete gamma and beta, zeta."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import FLOATS
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import in_float32, special
from runnel.ops.reduce.reductions import reduce_sum
from runnel.ops.shapes import broadcast, same

_FULL = frozenset({dtypes.float32, dtypes.float64})


@op("Lgamma", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _lgamma(xp: Namespace, x: Array) -> Array:
    infinite = np.asarray(np.inf, x.dtype)
    return xp.where(xp.isinf(x), infinite, special(xp, "gammaln")(x))


@RegisterGradient("Lgamma", needs="x")
def _lgamma_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Digamma(op.inputs[0])


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function.

    >>> tf.math.lgamma([1.0, 5.0]).numpy().round(3)
    array([0.   , 3.178], dtype=float32)
    """
    return raw_ops.Lgamma(x, name=name)


@op("Digamma", "x: T -> y: T", T=FLOATS, shape=same, heavy=True)
@in_float32
def _digamma(xp: Namespace, x: Array) -> Array:
    # At its poles the function is no number, whichever library computes it.
    pole = (x <= 0) & (xp.floor(x) == x)
    return xp.where(pole, np.asarray(np.nan, x.dtype), special(xp, "digamma")(x))


@RegisterGradient("Digamma", needs="x")
def _digamma_grad(op: Any, dy: Tensor) -> Gradients:
    x = op.inputs[0]
    return dy * raw_ops.Polygamma(convert_to_tensor(1, dtype=x.dtype), x)


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`.

    >>> tf.math.digamma([1.0, 2.0]).numpy().round(3)
    array([-0.577,  0.423], dtype=float32)
    """
    return raw_ops.Digamma(x, name=name)


@op("Polygamma", "a: T, x: T -> z: T", T=_FULL, shape=broadcast, heavy=True)
def _polygamma(xp: Namespace, a: Array, x: Array) -> Array:
    # SciPy's takes whole numbers as `a` and answers in float64; the formula below is its own.
    real = special(xp, "digamma")(x)
    sign = xp.where(xp.mod(a, 2) == 1, 1, -1).astype(x.dtype)
    order = a + np.asarray(1, x.dtype)
    factorial = xp.exp(special(xp, "gammaln")(order))
    result = sign * factorial * special(xp, "zeta")(order, x)
    result = xp.where(a == 0, real, result)
    valid = (a >= 0) & (xp.floor(a) == a)
    return xp.where(valid, result, np.asarray(np.nan, x.dtype)).astype(x.dtype)


@RegisterGradient("Polygamma", needs="a x")
def _polygamma_grad(op: Any, dz: Tensor) -> Gradients:
    a, x = op.inputs
    return None, dz * raw_ops.Polygamma(a + 1, x)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order `a`, a whole number, of `digamma`.

    >>> tf.math.polygamma([0.0, 1.0], [1.0, 1.0]).numpy().round(3)
    array([-0.577,  1.645], dtype=float32)
    """
    return raw_ops.Polygamma(a, x, name=name)


@op("Zeta", "x: T, q: T -> z: T", T=_FULL, shape=broadcast, heavy=True)
def _zeta(xp: Namespace, x: Array, q: Array) -> Array:
    value = special(xp, "zeta")(x, q).astype(x.dtype)
    value = xp.where((x < 1) | (q <= 0), np.asarray(np.nan, x.dtype), value)
    return xp.where(x == 1, np.asarray(np.inf, x.dtype), value)


@RegisterGradient("Zeta", needs="x q")
def _zeta_grad(op: Any, dz: Tensor) -> Gradients:
    x, q = op.inputs
    return None, dz * -x * raw_ops.Zeta(x + 1, q)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of `(q + n) ** -x` over all whole n from 0 on.

    >>> tf.math.zeta([2.0], [1.0]).numpy().round(3)
    array([1.645], dtype=float32)
    """
    return raw_ops.Zeta(x, q, name=name)


@op("Igamma", "a: T, x: T -> z: T", T=FLOATS, shape=broadcast, heavy=True)
@in_float32
def _igamma(xp: Namespace, a: Array, x: Array) -> Array:
    value = special(xp, "gammainc")(a, x)
    value = xp.where((x == 0) | xp.isinf(a), xp.zeros((), x.dtype), value)
    return xp.where((x < 0) | (a < 0), np.asarray(np.nan, x.dtype), value)


def _density(a: Tensor, x: Tensor) -> Tensor:
    return raw_ops.Exp(-x + (a - 1) * raw_ops.Log(x) - raw_ops.Lgamma(a))


@RegisterGradient("Igamma", needs="a x")
def _igamma_grad(op: Any, dz: Tensor) -> Gradients:
    a, x = op.inputs
    return dz * raw_ops.IgammaGradA(a, x), dz * _density(a, x)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower incomplete gamma function, as a share of the whole.

    >>> tf.math.igamma([1.0], [2.0]).numpy().round(3)
    array([0.865], dtype=float32)
    """
    return raw_ops.Igamma(a, x, name=name)


@op("Igammac", "a: T, x: T -> z: T", T=FLOATS, shape=broadcast, heavy=True)
@in_float32
def _igammac(xp: Namespace, a: Array, x: Array) -> Array:
    value = special(xp, "gammaincc")(a, x)
    value = xp.where(xp.isinf(a), xp.ones((), x.dtype), value)
    return xp.where((x < 0) | (a <= 0), np.asarray(np.nan, x.dtype), value)


@RegisterGradient("Igammac", needs="a x")
def _igammac_grad(op: Any, dz: Tensor) -> Gradients:
    a, x = op.inputs
    return -dz * raw_ops.IgammaGradA(a, x), -dz * _density(a, x)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper incomplete gamma function, as a share of the whole: `1 - igamma(a, x)`.

    >>> tf.math.igammac([1.0], [2.0]).numpy().round(3)
    array([0.135], dtype=float32)
    """
    return raw_ops.Igammac(a, x, name=name)


@op("IgammaGradA", "a: T, x: T -> z: T", T=_FULL, shape=broadcast, xla=True)
def _igamma_grad_a(xp: Namespace, a: Array, x: Array) -> Array:
    return lax.igamma_grad_a(*xp.broadcast_arrays(a, x))


def _one_shape(a: Spec, b: Spec, x: Spec, *, op_name: str) -> Dims:
    """The one shape of all inputs that are not scalars."""
    dims: Dims = ()
    for name, spec in (("a", a), ("b", b), ("x", x)):
        if spec.dims == ():
            continue
        if dims in ((), None):
            dims = spec.dims
        elif not spec.shape.is_compatible_with(dims):
            wrong: Any = {name: spec}
            raise bad_shape(op_name, want=f"be a scalar or of shape {dims}", **wrong)
        else:
            dims = spec.shape.merge_with(dims)._dims
    return dims


_one_shape.broadcasts = True  # type: ignore[attr-defined]


def _same_or_scalar(a: Array, b: Array, x: Array) -> None:
    specs = [Spec(v.shape, dtypes.float32) for v in (a, b, x)]
    _one_shape(*specs, op_name="Betainc")


@op(
    "Betainc",
    "a: T, b: T, x: T -> z: T",
    T=_FULL,
    shape=_one_shape,
    check=_same_or_scalar,
    heavy=True,
)
def _betainc(xp: Namespace, a: Array, b: Array, x: Array) -> Array:
    value = special(xp, "betainc")(a, b, x).astype(x.dtype)
    valid = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    return xp.where(valid, value, np.asarray(np.nan, x.dtype))


@RegisterGradient("Betainc", needs="a b x")
def _betainc_grad(op: Any, dz: Tensor) -> Gradients:
    """Of `x` alone, as in TensorFlow."""
    a, b, x = op.inputs
    whole = raw_ops.Lgamma(a) + raw_ops.Lgamma(b) - raw_ops.Lgamma(a + b)
    density = raw_ops.Exp(raw_ops.Xlog1py(b - 1, -x) + raw_ops.Xlogy(a - 1, x) - whole)
    return None, None, dz * density


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The incomplete beta function, as a share of the whole.

    >>> tf.math.betainc([1.0], [2.0], [0.5]).numpy()
    array([0.75], dtype=float32)
    """
    return raw_ops.Betainc(a, b, x, name=name)


@scoped("lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the beta function, over the last axis of `x`.

    >>> tf.math.lbeta([[1.0, 2.0], [3.0, 4.0]]).numpy().round(3)
    array([-0.693, -4.094], dtype=float32)
    """
    x = convert_to_tensor(x)
    parts = reduce_sum(raw_ops.Lgamma(x), -1)
    return raw_ops.Sub(parts, raw_ops.Lgamma(reduce_sum(x, -1)), name=name)
