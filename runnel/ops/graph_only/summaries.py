"""Summaries as messages in strings, which a program writes to an event file: TensorFlow 1's way."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import no_gradient, op
from runnel.core.protos import messages
from runnel.core.values.array_protos import array_proto
from runnel.core.values.dtypes import FROM_NUMPY, REAL, float16, float32, float64, uint8
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Namespace
from runnel.kernels.images import png
from runnel.ops.choices import at_least
from runnel.ops.io.audio import wav_file
from runnel.ops.shapes import scalar

_LARGEST = float(np.finfo(np.float64).max)
_BAD_COLOR = np.array([255, 0, 0, 255], np.uint8)


def _string(message: Any) -> Array:
    made = np.empty((), object)
    made[()] = message.SerializeToString()
    return made


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _tag(name: str, tag: Array) -> str:
    if np.ndim(tag):
        raise bad_shape(name, want="be a scalar", tag=tag)
    return _text(np.asarray(tag).item())


@op("ScalarSummary", "tags: string, values: T -> summary: string", T=REAL, shape=scalar, host=True)
def _scalar_summary(xp: Namespace, tags: Array, values: Array) -> Array:
    if np.shape(tags) != np.shape(values):
        raise bad_shape("ScalarSummary", want=f"have the shape {np.shape(tags)}", values=values)
    made = messages.Summary()
    for tag, value in zip(np.ravel(tags), np.ravel(values), strict=True):
        made.value.add(tag=_text(tag), simple_value=float(value))
    return _string(made)


def _limits() -> Array:
    """The ends of the buckets of histograms: each a tenth larger than the one before it."""
    found, limit = [], 1e-12
    while limit < 1e20:
        found.append(limit)
        limit *= 1.1
    positive = [*found, _LARGEST]
    return np.array([*[-x for x in reversed(positive)], 0.0, *positive])


def histogram(values: Array) -> Any:
    """How often values occur, in buckets that grow; empty ones side by side are one."""
    flat = np.ravel(values).astype(np.float64)
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, flat, side="right"), minlength=len(limits))
    made = messages.HistogramProto(
        min=float(flat.min()) if flat.size else _LARGEST,
        max=float(flat.max()) if flat.size else -_LARGEST,
        num=float(flat.size),
        sum=float(flat.sum()),
        sum_squares=float((flat * flat).sum()),
    )
    place = 0
    while place < len(limits):
        end, count = limits[place], counts[place]
        place += 1
        while count == 0 and place < len(limits) and counts[place] == 0:
            end = limits[place]
            place += 1
        made.bucket_limit.append(float(end))
        made.bucket.append(float(count))
    return made


_SUMMARY: Any = {"host": True, "shape": scalar}


@op("HistogramSummary", "tag: string, values: T=float32 -> summary: string", T=REAL, **_SUMMARY)
def _histogram_summary(xp: Namespace, tag: Array, values: Array) -> Array:
    name = _tag("HistogramSummary", tag)
    if not np.isfinite(np.asarray(values, np.float64)).all():
        message = f"HistogramSummary: a number in the values of {name} is NaN or infinite."
        raise InvalidArgumentError(None, None, message)
    made = messages.Summary()
    made.value.add(tag=name, histo=histogram(values))
    return _string(made)


@op("MergeSummary", "inputs: N*string -> summary: string", N=at_least(1), shape=scalar, host=True)
def _merge_summary(xp: Namespace, inputs: list[Array]) -> Array:
    made, seen = messages.Summary(), set()
    for text in [item for part in inputs for item in np.ravel(part)]:
        for value in messages.Summary.FromString(bytes(text)).value:
            if value.tag in seen:
                message = f"MergeSummary: the tag {value.tag} is there twice."
                raise InvalidArgumentError(None, None, message)
            seen.add(value.tag)
            made.value.append(value)
    return _string(made)


def _pixels(image: Array, bad_color: Array) -> Array:
    """An image of floats as bytes: the largest number is white, and black is 0 or its negative."""
    good = np.isfinite(image)
    finite = np.where(good, image, 0).astype(np.float32)
    low, high = float(finite.min(initial=0)), float(finite.max(initial=0))
    top = max(abs(low), abs(high)) if low < 0 else high
    scale = 0.0 if top < 1e-6 else (127.0 if low < 0 else 255.0) / top
    found = (finite * np.float32(scale) + np.float32(128.0 if low < 0 else 0.0)).astype(np.uint8)
    bad = ~good.all(axis=-1)
    found[bad] = bad_color[: image.shape[-1]]
    return found


@op(
    "ImageSummary",
    "tag: string, tensor: T=float32 -> summary: string",
    T=frozenset({uint8, float16, float32, float64}),
    **_SUMMARY,
)
def _image_summary(
    xp: Namespace, tag: Array, tensor: Array, *, max_images: int = 3, bad_color: Any = _BAD_COLOR
) -> Array:
    name = _tag("ImageSummary", tag)
    if np.ndim(tensor) != 4 or np.shape(tensor)[3] not in (1, 3, 4):
        want = "be [batch, height, width, channels] with 1, 3 or 4 channels"
        raise bad_shape("ImageSummary", want=want, tensor=tensor)
    made = messages.Summary()
    count = min(max_images, len(tensor))
    for number, image in enumerate(np.asarray(tensor)[:count]):
        pixels = image if image.dtype == np.uint8 else _pixels(image, np.asarray(bad_color))
        title = f"{name}/image" if max_images == 1 else f"{name}/image/{number}"
        height, width, channels = pixels.shape
        file = messages.Summary.Image(
            height=height,
            width=width,
            colorspace=channels,
            encoded_image_string=png.encode(pixels, -1),
        )
        made.value.add(tag=title, image=file)
    return _string(made)


@op(
    "AudioSummaryV2",
    "tag: string, tensor: float32, sample_rate: float32 -> summary: string",
    **_SUMMARY,
)
def _audio_summary(
    xp: Namespace, tag: Array, tensor: Array, sample_rate: Array, *, max_outputs: int = 3
) -> Array:
    name = _tag("AudioSummaryV2", tag)
    if np.ndim(tensor) not in (2, 3):
        want = "be [batch, samples] or [batch, samples, channels]"
        raise bad_shape("AudioSummaryV2", want=want, tensor=tensor)
    if float(sample_rate) <= 0:
        raise bad_value("AudioSummaryV2", want="be positive", sample_rate=float(sample_rate))
    sounds = np.asarray(tensor) if np.ndim(tensor) == 3 else np.asarray(tensor)[..., None]
    made = messages.Summary()
    for number, sound in enumerate(sounds[:max_outputs]):
        title = f"{name}/audio" if max_outputs == 1 else f"{name}/audio/{number}"
        file = messages.Summary.Audio(
            sample_rate=float(sample_rate),
            num_channels=sound.shape[1],
            length_frames=sound.shape[0],
            encoded_audio_string=wav_file(sound, round(float(sample_rate))),
            content_type="audio/wav",
        )
        made.value.add(tag=title, audio=file)
    return _string(made)


@op(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
    **_SUMMARY,
)
def _tensor_summary(
    xp: Namespace, tag: Array, tensor: Array, serialized_summary_metadata: Array
) -> Array:
    array = np.asarray(tensor)
    made = messages.Summary()
    value = made.value.add(tag=_tag("TensorSummaryV2", tag))
    value.tensor.CopyFrom(array_proto(array, FROM_NUMPY[array.dtype]))
    described = bytes(np.asarray(serialized_summary_metadata).item())
    value.metadata.CopyFrom(messages.SummaryMetadata.FromString(described))
    return _string(made)


for _name in (
    "AudioSummaryV2",
    "HistogramSummary",
    "ImageSummary",
    "MergeSummary",
    "ScalarSummary",
    "TensorSummaryV2",
):
    no_gradient(_name)
