"""What is left of floats after quantizing them: `tf.quantization.quantize_and_dequantize`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values.dtypes import FLOATS, qint8, qint16, qint32, quint8, quint16
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.choices import ROUNDING
from runnel.ops.quantization.quantizing import along, from_front, scale_for
from runnel.ops.shapes import same_shapes

QUANTIZED = frozenset({qint8, quint8, qint16, quint16, qint32})
_HUGE = np.finfo(np.float32).max


def _there_and_back(
    xp: Namespace,
    x: Array,
    low: Array,
    high: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    if not 1 <= num_bits <= (63 if signed_input else 64):
        raise bad_value("QuantizeAndDequantize", want="be a number of bits", num_bits=num_bits)
    least = -(2 ** (num_bits - 1)) + narrow_range if signed_input else 0
    most = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    if 0 in x.shape:
        return x
    if range_given:
        low, high = along(x, low, axis), along(x, high, axis)
    else:
        rest = None if axis == -1 else tuple(i for i in range(len(x.shape)) if i != axis)
        low, high = xp.min(x, axis=rest, keepdims=True), xp.max(x, axis=rest, keepdims=True)
    mapped = scale_for(xp, low, high, least, most)
    if range_given:
        x = xp.maximum(xp.minimum(x, mapped.high), mapped.low)
    scaled = x * mapped.scale
    rounded = (
        xp.round(scaled)
        if round_mode == "HALF_TO_EVEN"
        else xp.floor(scaled + np.asarray(0.5, x.dtype))
    )
    return (rounded * mapped.inverse).astype(x.dtype)


def _shape(input: Spec, low: Spec, high: Spec, *others: Spec, **attrs: Any) -> Dims:
    for name, bound in (("input_min", low), ("input_max", high)):
        if attrs.get("axis", -1) == -1 and bound.dims:
            raise bad_shape("QuantizeAndDequantize", want="be a scalar", **{name: bound})
    return input.dims


def _scalars(input: Array, low: Array, high: Array, **attrs: Any) -> None:
    if attrs.get("range_given", True):
        _shape(Spec((), None), Spec(low.shape, None), Spec(high.shape, None), **attrs)  # type: ignore[arg-type]


_SIGNATURE = "input: T, input_min: T, input_max: T -> output: T"
for _name in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
    op(_name, _SIGNATURE, T=FLOATS, shape=_shape, check=_scalars, round_mode=ROUNDING)(
        _there_and_back
    )


@op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: int32[0] -> output: T",
    T=FLOATS,
    static=("num_bits",),
    shape=_shape,
)
def _quantize_and_dequantize_v3(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    num_bits: np.ndarray,
    *,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    return _there_and_back(
        xp,
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=int(num_bits),
        range_given=range_given,
        narrow_range=narrow_range,
        axis=axis,
    )


@RegisterGradient("QuantizeAndDequantizeV2", needs="")
@RegisterGradient("QuantizeAndDequantizeV3", needs="")
def _straight_through(op: Any, dy: Tensor) -> Gradients:
    return dy, *([None] * (len(op.inputs) - 1))


@RegisterGradient("QuantizeAndDequantizeV4")
def _quantize_and_dequantize_v4_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.QuantizeAndDequantizeV4Grad(dy, *op.inputs, axis=op.attrs["axis"])  # type: ignore[no-any-return]


def _backward_shapes(
    gradients: Spec, inputs: Spec, low: Spec, high: Spec, **attrs: Any
) -> list[Dims]:
    if not gradients.shape.is_compatible_with(inputs.shape):
        want = f"have the shape {gradients.shape} of the gradients"
        raise bad_shape("QuantizeAndDequantizeV4Grad", want=want, input=inputs)
    _shape(inputs, low, high, **attrs)
    return [inputs.dims, low.dims, high.dims]


def _check_back(gradients: Array, input: Array, low: Array, high: Array, **attrs: Any) -> None:
    same_shapes("QuantizeAndDequantizeV4Grad", "input")(gradients, input)
    _scalars(input, low, high, **attrs)


@op(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T, input_max: T "
    "-> input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    T=FLOATS,
    shape=_backward_shapes,
    check=_check_back,
)
def _quantize_and_dequantize_v4_back(
    xp: Namespace,
    gradients: Array,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    axis: int = -1,
) -> tuple[Array, Array, Array]:
    """TensorFlow gives the bounds a gradient of zero, and so do we."""
    low, high = along(input, input_min, axis), along(input, input_max, axis)
    inside = (input >= low) & (input <= high)
    none = xp.zeros(input_min.shape, gradients.dtype)
    return xp.where(inside, gradients, xp.zeros((), gradients.dtype)), none, none


no_gradient("QuantizeAndDequantizeV4Grad")


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """What is left of `input` after quantizing it; the gradient passes as if nothing had happened.

    >>> tf.quantization.quantize_and_dequantize([0.1, 0.52, 1.0], 0.0, 1.0, num_bits=3).numpy()
    array([0.       , 0.6666667, 1.       ], dtype=float32)
    """
    x = convert_to_tensor(input)
    return raw_ops.QuantizeAndDequantizeV2(  # type: ignore[no-any-return]
        x,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=from_front(x, axis),
        name=name,
    )


def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """As `quantize_and_dequantize`, with no gradient where `input` is outside of the bounds.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.52, 1.0], 0.0, 1.0, num_bits=3).numpy()
    array([0.       , 0.6666667, 1.       ], dtype=float32)
    """
    return raw_ops.QuantizeAndDequantizeV4(  # type: ignore[no-any-return]
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=from_front(input, axis),
        name=name,
    )
