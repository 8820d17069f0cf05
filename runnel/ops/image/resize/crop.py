"""Images cut and padded to a size."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import float64, int32
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import TensorLike
from runnel.ops.image.resize.functions import ResizeMethod, resize
from runnel.ops.image.shared import at_least_3d, batched, cast, int_vector, require, sizes, whole
from runnel.ops.random.numbers import uniform
from runnel.ops.random.seeded_numbers import stateless_uniform
from runnel.ops.shapes import shape_of


@scoped("crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The part of `image` that starts at the offsets and has the target size.

    Args:
        image: an image, or a batch of some: `[height, width, channels]`, with the batch in front.
        offset_height, offset_width: where the part begins.
        target_height, target_width: its size.

    Raises:
        ValueError: the part reaches beyond the image.

    >>> image = tf.reshape(tf.range(9), [3, 3, 1])
    >>> tf.image.crop_to_bounding_box(image, 1, 0, 2, 2)[..., 0].numpy().tolist()
    [[3, 4], [6, 7]]
    """
    batch, single = batched(at_least_3d(image))
    offset_height = whole("crop_to_bounding_box", offset_height=offset_height)
    offset_width = whole("crop_to_bounding_box", offset_width=offset_width)
    target_height = whole("crop_to_bounding_box", target_height=target_height)
    target_width = whole("crop_to_bounding_box", target_width=target_width)
    _, height, width, _ = sizes(batch)
    require(offset_width >= 0, "offset_width must be >= 0.")
    require(offset_height >= 0, "offset_height must be >= 0.")
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    require(width >= target_width + offset_width, "width must be >= target + offset.")
    require(height >= target_height + offset_height, "height must be >= target + offset.")
    begin = int_vector([0, offset_height, offset_width, 0])
    cropped = raw_ops.Slice(batch, begin, int_vector([-1, target_height, target_width, -1]))
    _set_known(cropped, batch, target_height, target_width)
    return single(cropped)


@scoped("pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """`image` on a larger black one of the target size, at the offsets.

    >>> image = tf.ones([1, 1, 1])
    >>> tf.image.pad_to_bounding_box(image, 0, 1, 2, 2)[..., 0].numpy().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    batch, single = batched(at_least_3d(image))
    offset_height = whole("pad_to_bounding_box", offset_height=offset_height)
    offset_width = whole("pad_to_bounding_box", offset_width=offset_width)
    target_height = whole("pad_to_bounding_box", target_height=target_height)
    target_width = whole("pad_to_bounding_box", target_width=target_width)
    _, height, width, _ = sizes(batch)
    after_width = target_width - offset_width - width
    after_height = target_height - offset_height - height
    require(offset_height >= 0, "offset_height must be >= 0")
    require(offset_width >= 0, "offset_width must be >= 0")
    require(after_width >= 0, "width must be <= target - offset")
    require(after_height >= 0, "height must be <= target - offset")
    widths = int_vector([0, 0, offset_height, after_height, offset_width, after_width, 0, 0])
    padded = raw_ops.Pad(batch, raw_ops.Reshape(widths, np.array([4, 2], np.int32)))
    _set_known(padded, batch, target_height, target_width)
    return single(padded)


def _set_known(image: Tensor, batch: Tensor, *target: TensorLike) -> None:
    """Note the sizes that are known however large `batch` is."""
    found = [constant_value(size) for size in target]
    known = [None if size is None else int(size) for size in found]
    image.set_shape([batch.shape[0], *known, batch.shape[3]])


@scoped("central_crop")
def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of `image`, a given fraction of its height and width.

    >>> tf.image.central_crop(tf.ones([4, 6, 1]), 0.5).shape
    TensorShape([2, 4, 1])
    """
    image = at_least_3d(image, nonempty=False)
    if central_fraction is None:
        raise TypeError("central_crop: `central_fraction` must be a number, got None.")
    fraction = constant_value(convert_to_tensor(central_fraction))
    if fraction is not None:
        if fraction.dtype.kind not in "iuf" or fraction.ndim:
            raise TypeError(
                f"central_crop: `central_fraction` must be a number, got {central_fraction!r}."
            )
        if not 0 < fraction <= 1:
            raise ValueError("central_fraction must be within (0, 1]")
        if fraction == 1:
            return image
    if image.shape.rank not in (3, 4):
        raise ValueError(f"`image` must be of rank 3 or 4, got shape {image.shape}.")
    batch, single = batched(image)
    _, height, width, _ = sizes(batch)
    top, left = (_margin(size, central_fraction, fraction) for size in (height, width))
    size = int_vector([-1, height - top * 2, width - left * 2, -1])
    return single(raw_ops.Slice(batch, int_vector([0, top, left, 0]), size))


def _margin(size: Any, fraction: TensorLike, value: Any) -> Any:
    """How much to cut off on each side."""
    if isinstance(size, int) and value is not None:
        return int((size - size * float(value)) / 2)
    wide = cast(convert_to_tensor(size), float64)
    kept = wide * cast(convert_to_tensor(fraction), float64)
    return cast((wide - kept) / 2.0, int32)


@scoped("resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> Tensor:
    """`image` cut or padded evenly on both sides to the target size.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 4, 1]), 2, 6).shape
    TensorShape([2, 6, 1])
    """
    batch, single = batched(at_least_3d(image))
    target_height = whole("resize_with_crop_or_pad", target_height=target_height)
    target_width = whole("resize_with_crop_or_pad", target_width=target_width)
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes(batch)
    over_width, over_height = width - target_width, height - target_height
    cropped = crop_to_bounding_box(
        batch,
        _greater(over_height // 2, 0),
        _greater(over_width // 2, 0),
        _lesser(target_height, height),
        _lesser(target_width, width),
    )
    missing_width, missing_height = target_width - width, target_height - height
    padded = pad_to_bounding_box(
        cropped,
        _greater(missing_height // 2, 0),
        _greater(missing_width // 2, 0),
        target_height,
        target_width,
    )
    return single(padded)


def _greater(x: Any, y: Any) -> Any:
    return raw_ops.Maximum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else max(x, y)


def _lesser(x: Any, y: Any) -> Any:
    return raw_ops.Minimum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else min(x, y)


@scoped("resize_image_with_pad")
def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """`image` resized to fit the target size without changing its proportions, and padded.

    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4)[:, 0, 0].numpy()
    array([0., 1., 1., 0.], dtype=float32)
    """
    batch, single = batched(at_least_3d(image))
    target_height = whole("resize_with_pad", target_height=target_height)
    target_width = whole("resize_with_pad", target_width=target_width)
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes(batch)
    numbers = (height, width, target_height, target_width)
    if any(isinstance(n, Tensor) for n in numbers):
        plan = _fit_tensors(*numbers)
    else:
        plan = _fit(*numbers)
    new_height, new_width, top, left = plan
    small = resize(batch, int_vector([new_height, new_width]), method=method, antialias=antialias)
    return single(pad_to_bounding_box(small, top, left, target_height, target_width))


def _fit(
    height: int, width: int, target_height: int, target_width: int
) -> tuple[int, int, int, int]:
    """The size that fits into the target, and the margins above and to the left of it."""
    ratio = max(width / target_width, height / target_height)
    sizes = [float(np.floor(size / ratio)) for size in (height, width)]
    margins = [
        max(0, int((target - size) / 2))
        for target, size in ((target_height, height / ratio), (target_width, width / ratio))
    ]
    return int(sizes[0]), int(sizes[1]), margins[0], margins[1]


def _fit_tensors(*numbers: Any) -> tuple[Any, Any, Any, Any]:
    height, width, target_height, target_width = (
        cast(convert_to_tensor(n), float64) for n in numbers
    )
    ratio = raw_ops.Maximum(width / target_width, height / target_height)
    real_height, real_width = height / ratio, width / ratio
    top = raw_ops.Maximum(cast((target_height - real_height) / 2.0, int32), 0)
    left = raw_ops.Maximum(cast((target_width - real_width) / 2.0, int32), 0)
    return (
        cast(raw_ops.Floor(real_height), int32),
        cast(raw_ops.Floor(real_width), int32),
        top,
        left,
    )


@scoped("random_crop")
def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of `value` of the given size, at a random place.

    Args:
        value: a tensor.
        size: the size of the part, for each axis.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.image.random_crop(tf.zeros([5, 5, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """
    return _random_crop(value, size, lambda shape, **kw: uniform(shape, seed=seed, **kw))


@scoped("random_crop")
def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """A part of `value` of the given size, at a place that depends on `seed` alone.

    >>> tf.image.stateless_random_crop(tf.zeros([5, 5, 3]), [2, 2, 3], seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """
    return _random_crop(value, size, lambda shape, **kw: stateless_uniform(shape, seed, **kw))


def _random_crop(value: TensorLike, size: TensorLike, draw: Any) -> Tensor:
    value = convert_to_tensor(value)
    size = convert_to_tensor(size, dtype=int32)
    shape = convert_to_tensor(shape_of(value))
    if size.ndim not in (1, None):
        raise bad_shape("random_crop", want="be a vector", size=size)
    fits = raw_ops.All(raw_ops.GreaterEqual(shape, size), np.int32(0))
    require(fits, f"Need value.shape >= size, got shape {value.shape} and size {size!r}.")
    drawn = draw(shape_of(shape), dtype=int32, minval=0, maxval=int32.max)
    return raw_ops.Slice(value, raw_ops.FloorMod(drawn, shape - size + 1), size)
