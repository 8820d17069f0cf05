"""Pixels of another dtype: integers over their whole range, floats from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values.dtypes import DType, as_dtype, float16, float32
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.image.shared import cast
from runnel.ops.math.casting import saturate_cast


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """`image` in another dtype, its values scaled so that white stays white.

    With `saturate` values out of range become the nearest there is.

    Args:
        image: an image of integers or floats.
        dtype: the dtype of the result.
        saturate: whether values that do not fit become the nearest one that does.

    >>> tf.image.convert_image_dtype([[0, 255]], tf.float32)[0, 0].numpy()
    np.float32(0.0)
    >>> tf.image.convert_image_dtype(tf.constant([0.0, 0.5, 1.5]), tf.uint8, saturate=True).numpy()
    array([  0, 127, 255], dtype=uint8)
    """
    image = convert_to_tensor(image)
    dtype = as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if image.dtype.is_complex:
        raise TypeError("convert_image_dtype: `image` must be real, got complex numbers.")
    if dtype is image.dtype:
        return raw_ops.Identity(image, name=name)
    return _rescaled(image, dtype, saturate, name)


@scoped("convert_image", last=True)
def _rescaled(image: Tensor, dtype: DType, saturate: bool, name: str | None) -> Tensor:
    if image.dtype.is_integer and dtype.is_integer:
        return _between_integers(image, dtype, saturate)
    if image.dtype.is_floating and dtype.is_floating:
        return raw_ops.Cast(image, DstT=dtype, name=name)
    if image.dtype.is_integer:
        scale = 1.0 / image.dtype.max
        return raw_ops.Mul(cast(image, dtype), np.asarray(scale, dtype.np_dtype), name=name)
    scaled = raw_ops.Mul(image, np.asarray(dtype.max + 0.5, image.dtype.np_dtype))
    return saturate_cast(scaled, dtype) if saturate else raw_ops.Cast(scaled, DstT=dtype, name=name)


def _between_integers(image: Tensor, dtype: DType, saturate: bool) -> Tensor:
    change = saturate_cast if saturate else cast
    if image.dtype.max > dtype.max:
        factor = (int(image.dtype.max) + 1) // (int(dtype.max) + 1)
        return change(raw_ops.FloorDiv(image, np.asarray(factor, image.dtype.np_dtype)), dtype)
    factor = (int(dtype.max) + 1) // (int(image.dtype.max) + 1)
    return raw_ops.Mul(change(image, dtype), np.asarray(factor, dtype.np_dtype))


def as_float_image(image: TensorLike) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """`image` in float16 or float32, and the function that takes a result back to its dtype."""
    image = convert_to_tensor(image)
    original = image.dtype
    if original in (float16, float32):
        return image, lambda result: convert_image_dtype(result, original, saturate=True)
    work = convert_image_dtype(image, float32)
    return work, lambda result: convert_image_dtype(result, original, saturate=True)
