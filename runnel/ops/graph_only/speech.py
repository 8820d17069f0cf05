"""What models of spoken words begin with: spectrograms and mel-frequency cepstral coefficients."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.settings.arguments import check_room
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec

_FLOOR = 1e-12  # of the energies whose logarithm is taken


def _frames(samples: int, window_size: int, stride: int) -> int:
    return 0 if samples < window_size else 1 + (samples - window_size) // stride


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def _spectrogram_shape(
    input: Spec, *, window_size: int, stride: int, magnitude_squared: bool
) -> Dims:
    if input.rank not in (None, 2):
        raise bad_shape("AudioSpectrogram", want="be samples by channels", input=input)
    samples, channels = input.dims or (None, None)
    frames = None if samples is None else _frames(samples, window_size, stride)
    return (channels, frames, _power_of_two(window_size) // 2 + 1)


def _check_spectrogram(input: Array, *, window_size: int, stride: int, **attrs: Any) -> None:
    if input.ndim != 2:
        raise bad_shape("AudioSpectrogram", want="be samples by channels", input=input)
    if window_size < 2:
        raise bad_value("AudioSpectrogram", want="be 2 or more", window_size=window_size)
    if stride < 1:
        raise bad_value("AudioSpectrogram", want="be 1 or more", stride=stride)
    check_room("AudioSpectrogram", (window_size,), 16)
    frames = _frames(input.shape[0], window_size, stride)
    check_room("AudioSpectrogram", (input.shape[1], frames, _power_of_two(window_size)), 16)


@op(
    "AudioSpectrogram",
    "input: float32 -> spectrogram: float32",
    shape=_spectrogram_shape,
    check=_check_spectrogram,
)
def _audio_spectrogram(
    xp: Namespace, input: Array, *, window_size: int, stride: int, magnitude_squared: bool = False
) -> Array:
    """The energy of each frequency in windows of the signal, smoothed at their ends."""
    count = _frames(input.shape[0], window_size, stride)
    length = _power_of_two(window_size)
    places = np.arange(count)[:, None] * stride + np.arange(window_size)
    curve = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    windows = xp.take(input.T.astype(np.float64), places, axis=1) * curve
    if not windows.size:
        return xp.zeros((input.shape[1], count, length // 2 + 1), np.float32)
    spectrum = xp.fft.rfft(windows, n=length, axis=-1)
    energy = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    return energy if magnitude_squared else xp.sqrt(energy)


@functools.lru_cache(16)
def _filter_bank(bins: int, rate: float, channels: int, low: float, high: float) -> np.ndarray:
    """How much of each frequency's magnitude goes to which of the overlapping mel bands."""
    to_mel = lambda frequency: 1127.0 * np.log1p(frequency / 700.0)  # noqa: E731
    step = 0.5 * rate / (bins - 1)
    edges = to_mel(low) + (to_mel(high) - to_mel(low)) / (channels + 1) * np.arange(channels + 2)
    first, last = int(1.5 + low / step), int(high / step)
    bank = np.zeros((bins, channels))
    for i in range(first, min(last, bins - 1) + 1):
        mel = to_mel(i * step)
        band = min(int(np.searchsorted(edges[1:], mel, "left")), channels)
        share = (edges[band + 1] - mel) / (edges[band + 1] - edges[band])
        if band > 0:
            bank[i, band - 1] += share
        if band < channels:
            bank[i, band] += 1 - share
    return bank


@functools.lru_cache(16)
def _cosines(size: int, count: int) -> np.ndarray:
    turns = np.arange(count)[:, None] * (np.arange(size) + 0.5)
    return (np.sqrt(2.0 / size) * np.cos(np.pi / size * turns)).T


def _mfcc_shape(
    spectrogram: Spec, sample_rate: Spec, *, dct_coefficient_count: int, **attrs: Any
) -> Dims:
    if spectrogram.rank not in (None, 3):
        raise bad_shape("Mfcc", want="have 3 dimensions", spectrogram=spectrogram)
    channels, frames = (spectrogram.dims or (None, None))[:2]
    return (channels, frames, dct_coefficient_count)


def _check_mfcc(
    spectrogram: Array,
    sample_rate: Array,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> None:
    if spectrogram.ndim != 3:
        raise bad_shape("Mfcc", want="have 3 dimensions", spectrogram=spectrogram)
    if sample_rate.size != 1:
        raise bad_shape("Mfcc", want="be a scalar", sample_rate=sample_rate)
    positive = {
        "sample_rate": int(sample_rate.reshape(())),
        "filterbank_channel_count": filterbank_channel_count,
        "dct_coefficient_count": dct_coefficient_count,
    }
    for name, value in positive.items():
        if value < 1:
            raise bad_value("Mfcc", want="be positive", **{name: value})
    if lower_frequency_limit < 0 or upper_frequency_limit <= lower_frequency_limit:
        raise bad_value("Mfcc", want="span a range", upper_frequency_limit=upper_frequency_limit)
    rows = max(spectrogram.shape[2], dct_coefficient_count, math.prod(spectrogram.shape[:2]))
    check_room("Mfcc", (rows, filterbank_channel_count), 8)
    check_room("Mfcc", (*spectrogram.shape[:2], dct_coefficient_count), 8)


@op(
    "Mfcc",
    "spectrogram: float32, sample_rate: int32[0!] -> output: float32",
    static=("sample_rate",),
    shape=_mfcc_shape,
    check=_check_mfcc,
)
def _mfcc(
    xp: Namespace,
    spectrogram: Array,
    sample_rate: np.ndarray,
    *,
    upper_frequency_limit: float = 4000.0,
    lower_frequency_limit: float = 20.0,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
) -> Array:
    limits = (lower_frequency_limit, upper_frequency_limit)
    rate = float(np.asarray(sample_rate).reshape(()))
    bank = _filter_bank(spectrogram.shape[2], rate, filterbank_channel_count, *limits)
    bands = xp.matmul(xp.sqrt(spectrogram.astype(np.float64)), bank)
    energies = xp.log(xp.maximum(bands, _FLOOR))
    cosines = _cosines(filterbank_channel_count, dct_coefficient_count)
    return xp.matmul(energies, cosines).astype(np.float32)
