"""Images of another size: `tf.image.resize` and its relatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import float32, int32
from runnel.core.values.types import TensorLike
from runnel.ops.image.resize import interpolation as _interpolation  # noqa: F401
from runnel.ops.image.resize import scaling as _scaling  # noqa: F401
from runnel.ops.image.shared import batched, cast
from runnel.ops.shapes import shape_of


class ResizeMethod:
    """The names of the ways to resize that `tf.image.resize` knows."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _scaled(kernel: str, images: Tensor, size: TensorLike, antialias: bool) -> Tensor:
    shape = shape_of(images)[1:3]
    if isinstance(shape, np.ndarray) and isinstance(size, np.ndarray):
        scale: TensorLike = size.astype(np.float32) / shape.astype(np.float32)
    else:
        scale = cast(convert_to_tensor(size), float32) / cast(convert_to_tensor(shape), float32)
    shift = np.zeros(2, np.float32)
    return raw_ops.ScaleAndTranslate(
        images, size, scale, shift, kernel_type=kernel, antialias=antialias
    )


def _bilinear(images: Tensor, size: TensorLike, antialias: bool) -> Tensor:
    if antialias:
        return _scaled("triangle", images, size, antialias)
    return raw_ops.ResizeBilinear(images, size, half_pixel_centers=True)


def _bicubic(images: Tensor, size: TensorLike, antialias: bool) -> Tensor:
    if antialias:
        return _scaled("keyscubic", images, size, antialias)
    return raw_ops.ResizeBicubic(images, size, half_pixel_centers=True)


def _nearest(images: Tensor, size: TensorLike, antialias: bool) -> Tensor:
    return raw_ops.ResizeNearestNeighbor(images, size, half_pixel_centers=True)


def _area(images: Tensor, size: TensorLike, antialias: bool) -> Tensor:
    return raw_ops.ResizeArea(images, size)


_METHODS: dict[str, Any] = {
    ResizeMethod.BILINEAR: _bilinear,
    ResizeMethod.BICUBIC: _bicubic,
    ResizeMethod.NEAREST_NEIGHBOR: _nearest,
    ResizeMethod.AREA: _area,
    **{
        kernel: partial(_scaled, kernel)
        for kernel in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")
    },
}


@scoped("resize")
def resize(
    images: TensorLike,
    size: TensorLike,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of height and width `size`; float32, except with `nearest`, which keeps the dtype.

    Args:
        images: `[height, width, channels]`, or a batch of such.
        size: height and width of the result.
        method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or
            "mitchellcubic".
        preserve_aspect_ratio: whether the result is as large as fits in `size` without distortion.
        antialias: whether images that become smaller are smoothed before.

    Raises:
        ValueError: `images` has another rank, or `size` is not two numbers.

    >>> image = tf.reshape(tf.range(4.0), [2, 2, 1])
    >>> tf.image.resize(image, [2, 4])[..., 0].numpy()
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]], dtype=float32)
    """
    images = convert_to_tensor(images)
    if images.shape.rank is None:
        raise ValueError("'images' contains no shape.")
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    batch, single = batched(images, "images")
    size = _as_size(size)
    if preserve_aspect_ratio:
        size = _keep_aspect(size, batch)
    resizer = (
        _METHODS.get(method) if isinstance(method, str) else method if callable(method) else None
    )
    if resizer is None:
        raise ValueError(f"Resize method is not implemented: {method}")
    return single(
        resizer(batch, size, antialias) if isinstance(method, str) else method(batch, size)
    )


def _as_size(size: TensorLike) -> TensorLike:
    try:
        tensor = convert_to_tensor(size, dtype=int32)
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not tensor.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    value = constant_value(tensor)
    if value is not None and np.any(value < -1):
        raise ValueError(f"'size' must not be negative, got {value.tolist()}.")
    return tensor if value is None else value


def _keep_aspect(size: TensorLike, images: Tensor) -> TensorLike:
    """The largest size within `size` that has the proportions of `images`."""
    shape = shape_of(images)[1:3]
    if isinstance(shape, np.ndarray) and isinstance(size, np.ndarray):
        scale = np.min(size.astype(np.float32) / shape.astype(np.float32))
        return np.rint(scale * shape.astype(np.float32)).astype(np.int32)
    current = cast(convert_to_tensor(shape), float32)
    ratio = raw_ops.Min(cast(convert_to_tensor(size), float32) / current, np.int32(0))
    return cast(raw_ops.Round(ratio * current), int32)
