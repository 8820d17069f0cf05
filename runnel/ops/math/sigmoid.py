"""Curves that saturate: sigmoid, tanh, softplus and softsign."""

from __future__ import annotations

from typing import Any

from runnel.backend.cpu_features import slow_in_numpy
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values.dtypes import COMPLEX, FLOATS
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import in_float32
from runnel.ops.math.complex import conj
from runnel.ops.shapes import as_shaped, same, same_shapes, same_sizes

_FLOATING = FLOATS | COMPLEX


@op("Sigmoid", "x: T -> y: T", T=_FLOATING, shape=same, heavy=True, recompute=0, scope="Sigmoid")
@in_float32
def _sigmoid(xp: Namespace, x: Array) -> Array:
    one = xp.ones((), x.dtype)
    return one / (one + xp.exp(-x))


@RegisterGradient("Sigmoid", needs="outputs")
def _sigmoid_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SigmoidGrad(conj(op.outputs[0]), dy)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / (1 + exp(-x))`, which lies between 0 and 1.

    Args:
        x: a tensor, or what can become one.

    >>> tf.sigmoid([-100.0, 0.0, 100.0]).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    return raw_ops.Sigmoid(x, name=name)


@op(
    "SigmoidGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("SigmoidGrad", "y", "dy"),
)
def _sigmoid_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    return as_shaped(dy, y) * y * (xp.ones((), y.dtype) - y)


@RegisterGradient("SigmoidGrad", needs="y dy")
def _sigmoid_grad_grad(op: Any, dz: Tensor) -> Gradients:
    y, dy = (conj(t) for t in op.inputs)
    part = dz * dy
    return part - 2 * part * y, raw_ops.SigmoidGrad(y, dz)


@scoped("LogSigmoid", last=True)
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of `sigmoid(x)`, exact also where that is close to 0.

    >>> tf.math.log_sigmoid([-200.0, 0.0]).numpy().round(3)
    array([-200.   ,   -0.693], dtype=float32)
    """
    return raw_ops.Neg(raw_ops.Softplus(-convert_to_tensor(x)), name=name)


@op("Tanh", "x: T -> y: T", T=_FLOATING, shape=same, heavy=slow_in_numpy("tanh"), recompute=0)
def _tanh(xp: Namespace, x: Array) -> Array:
    return xp.tanh(x)


@RegisterGradient("Tanh", needs="outputs")
def _tanh_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.TanhGrad(conj(op.outputs[0]), dy)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, which lies between -1 and 1.

    >>> tf.tanh([-100.0, 0.0, 100.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(tanh, x, name)
    return raw_ops.Tanh(x, name=name)


@op(
    "TanhGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("TanhGrad", "y", "dy"),
)
def _tanh_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    return as_shaped(dy, y) * (xp.ones((), y.dtype) - y * y)


@RegisterGradient("TanhGrad", needs="y dy")
def _tanh_grad_grad(op: Any, dz: Tensor) -> Gradients:
    y, dy = (conj(t) for t in op.inputs)
    return dz * -2 * dy * y, raw_ops.TanhGrad(y, dz)


@op("Softplus", "features: T -> activations: T", T=FLOATS, shape=same, heavy=True, recompute=0)
@in_float32
def _softplus(xp: Namespace, features: Array) -> Array:
    positive = xp.maximum(features, xp.zeros((), features.dtype))
    return positive + xp.log1p(xp.exp(-xp.abs(features)))


@RegisterGradient("Softplus", needs="features")
def _softplus_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SoftplusGrad(dy, op.inputs[0])


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """`log(1 + exp(features))`: close to 0 for negative numbers, to themselves for positive ones.

    Args:
        features: a tensor of floats.

    >>> tf.math.softplus([-100.0, 0.0, 100.0]).numpy().round(3)
    array([  0.   ,   0.693, 100.   ], dtype=float32)
    """
    return raw_ops.Softplus(features, name=name)


@op(
    "SoftplusGrad",
    "gradients: T, features: T -> backprops: T",
    T=FLOATS,
    shape=same,
    heavy=True,
    check=same_shapes("SoftplusGrad", "features"),
)
@in_float32
def _softplus_grad(xp: Namespace, gradients: Array, features: Array) -> Array:
    return gradients / (xp.exp(-features) + xp.ones((), features.dtype))


@RegisterGradient("SoftplusGrad", needs="gradients features")
def _softplus_grad_grad(op: Any, dz: Tensor) -> Gradients:
    dy, x = op.inputs
    dx = dz * dy / (raw_ops.Exp(-x) + 2 + raw_ops.Exp(x))
    return raw_ops.SoftplusGrad(dz, x), dx


@op("Softsign", "features: T -> activations: T", T=FLOATS, shape=same)
def _softsign(xp: Namespace, features: Array) -> Array:
    return features / (xp.ones((), features.dtype) + xp.abs(features))


@RegisterGradient("Softsign", needs="features")
def _softsign_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SoftsignGrad(dy, op.inputs[0])


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """`features / (1 + abs(features))`, which lies between -1 and 1.

    >>> tf.math.softsign([-1.0, 0.0, 3.0]).numpy()
    array([-0.5 ,  0.  ,  0.75], dtype=float32)
    """
    return raw_ops.Softsign(features, name=name)


@op(
    "SoftsignGrad",
    "gradients: T, features: T -> backprops: T",
    T=FLOATS,
    shape=same,
    check=same_shapes("SoftsignGrad", "features"),
)
def _softsign_grad(xp: Namespace, gradients: Array, features: Array) -> Array:
    root = xp.ones((), features.dtype) + xp.abs(features)
    return gradients / (root * root)
