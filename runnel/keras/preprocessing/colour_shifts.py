"""Changing the brightness and the channels of one image on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.keras.utils.image_files import array_to_img, img_to_array


def apply_channel_shift(x: np.ndarray, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """`intensity` added to all channels, within the range the image had.

    >>> image = np.array([[[1.0, 2.0]]])
    >>> tf.keras.preprocessing.image.apply_channel_shift(image, 0.5)
    array([[[1.5, 2. ]]])
    """
    if not isinstance(channel_axis, int) or np.ndim(x) <= channel_axis:
        raise ValueError(f"`channel_axis` {channel_axis} is beyond the shape {x.shape}.")
    return np.clip(x + intensity, np.min(x), np.max(x))


def random_channel_shift(
    x: np.ndarray, intensity_range: float, channel_axis: int = 0
) -> np.ndarray:
    """A number of up to `intensity_range` added to all channels."""
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis=channel_axis)


def apply_brightness_shift(x: np.ndarray, brightness: float, scale: bool = True) -> np.ndarray:
    """An image with `brightness` times its light, by Pillow."""
    from PIL import ImageEnhance

    low, high = np.min(x), np.max(x)
    stretched = bool(low < 0 or high > 255)
    image = array_to_img(x, scale=stretched or scale)
    changed = img_to_array(ImageEnhance.Brightness(image).enhance(brightness))
    if stretched and not scale:
        changed = changed / 255 * (high - low) + low
    return changed


def random_brightness(x: np.ndarray, brightness_range: Any, scale: bool = True) -> np.ndarray:
    """An image with its light multiplied by a number in the range."""
    if len(brightness_range) != 2:
        raise ValueError(f"`brightness_range` must be two floats, got {brightness_range}.")
    brightness = np.random.uniform(brightness_range[0], brightness_range[1])
    return apply_brightness_shift(x, brightness, scale)
