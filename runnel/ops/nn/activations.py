"""Activation functions and the ops of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.values.dtypes import FLOATS, REAL
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.approximations import expm1_below
from runnel.kernels.arrays import select
from runnel.ops.array.shaping import index_operand
from runnel.ops.shapes import same, same_shapes


def alike(first: Spec, second: Spec, *, op_name: str, **attrs: Any) -> Dims:
    """The one shape that both inputs must have."""
    if first.dims is None or second.dims is None:
        return first.dims or second.dims
    if not first.shape.is_compatible_with(second.shape):
        raise bad_shape(op_name, want=f"have the shape {first.shape} of its partner", second=second)
    return first.shape.merge_with(second.shape)._dims


@op("Relu", "features: T -> activations: T", T=REAL, shape=same, elementwise=True)
def _relu(xp: Namespace, features: Array) -> Array:
    return xp.maximum(features, xp.zeros((), features.dtype))


@RegisterGradient("Relu", needs="outputs")
def _relu_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.ReluGrad(dy, op.outputs[0])


_RECTIFIED: Any = {"T": REAL, "recompute": 1, "shape": alike}
_OF_FEATURES = "gradients: T, features: T -> backprops: T"


@op("ReluGrad", _OF_FEATURES, check=same_shapes("ReluGrad", "features"), **_RECTIFIED)
def _relu_grad(xp: Namespace, gradients: Array, features: Array) -> Array:
    return select(xp, features > 0, gradients, xp.zeros((), gradients.dtype))


@RegisterGradient("ReluGrad", needs="features")
def _relu_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    features = op.inputs[1]
    return raw_ops.ReluGrad(dy, features), raw_ops.ZerosLike(features)


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """The larger of `features` and 0.

    >>> tf.nn.relu([-2.0, 0.0, 3.0]).numpy()
    array([0., 0., 3.], dtype=float32)
    """
    return raw_ops.Relu(features, name=name)


@op("Relu6", "features: T -> activations: T", T=REAL, shape=same, elementwise=True, scope="Relu6")
def _relu6(xp: Namespace, features: Array) -> Array:
    zero, six = xp.zeros((), features.dtype), xp.asarray(6, features.dtype)
    return xp.minimum(xp.maximum(features, zero), six)


@RegisterGradient("Relu6", needs="outputs")
def _relu6_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Relu6Grad(dy, op.outputs[0])


@op("Relu6Grad", _OF_FEATURES, check=same_shapes("Relu6Grad", "features"), **_RECTIFIED)
def _relu6_grad(xp: Namespace, gradients: Array, features: Array) -> Array:
    inside = (features > 0) & (features < 6)
    return select(xp, inside, gradients, xp.zeros((), gradients.dtype))


@RegisterGradient("Relu6Grad", needs="features")
def _relu6_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    features = op.inputs[1]
    return raw_ops.Relu6Grad(dy, features), raw_ops.ZerosLike(features)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """`features` cut off below 0 and above 6.

    >>> tf.nn.relu6([-2.0, 4.0, 8.0]).numpy()
    array([0., 4., 6.], dtype=float32)
    """
    return raw_ops.Relu6(features, name=name)


_SMOOTH: Any = {"T": FLOATS, "recompute": 1}


@op("LeakyRelu", "features: T=float32 -> activations: T", shape=same, scope="LeakyRelu", **_SMOOTH)
def _leaky_relu(xp: Namespace, features: Array, *, alpha: float = 0.2) -> Array:
    below = features * xp.asarray(np.float32(alpha), features.dtype)
    if alpha == 0 or xp is not np:
        return xp.where(features > 0, features, below)
    return np.maximum(features, below) if alpha <= 1 else np.minimum(features, below)


@RegisterGradient("LeakyRelu", needs="features")
def _leaky_relu_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.LeakyReluGrad(dy, op.inputs[0], alpha=op.attrs["alpha"])


@op(
    "LeakyReluGrad",
    "gradients: T=float32, features: T -> backprops: T",
    shape=alike,
    check=same_shapes("LeakyReluGrad", "features"),
    **_SMOOTH,
)
def _leaky_relu_grad(
    xp: Namespace, gradients: Array, features: Array, *, alpha: float = 0.2
) -> Array:
    slope = xp.asarray(np.float32(alpha), gradients.dtype)
    return select(xp, features > 0, gradients, gradients * slope)


@RegisterGradient("LeakyReluGrad", needs="features")
def _leaky_relu_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    features = op.inputs[1]
    dg = raw_ops.LeakyReluGrad(dy, features, alpha=op.attrs["alpha"])
    return dg, raw_ops.ZerosLike(features)


def leaky_relu(features: TensorLike, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """`features` where they are positive, `alpha` times `features` elsewhere.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    features = unread(features)
    if features.dtype.is_integer:
        features = raw_ops.Cast(features, DstT="float32")
    return raw_ops.LeakyRelu(features, alpha=float(alpha), name=name)


@op("Elu", "features: T -> activations: T", T=FLOATS, shape=same, heavy=True)
def _elu(xp: Namespace, features: Array) -> Array:
    zero = xp.zeros((), features.dtype)
    return xp.where(features < 0, expm1_below(xp, xp.minimum(features, zero)), features)


@RegisterGradient("Elu", needs="outputs")
def _elu_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.EluGrad(dy, op.outputs[0])


_OF_OUTPUTS = "gradients: T, outputs: T -> backprops: T"


@op("EluGrad", _OF_OUTPUTS, T=FLOATS, shape=alike, check=same_shapes("EluGrad", "outputs"))
def _elu_grad(xp: Namespace, gradients: Array, outputs: Array) -> Array:
    one = xp.ones((), outputs.dtype)
    return select(xp, outputs < 0, gradients * (outputs + one), gradients)


@RegisterGradient("EluGrad", needs="gradients outputs")
def _elu_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    gradients, outputs = op.inputs
    return raw_ops.EluGrad(dy, outputs), _where_negative(outputs, dy * gradients)


def _where_negative(x: Tensor, value: Tensor) -> Tensor:
    return raw_ops.SelectV2(x < 0, value, raw_ops.ZerosLike(value))


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """`features` where they are positive, `exp(features) - 1` elsewhere.

    >>> tf.nn.elu([-1.0, 0.0, 2.0]).numpy()
    array([-0.63212055,  0.        ,  2.        ], dtype=float32)
    """
    return raw_ops.Elu(features, name=name)


# The two constants make zero mean and unit variance a fixed point of a layer.
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_ALPHA = 1.6732632423543772848170429916717


@op("Selu", "features: T -> activations: T", T=FLOATS, shape=same, heavy=True)
def _selu(xp: Namespace, features: Array) -> Array:
    scale = xp.asarray(_SELU_SCALE, features.dtype)
    depth = xp.asarray(_SELU_SCALE * _SELU_ALPHA, features.dtype)
    below = depth * expm1_below(xp, xp.minimum(features, xp.zeros((), features.dtype)))
    return xp.where(features < 0, below, scale * features)


@RegisterGradient("Selu", needs="outputs")
def _selu_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SeluGrad(dy, op.outputs[0])


@op("SeluGrad", _OF_OUTPUTS, T=FLOATS, shape=alike, check=same_shapes("SeluGrad", "outputs"))
def _selu_grad(xp: Namespace, gradients: Array, outputs: Array) -> Array:
    scale = xp.asarray(_SELU_SCALE, outputs.dtype)
    depth = xp.asarray(_SELU_SCALE * _SELU_ALPHA, outputs.dtype)
    return gradients * xp.where(outputs < 0, outputs + depth, scale)


@RegisterGradient("SeluGrad", needs="gradients outputs")
def _selu_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    gradients, outputs = op.inputs
    return raw_ops.SeluGrad(dy, outputs), _where_negative(outputs, dy * gradients)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The scaled exponential linear unit, for networks that normalize themselves.

    >>> tf.nn.selu([0.0, 1.0]).numpy()
    array([0.      , 1.050701], dtype=float32)
    """
    return raw_ops.Selu(features, name=name)


@scoped("Gelu")
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """`features` times the normal distribution function of `features`.

    `approximate` uses tanh in place of erf.

    >>> tf.nn.gelu([-1.0, 0.0, 2.0]).numpy().round(4)
    array([-0.1587,  0.    ,  1.9545], dtype=float32)
    """
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(f"gelu: `features` must be a floating point tensor, got {x.dtype.name}.")
    number = x.dtype.as_numpy_dtype
    if approximate:
        inner = number(np.sqrt(2 / np.pi)) * (x + number(0.044715) * (x * x * x))
        return number(0.5) * x * (number(1) + raw_ops.Tanh(inner))
    return number(0.5) * x * (number(1) + raw_ops.Erf(x / number(np.sqrt(2))))


def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """`features * sigmoid(beta * features)`, also called swish.

    >>> tf.nn.silu([-1.0, 0.0, 2.0]).numpy().round(4)
    array([-0.2689,  0.    ,  1.7616], dtype=float32)
    """
    x = convert_to_tensor(features, name="features")
    factor = convert_to_tensor(beta, name="beta")
    if factor.dtype is not x.dtype:
        factor = raw_ops.Cast(factor, DstT=x.dtype)
    return x * raw_ops.Sigmoid(factor * x)


swish = silu


@scoped("CRelu", last=True)
def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """The relu of `features` and of `-features`, side by side along `axis`.

    >>> tf.nn.crelu([[-1.0, 2.0]]).numpy()
    array([[0., 2., 1., 0.]], dtype=float32)
    """
    x = convert_to_tensor(features)
    return relu(raw_ops.ConcatV2([x, -x], index_operand(axis), name=name))
