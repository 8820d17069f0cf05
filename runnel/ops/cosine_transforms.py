"""Discrete cosine transforms, plain and of overlapping frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import DType
from runnel.core.errors import bad_shape
from runnel.core.raw import raw_ops
from runnel.core.tensor import Tensor
from runnel.core.types import TensorLike
from runnel.ops.fft import irfft, rfft
from runnel.ops.framing import frame, number, overlap_and_add
from runnel.ops.signal_windows import vorbis_window


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
    if n is not None:
        x = _resized(x, n)
    if not x.dtype.is_floating:
        raise TypeError(f"dct: `input` must hold floats, got {x.dtype.name}. Use tf.cast.")
    if x.shape.rank == 0:
        raise ValueError(f"dct: `input` must have rank 1 at least, got shape {x.shape}.")
    size = x.shape[-1]
    if size is None:
        raise NotImplementedError("dct: the last axis must be of known size.")
    if type == 1 and size < 2:
        raise ValueError(f"dct: type 1 needs two numbers at least, got shape {x.shape}.")
    return {1: _first, 2: _second, 3: _third, 4: _fourth}[type](x, size, norm)


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


def _resized(x: Tensor, n: int) -> Tensor:
    size = x.shape[-1]
    if size is None or size >= n:
        x = x[..., :n]
    if size is not None and size >= n:
        return x
    missing = n - size if size is not None else n - raw_ops.Shape(x)[-1]
    rank = len(x.shape)
    return raw_ops.Pad(x, [[0, missing if i == rank - 1 else 0] for i in range(rank)])


def _turns(size: int, sign: float, dtype: DType) -> np.ndarray:
    """`2 exp(sign i pi k / 2 size)` for every `k`, in the complex dtype that goes with `dtype`."""
    angle = sign * np.pi * np.arange(size) / (2.0 * size)
    return (2.0 * np.exp(1j * angle)).astype(_complex_of(dtype).np_dtype)


def _complex_of(dtype: DType) -> DType:
    return dtypes.complex128 if dtype is dtypes.float64 else dtypes.complex64


def _real(x: Tensor) -> Tensor:
    return raw_ops.Real(x, Tout=x.dtype.real_dtype)


def _reversed(x: Tensor) -> Tensor:
    return raw_ops.ReverseV2(x, np.array([-1], np.int32))


def _joined(*parts: Tensor) -> Tensor:
    return raw_ops.ConcatV2(list(parts), np.int32(-1))


def _ortho_weights(size: int, first: float, rest: float, dtype: DType) -> np.ndarray:
    weights = np.full(size, rest)
    weights[0] = first
    return weights.astype(dtype.np_dtype)


def _first(x: Tensor, size: int, norm: str | None) -> Tensor:
    return _real(rfft(_joined(x, _reversed(x[..., 1:-1]))))


def _second(x: Tensor, size: int, norm: str | None) -> Tensor:
    found = _real(rfft(x, [2 * size])[..., :size] * _turns(size, -1.0, x.dtype))
    if norm is None:
        return found
    half = 0.5 / math.sqrt(size)
    return found * _ortho_weights(size, half, half * math.sqrt(2.0), x.dtype)


def _third(x: Tensor, size: int, norm: str | None) -> Tensor:
    if norm is None:
        x = x * np.array(size, x.dtype.np_dtype)
    else:
        root = math.sqrt(size)
        x = x * _ortho_weights(size, root, root * math.sqrt(0.5), x.dtype)
    turned = raw_ops.Cast(x, DstT=_complex_of(x.dtype)) * _turns(size, 1.0, x.dtype)
    return irfft(turned, [2 * size])[..., :size]


def _fourth(x: Tensor, size: int, norm: str | None) -> Tensor:
    found = _second(_resized(x, 2 * size), 2 * size, None)[..., 1::2]
    return found if norm is None else found * np.array(math.sqrt(0.5 / size), x.dtype.np_dtype)


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
    half = mdcts.shape[-1]
    if half is None:
        raise NotImplementedError("inverse_mdct: the last axis must be of known size.")
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
