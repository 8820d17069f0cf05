"""Floats in few bits: tensors of quantized dtypes, and what is left of floats after quantizing.

A tensor of dtype `qint8` holds its numbers as plain `int8`; so with the other quantized dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import (
    FLOATS,
    DType,
    as_dtype,
    bfloat16,
    float32,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
)
from runnel.core.errors import bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient, no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.ops.shapes import same

QUANTIZED = frozenset({qint8, quint8, qint16, quint16, qint32})
_HUGE = np.finfo(np.float32).max


def _along(x: Array, bound: Array, axis: int) -> Array:
    """A bound per slice along `axis`, shaped to broadcast with `x`; -1 is one bound for all."""
    if axis == -1:
        return bound.reshape(())
    if bound.shape != (x.shape[axis],):
        raise bad_shape(
            "QuantizeV2", want=f"have shape ({x.shape[axis]},) for axis {axis}", min_range=bound
        )
    return bound.reshape([-1 if i == axis else 1 for i in range(len(x.shape))])


def away(xp: Namespace, x: Array) -> Array:
    """The nearest integer, halves away from zero."""
    return xp.trunc(x + xp.copysign(np.asarray(0.5, x.dtype), x)).astype(x.dtype)


def _limits(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype.np_dtype)
    return int(info.min), int(info.max)


def _saturate(xp: Namespace, x: Array, low: int, high: int, dtype: DType) -> Array:
    wide = x.astype(np.float64)
    return xp.clip(wide, low, high).astype(dtype.np_dtype)


class _Scaled(NamedTuple):
    """How the mode SCALED maps floats: times `scale`, with the range that fills the integers."""

    scale: Array
    inverse: Array
    low: Array
    high: Array


def _scaled(xp: Namespace, low: Array, high: Array, least: int, most: int) -> _Scaled:
    """The largest scale at which both ends of the range fit between `least` and `most`."""
    kind = low.dtype
    least_, most_, huge = (
        np.asarray(v, kind)
        for v in (least, most, np.finfo(kind).max if kind.kind == "f" else _HUGE)
    )
    from_low = xp.where(
        least_ * low > 0, least_ / xp.where(low == 0, np.asarray(1, kind), low), huge
    )
    from_high = xp.where(
        most_ * high > 0, most_ / xp.where(high == 0, np.asarray(1, kind), high), huge
    )
    by_low = from_low < from_high
    inverse = xp.where(by_low, low / np.asarray(least or 1, kind), high / most_)
    return _Scaled(
        xp.where(by_low, from_low, from_high),
        inverse,
        xp.where(by_low, low, least_ * inverse),
        xp.where(by_low, most_ * inverse, high),
    )


def _quantize_shape(
    input: Spec, min_range: Spec, max_range: Spec, *, axis: int = -1, **attrs: Any
) -> list[Dims]:
    per_slice: Dims = () if axis == -1 else min_range.dims
    return [input.dims, per_slice, per_slice]


@op(
    "QuantizeV2",
    "input: float32, min_range: float32, max_range: float32 "
    "-> output: T, output_min: float32, output_max: float32",
    shape=_quantize_shape,
)
def _quantize_v2(
    xp: Namespace,
    input: Array,
    min_range: Array,
    max_range: Array,
    *,
    T: DType,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> tuple[Array, Array, Array]:
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise bad_value(
            "QuantizeV2", want="be HALF_AWAY_FROM_ZERO unless mode is SCALED", round_mode=round_mode
        )
    one = np.float32(1)
    low = xp.minimum(min_range, np.float32(0))
    margin = xp.maximum(one, xp.maximum(xp.abs(min_range), xp.abs(max_range))) * np.float32(
        ensure_minimum_range
    )
    high = xp.maximum(xp.maximum(max_range, low + margin), np.float32(0))
    least, most = _limits(T)
    if mode == "SCALED":
        mapped = _scaled(xp, low, high, least + narrow_range, most)
        low, high = mapped.low, mapped.high
        scaled = _clipped(xp, input, low, high, axis) * _along(input, mapped.scale, axis)
        rounded = away(xp, scaled) if round_mode == "HALF_AWAY_FROM_ZERO" else xp.round(scaled)
    elif mode == "MIN_FIRST":
        rounded = _min_first_integers(xp, input, low, high, least, most, axis)
    else:
        scale = np.float32(most - least) / (high - low)
        shifted = _clipped(xp, input, low, high, axis) - _along(input, low, axis)
        half = np.float32((most - least + 1) / 2 if least < 0 else 0)
        rounded = away(xp, shifted * _along(input, scale, axis) - half)
    shape = () if axis == -1 else min_range.shape
    return _saturate(xp, rounded, least, most, T), low.reshape(shape), high.reshape(shape)


def _min_first_integers(
    xp: Namespace, x: Array, low: Array, high: Array, least: int, most: int, axis: int
) -> Array:
    """Steps of equal size, one of which starts at zero."""
    steps = most - least + 1
    scale = np.float32(steps) / ((high - low) * np.float32(steps / (steps - 1)))
    zero = away(xp, low * scale)
    return away(xp, x * _along(x, scale, axis)) - _along(x, zero, axis) + np.float32(least)


def _min_first_floats(values: Array, low: Array, high: Array, least: int, most: int) -> Array:
    """What `_min_first_integers` made integers of."""
    steps = most - least + 1
    scale = (high - low) * np.float32(steps / (steps - 1)) / np.float32(steps)
    start = away(np, low / scale) * scale
    return np.where(
        low == high, low, start + (values.astype(np.float32) - np.float32(least)) * scale
    )


def _clipped(xp: Namespace, x: Array, low: Array, high: Array, axis: int) -> Array:
    return xp.maximum(xp.minimum(x, _along(x, high, axis)), _along(x, low, axis))


no_gradient("QuantizeV2")


@op(
    "Dequantize",
    "input: T, min_range: float32, max_range: float32 -> output: dtype",
    T=QUANTIZED,
    shape=same,
    host=True,  # XLA has no quantized dtypes
)
def _dequantize(
    xp: Namespace,
    input: Array,
    min_range: Array,
    max_range: Array,
    *,
    mode: str = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int = -1,
    dtype: DType = float32,
) -> Array:
    info = np.iinfo(input.dtype)
    least, most = int(info.min), int(info.max)
    low, high = (_along(input, np.asarray(v, np.float32), axis) for v in (min_range, max_range))
    values = input.astype(np.float32)
    if mode == "SCALED":
        scale = high / np.float32(most)
        if least < 0:
            scale = np.maximum(low / np.float32(least + narrow_range), scale)
        result = values * scale
    elif mode == "MIN_FIRST":
        result = _min_first_floats(values, low, high, least, most)
    else:
        half = np.float32((most - least + 1) / 2 if least < 0 else 0)
        result = (values + half) * ((high - low) / np.float32(most - least)) + low
    return np.asarray(result, dtype.np_dtype)


no_gradient("Dequantize")


class Quantized(NamedTuple):
    """A quantized tensor and the floats that its lowest and highest integer stand for."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Quantized:
    """`input` as integers of the quantized dtype `T`, which share out the range between two floats.

    >>> tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8).output.numpy()
    array([  0, 128, 255], dtype=uint8)
    """
    parts = raw_ops.QuantizeV2(
        input,
        min_range,
        max_range,
        T=as_dtype(T),
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )
    return Quantized(*parts)


def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = float32,
) -> Tensor:
    """The floats that quantized integers stand for.

    >>> q = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.dequantize(*q).numpy()
    array([0., 1.], dtype=float32)
    """
    if as_dtype(dtype) not in (float32, bfloat16):
        raise ValueError(
            f"tf.quantization.dequantize: `dtype` must be float32 or bfloat16, got {dtype!r}."
        )
    return raw_ops.Dequantize(  # type: ignore[no-any-return]
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        dtype=as_dtype(dtype),
        name=name,
    )


def _there_and_back(
    xp: Namespace,
    x: Array,
    low: Array,
    high: Array,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Array:
    if not 1 <= num_bits <= (63 if signed_input else 64):
        raise bad_value("QuantizeAndDequantize", want="be a number of bits", num_bits=num_bits)
    least = -(2 ** (num_bits - 1)) + narrow_range if signed_input else 0
    most = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    if range_given:
        low, high = _along(x, low, axis), _along(x, high, axis)
    else:
        rest = None if axis == -1 else tuple(i for i in range(len(x.shape)) if i != axis)
        low, high = xp.min(x, axis=rest, keepdims=True), xp.max(x, axis=rest, keepdims=True)
    mapped = _scaled(xp, low, high, least, most)
    if range_given:
        x = xp.maximum(xp.minimum(x, mapped.high), mapped.low)
    scaled = x * mapped.scale
    rounded = (
        xp.round(scaled)
        if round_mode == "HALF_TO_EVEN"
        else xp.floor(scaled + np.asarray(0.5, x.dtype))
    )
    return (rounded * mapped.inverse).astype(x.dtype)


@op(
    "QuantizeAndDequantizeV2",
    "input: T, input_min: T, input_max: T -> output: T",
    T=FLOATS,
    shape=same,
)
def _quantize_and_dequantize_v2(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    return _there_and_back(
        xp,
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis,
    )


@op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T",
    T=FLOATS,
    static=("num_bits",),
    shape=same,
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
        round_mode="HALF_TO_EVEN",
        narrow_range=narrow_range,
        axis=axis,
    )


@RegisterGradient("QuantizeAndDequantizeV2", needs="")
@RegisterGradient("QuantizeAndDequantizeV3", needs="")
def _straight_through(op: Any, dy: Tensor) -> Gradients:
    return dy, *([None] * (len(op.inputs) - 1))


@op(
    "QuantizeAndDequantizeV4",
    "input: T, input_min: T, input_max: T -> output: T",
    T=FLOATS,
    shape=same,
)
def _quantize_and_dequantize_v4(
    xp: Namespace,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    return _there_and_back(
        xp,
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis,
    )


@RegisterGradient("QuantizeAndDequantizeV4")
def _quantize_and_dequantize_v4_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.QuantizeAndDequantizeV4Grad(dy, *op.inputs, axis=op.get_attr("axis"))  # type: ignore[no-any-return]


def _backward_shapes(
    gradients: Spec, inputs: Spec, low: Spec, high: Spec, **attrs: Any
) -> list[Dims]:
    return [inputs.dims, low.dims, high.dims]


@op(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T, input_max: T "
    "-> input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    T=FLOATS,
    shape=_backward_shapes,
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
    low, high = _along(input, input_min, axis), _along(input, input_max, axis)
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
        axis=-1 if axis is None else _from_front(x, axis),
        name=name,
    )


def _from_front(x: Tensor, axis: int) -> int:
    if axis >= 0:
        return axis
    if x.ndim is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis % x.ndim


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
    x = convert_to_tensor(input)
    return raw_ops.QuantizeAndDequantizeV4(  # type: ignore[no-any-return]
        x,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else _from_front(x, axis),
        name=name,
    )


@op(
    "QuantizedConcat",
    "concat_dim: int32, values: N*T, input_mins: N*float32, input_maxes: N*float32 "
    "-> output: T, output_min: float32, output_max: float32",
    static=("concat_dim",),
    host=True,
    shape=lambda concat_dim, values, input_mins, input_maxes: [None, (), ()],
)
def _quantized_concat(
    xp: Namespace,
    concat_dim: np.ndarray,
    values: list[Array],
    input_mins: list[Array],
    input_maxes: list[Array],
) -> tuple[Array, Array, Array]:
    low, high = np.float32(min(input_mins)), np.float32(max(input_maxes))
    info = np.iinfo(values[0].dtype)
    least, most = int(info.min), int(info.max)
    parts = []
    for value, start, end in zip(values, input_mins, input_maxes, strict=True):
        if (start, end) != (low, high):
            real = _min_first_floats(value, start, end, least, most)
            moved = _min_first_integers(np, real, low, high, least, most, -1)
            value = np.clip(moved.astype(np.float64), least, most).astype(value.dtype)
        parts.append(value)
    return np.concatenate(parts, axis=int(concat_dim)), low, high


no_gradient("QuantizedConcat")


def quantized_concat(
    concat_dim: TensorLike,
    values: Sequence[TensorLike],
    input_mins: Sequence[TensorLike],
    input_maxes: Sequence[TensorLike],
    name: str | None = None,
) -> Quantized:
    """Quantized tensors one after another, all brought to the widest of their ranges.

    >>> q = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.quantized_concat(0, [q.output] * 2, [0.0, 0.0], [1.0, 1.0]).output.shape
    TensorShape([4])
    """
    return Quantized(
        *raw_ops.QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)
    )
