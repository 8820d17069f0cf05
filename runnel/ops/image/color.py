"""Brightness, contrast, hue and the like: the ops that adjust them and their functions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import float16, float32, uint8
from runnel.core.values.errors import InvalidArgumentError, bad_shape, describe_value, tracing
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.image.color_spaces import hue_saturation_value, hue_to_rgb, rgb_of
from runnel.ops.image.dtypes import as_float_image, convert_image_dtype
from runnel.ops.image.shared import at_least_3d, cast, require
from runnel.ops.shapes import shape_of

_WORK = frozenset({float16, float32})


def _adjusted_shape(images: Spec, amount: Spec, *, op_name: str) -> Dims:
    _check_adjust(op_name, images, amount)
    return images.dims


def _check_adjust(op_name: str, images: Any, amount: Any) -> None:
    dims, scalar = (v.dims if isinstance(v, Spec) else v.shape for v in (images, amount))
    if scalar is not None and scalar != ():
        raise bad_shape(op_name, want="be a scalar", amount=amount)
    if dims is None:
        return
    if len(dims) < 3:
        raise bad_shape(op_name, want="be at least 3-D", images=images)
    if op_name != "AdjustContrastv2" and dims[-1] not in (3, None):
        raise bad_shape(op_name, want="have 3 channels", images=images)


@op(
    "AdjustContrastv2",
    "images: T=float32, contrast_factor: float32 -> output: T",
    T=_WORK,
    shape=_adjusted_shape,
    check=partial(_check_adjust, "AdjustContrastv2"),
    heavy=True,
)
def _adjust_contrast(xp: Namespace, images: Array, contrast_factor: Array) -> Array:
    work = images.astype(np.float32)
    mean = xp.mean(work, axis=(-3, -2), keepdims=True, dtype=np.float32)
    return ((work - mean) * contrast_factor + mean).astype(images.dtype)


@op(
    "AdjustHue",
    "images: T=float32, delta: float32 -> output: T",
    T=_WORK,
    shape=_adjusted_shape,
    check=partial(_check_adjust, "AdjustHue"),
    heavy=True,
)
def _adjust_hue(xp: Namespace, images: Array, delta: Array) -> Array:
    work = images.astype(np.float32)
    hue, _, value = hue_saturation_value(xp, work)
    turned = hue + delta
    least = xp.min(work, axis=-1, keepdims=True)
    full = hue_to_rgb(xp, turned - xp.floor(turned))
    return (least + (value[..., None] - least) * full).astype(images.dtype)


@op(
    "AdjustSaturation",
    "images: T=float32, scale: float32 -> output: T",
    T=_WORK,
    shape=_adjusted_shape,
    check=partial(_check_adjust, "AdjustSaturation"),
    heavy=True,
)
def _adjust_saturation(xp: Namespace, images: Array, scale: Array) -> Array:
    hue, saturation, value = hue_saturation_value(xp, images.astype(np.float32))
    clipped = xp.clip(saturation * scale, np.float32(0), np.float32(1))
    return rgb_of(xp, hue, clipped, value).astype(images.dtype)


@scoped("adjust_brightness")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """`image` with `delta` added to every pixel, in the scale where white is 1.

    >>> tf.image.adjust_brightness(tf.constant([[[0.25, 0.5]]]), 0.25).numpy()
    array([[[0.5 , 0.75]]], dtype=float32)
    """
    image, back = as_float_image(image)
    return back(image + cast(convert_to_tensor(delta), image.dtype))


@scoped("adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """`images` with each pixel's distance to the mean of its channel multiplied.

    >>> tf.image.adjust_contrast(tf.constant([[[0.0], [1.0]]]), 0.5).numpy().ravel()
    array([0.25, 0.75], dtype=float32)
    """
    images, back = as_float_image(images)
    return back(raw_ops.AdjustContrastv2(images, contrast_factor))


@scoped("adjust_gamma")
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """`gain * image ** gamma`, in the scale where white is 1.

    >>> tf.image.adjust_gamma(tf.constant([[[0.5]]]), 2.0).numpy().item()
    0.25
    """
    value = _number("adjust_gamma", "gamma", gamma)
    if value is not None and np.any(value < 0):
        if isinstance(gamma, Tensor):
            raise InvalidArgumentError(None, None, "Gamma should be a non-negative real number.")
        raise ValueError("Gamma should be a non-negative real number.")
    if value is None:
        require(raw_ops.All(gamma >= 0, []), "Gamma should be a non-negative real number.")
    image, back = as_float_image(image)
    return back(gain * image**gamma)


def _number(function: str, argument: str, value: TensorLike) -> Any:
    """What is known of an amount; TypeError for what is none."""
    try:
        known = constant_value(value)
    except ValueError:  # ragged lists
        known = np.empty(0, object)
    if known is not None and (known.dtype.kind not in "iufcV" or known.dtype.names):
        got = describe_value(value)
        raise TypeError(f"{function}: `{argument}` must be a number, got {got}.")
    return known


@scoped("adjust_hue")
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """`image` with its hues moved by `delta` of the colour circle.

    >>> tf.image.adjust_hue(tf.constant([[[1.0, 0.0, 0.0]]]), 0.5).numpy().ravel()
    array([0., 1., 1.], dtype=float32)
    """
    value = _number("adjust_hue", "delta", delta)
    if value is not None and not tracing() and not np.all(np.abs(value) <= 1):
        raise ValueError("delta must be in the interval [-1, 1]")
    image, back = as_float_image(image)
    return back(raw_ops.AdjustHue(image, delta, name=name))


@scoped("adjust_saturation")
def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """`image` with its saturation multiplied, and clipped to 1.

    >>> tf.image.adjust_saturation(tf.constant([[[1.0, 0.5, 0.5]]]), 2.0).numpy().ravel()
    array([1., 0., 0.], dtype=float32)
    """
    image, back = as_float_image(image)
    return back(raw_ops.AdjustSaturation(image, saturation_factor, name=name))


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """`image` as it looks after it was saved as JPEG with this quality, from 0 to 100.

    >>> tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 75).shape
    TensorShape([8, 8, 3])
    """
    image = convert_to_tensor(image)
    if image.shape.rank == 0:
        raise ValueError("adjust_jpeg_quality: `image` must have rank 3, got a scalar.")
    channels = image.shape[-1]
    pixels = convert_image_dtype(image, uint8, saturate=True)
    coded = raw_ops.EncodeJpegVariableQuality(pixels, jpeg_quality)
    decoded = raw_ops.DecodeJpeg(coded, channels=channels or 0, dct_method=dct_method)
    return convert_image_dtype(decoded, image.dtype, saturate=True, name=name)


@scoped("per_image_standardization", last=True)
def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with a mean of 0 and a variance of 1 (less, where it hardly varies).

    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    image = cast(at_least_3d(image), float32)
    axes = np.array([-3, -2, -1], np.int32)
    deviation = image - raw_ops.Mean(image, axes, keep_dims=True)
    stddev = raw_ops.Sqrt(raw_ops.Mean(raw_ops.Square(deviation), axes, keep_dims=True))
    return deviation / raw_ops.Maximum(stddev, _least_deviation(image))


def _least_deviation(image: Tensor) -> TensorLike:
    """One over the root of the number of values, so that a uniform image is not blown up."""
    dims: Any = image.shape._dims
    if dims is not None and None not in dims[-3:]:
        return np.float32(1) / np.sqrt(np.float32(np.prod(dims[-3:])))
    count = raw_ops.Prod(shape_of(image)[-3:], np.int32(0))
    return raw_ops.Rsqrt(cast(convert_to_tensor(count), float32))
