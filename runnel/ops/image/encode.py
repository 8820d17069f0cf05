"""Pixels as image files held in strings: the ops that encode them and their functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import uint8, uint16
from runnel.core.values.errors import InternalError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.images import jpeg, png

_PNG = frozenset({uint8, uint16})


def _one_string(image: Spec, *rest: Spec, op_name: str, **attrs: Any) -> Dims:
    if image.rank not in (None, 3):
        raise bad_shape(op_name, want="be 3-dimensional", image=image)
    return ()


def _write_jpeg(
    op_name: str, image: Array, quality: int, format: str = "", **options: Any
) -> Array:
    if image.ndim != 3 or image.shape[-1] not in (1, 3):
        raise bad_shape(op_name, want="be 3-dimensional, with 1 or 3 channels", image=image)
    wanted = {"": image.shape[-1], "grayscale": 1, "rgb": 3}
    if format not in wanted:
        raise bad_value(op_name, want="be '', 'grayscale' or 'rgb'", format=format)
    if wanted[format] != image.shape[-1]:
        raise bad_shape(op_name, want=f"have {wanted[format]} channels for {format!r}", image=image)
    if not 0 <= quality <= 100:
        raise bad_value(op_name, want="be in [0, 100]", quality=quality)
    if not image.size:
        raise InternalError(None, None, f"{op_name}: JPEG encoding of an empty image failed.")
    return _string(jpeg.encode(np.asarray(image), quality=quality, **options))


def _string(value: bytes) -> np.ndarray:
    result = np.empty((), object)
    result[()] = value
    return result


@op(
    "EncodeJpeg",
    "image: uint8 -> contents: string",
    shape=_one_string,
    format=frozenset({"", "grayscale", "rgb"}),
    density_unit=frozenset({"in", "cm"}),
)
def _encode_jpeg(
    xp: Namespace,
    image: Array,
    *,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
) -> Array:
    if density_unit not in ("in", "cm"):
        raise bad_value("EncodeJpeg", want="be 'in' or 'cm'", density_unit=density_unit)
    return _write_jpeg(
        "EncodeJpeg",
        image,
        quality,
        format,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
    )


def _one_jpeg(images: Spec, quality: Spec) -> Dims:
    return _one_string(images, op_name="EncodeJpegVariableQuality")


@op(
    "EncodeJpegVariableQuality",
    "images: uint8, quality: int32 -> contents: string",
    shape=_one_jpeg,
)
def _encode_jpeg_variable_quality(xp: Namespace, images: Array, quality: Array) -> Array:
    if np.ndim(quality):
        raise bad_shape("EncodeJpegVariableQuality", want="be a scalar", quality=quality)
    return _write_jpeg("EncodeJpegVariableQuality", images, int(quality))


def _strings_shape(image: Spec, *, compression: int = -1) -> Dims:
    if image.dims is not None and len(image.dims) < 3:
        raise bad_shape("EncodePng", want="be of rank 3 or more", image=image)
    return None if image.dims is None else image.dims[:-3]


@op("EncodePng", "image: T=uint8 -> contents: string", T=_PNG, shape=_strings_shape)
def _encode_png(xp: Namespace, image: Array, *, compression: int = -1) -> Array:
    if image.ndim < 3 or image.shape[-1] not in (1, 2, 3, 4):
        raise bad_shape("EncodePng", want="be of rank 3 or more, with 1 to 4 channels", image=image)
    if not -1 <= compression <= 9:
        raise bad_value("EncodePng", want="be in [-1, 9]", compression=compression)
    result = np.empty(image.shape[:-3], object)
    if result.size and not image.size:
        raise InternalError(None, None, "EncodePng: PNG encoding of an empty image failed.")
    for place in np.ndindex(result.shape):
        result[place] = png.encode(np.asarray(image[place]), compression)
    return result


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """A JPEG file of an image of uint8 with one or three channels.

    >>> tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)).numpy()[6:10]
    b'JFIF'
    """
    return raw_ops.EncodeJpeg(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """A PNG file of an image of uint8 or uint16, or one for each image of a batch.

    >>> tf.io.encode_png(tf.zeros([5, 8, 8, 3], tf.uint8)).shape
    TensorShape([5])
    """
    return raw_ops.EncodePng(convert_to_tensor(image), compression=compression, name=name)
