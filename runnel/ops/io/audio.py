"""WAV files held in strings."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike


def _parse(contents: bytes) -> tuple[int, int, bytes]:
    """Channels, sample rate and the samples of a file of 16-bit PCM."""
    if contents[:4] != b"RIFF" or contents[8:12] != b"WAVE":
        raise ValueError("Data is not a WAV file: it lacks the header RIFF … WAVE")
    place, channels, rate = 12, 0, 0
    while place + 8 <= len(contents):
        name, size = struct.unpack("<4sI", contents[place : place + 8])
        body = contents[place + 8 : place + 8 + size]
        if len(body) < size:
            raise ValueError(f"Data too short: {name!r} holds {len(body)} of {size} bytes")
        if name == b"fmt ":
            kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", body[:16])
            if kind not in (1, 0xFFFE) or bits != 16 or not channels:
                raise ValueError(f"Can only read 16-bit PCM, got format {kind} with {bits} bits")
        if name == b"data":
            if not channels:
                raise ValueError("The samples come before their format")
            return channels, rate, body
        place += 8 + size + size % 2
    raise ValueError("Data too short: there are no samples")


def _wav_shape(
    contents: Spec, *, desired_channels: int = -1, desired_samples: int = -1
) -> list[Dims]:
    if contents.rank not in (None, 0):
        raise bad_shape("DecodeWav", want="be a scalar", contents=contents)
    samples = desired_samples if desired_samples >= 0 else None
    return [(samples, desired_channels if desired_channels >= 0 else None), ()]


@op("DecodeWav", "contents: string -> audio: float32, sample_rate: int32", shape=_wav_shape)
def _decode_wav(
    xp: Namespace, contents: Array, *, desired_channels: int = -1, desired_samples: int = -1
) -> tuple[Array, Array]:
    if np.ndim(contents):
        raise bad_shape("DecodeWav", want="be a scalar", contents=contents)
    try:
        channels, rate, data = _parse(contents.item())
    except (ValueError, struct.error) as error:
        raise InvalidArgumentError(None, None, f"DecodeWav: {error}. [Op:DecodeWav]") from None
    count = len(data) // (2 * channels)
    audio = np.frombuffer(data, "<i2", count * channels).reshape(count, channels)
    if desired_channels >= 0:  # the last channel stands in for those that are missing
        audio = audio[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples >= 0:
        audio = np.pad(audio[:desired_samples], ((0, max(0, desired_samples - count)), (0, 0)))
    return audio.astype(np.float32) / np.float32(32768), np.int32(rate)


def _file_shape(audio: Spec, sample_rate: Spec) -> Dims:
    if audio.rank not in (None, 2):
        raise bad_shape("EncodeWav", want="be 2-dimensional: samples, channels", audio=audio)
    if sample_rate.rank not in (None, 0):
        raise bad_shape("EncodeWav", want="be a scalar", sample_rate=sample_rate)
    return ()


@op("EncodeWav", "audio: float32, sample_rate: int32 -> contents: string", shape=_file_shape)
def _encode_wav(xp: Namespace, audio: Array, sample_rate: Array) -> Array:
    if audio.ndim != 2 or np.ndim(sample_rate):
        raise bad_shape("EncodeWav", want="be samples by channels, with one rate", audio=audio)
    rate, channels = int(sample_rate), audio.shape[1]
    if rate <= 0:
        raise bad_value("EncodeWav", want="be positive", sample_rate=rate)
    if not 0 < channels < 1 << 16:
        raise bad_shape("EncodeWav", want="have from 1 to 65535 channels", audio=audio)
    result = np.empty((), object)
    result[()] = wav_file(audio, rate)
    return result


def wav_file(audio: Array, rate: int) -> bytes:
    """The bytes of a WAV file: samples from -1 to 1, as [samples, channels], in 16 bits."""
    channels = audio.shape[1]
    samples = np.clip(np.rint(audio * np.float32(32768)), -32768, 32767).astype("<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data"
    contents = body + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(contents)) + contents


class DecodeWav(NamedTuple):
    """What `tf.audio.decode_wav` returns."""

    audio: Tensor
    sample_rate: Tensor


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> DecodeWav:
    """The samples of a WAV file, from -1 to 1, as [samples, channels], and the sample rate.

    >>> audio, rate = tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.25]], 8000))
    >>> audio.numpy().ravel(), rate.numpy().item()
    (array([ 0.5 , -0.25], dtype=float32), 8000)
    """
    found = raw_ops.DecodeWav(
        contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
    )
    return DecodeWav(*found)


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """A WAV file (16-bit PCM) of samples from -1 to 1, given as [samples, channels].

    >>> tf.audio.encode_wav([[0.0]], 8000).numpy()[:4]
    b'RIFF'
    """
    return raw_ops.EncodeWav(audio, sample_rate, name=name)
