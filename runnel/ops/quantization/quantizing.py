"""Floats in few bits: tensors of quantized dtypes, and what is left of floats after quantizing.

A tensor of dtype `qint8` holds its numbers as plain `int8`; so with the other quantized dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.op.context import state
from runnel.core.values.dtypes import (
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
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.ops.choices import QUANTIZING, ROUNDING_AWAY, at_least
from runnel.ops.shapes import same

QUANTIZED = frozenset({qint8, quint8, qint16, quint16, qint32})
_HUGE = np.finfo(np.float32).max


def along(x: Array, bound: Array, axis: int) -> Array:
    """A bound per slice along `axis`, shaped to broadcast with `x`; -1 is one bound for all."""
    if axis == -1:
        return bound.reshape(())
    if not -1 <= axis < len(x.shape):
        raise bad_shape("QuantizeV2", want=f"have more than {axis} dimensions", input=x)
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


def from_front(x: TensorLike, axis: int | None) -> int:
    """An axis as the ops take it: none at all is -1, and a negative one is counted from the end."""
    if axis is None or axis >= 0:
        return -1 if axis is None else axis
    rank = convert_to_tensor(x).ndim
    if rank is None:
        raise ValueError(f"The rank of the input must be known for the axis {axis}.")
    return axis % rank if rank else axis


def scale_for(xp: Namespace, low: Array, high: Array, least: int, most: int) -> _Scaled:
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
    for name, bound in (("min_range", min_range), ("max_range", max_range)):
        if axis == -1 and state.graph is not None and bound.dims:
            raise bad_shape("QuantizeV2", want="be a scalar", **{name: bound})
    per_slice: Dims = () if axis == -1 else min_range.dims
    return [input.dims, per_slice, per_slice]


def _check_range(input: Array, min_range: Array, max_range: Array, **attrs: Any) -> None:
    if np.any(max_range < min_range):
        raise bad_value("QuantizeV2", want="not be less than `min_range`", max_range=max_range)


@op(
    "QuantizeV2",
    "input: float32, min_range: float32, max_range: float32 "
    "-> output: T, output_min: float32, output_max: float32",
    T=QUANTIZED,
    shape=_quantize_shape,
    check=_check_range,
    mode=QUANTIZING,
    round_mode=ROUNDING_AWAY,
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
        mapped = scale_for(xp, low, high, least + narrow_range, most)
        low, high = mapped.low, mapped.high
        scaled = _clipped(xp, input, low, high, axis) * along(input, mapped.scale, axis)
        rounded = away(xp, scaled) if round_mode == "HALF_AWAY_FROM_ZERO" else xp.round(scaled)
    elif mode == "MIN_FIRST":
        rounded = _min_first_integers(xp, input, low, high, least, most, axis)
    else:
        scale = np.float32(most - least) / (high - low)
        shifted = _clipped(xp, input, low, high, axis) - along(input, low, axis)
        half = np.float32((most - least + 1) / 2 if least < 0 else 0)
        rounded = away(xp, shifted * along(input, scale, axis) - half)
    shape = () if axis == -1 else min_range.shape
    return _saturate(xp, rounded, least, most, T), low.reshape(shape), high.reshape(shape)


def _min_first_integers(
    xp: Namespace, x: Array, low: Array, high: Array, least: int, most: int, axis: int
) -> Array:
    """Steps of equal size, one of which starts at zero."""
    steps = most - least + 1
    scale = np.float32(steps) / ((high - low) * np.float32(steps / (steps - 1)))
    zero = away(xp, low * scale)
    return away(xp, x * along(x, scale, axis)) - along(x, zero, axis) + np.float32(least)


def _min_first_floats(values: Array, low: Array, high: Array, least: int, most: int) -> Array:
    """What `_min_first_integers` made integers of."""
    steps = most - least + 1
    scale = (high - low) * np.float32(steps / (steps - 1)) / np.float32(steps)
    start = away(np, low / scale) * scale
    return np.where(
        low == high, low, start + (values.astype(np.float32) - np.float32(least)) * scale
    )


def _clipped(xp: Namespace, x: Array, low: Array, high: Array, axis: int) -> Array:
    return xp.maximum(xp.minimum(x, along(x, high, axis)), along(x, low, axis))


@op(
    "Dequantize",
    "input: T, min_range: float32, max_range: float32 -> output: dtype",
    T=QUANTIZED,
    dtype=frozenset({bfloat16, float32}),
    shape=same,
    host=True,  # XLA has no quantized dtypes
    mode=QUANTIZING,
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
    low, high = (along(input, np.asarray(v, np.float32), axis) for v in (min_range, max_range))
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
) -> Any:
    """`input` as integers of the quantized dtype `T`, which share out the range between two floats.

    >>> tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8).output.numpy()
    array([  0, 128, 255], dtype=uint8)
    """
    return raw_ops.QuantizeV2(
        input,
        min_range,
        max_range,
        T=as_dtype(T),
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=from_front(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


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
        axis=from_front(input, axis),
        dtype=as_dtype(dtype),
        name=name,
    )


@op(
    "QuantizedConcat",
    "concat_dim: int32[0], values: N*T[1+], input_mins: N*float32[0], input_maxes: N*float32[0] "
    "-> output: T, output_min: float32, output_max: float32",
    N=at_least(2),
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


def quantized_concat(
    concat_dim: TensorLike,
    values: Sequence[TensorLike],
    input_mins: Sequence[TensorLike],
    input_maxes: Sequence[TensorLike],
    name: str | None = None,
) -> Any:
    """Quantized tensors one after another, all brought to the widest of their ranges.

    >>> q = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.quantized_concat(0, [q.output] * 2, [0.0, 0.0], [1.0, 1.0]).output.shape
    TensorShape([4])
    """
    return raw_ops.QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)
