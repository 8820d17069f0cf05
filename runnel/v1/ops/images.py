"""Functions on images whose parameters were others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import float32, int32
from runnel.core.values.types import TensorLike
from runnel.ops.array.identity import get_static_value
from runnel.ops.array.shaping import expand_dims, shape, squeeze
from runnel.ops.image.boxes.boxes import draw_bounding_boxes as new_draw_bounding_boxes
from runnel.ops.image.resize.crop import pad_to_bounding_box
from runnel.ops.image.resize.crop_and_resize import crop_and_resize as new_crop_and_resize
from runnel.ops.math.arithmetic import maximum
from runnel.ops.math.casting import cast
from runnel.ops.math.rounding import floor, round
from runnel.ops.reduce.reductions import reduce_max, reduce_min
from runnel.v1.ops.arguments import either


def _resized(op: Any, what: str) -> Callable[..., Tensor]:
    def resize(
        images: TensorLike,
        size: TensorLike,
        align_corners: bool = False,
        name: str | None = None,
        half_pixel_centers: bool = False,
    ) -> Tensor:
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
) -> Tensor:
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
) -> Tensor:
    """Images of another size, as TensorFlow 1 makes them: pixels lie at their corners."""
    with name_scope(name or "resize"):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError(f"resize: `images` must have 3 or 4 dimensions, got {images.shape}.")
        batch = images if rank == 4 else expand_dims(images, 0)
        size = cast(convert_to_tensor(size, name="size"), int32)
        if preserve_aspect_ratio:
            size = _kept(shape(batch)[1:3], size)
        found = _by_method(batch, size, method, align_corners)
        return found if rank == 4 else squeeze(found, 0)


def _kept(old: Tensor, new: Tensor) -> Tensor:
    """The largest size within `new` that has the aspect ratio of `old`."""
    scales = cast(new, float32) / cast(old, float32)
    scaled = reduce_min(scales) * cast(old, float32)
    return cast(round(scaled), int32)


def _by_method(images: Tensor, size: Tensor, method: Any, align_corners: bool) -> Tensor:
    known, wanted = images.shape[1:3], get_static_value(size)
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
) -> Tensor:
    """Images of another size, their aspect ratio kept, with zeros around them."""
    image = convert_to_tensor(image)
    old = cast(shape(image)[-3:-1], float32)
    target = constant([target_height, target_width], float32)
    wanted = old / reduce_max(old / target)
    found = resize_images(image, cast(floor(wanted), int32), method, align_corners)
    around = cast(maximum(0.0, floor((target - wanted) / 2)), int32)
    return pad_to_bounding_box(found, around[0], around[1], target_height, target_width)


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike = None,
    crop_size: TensorLike = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: TensorLike = None,
) -> Tensor:
    """Parts of images, each in the same size."""
    box_ind = either("crop_and_resize", "box_indices", box_indices, "box_ind", box_ind)
    return new_crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value, name)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike = None
) -> Tensor:
    """Images with boxes drawn on them."""
    return new_draw_bounding_boxes(images, boxes, colors, name)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
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
