"""Window functions: weights for the samples of a frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import bad_value, describe_value
from runnel.core.values.types import DTypeLike, TensorLike


def _length(op_name: str, window_length: TensorLike, dtype: DTypeLike) -> tuple[Tensor, DType]:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"{op_name}: `dtype` must be a floating-point dtype, got {dtype.name}.")
    length = convert_to_tensor(window_length, dtype_hint=dtypes.int32)
    if length.ndim not in (None, 0):
        raise ValueError(f"{op_name}: `window_length` must be a scalar, got shape {length.shape}.")
    if not length.dtype.is_integer and not length.dtype.is_bool:
        got = describe_value(window_length)
        raise TypeError(f"{op_name}: `window_length` must be an integer, got {got}.")
    return raw_ops.Cast(length, DstT=dtypes.int32), dtype


def _counts(length: Tensor, dtype: DType) -> Tensor:
    return raw_ops.Cast(raw_ops.Range(np.int32(0), length, np.int32(1)), DstT=dtype)


def _is(length: Tensor, number: int) -> bool:
    known = constant_value(length)
    return known is not None and int(known) == number


def _number(value: float, dtype: DType) -> np.ndarray:
    return np.array(value, dtype.np_dtype)


def _raised_cosine(
    op_name: str, window_length: TensorLike, periodic: TensorLike, dtype: DTypeLike, a: float
) -> Tensor:
    length, dtype = _length(op_name, window_length, dtype)
    if _is(length, 1):
        return raw_ops.Fill(np.array([1], np.int32), _number(1, dtype))
    even = 1 - raw_ops.FloorMod(length, 2)
    periodic = raw_ops.Cast(convert_to_tensor(periodic, dtype=dtypes.bool), DstT=dtypes.int32)
    period = raw_ops.Cast(length + periodic * even - 1, DstT=dtype)
    angle = _number(2 * math.pi, dtype) * _counts(length, dtype) / period
    return _number(a, dtype) - _number(1 - a, dtype) * raw_ops.Cos(angle)


@scoped("hann_window")
def hann_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Hann window, a raised cosine that begins with zero.

    >>> tf.signal.hann_window(4).numpy().round(4)
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine("hann_window", window_length, periodic, dtype, 0.5)


@scoped("hamming_window")
def hamming_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Hamming window, a raised cosine that begins with 0.08.

    >>> tf.signal.hamming_window(4).numpy().round(4)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    return _raised_cosine("hamming_window", window_length, periodic, dtype, 0.54)


@scoped("vorbis_window")
def vorbis_window(
    window_length: TensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the Vorbis codec, whose halves add up to one in power.

    >>> tf.signal.vorbis_window(4).numpy().round(4)
    array([0.228 , 0.9737, 0.9737, 0.228 ], dtype=float32)
    """
    length, dtype = _length("vorbis_window", window_length, dtype)
    places = _counts(length, dtype) + _number(0.5, dtype)
    slow = raw_ops.Sin(_number(math.pi, dtype) * places / raw_ops.Cast(length, DstT=dtype))
    return raw_ops.Sin(_number(math.pi / 2, dtype) * slow * slow)


@scoped("kaiser_window")
def kaiser_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Kaiser window; a greater `beta` makes it narrower.

    >>> tf.signal.kaiser_window(3, beta=2.0).numpy().round(4)
    array([0.4387, 1.    , 0.4387], dtype=float32)
    """
    length, dtype = _length("kaiser_window", window_length, dtype)
    if _is(length, 1):
        return raw_ops.Fill(np.array([1], np.int32), _number(1, dtype))
    if _is(length, 0):
        raise bad_value("kaiser_window", want="be positive", window_length=length)
    beta = _as(beta, dtype)
    last = raw_ops.Cast(length - 1, DstT=dtype)
    place = _number(2, dtype) * _counts(length, dtype) / last - _number(1, dtype)
    one = _number(1, dtype)
    inside = raw_ops.Sqrt(raw_ops.Maximum(one - place * place, _number(0, dtype)))
    power = beta * inside
    return raw_ops.Exp(power - beta) * raw_ops.BesselI0e(power) / raw_ops.BesselI0e(beta)


def _as(value: Any, dtype: DType) -> Tensor:
    if isinstance(value, Tensor | str):
        return raw_ops.Cast(value, DstT=dtype)
    return convert_to_tensor(value, dtype=dtype)


@scoped("kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The Kaiser-Bessel-derived window, whose halves add up to one in power.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(4)
    array([0.4834, 0.8754, 0.8754, 0.4834], dtype=float32)
    """
    length, dtype = _length("kaiser_bessel_derived_window", window_length, dtype)
    half = length // 2
    sums = raw_ops.Cumsum(kaiser_window(half + 1, beta, dtype), np.int32(0))
    rising = raw_ops.Sqrt(sums[:-1] / sums[-1])
    falling = raw_ops.ReverseV2(rising, np.array([0], np.int32))
    return raw_ops.ConcatV2([rising, falling], np.int32(0))
