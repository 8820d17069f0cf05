"""Projective transforms of images: what Keras's layers for random rotation, shift and zoom use."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import FLOATS, int32, int64, uint8
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.arrays import once
from runnel.ops.shapes import shape_of

_PIXELS = FLOATS | {uint8, int32, int64}


def _check(
    op_name: str, images: Any, transforms: Any, output_shape: Any, *rest: Any, **attrs: Any
) -> None:
    specs = [
        v if isinstance(v, Spec) else Spec(v.shape, int32, np.asarray(v))
        for v in (images, transforms, output_shape)
    ]
    _transformed_shape(*specs, op_name=op_name, **attrs)


def _transformed_shape(
    images: Spec,
    transforms: Spec,
    output_shape: Spec,
    *fill_value: Spec,
    op_name: str,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Dims:
    if images.rank not in (None, 4):
        raise bad_shape(op_name, want="have rank 4", images=images)
    batch, _, _, channels = images.dims or (None,) * 4
    if not transforms.shape.is_compatible_with([None, 8]):
        raise bad_shape(op_name, want="have the shape [batch, 8] or [1, 8]", transforms=transforms)
    rows = transforms.dims[0] if transforms.dims is not None else None
    if None not in (rows, batch) and rows not in (1, batch):
        raise bad_shape(op_name, want="have the shape [batch, 8] or [1, 8]", transforms=transforms)
    if interpolation.upper() not in ("NEAREST", "BILINEAR"):
        raise bad_value(op_name, want="be NEAREST or BILINEAR", interpolation=interpolation)
    if fill_mode.upper() not in _FILLS:
        raise bad_value(op_name, want=f"be one of {', '.join(_FILLS)}", fill_mode=fill_mode)
    if not output_shape.shape.is_compatible_with([2]):
        raise bad_shape(op_name, want="be a vector of height and width", output_shape=output_shape)
    value = output_shape.value
    if value is not None and np.min(value) <= 0:
        raise bad_value(op_name, want="be positive", output_shape=value)
    height, width = (None, None) if value is None else value.tolist()
    return batch, height, width, channels


def _reflect(xp: Namespace, place: Array, size: int) -> Array:
    """Back and forth, the edge element twice: d c b a | a b c d | d c b a."""
    if size <= 1:
        return xp.zeros_like(place)
    period = np.float32(2 * size)
    below = xp.where(place < -period, place + period * xp.trunc(-place / period), place)
    below = xp.where(below < -size, below + period, -below - 1)
    above = place - period * xp.trunc(place / period)
    above = xp.where(above >= size, period - above - 1, above)
    return _nearest_edge(
        xp, xp.where(place < 0, below, xp.where(place > size - 1, above, place)), size
    )


def _wrap(xp: Namespace, place: Array, size: int) -> Array:
    """Over again: a b c d | a b c d | a b c d."""
    if size <= 1:
        return xp.zeros_like(place)
    last = np.float32(size - 1)
    below = place + np.float32(size) * (xp.trunc(-place / last) + 1)
    above = place - np.float32(size) * xp.trunc(place / last)
    return _nearest_edge(xp, xp.where(place < 0, below, xp.where(place > last, above, place)), size)


def _nearest_edge(xp: Namespace, place: Array, size: int) -> Array:
    return xp.clip(place, np.float32(0), np.float32(size - 1))


def _as_is(xp: Namespace, place: Array, size: int) -> Array:
    return place


_FILLS = {"CONSTANT": _as_is, "NEAREST": _nearest_edge, "REFLECT": _reflect, "WRAP": _wrap}


def _transform(
    xp: Namespace,
    images: Array,
    transforms: Array,
    output_shape: np.ndarray,
    fill_value: Array,
    interpolation: str,
    fill_mode: str,
) -> Array:
    height, width = np.ravel(output_shape).tolist()
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    each = xp.broadcast_to(transforms, (images.shape[0], 8))
    a0, a1, a2, b0, b1, b2, c0, c1 = (each[:, i, None, None] for i in range(8))
    depth = c0 * x + c1 * y + np.float32(1)
    safe = xp.where(depth == 0, np.float32(1), depth)
    move = _FILLS[fill_mode.upper()]
    rows = once(xp, move(xp, (b0 * x + b1 * y + b2) / safe, images.shape[1]))
    columns = once(xp, move(xp, (a0 * x + a1 * y + a2) / safe, images.shape[2]))
    take = _take_nearest if interpolation.upper() == "NEAREST" else _take_bilinear
    found = xp.where(
        (depth == 0)[..., None], fill_value, take(xp, images, rows, columns, fill_value)
    )
    # the images of one transform are the input of the next, which reads them four times
    return (once(xp, found) if found.dtype.kind == "f" else found).astype(images.dtype)


def _read(xp: Namespace, images: Array, rows: Array, columns: Array, fill_value: Array) -> Array:
    """The pixels at whole rows and columns, `fill_value` where there are none."""
    height, width = images.shape[1:3]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    row = xp.clip(rows, 0, height - 1).astype(np.int32)
    column = xp.clip(columns, 0, width - 1).astype(np.int32)
    batch = np.arange(images.shape[0])[:, None, None]
    return xp.where(inside[..., None], images[batch, row, column], fill_value.astype(images.dtype))


def _take_nearest(xp: Namespace, images: Array, rows: Array, columns: Array, fill: Array) -> Array:
    return _read(xp, images, _round(xp, rows), _round(xp, columns), fill)


def _round(xp: Namespace, x: Array) -> Array:
    """To the nearest whole number, halves away from zero."""
    return xp.trunc(x + xp.copysign(np.float32(0.5), x))


def _take_bilinear(xp: Namespace, images: Array, rows: Array, columns: Array, fill: Array) -> Array:
    top, left = xp.floor(rows), xp.floor(columns)
    down, across = (rows - top)[..., None], (columns - left)[..., None]
    read = partial(_read, xp, images, fill_value=fill)
    upper = (1 - across) * read(top, left) + across * read(top, left + 1)
    lower = (1 - across) * read(top + 1, left) + across * read(top + 1, left + 1)
    return (1 - down) * upper + down * lower


@op(
    "ImageProjectiveTransformV2",
    "images: dtype, transforms: float32, output_shape: int32 -> transformed_images: dtype",
    dtype=_PIXELS,
    static=("output_shape",),
    shape=_transformed_shape,
    check=partial(_check, "ImageProjectiveTransformV2"),
    heavy=True,
)
def _projective_transform(
    xp: Namespace,
    images: Array,
    transforms: Array,
    output_shape: np.ndarray,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Array:
    fill_value = np.asarray(0, np.float32)
    return _transform(xp, images, transforms, output_shape, fill_value, interpolation, fill_mode)


@op(
    "ImageProjectiveTransformV3",
    "images: dtype, transforms: float32, output_shape: int32, fill_value: float32[0?] "
    "-> transformed_images: dtype",
    dtype=_PIXELS,
    static=("output_shape",),
    shape=_transformed_shape,
    check=partial(_check, "ImageProjectiveTransformV3"),
    heavy=True,
)
def _projective_transform_filled(
    xp: Namespace,
    images: Array,
    transforms: Array,
    output_shape: np.ndarray,
    fill_value: Array,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Array:
    return _transform(xp, images, transforms, output_shape, fill_value, interpolation, fill_mode)


def _inverse(transforms: Tensor) -> Tensor:
    """The transforms that undo these: eight of the nine numbers of inverse matrices."""
    ones = raw_ops.OnesLike(transforms[:, :1])
    full = raw_ops.ConcatV2([transforms, ones], np.int32(1))
    inverse = raw_ops.MatrixInverse(raw_ops.Reshape(full, np.array([-1, 3, 3], np.int32)))
    flat = raw_ops.Reshape(inverse, np.array([-1, 9], np.int32))
    return (flat / flat[:, 8:])[:, :8]


def _transform_back(op: Any, dy: Tensor) -> Tensor:
    """TensorFlow's gradient: the incoming one, transformed by the inverse."""
    images, transforms = op.inputs[:2]
    if not images.dtype.is_floating:
        raise TypeError(f"Image dtype {images.dtype.name} has no gradient.")
    return raw_ops.ImageProjectiveTransformV3(
        dy,
        _inverse(transforms),
        shape_of(images)[1:3],
        np.float32(0),
        interpolation=op.attrs["interpolation"],
        fill_mode=op.attrs["fill_mode"],
    )


@RegisterGradient("ImageProjectiveTransformV2", needs="transforms")
def _projective_transform_grad(op: Any, dy: Tensor) -> Gradients:
    return _transform_back(op, dy), None, None


@RegisterGradient("ImageProjectiveTransformV3", needs="transforms")
def _projective_transform_filled_grad(op: Any, dy: Tensor) -> Gradients:
    return _transform_back(op, dy), None, None, None
