"""Colour spaces: RGB to and from HSV, YIQ, YUV and grey."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import (
    RegisterGradient,
    Tensor,
    convert_to_tensor,
    no_gradient,
    op,
    raw_ops,
    scoped,
)
from runnel.core.values.dtypes import FLOATS, float32
from runnel.core.values.errors import FailedPreconditionError, bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.image.dtypes import convert_image_dtype
from runnel.ops.linalg.tensordot import tensordot


def _check_channels(op_name: str, images: Any) -> None:
    dims = images.dims if isinstance(images, Spec) else images.shape
    if dims is None:
        return
    if not dims:
        raise bad_shape(op_name, want="be at least 1-D", images=images)
    if dims[-1] not in (3, None):
        message = f"{op_name}: `images` must have 3 channels, got {dims[-1]}. [Op:{op_name}]"
        raise FailedPreconditionError(None, None, message)


def _same_colors(images: Spec, *, op_name: str) -> Dims:
    dims = images.dims
    if dims is not None and (not dims or dims[-1] not in (3, None)):
        raise bad_shape(op_name, want="have 3 channels", images=images)
    return None if dims is None else (*dims[:-1], 3)


def hue_saturation_value(xp: Namespace, rgb: Array) -> tuple[Array, Array, Array]:
    """Hue and saturation from 0 to 1, and value: the greatest of the three."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    number = rgb.dtype.type
    value = xp.maximum(xp.maximum(red, green), blue)
    extent = value - xp.minimum(xp.minimum(red, green), blue)
    saturation = xp.where(value > 0, extent / xp.where(value > 0, value, number(1)), number(0))
    unit = number(1) / (number(6) * xp.where(extent > 0, extent, number(1)))
    from_green = unit * (blue - red) + number(2 / 6)
    from_blue = unit * (red - green) + number(4 / 6)
    hue = xp.where(
        red == value, unit * (green - blue), xp.where(green == value, from_green, from_blue)
    )
    hue = xp.where(extent > 0, hue, number(0))
    return xp.where(hue < 0, hue + number(1), hue), saturation, value


def hue_to_rgb(xp: Namespace, hue: Array) -> Array:
    """How much of red, green and blue is in a full colour of this hue, from 0 to 1."""
    number = hue.dtype.type
    angle = hue * number(6)
    red = xp.abs(angle - number(3)) - number(1)
    green = number(2) - xp.abs(angle - number(2))
    blue = number(2) - xp.abs(angle - number(4))
    return xp.clip(xp.stack([red, green, blue], axis=-1), number(0), number(1))


def rgb_of(xp: Namespace, hue: Array, saturation: Array, value: Array) -> Array:
    number = hue.dtype.type
    saturation = saturation[..., None]
    return (number(1) - saturation + saturation * hue_to_rgb(xp, hue)) * value[..., None]


_COLORS: Any = {"T": FLOATS, "heavy": True, "shape": _same_colors}
_IMAGES = "images: T=float32 -> output: T"


@op("RGBToHSV", _IMAGES, check=partial(_check_channels, "RGBToHSV"), **_COLORS)
def _rgb_to_hsv(xp: Namespace, images: Array) -> Array:
    return xp.stack(hue_saturation_value(xp, images), axis=-1)


@RegisterGradient("RGBToHSV", needs="images")
def _rgb_to_hsv_grad(op: Any, dy: Tensor) -> Gradients:
    rgb = op.inputs[0]
    red, green, blue = raw_ops.Unpack(rgb, num=3, axis=-1)
    dhue, dsaturation, dvalue = (raw_ops.ExpandDims(d, np.int32(-1)) for d in _unstack(dy))
    # Which channel is the greatest and which the smallest; ties go as in TensorFlow.
    greatest = _one_hot(
        (red >= blue) & (red >= green),
        (green > red) & (green >= blue),
        (blue > red) & (blue > green),
        rgb,
    )
    smallest = _one_hot(
        (red < blue) & (red < green),
        (green <= red) & (green < blue),
        (blue <= red) & (blue <= green),
        rgb,
    )
    value, low = _dot(greatest, rgb), _dot(smallest, rgb)
    over_value, over_extent = _reciprocal(value), _reciprocal(value - low)
    saturation_slope = low * over_value * over_value * greatest - over_value * smallest
    # The hue is the difference of the two channels that follow the greatest, over the extent.
    signs = raw_ops.Roll(greatest, np.int32(1), np.int32(-1)) - raw_ops.Roll(
        greatest, np.int32(2), np.int32(-1)
    )
    difference = _dot(signs, rgb)
    hue_slope = over_extent * (signs - difference * over_extent * (greatest - smallest)) / 6.0
    return dvalue * greatest + dsaturation * saturation_slope + dhue * hue_slope


def _unstack(dy: Tensor) -> Any:
    return raw_ops.Unpack(dy, num=3, axis=-1)


def _one_hot(red: Tensor, green: Tensor, blue: Tensor, like: Tensor) -> Tensor:
    return raw_ops.Cast(raw_ops.Pack([red, green, blue], axis=-1), DstT=like.dtype)


def _dot(x: Tensor, y: Tensor) -> Tensor:
    return raw_ops.Sum(x * y, np.int32(-1), keep_dims=True)


def _reciprocal(x: Tensor) -> Tensor:
    return raw_ops.DivNoNan(raw_ops.OnesLike(x), x)


@op("HSVToRGB", _IMAGES, check=partial(_check_channels, "HSVToRGB"), **_COLORS)
def _hsv_to_rgb(xp: Namespace, images: Array) -> Array:
    return rgb_of(xp, images[..., 0], images[..., 1], images[..., 2])


no_gradient("HSVToRGB")


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of RGB pixels, all from 0 to 1.

    >>> tf.image.rgb_to_hsv([[0.0, 1.0, 0.0]]).numpy()
    array([[0.33333334, 1.        , 1.        ]], dtype=float32)
    """
    return raw_ops.RGBToHSV(images, name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """RGB pixels of hue, saturation and value.

    >>> tf.image.hsv_to_rgb([[0.5, 1.0, 1.0]]).numpy()
    array([[0., 1., 1.]], dtype=float32)
    """
    return raw_ops.HSVToRGB(images, name=name)


@scoped("rgb_to_grayscale", last=True)
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of RGB pixels, as images of one channel and the same dtype.

    >>> tf.image.rgb_to_grayscale([[[255, 0, 0]]]).shape
    TensorShape([1, 1, 1])
    """
    images = convert_to_tensor(images)
    flat = convert_image_dtype(images, float32)
    gray = _mix(flat, [[0.2989], [0.5870], [0.1140]])
    return convert_image_dtype(gray, images.dtype, name=name)


@scoped("grayscale_to_rgb", last=True)
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of one channel as RGB with three equal ones.

    >>> tf.image.grayscale_to_rgb([[[7]]]).numpy()
    array([[[7, 7, 7]]], dtype=int32)
    """
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank is None:
        ones = raw_ops.Fill(raw_ops.Rank(images) - 1, np.int32(1))
        repeats: TensorLike = raw_ops.ConcatV2([ones, np.array([3], np.int32)], np.int32(0))
    elif rank == 0:
        raise ValueError("grayscale_to_rgb: `images` must have a last dimension, got a scalar.")
    elif images.shape[-1] not in (1, None):
        raise ValueError(
            f"Last dimension of a grayscale image should be size 1, got {images.shape}."
        )
    else:
        repeats = np.array([1] * (rank - 1) + [3], np.int32)
    found = raw_ops.Tile(images, repeats, name=name)
    if rank is not None:
        found.set_shape((*images.shape[:-1], 3))
    return found  # type: ignore[no-any-return]


def _mix(images: Tensor, weights: Any) -> Tensor:
    """New channels, each a mixture of the three old ones."""
    if not images.dtype.is_floating and not images.dtype.is_complex:
        raise TypeError(f"`images` must be of a floating dtype, got {images.dtype.name}.")
    matrix = np.array(weights, images.dtype.np_dtype)
    return tensordot(images, matrix, axes=[[-1], [0]])


_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_FROM_YIQ = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Luma and the two chroma channels of NTSC television.

    >>> tf.image.rgb_to_yiq([[1.0, 1.0, 1.0]]).shape
    TensorShape([1, 3])
    """
    return _mix(convert_to_tensor(images), _YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """RGB pixels of luma and the two chroma channels of NTSC television.

    >>> tf.image.yiq_to_rgb([[0.5, 0.0, 0.0]]).numpy()
    array([[0.5, 0.5, 0.5]], dtype=float32)
    """
    return _mix(convert_to_tensor(images), _FROM_YIQ)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Luma and the two chroma channels of PAL television.

    >>> tf.image.rgb_to_yuv([[1.0, 1.0, 1.0]]).shape
    TensorShape([1, 3])
    """
    return _mix(convert_to_tensor(images), _YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """RGB pixels of luma and the two chroma channels of PAL television.

    >>> tf.image.yuv_to_rgb([[0.5, 0.0, 0.0]]).numpy()
    array([[0.5, 0.5, 0.5]], dtype=float32)
    """
    return _mix(convert_to_tensor(images), _FROM_YUV)
