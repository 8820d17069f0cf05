"""Discrete cosine transforms, plain and of overlapping frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, float32, float64
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import TensorLike
from runnel.ops.signal.fft import irfft, rfft
from runnel.ops.signal.framing import frame, number, overlap_and_add, padded
from runnel.ops.signal.windows import vorbis_window


def _check(op_name: str, type: int, axis: int, norm: str | None, n: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"{op_name}: `axis` must be -1, got {axis}.")
    if n is not None and n < 1:
        raise ValueError(f"{op_name}: `n` must be positive, got {n}.")
    if type not in (1, 2, 3, 4):
        raise ValueError(f"{op_name}: `type` must be 1, 2, 3 or 4, got {type}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"{op_name}: `norm` must be None or 'ortho', got {norm!r}.")
    if type == 1 and norm == "ortho":
        raise ValueError(f"{op_name}: the transform of type 1 has no norm 'ortho'.")


@scoped("dct")
def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of the last axis, of one of four types.

    The axis is cut or padded with zeros to `n`; `norm="ortho"` makes the transform orthogonal.

    >>> tf.signal.dct([1.0, 1.0], norm="ortho").numpy().round(4)
    array([1.4142, 0.    ], dtype=float32)
    """
    _check("dct", type, axis, norm, n)
    x = convert_to_tensor(input)
    if not x.dtype.is_floating or (type != 1 and x.dtype not in (float32, float64)):
        raise TypeError(f"dct: `input` must hold floats, got {x.dtype.name}. Use tf.cast.")
    if n is not None:
        x = _resized(x, n)
    if x.shape.rank == 0:
        raise ValueError(f"dct: `input` must have rank 1 at least, got shape {x.shape}.")
    if x.ndim == 0:
        raise ValueError("A transform needs an axis, got a scalar.")
    size = x.shape[-1] if x.ndim is not None else None
    if size is None:
        size = raw_ops.Shape(x)[-1]
    if type == 1 and isinstance(size, int) and size < 2:
        raise ValueError(f"dct: type 1 needs two numbers at least, got shape {x.shape}.")
    return {1: _first, 2: _second, 3: _third, 4: _fourth}[type](x, size, norm)


@scoped("idct")
def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The transform that undoes `tf.signal.dct` of the same type, up to a factor without `norm`.

    >>> tf.signal.idct(tf.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2.], dtype=float32)
    """
    _check("idct", type, axis, norm, n)
    inverse = {1: 1, 2: 3, 3: 2, 4: 4}[type]
    return dct(input, type=inverse, n=n, axis=axis, norm=norm, name=name)


def _resized(x: Tensor, n: Any) -> Tensor:
    """The last axis cut or filled with zeros to `n`."""
    size = x.shape[-1] if x.ndim is not None else None
    if size is None or not isinstance(n, int):
        x = x[..., :n]
        return padded(x, -1, n - raw_ops.Shape(x)[-1], 0)
    return x[..., :n] if size >= n else padded(x, -1, n - size, 0)


def _turns(size: Any, sign: float, dtype: DType) -> Any:
    """`2 exp(sign i pi k / 2 size)` for every `k`, in the complex dtype that goes with `dtype`."""
    if isinstance(size, int):
        angle = sign * np.pi * np.arange(size) / (2.0 * size)
        return (2.0 * np.exp(1j * angle)).astype(_complex_of(dtype).np_dtype)
    places = raw_ops.Cast(raw_ops.Range(np.int32(0), size, np.int32(1)), DstT=dtypes.float64)
    angles = places * (sign * np.pi / 2.0) / raw_ops.Cast(size, DstT=dtypes.float64)
    turns = raw_ops.Complex(2.0 * raw_ops.Cos(angles), 2.0 * raw_ops.Sin(angles), Tout="complex128")
    return raw_ops.Cast(turns, DstT=_complex_of(dtype))


def _complex_of(dtype: DType) -> DType:
    return dtypes.complex128 if dtype is dtypes.float64 else dtypes.complex64


def _real(x: Tensor) -> Tensor:
    return raw_ops.Real(x, Tout=x.dtype.real_dtype)


def _reversed(x: Tensor) -> Tensor:
    return raw_ops.ReverseV2(x, np.array([-1], np.int32))


def _joined(*parts: Tensor) -> Tensor:
    return raw_ops.ConcatV2(list(parts), np.int32(-1))


def _number(size: Any, power: float, dtype: DType) -> Any:
    """`size ** power`, computed with 64 bits."""
    if isinstance(size, int):
        with np.errstate(divide="ignore"):
            return np.array(np.float64(size) ** power, dtype.np_dtype)
    wide = raw_ops.Cast(size, DstT=dtypes.float64)
    return raw_ops.Cast(raw_ops.Pow(wide, np.float64(power)), DstT=dtype)


def _ortho_weights(size: Any, first: float, rest: float, dtype: DType) -> Any:
    """`first` and then `rest` in every other place."""
    if isinstance(size, int):
        return np.where(np.arange(size) == 0, first, rest).astype(dtype.np_dtype)
    at_front = raw_ops.Equal(raw_ops.Range(np.int32(0), size, np.int32(1)), np.int32(0))
    return raw_ops.SelectV2(at_front, *(np.array(w, dtype.np_dtype) for w in (first, rest)))


def _first(x: Tensor, size: Any, norm: str | None) -> Tensor:
    return _real(rfft(_joined(x, _reversed(x[..., 1:-1]))))


def _second(x: Tensor, size: Any, norm: str | None) -> Tensor:
    found = _real(rfft(x, [2 * size])[..., :size] * _turns(size, -1.0, x.dtype))
    if norm is None:
        return found
    weights = _ortho_weights(size, 0.5, math.sqrt(0.5), x.dtype)
    return found * (weights * _number(size, -0.5, x.dtype))


def _third(x: Tensor, size: Any, norm: str | None) -> Tensor:
    if norm is None:
        x = x * _number(size, 1.0, x.dtype)
    else:
        weights = _ortho_weights(size, 1.0, math.sqrt(0.5), x.dtype)
        x = x * (weights * _number(size, 0.5, x.dtype))
    turned = raw_ops.Cast(x, DstT=_complex_of(x.dtype)) * _turns(size, 1.0, x.dtype)
    return irfft(turned, [2 * size])[..., :size]


def _fourth(x: Tensor, size: Any, norm: str | None) -> Tensor:
    found = _second(_resized(x, 2 * size), 2 * size, None)[..., 1::2]
    if norm is None:
        return found
    return found * (_number(size, -0.5, x.dtype) * np.array(math.sqrt(0.5), x.dtype.np_dtype))


@scoped("mdct")
def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform of frames that overlap by half.

    >>> tf.signal.mdct(tf.ones([16]), frame_length=8).shape
    TensorShape([3, 4])
    """
    signals = convert_to_tensor(signals)
    if signals.ndim is None:
        raise ValueError("mdct: `signals` must be of known rank.")
    exact = not isinstance(frame_length, float | bool)
    length = number("mdct", "frame_length", frame_length) if exact else None
    if not isinstance(length, int) or length % 4:
        raise ValueError(f"mdct: `frame_length` must be a multiple of 4, got {frame_length}.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    else:
        frames = frames * np.array(math.sqrt(0.5), frames.dtype.np_dtype)
    quarter = length // 4
    a, b, c, d = (frames[..., i * quarter : (i + 1) * quarter] for i in range(4))
    return dct(_joined(-_reversed(c) - d, a - _reversed(b)), type=4, norm=norm)


@scoped("inverse_mdct")
def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signals of which `mdcts` are the transforms; the ends, which no two frames cover, fade.

    >>> coefficients = tf.signal.mdct(tf.ones([16]), 8, norm="ortho")
    >>> tf.signal.inverse_mdct(coefficients, norm="ortho").numpy()[4:8].round(4)
    array([1., 1., 1., 1.], dtype=float32)
    """
    mdcts = convert_to_tensor(mdcts)
    if mdcts.shape.rank == 0:
        raise ValueError("inverse_mdct: `mdcts` must have an axis of coefficients, got a scalar.")
    half = mdcts.shape[-1] if mdcts.ndim is not None else None
    if half is None:
        raise ValueError("inverse_mdct: the last axis must be of known size.")
    if half % 2:
        raise bad_shape("inverse_mdct", want="have an even last dimension", mdcts=mdcts)
    if not half and mdcts.shape.rank >= 2 and mdcts.shape.is_fully_defined():
        return raw_ops.Reshape(mdcts, np.array([*mdcts.shape[:-2], 0], np.int32))
    found = dct(mdcts, type=4, norm=norm)
    if norm is None:
        found = found * np.array(0.5 / max(half, 1), found.dtype.np_dtype)
    first, second = found[..., : half // 2], found[..., half // 2 :]
    frames = _joined(second, -_reversed(second), -_reversed(first), -first)
    if window_fn is not None:
        frames = frames * window_fn(2 * half, dtype=frames.dtype)
    else:
        frames = frames * np.array(math.sqrt(0.5), frames.dtype.np_dtype)
    return overlap_and_add(frames, half)
