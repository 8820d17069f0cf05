"""The ops that resize images by interpolation, and the ops of their gradients."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.gradients.tape import Shell
from runnel.core.settings.arguments import check_room
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.dtypes import (
    FLOATS,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels import resampling
from runnel.ops.array.shaping import entries
from runnel.ops.shapes import shape_of

PIXELS = FLOATS | {int8, uint8, int16, uint16, int32, int64}


def check_images(op_name: str, **images: Any) -> None:
    ((name, value),) = images.items()
    dims = value.dims if isinstance(value, Spec) else value.shape
    if dims is not None and len(dims) != 4:
        raise bad_shape(op_name, want="be 4-dimensional: batch, height, width, channels", **images)
    if dims is not None and 0 in dims[1:]:
        raise bad_shape(op_name, want="have at least one row, column and channel", **{name: value})


def check_size(op_name: str, size: Any) -> None:
    dims = size.dims if isinstance(size, Spec) else size.shape
    if dims is not None and (len(dims) != 1 or dims[0] not in (2, None)):
        raise bad_shape(op_name, want="be a vector of height and width", size=size)
    value = size.value if isinstance(size, Spec) else size
    if value is not None and np.min(value) <= 0:
        raise bad_value(op_name, want="be positive", size=value)


def _check_resize(
    op_name: str,
    images: Any,
    size: Any,
    *,
    half_pixel_centers: bool = False,
    align_corners: bool = False,
) -> None:
    if half_pixel_centers and align_corners:
        raise bad_value(
            op_name, want="be False with half_pixel_centers", align_corners=align_corners
        )
    check_images(op_name, images=images)
    check_size(op_name, size)
    check_resized(op_name, images, size)


def check_resized(op_name: str, images: Any, size: Any) -> None:
    """An error for values of which the result cannot be held."""
    if isinstance(images, np.ndarray):
        check_room(op_name, (images.shape[0], *np.ravel(size).tolist(), images.shape[3]), 4)


def resized(images: Spec, size: Spec, *, op_name: str, **attrs: Any) -> Dims:
    """The shape of `images` with the height and width that `size` holds."""
    _check_resize(op_name, images, size, **attrs)
    return with_size(images, size)


def with_size(images: Spec, size: Spec) -> Dims:
    batch, _, _, channels = images.dims or (None,) * 4
    height, width = entries(size) or (None, None)
    return batch, height, width, channels


def pair(size: np.ndarray) -> tuple[int, int]:
    height, width = np.ravel(size).tolist()
    return height, width


@op(
    "ResizeNearestNeighbor",
    "images: T, size: int32 -> resized_images: T",
    T=PIXELS,
    static=("size",),
    shape=resized,
    check=partial(_check_resize, "ResizeNearestNeighbor"),
)
def _resize_nearest(
    xp: Namespace,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    for axis, outputs in enumerate(pair(size), start=1):
        index = resampling.nearest(images.shape[axis], outputs, align_corners, half_pixel_centers)
        images = xp.take(images, index, axis=axis)
    return images


@RegisterGradient("ResizeNearestNeighbor", needs="")
def _resize_nearest_grad(op: Any, dy: Tensor) -> Gradients:
    shape = shape_of(op.inputs[0])
    return raw_ops.ResizeNearestNeighborGrad(dy, shape[1:3], **_alignment(op)), None


def _alignment(op: Any) -> dict[str, Any]:
    return {key: op.attrs[key] for key in ("align_corners", "half_pixel_centers")}


def _nearest_grad_shape(
    grads: Spec, size: Spec, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Dims:
    check_images("ResizeNearestNeighborGrad", grads=grads)
    return with_size(grads, size)


@op(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32[1 of 2] -> output: T",
    T=FLOATS | {uint8, int8, int32},
    static=("size",),
    shape=_nearest_grad_shape,
    check=lambda grads, size, **attrs: check_images("ResizeNearestNeighborGrad", grads=grads),
)
def _resize_nearest_adjoint(
    xp: Namespace,
    grads: Array,
    size: np.ndarray,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    for axis, inputs in enumerate(pair(size), start=1):
        sizes = inputs, grads.shape[axis]
        taps = resampling.nearest_taps(*sizes, align_corners, half_pixel_centers)
        grads = resampling.spread(xp, grads, taps, axis)
    return grads


_RESIZED: Any = {"T": PIXELS, "heavy": True, "shape": resized, "static": ("size",)}
_TO_FLOATS = "images: T, size: int32 -> resized_images: float32"


@op("ResizeBilinear", _TO_FLOATS, check=partial(_check_resize, "ResizeBilinear"), **_RESIZED)
def _resize_bilinear(
    xp: Namespace,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    height, width = pair(size)
    top, bottom, down = resampling.linear(
        images.shape[1], height, align_corners, half_pixel_centers
    )
    left, right, across = resampling.linear(
        images.shape[2], width, align_corners, half_pixel_centers
    )
    if 2 * height < images.shape[1]:  # leave out the rows that nobody will look at
        images = xp.take(images, np.concatenate([top, bottom]), axis=1)
        top, bottom = np.arange(height), np.arange(height, 2 * height)
    rows = _between(xp, images, left, right, across[:, None], 2)
    return _between(xp, rows, top, bottom, down[:, None, None], 1)


def _between(
    xp: Namespace, x: Array, lower: np.ndarray, upper: np.ndarray, fraction: np.ndarray, axis: int
) -> Array:
    low = xp.take(x, lower, axis=axis).astype(np.float32)
    high = xp.take(x, upper, axis=axis).astype(np.float32)
    return low + (high - low) * fraction


@RegisterGradient("ResizeBilinear", needs="")
def _resize_bilinear_grad(op: Any, dy: Tensor) -> Gradients:
    image = op.inputs[0]
    if not image.dtype.is_floating:
        return None, None
    return raw_ops.ResizeBilinearGrad(dy, any_like(image), **_alignment(op)), None


def any_like(image: Tensor) -> Tensor:
    """A tensor of this shape and dtype: gradient ops read nothing else of the original image."""
    if not isinstance(image, Shell):
        return image
    dims: Any = image.shape._dims
    zeros = np.broadcast_to(np.zeros((), image.dtype.np_dtype), dims)
    return EagerTensor(zeros, image.dtype)


def _original_shape(
    grads: Spec, original_image: Spec, *rest: Spec, op_name: str, **attrs: Any
) -> Dims:
    check_images(op_name, grads=grads)
    check_images(op_name, original_image=original_image)
    return original_image.dims


def check_grad(
    op_name: str, grads: Array, original_image: Array, *rest: Array, **attrs: Any
) -> None:
    check_images(op_name, grads=grads)
    check_images(op_name, original_image=original_image)


@op(
    "ResizeBilinearGrad",
    "grads: float32, original_image: T -> output: T",
    T=FLOATS,
    shape=_original_shape,
    heavy=True,
    check=partial(check_grad, "ResizeBilinearGrad"),
)
def _resize_bilinear_adjoint(
    xp: Namespace,
    grads: Array,
    original_image: Array,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    for axis in (1, 2):
        sizes = original_image.shape[axis], grads.shape[axis]
        taps = resampling.linear_taps(*sizes, align_corners, half_pixel_centers)
        grads = resampling.spread(xp, grads, taps, axis)
    return grads.astype(original_image.dtype)


@RegisterGradient("ResizeBilinearGrad", needs="")
def _resize_bilinear_adjoint_grad(op: Any, dy: Tensor) -> Gradients:
    # TensorFlow says it has none; without this one the gradient of a gradient would lose a part.
    return raw_ops.ResizeBilinear(dy, shape_of(op.inputs[0])[1:3], **_alignment(op)), None


@op("ResizeBicubic", _TO_FLOATS, check=partial(_check_resize, "ResizeBicubic"), **_RESIZED)
def _resize_bicubic(
    xp: Namespace,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    images = images.astype(np.float32)
    for axis, outputs in enumerate(pair(size), start=1):
        taps = resampling.cubic_taps(images.shape[axis], outputs, align_corners, half_pixel_centers)
        images = resampling.resample(xp, images, taps, axis)
    return images


@RegisterGradient("ResizeBicubic", needs="")
def _resize_bicubic_grad(op: Any, dy: Tensor) -> Gradients:
    image = op.inputs[0]
    if image.dtype not in (float32, float64):
        return None, None
    return raw_ops.ResizeBicubicGrad(dy, any_like(image), **_alignment(op)), None


@op(
    "ResizeBicubicGrad",
    "grads: float32, original_image: T -> output: T",
    T=frozenset({float32, float64}),
    shape=_original_shape,
    heavy=True,
    check=partial(check_grad, "ResizeBicubicGrad"),
)
def _resize_bicubic_adjoint(
    xp: Namespace,
    grads: Array,
    original_image: Array,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Array:
    for axis in (1, 2):
        sizes = original_image.shape[axis], grads.shape[axis]
        taps = resampling.cubic_taps(*sizes, align_corners, half_pixel_centers)
        grads = resampling.spread(xp, grads, taps, axis)
    return grads.astype(original_image.dtype)


@op("ResizeArea", _TO_FLOATS, check=partial(_check_resize, "ResizeArea"), **_RESIZED)
def _resize_area(
    xp: Namespace, images: Array, size: np.ndarray, *, align_corners: bool = False
) -> Array:
    images = images.astype(np.float32)
    for axis, outputs in enumerate(pair(size), start=1):
        taps = resampling.area_taps(images.shape[axis], outputs, align_corners)
        images = resampling.resample(xp, images, taps, axis)
    return images
