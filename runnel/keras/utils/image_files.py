"""Pictures between files, Pillow's images and arrays."""

from __future__ import annotations

import io
import os
import warnings
from typing import Any

import numpy as np

from runnel.keras.engine.settings import checked_data_format, floatx

_MODES = {"grayscale": ("L", "I;16", "I"), "rgb": ("RGB",), "rgba": ("RGBA",)}
_RESAMPLING = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")


def array_to_img(x: Any, data_format: Any = None, scale: bool = True, dtype: Any = None) -> Any:
    """A Pillow image of an array of rank 3, stretched to 0…255 unless `scale` is off.

    >>> tf.keras.utils.array_to_img(np.zeros((2, 3, 3))).size
    (3, 2)
    """
    from PIL import Image

    array = np.asarray(x, dtype=dtype or floatx())
    if array.ndim != 3:
        raise ValueError(
            f"array_to_img takes one image, an array of rank 3, got the shape {array.shape}."
        )
    if checked_data_format(data_format) == "channels_first":
        array = array.transpose(1, 2, 0)
    if array.shape[2] not in (1, 3, 4):
        raise ValueError(f"An image has 1, 3 or 4 channels, got {array.shape[2]}.")
    if scale:
        array = array - np.min(array)
        top = np.max(array)
        array = (array / top if top != 0 else array) * 255
    if array.shape[2] > 1:
        return Image.fromarray(array.astype("uint8"))
    depth = "int32" if np.max(array) > 255 else "uint8"
    return Image.fromarray(array[:, :, 0].astype(depth))


def img_to_array(img: Any, data_format: Any = None, dtype: Any = None) -> np.ndarray:
    """The numbers of a Pillow image, with a dimension for the channels.

    Args:
        img: a Pillow image.
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        dtype: the dtype of the array.

    >>> image = tf.keras.utils.array_to_img(np.zeros((2, 3, 1)))
    >>> tf.keras.utils.img_to_array(image).shape
    (2, 3, 1)
    """
    channels = 0 if checked_data_format(data_format) == "channels_first" else -1
    array = np.asarray(img, dtype=dtype or floatx())
    if array.ndim == 3:
        return np.moveaxis(array, -1, channels)
    if array.ndim == 2:
        return np.expand_dims(array, channels)
    raise ValueError(f"An image is an array of rank 2 or 3, got the shape {array.shape}.")


def save_img(
    path: Any,
    x: Any,
    data_format: Any = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Write an array as a picture; `kwargs` go to Pillow's `save`."""
    image = array_to_img(x, data_format=data_format, scale=scale)
    if image.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        warnings.warn("JPEG has no transparency; the image is saved as RGB.", stacklevel=2)
        image = image.convert("RGB")
    image.save(path, format=file_format, **kwargs)


def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """The picture in a file as a Pillow image, of `target_size` (height, width) if given.

    Args:
        path: a path, also with a scheme such as `gs://`.
        grayscale: of older versions: `color_mode="grayscale"`.
        color_mode: "rgb", "rgba" or "grayscale".
        target_size: height and width; None for those of the file.
        interpolation: "nearest", "bilinear" or another method of `tf.image.resize`.
        keep_aspect_ratio: whether the picture is cut and not distorted.
    """
    if grayscale:
        warnings.warn('`grayscale` is deprecated: use color_mode="grayscale".', stacklevel=2)
        color_mode = "grayscale"
    image = _opened(path)
    if color_mode not in _MODES:
        raise ValueError(f"`color_mode` must be one of {tuple(_MODES)}, got {color_mode!r}.")
    if image.mode not in _MODES[color_mode]:
        image = image.convert(_MODES[color_mode][0])
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    return _resized(image, (target_size[1], target_size[0]), interpolation, keep_aspect_ratio)


def _opened(path: Any) -> Any:
    from PIL import Image

    if isinstance(path, io.BytesIO):
        return Image.open(path)
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"`path` must be a path or an io.BytesIO, got {type(path)}.")
    with open(path, "rb") as file:
        return Image.open(io.BytesIO(file.read()))


def _resized(image: Any, size: tuple[int, int], interpolation: str, keep_ratio: bool) -> Any:
    from PIL import Image

    if interpolation not in _RESAMPLING:
        raise ValueError(f"`interpolation` must be one of {_RESAMPLING}, got {interpolation!r}.")
    box = _centre_box(image.size, size) if keep_ratio else None
    return image.resize(size, Image.Resampling[interpolation.upper()], box=box)


def _centre_box(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int, int, int]:
    """The largest box in the middle of an image that has the proportions of the target."""
    width = min(size[0], size[1] * target[0] // target[1])
    height = min(size[1], size[0] * target[1] // target[0])
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    return left, top, left + width, top + height
