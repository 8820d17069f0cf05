"""Glimpses: windows of images at given offsets, filled up where they leave the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import float32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike


def _glimpse_shape(
    input: Spec,
    size: Spec,
    offsets: Spec,
    *,
    op_name: str,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Dims:
    if input.rank not in (None, 4):
        raise bad_shape(op_name, want="be 4-dimensional", input=input)
    if size.value is not None and np.min(size.value, initial=0) < 0:
        raise bad_value(op_name, want="not be negative", size=size.value)
    if not offsets.shape.is_compatible_with([None, 2]):
        raise bad_shape(op_name, want="be a matrix of two columns", offsets=offsets)
    if not size.shape.is_compatible_with([2]):
        raise bad_shape(op_name, want="be a vector of height and width", size=size)
    if uniform_noise and noise != "uniform":
        raise bad_value(op_name, want="be False with another `noise`", uniform_noise=uniform_noise)
    if noise not in ("uniform", "gaussian", "zero"):
        raise bad_value(op_name, want="be 'uniform', 'gaussian' or 'zero'", noise=noise)
    batch, _, _, channels = input.dims or (None,) * 4
    if batch is not None and offsets.dims is not None and offsets.dims[0] not in (None, batch):
        raise bad_shape(op_name, want=f"have one row for each of {batch} images", offsets=offsets)
    height, width = (None, None) if size.value is None else size.value.tolist()
    return batch, height, width, channels


def _glimpses(op_name: str, images: Array, size: Array, offsets: Array, **attrs: Any) -> Array:
    specs = [Spec(v.shape, float32, v) for v in (images, size, offsets)]
    dims = _glimpse_shape(*specs, op_name=op_name, **attrs)
    check_room(op_name, dims, 4)  # type: ignore[arg-type]
    start = _first if op_name == "ExtractGlimpse" else _first_corrected
    known: Array = np.bool_(True)
    places = []
    for axis, wanted in ((1, int(size[0])), (2, int(size[1]))):
        extent = images.shape[axis]
        offset = (
            offsets[:, axis - 1] * np.float32(extent)
            if attrs["normalized"]
            else offsets[:, axis - 1]
        )
        first = np.trunc(start(offset, extent, wanted, **attrs)).astype(np.int64)
        place = np.expand_dims(first[:, None] + np.arange(wanted), 3 - axis)
        known = known & ((place >= 0) & (place < extent))
        places.append(np.clip(place, 0, extent - 1))
    found = images[np.arange(len(images))[:, None, None], *places]
    return np.where(known[..., None], found, _noise(images, found.shape, **attrs))


def _first(offset: Array, extent: int, wanted: int, *, centered: bool, **attrs: Any) -> Array:
    """The first row or column of each glimpse, as the first version of the op has it."""
    return ((offset + extent) / 2 if centered else offset) - wanted / 2


def _first_corrected(
    offset: Array, extent: int, wanted: int, *, centered: bool, normalized: bool, **attrs: Any
) -> Array:
    """The same for the second version, where only a normalized centre is that of the glimpse."""
    if not centered:
        return offset
    return (offset + extent) / 2 - wanted / 2 if normalized else offset + extent / 2


def _noise(images: Array, shape: tuple[int, ...], *, noise: str, **attrs: Any) -> Array:
    generator = np.random.default_rng()
    if noise == "zero" or not images.size:
        return np.zeros((), np.float32)
    if noise == "gaussian":
        mean, deviation = (
            images.mean(axis=(1, 2), keepdims=True),
            images.std(axis=(1, 2), keepdims=True),
        )
        low, high = images.min(axis=(1, 2), keepdims=True), images.max(axis=(1, 2), keepdims=True)
        return np.clip(generator.normal(mean, deviation, shape).astype(np.float32), low, high)
    return generator.uniform(images.min(), images.max(), shape).astype(np.float32)


_GLIMPSES = "input: float32, size: int32, offsets: float32 -> glimpse: float32"


@op("ExtractGlimpse", _GLIMPSES, shape=_glimpse_shape, static=("size",), host=True)
def _extract_glimpse_uncorrected(
    xp: Namespace,
    input: Array,
    size: np.ndarray,
    offsets: Array,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Array:
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    return _glimpses("ExtractGlimpse", input, size, offsets, noise=noise, **attrs)


no_gradient("ExtractGlimpse")


@op("ExtractGlimpseV2", _GLIMPSES, shape=_glimpse_shape, static=("size",), host=True)
def _extract_glimpse(
    xp: Namespace,
    input: Array,
    size: np.ndarray,
    offsets: Array,
    *,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    noise: str = "uniform",
) -> Array:
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    return _glimpses("ExtractGlimpseV2", input, size, offsets, noise=noise, **attrs)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Windows of `size` from each image; `noise` fills what lies outside.

    With `centered` an offset of 0 is the middle of the image, and with `normalized` 1 is its end.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(image, [1, 3], [[0.0, 0.0]], noise="zero")[0, 0, :, 0].numpy()
    array([3., 4., 5.], dtype=float32)
    """
    return raw_ops.ExtractGlimpseV2(
        convert_to_tensor(input, float32),
        size,
        convert_to_tensor(offsets, float32),
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )
