"""Powers, roots, exponentials and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend.cpu_features import slow_in_numpy
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.op.registry import wants_gradient
from runnel.core.tensor.filling import ones_as, zeros_as
from runnel.core.values.dtypes import COMPLEX, FLOATS, SIGNED_INTS
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import integer_power, reciprocal_root
from runnel.ops.math.complex import conj
from runnel.ops.math.division import where_nonzero
from runnel.ops.shapes import as_shaped, broadcast, same, same_sizes, where_asked

_FLOATING = FLOATS | COMPLEX


def _no_negative_power(x: Array, y: Array) -> None:
    if y.dtype.kind == "i" and np.any(y < 0):
        raise bad_value("Pow", want="not be negative for integers", hint="Use tf.cast.", y=y)


@op(
    "Pow",
    "x: T, y: T -> z: T",
    T=_FLOATING | SIGNED_INTS,
    shape=broadcast,
    check=_no_negative_power,
    heavy=slow_in_numpy("power"),
    default_name="pow",
    scope="Pow",
    unbroadcast="asked",
)
def _pow(xp: Namespace, x: Array, y: Array) -> Array:
    return integer_power(xp, x, y) if x.dtype.kind == "i" else xp.power(x, y)


@RegisterGradient("Pow", needs="x y outputs")
def _pow_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = (conj(t) for t in op.inputs)
    dx = dz * y * raw_ops.Pow(x, y - 1, name="Pow") if wants_gradient(op, 0) else None
    if not wants_gradient(op, 1):
        return dx, None
    # Where there is no real logarithm, the power does not depend on `y`.
    has_log = raw_ops.NotEqual(x, 0) if x.dtype.is_complex else raw_ops.Greater(x, 0)
    logarithm = raw_ops.Log(raw_ops.Select(has_log, x, ones_as(x)))
    logarithm = raw_ops.Select(has_log, logarithm, zeros_as(x))
    return dx, dz * conj(op.outputs[0]) * logarithm


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` to the power of `y`, element by element.

    >>> tf.pow([2, 3], [4, 2]).numpy()
    array([16,  9], dtype=int32)
    """
    return raw_ops.Pow(x, y, name=name or "Pow")


@op("Exp", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("exp"), recompute=0)
def _exp(xp: Namespace, x: Array) -> Array:
    return xp.exp(x)


@RegisterGradient("Exp", needs="outputs")
def _exp_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * conj(op.outputs[0])


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of `x`.

    >>> tf.exp([0.0, 1.0]).numpy().round(3)
    array([1.   , 2.718], dtype=float32)
    """
    return raw_ops.Exp(x, name=name)


@op("Expm1", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("expm1"), recompute=0)
def _expm1(xp: Namespace, x: Array) -> Array:
    return xp.expm1(x)


@RegisterGradient("Expm1", needs="x")
def _expm1_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * conj(raw_ops.Exp(op.inputs[0]))


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x) - 1`, exact also for small `x`.

    >>> tf.math.expm1([1e-10]).numpy()
    array([1.e-10], dtype=float32)
    """
    return raw_ops.Expm1(x, name=name)


@op("Log", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("log"), recompute=0)
def _log(xp: Namespace, x: Array) -> Array:
    return xp.log(x)


@RegisterGradient("Log", needs="x")
def _log_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Reciprocal(conj(op.inputs[0]))


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm.

    Args:
        x: a tensor, or what can become one.

    >>> tf.math.log([1.0, 0.0]).numpy()
    array([  0., -inf], dtype=float32)
    """
    return raw_ops.Log(x, name=name)


@op("Log1p", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("log1p"), recompute=0)
def _log1p(xp: Namespace, x: Array) -> Array:
    return xp.log1p(x)


@RegisterGradient("Log1p", needs="x")
def _log1p_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Reciprocal(1 + conj(op.inputs[0]))


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """`log(1 + x)`, exact also for small `x`.

    >>> tf.math.log1p([1e-10]).numpy()
    array([1.e-10], dtype=float32)
    """
    return raw_ops.Log1p(x, name=name)


@op("Xlogy", "x: T, y: T -> z: T", T=_FLOATING, shape=broadcast, heavy=True)
def _xlogy(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.where(x == 0, xp.zeros((), x.dtype), x * xp.log(y))


@RegisterGradient("Xlogy", needs="x y")
def _xlogy_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return dz * raw_ops.Xlogy(where_nonzero(x), y), dz * raw_ops.Xdivy(x, y)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * log(y)`, but 0 wherever `x` is 0.

    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)
    """
    return raw_ops.Xlogy(x, y, name=name)


@op("Xlog1py", "x: T, y: T -> z: T", T=_FLOATING, shape=broadcast, heavy=True)
def _xlog1py(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.where(x == 0, xp.zeros((), x.dtype), x * xp.log1p(y))


@RegisterGradient("Xlog1py", needs="x y")
def _xlog1py_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return dz * raw_ops.Xlog1py(where_nonzero(x), y), dz * raw_ops.Xdivy(x, y + 1)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * log(1 + y)`, but 0 wherever `x` is 0.

    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    """
    return raw_ops.Xlog1py(x, y, name=name)


@op("Sqrt", "x: T -> y: T", T=_FLOATING, shape=same, elementwise=True, recompute=0)
def _sqrt(xp: Namespace, x: Array) -> Array:
    return xp.sqrt(x)


@RegisterGradient("Sqrt", needs="outputs")
def _sqrt_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SqrtGrad(op.outputs[0], dy)


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root; no number for negative ones.

    Args:
        x: a tensor, or what can become one.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(sqrt, x, name)
    return raw_ops.Sqrt(x, name=name)


@op(
    "SqrtGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("SqrtGrad", "y", "dy"),
)
def _sqrt_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    dy = as_shaped(dy, y)
    return where_asked(xp, dy, dy * xp.asarray(0.5, y.dtype) / xp.conj(y))


@RegisterGradient("SqrtGrad", needs="y outputs")
def _sqrt_grad_grad(op: Any, dz: Tensor) -> Gradients:
    part = dz / op.inputs[0]
    return -conj(part) * op.outputs[0], 0.5 * part


@op("Rsqrt", "x: T -> y: T", T=_FLOATING, shape=same, recompute=0)
def _rsqrt(xp: Namespace, x: Array) -> Array:
    return reciprocal_root(xp, x)


@RegisterGradient("Rsqrt", needs="outputs")
def _rsqrt_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.RsqrtGrad(op.outputs[0], dy)


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / sqrt(x)`.

    >>> tf.math.rsqrt([4.0, 0.0]).numpy()
    array([0.5, inf], dtype=float32)
    """
    return raw_ops.Rsqrt(x, name=name)


@op(
    "RsqrtGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("RsqrtGrad", "y", "dy"),
)
def _rsqrt_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    y = xp.conj(y)
    dy = as_shaped(dy, y)
    return where_asked(xp, dy, dy * xp.asarray(-0.5, y.dtype) * y * y * y)


@RegisterGradient("RsqrtGrad", needs="y dy")
def _rsqrt_grad_grad(op: Any, dz: Tensor) -> Gradients:
    y, dy = op.inputs
    y = conj(y)
    return -1.5 * conj(dz) * dy * raw_ops.Square(y), raw_ops.RsqrtGrad(y, dz)
