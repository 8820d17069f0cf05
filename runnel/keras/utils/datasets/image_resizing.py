"""Resizing images without distorting them."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf

_METHODS = {
    "bilinear": "bilinear",
    "nearest": "nearest",
    "bicubic": "bicubic",
    "area": "area",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}


def get_interpolation(interpolation: str) -> str:
    """The method of `tf.image.resize` by Keras's name for it."""
    try:
        return _METHODS[str(interpolation).lower()]
    except KeyError:
        raise NotImplementedError(
            f"Value not recognized for `interpolation`: {interpolation}. "
            f"Supported values are: {list(_METHODS)}"
        ) from None


def smart_resize(x: Any, size: Any, interpolation: str = "bilinear") -> Any:
    """Images of `size`, cut in the middle to its proportions first.

    >>> tf.keras.preprocessing.image.smart_resize(np.ones((4, 8, 3)), (2, 2)).shape
    (2, 2, 3)
    """
    if len(size) != 2:
        raise ValueError(f"`size` must be (height, width), got {size}.")
    image = tf.convert_to_tensor(x)
    if image.shape.rank not in (None, 3, 4):
        raise ValueError(
            "smart_resize takes images of shape (height, width, channels) or (batch, height, "
            f"width, channels), got the shape {image.shape}."
        )
    resized: Any = tf.image.resize(_cropped(image, size), size, method=interpolation)
    if image.shape.rank is not None:
        resized.set_shape((*[None] * (image.shape.rank - 1), image.shape[-1]))
    return resized.numpy() if isinstance(x, np.ndarray) else resized


def _cropped(image: tf.Tensor, size: Any) -> tf.Tensor:
    shape = tf.shape(image)
    height, width = shape[-3], shape[-2]
    crop_height = tf.minimum(height, _rounded(width * size[0], size[1]))
    crop_width = tf.minimum(width, _rounded(height * size[1], size[0]))
    begin = [_rounded(height - crop_height, 2), _rounded(width - crop_width, 2), 0]
    extent = [crop_height, crop_width, -1]
    if image.shape.rank == 4:
        begin, extent = [0, *begin], [-1, *extent]
    return tf.slice(image, tf.stack(begin), tf.stack(extent))


def _rounded(x: tf.Tensor, divisor: int) -> tf.Tensor:
    return tf.cast(tf.cast(x, "float32") / divisor, "int32")
