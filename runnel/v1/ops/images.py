"""Functions on images whose parameters were others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import TensorLike
from runnel.v1.ops.arguments import either


def _resized(op: Any, what: str) -> Callable[..., tf.Tensor]:
    def resize(
        images: TensorLike,
        size: TensorLike,
        align_corners: bool = False,
        name: str | None = None,
        half_pixel_centers: bool = False,
    ) -> tf.Tensor:
        return op(
            images=images,
            size=size,
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
            name=name,
        )

    resize.__doc__ = f"Images of another size, {what}."
    return resize


resize_bilinear = _resized(raw_ops.ResizeBilinear, "by bilinear interpolation")
resize_bicubic = _resized(raw_ops.ResizeBicubic, "by bicubic interpolation")
resize_nearest_neighbor = _resized(raw_ops.ResizeNearestNeighbor, "by the nearest pixel")


def resize_area(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None
) -> tf.Tensor:
    """Images of another size, by means of areas."""
    return raw_ops.ResizeArea(images=images, size=size, align_corners=align_corners, name=name)


_METHODS = {
    0: resize_bilinear,
    1: resize_nearest_neighbor,
    2: resize_bicubic,
    3: resize_area,
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def resize_images(
    images: TensorLike,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """Images of another size, as TensorFlow 1 makes them: pixels lie at their corners."""
    with tf.name_scope(name or "resize"):
        images = tf.convert_to_tensor(images, name="images")
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError(f"resize: `images` must have 3 or 4 dimensions, got {images.shape}.")
        batch = images if rank == 4 else tf.expand_dims(images, 0)
        size = tf.cast(tf.convert_to_tensor(size, name="size"), tf.int32)
        if preserve_aspect_ratio:
            size = _kept(tf.shape(batch)[1:3], size)
        found = _by_method(batch, size, method, align_corners)
        return found if rank == 4 else tf.squeeze(found, 0)


def _kept(old: tf.Tensor, new: tf.Tensor) -> tf.Tensor:
    """The largest size within `new` that has the aspect ratio of `old`."""
    scales = tf.cast(new, tf.float32) / tf.cast(old, tf.float32)
    scaled = tf.reduce_min(scales) * tf.cast(old, tf.float32)
    return tf.cast(tf.round(scaled), tf.int32)


def _by_method(images: tf.Tensor, size: tf.Tensor, method: Any, align_corners: bool) -> tf.Tensor:
    known, wanted = images.shape[1:3], tf.get_static_value(size)
    if wanted is not None and tuple(known) == tuple(wanted):
        return images
    if callable(method):
        return method(images, size)
    if method not in _METHODS:
        raise ValueError(f"resize: `method` is none of ResizeMethod, got {method!r}.")
    return _METHODS[method](images, size, align_corners)


def resize_image_with_pad(
    image: TensorLike,
    target_height: int,
    target_width: int,
    method: Any = 0,
    align_corners: bool = False,
) -> tf.Tensor:
    """Images of another size, their aspect ratio kept, with zeros around them."""
    image = tf.convert_to_tensor(image)
    old = tf.cast(tf.shape(image)[-3:-1], tf.float32)
    target = tf.constant([target_height, target_width], tf.float32)
    wanted = old / tf.reduce_max(old / target)
    found = resize_images(image, tf.cast(tf.floor(wanted), tf.int32), method, align_corners)
    around = tf.cast(tf.maximum(0.0, tf.floor((target - wanted) / 2)), tf.int32)
    return tf.image.pad_to_bounding_box(found, around[0], around[1], target_height, target_width)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike = None,
    crop_size: TensorLike = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: TensorLike = None,
) -> tf.Tensor:
    """Parts of images, each in the same size."""
    box_ind = either("crop_and_resize", "box_indices", box_indices, "box_ind", box_ind)
    return tf.image.crop_and_resize(
        image, boxes, box_ind, crop_size, method, extrapolation_value, name
    )


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike = None
) -> tf.Tensor:
    """Images with boxes drawn on them."""
    return tf.image.draw_bounding_boxes(images, boxes, colors, name)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> tf.Tensor:
    """Windows of images around given points."""
    return raw_ops.ExtractGlimpse(
        input=input,
        size=size,
        offsets=offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        noise="uniform" if uniform_noise else "gaussian",
        name=name,
    )


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A box drawn at random that covers enough of one of the given boxes."""
    return raw_ops.SampleDistortedBoundingBoxV2(
        image_size=image_size,
        bounding_boxes=bounding_boxes,
        seed=seed or 0,
        seed2=seed2 or 0,
        min_object_covered=min_object_covered,
        aspect_ratio_range=aspect_ratio_range or [0.75, 1.33],
        area_range=area_range or [0.05, 1.0],
        max_attempts=max_attempts or 100,
        use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
        name=name,
    )
