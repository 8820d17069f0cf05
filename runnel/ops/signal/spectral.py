"""Spectra over time: `tf.signal.stft`, its inverse, and spectra on the mel scale."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.settings.arguments import check_room, integer
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import (
    OperatorNotAllowedInGraphError,
    bad_shape,
    bad_value,
    describe_value,
)
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array.constants import linspace
from runnel.ops.signal.cosine import dct
from runnel.ops.signal.fft import irfft, rfft
from runnel.ops.signal.framing import frame, number, overlap_and_add
from runnel.ops.signal.windows import hann_window

Window = Callable[..., Any]
_HANN = functools.partial(hann_window, periodic=True)


def _power_of_two(size: Any) -> Any:
    """The least power of two that is no less than `size`."""
    if isinstance(size, int):
        return 1 << max(0, size - 1).bit_length()
    exponent = raw_ops.Ceil(
        raw_ops.Log(raw_ops.Cast(size, DstT=dtypes.float32)) / np.float32(np.log(2.0))
    )
    return raw_ops.Cast(raw_ops.Pow(np.float32(2.0), exponent), DstT=dtypes.int32)


@scoped("stft")
def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike = None,
    window_fn: Window | None = _HANN,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectra of the frames of `signals`, each weighted with a window.

    >>> tf.signal.stft(tf.ones([16]), frame_length=8, frame_step=4).shape
    TensorShape([3, 5])
    """
    signals = convert_to_tensor(signals)
    length = number("stft", "frame_length", frame_length)
    step = number("stft", "frame_step", frame_step)
    if fft_length is None:
        size = _power_of_two(length)
    else:
        size = number("stft", "fft_length", fft_length)
    frames = frame(signals, length, step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [size], name=name)


@scoped("inverse_stft")
def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike = None,
    window_fn: Window | None = _HANN,
    name: str | None = None,
) -> Tensor:
    """The signals of which `stfts` are the spectra, up to what the window did to them.

    `tf.signal.inverse_stft_window_fn` makes the window that undoes the one of `tf.signal.stft`.

    >>> spectra = tf.signal.stft(tf.ones([16]), frame_length=8, frame_step=4)
    >>> window = tf.signal.inverse_stft_window_fn(4)
    >>> tf.signal.inverse_stft(spectra, 8, 4, window_fn=window).numpy()[4:8].round(4)
    array([1., 1., 1., 1.], dtype=float32)
    """
    stfts = convert_to_tensor(stfts)
    if isinstance(frame_length, float):
        raise TypeError(f"inverse_stft: `frame_length` must be an integer, got {frame_length}.")
    length = number("inverse_stft", "frame_length", frame_length)
    if isinstance(frame_step, bool | float | str):
        raise ValueError(f"inverse_stft: `frame_step` must be an integer, got {frame_step!r}.")
    step = number("inverse_stft", "frame_step", frame_step)
    if fft_length is None:
        size = _power_of_two(length)
    else:
        size = number("inverse_stft", "fft_length", fft_length)
    frames = irfft(stfts, [size])
    if isinstance(size, int) and isinstance(length, int):
        frames = frames[..., :length] if size >= length else _longer(frames, length - size)
    else:
        frames = _longer(frames[..., :length], raw_ops.Maximum(length - size, np.int32(0)))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, step, name=name)


def _longer(frames: Tensor, by: Any) -> Tensor:
    rank = len(frames.shape)
    return raw_ops.Pad(frames, [[0, by if i == rank - 1 else 0] for i in range(rank)])


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Window = _HANN, name: str | None = None
) -> Window:
    """A window function for `tf.signal.inverse_stft` that undoes `forward_window_fn`.

    >>> tf.signal.inverse_stft_window_fn(2)(4, dtype=tf.float32).numpy().round(4)
    array([0., 1., 1., 1.], dtype=float32)
    """

    def inverse_window(frame_length: TensorLike, dtype: DTypeLike) -> Tensor:
        length = number("inverse_stft_window_fn", "frame_length", frame_length)
        step = number("inverse_stft_window_fn", "frame_step", frame_step)
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        power = _longer(raw_ops.Square(window), overlaps * step - length)
        table = raw_ops.Reshape(power, [overlaps, step])
        total = raw_ops.Sum(table, np.array([0], np.int32), keep_dims=True)
        flat = raw_ops.Reshape(raw_ops.Tile(total, [overlaps, 1]), [overlaps * step])
        return window / flat[:length]

    return scoped(name or "inverse_stft_window_fn")(inverse_window)


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


def _known(name: str, value: TensorLike) -> Any:
    found = constant_value(value) if isinstance(value, Tensor) else np.asarray(value)
    if found is None and name not in _MAY_BE_SYMBOLIC:
        raise OperatorNotAllowedInGraphError(
            f"linear_to_mel_weight_matrix: `{name}` must be known while tracing."
        )
    return value if found is None else found[()]


_MAY_BE_SYMBOLIC = ("num_spectrogram_bins", "sample_rate")


def _real(name: str, value: Any) -> float:
    if np.ndim(value) or np.asarray(value).dtype.kind not in "iuf":
        got = describe_value(value)
        raise TypeError(f"linear_to_mel_weight_matrix: `{name}` must be a number, got {got}.")
    return float(value)


@scoped("linear_to_mel_weight_matrix", last=True)
def linear_to_mel_weight_matrix(
    num_mel_bins: TensorLike = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: TensorLike = 125.0,
    upper_edge_hertz: TensorLike = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that turns spectra into spectra on the mel scale, multiplied from the right.

    >>> tf.signal.linear_to_mel_weight_matrix(4, 9).shape
    TensorShape([9, 4])
    """
    dtype = as_dtype(dtype)
    mels = integer(_MEL, "num_mel_bins", _known("num_mel_bins", num_mel_bins))
    count = _known("num_spectrogram_bins", num_spectrogram_bins)
    rate = _known("sample_rate", sample_rate)
    low = _real("lower_edge_hertz", _known("lower_edge_hertz", lower_edge_hertz))
    high = _real("upper_edge_hertz", _known("upper_edge_hertz", upper_edge_hertz))
    if not isinstance(count, Tensor):
        count = integer(_MEL, "num_spectrogram_bins", count)
    if not isinstance(rate, Tensor):
        rate = _real("sample_rate", rate)
    _check_mel(mels, low, high, dtype)
    if not isinstance(rate, Tensor):
        _check_rate(rate, high)
    if isinstance(count, int):
        if count < 0:
            raise bad_value(_MEL, want="not be negative", bins=count)
        check_room(_MEL, (count, mels), 8)
    edges = np.linspace(_mel(low), _mel(high), mels + 2)
    if isinstance(count, Tensor) or isinstance(rate, Tensor):
        return _symbolic_mel_weights(count, rate, edges, dtype)
    pitches = _mel(np.linspace(0.0, rate / 2, count))[1:, None]
    rising = (pitches - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - pitches) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return convert_to_tensor(np.pad(weights, ((1, 0), (0, 0))), dtype=dtype)


_MEL = "linear_to_mel_weight_matrix"


def _check_mel(mels: int, low: float, high: float, dtype: DType) -> None:
    for wrong, message in (
        (mels <= 0, f"`num_mel_bins` must be positive, got {mels}"),
        (low < 0, f"`lower_edge_hertz` must not be negative, got {low}"),
        (
            low >= high,
            f"`lower_edge_hertz` must be less than `upper_edge_hertz`, got {low}, {high}",
        ),
        (not dtype.is_floating, f"`dtype` must be a floating-point dtype, got {dtype.name}"),
    ):
        if wrong:
            raise ValueError(f"{_MEL}: {message}.")


def _check_rate(rate: float, high: float) -> None:
    if rate <= 0:
        raise ValueError(f"{_MEL}: `sample_rate` must be positive, got {rate}.")
    if high > rate / 2:
        want = "must be half of `sample_rate` at most"
        raise ValueError(f"{_MEL}: `upper_edge_hertz` {want}, got {high}.")


def _symbolic_mel_weights(count: Any, rate: Any, edges: np.ndarray, dtype: DType) -> Tensor:
    """The same by ops, for a number of bins or a rate that is known when the graph runs."""
    highest = raw_ops.Cast(convert_to_tensor(rate), DstT=dtype) / 2
    hertz = linspace(np.zeros((), dtype.np_dtype), highest, count)[1:]
    pitches = raw_ops.ExpandDims(1127.0 * raw_ops.Log1p(hertz / 700.0), np.int32(1))
    edges = edges.astype(dtype.np_dtype)
    rising = (pitches - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - pitches) / (edges[2:] - edges[1:-1])
    weights = raw_ops.Maximum(raw_ops.Minimum(rising, falling), 0)
    return raw_ops.Pad(weights, np.array([[1, 0], [0, 0]], np.int32))


@scoped("mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """The cepstral coefficients of spectra on the mel scale, given as logarithms.

    >>> tf.signal.mfccs_from_log_mel_spectrograms(tf.ones([2, 5])).shape
    TensorShape([2, 5])
    """
    spectra = convert_to_tensor(log_mel_spectrograms)
    if spectra.shape.rank == 0:
        raise bad_shape("mfccs_from_log_mel_spectrograms", want="have mel bins", spectra=spectra)
    size = spectra.shape[-1]
    if size == 0:
        raise ValueError("mfccs_from_log_mel_spectrograms: there must be mel bins, got none.")
    found = dct(spectra, type=2)
    if size is not None:
        return found * np.array(1.0 / np.sqrt(2.0 * size), found.dtype.np_dtype)
    return found * raw_ops.Rsqrt(2.0 * raw_ops.Cast(raw_ops.Shape(spectra)[-1], DstT=found.dtype))
