"""How alike two images are, and how much one varies: `psnr`, `ssim`, `total_variation`, edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import float32
from runnel.core.values.errors import bad_dtype
from runnel.core.values.types import TensorLike
from runnel.ops.image.dtypes import convert_image_dtype
from runnel.ops.image.shared import cast, int_vector, require, sizes
from runnel.ops.shapes import shape_of

_PIXELS = np.array([-3, -2, -1], np.int32)
_SPACE = np.array([-3, -2], np.int32)


def _as_floats(a: TensorLike, b: TensorLike, max_val: TensorLike) -> tuple[Tensor, Tensor, Tensor]:
    """Two images and the greatest value a pixel can have, as float32."""
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, dtype_hint=a.dtype)
    top = convert_image_dtype(cast(convert_to_tensor(max_val), a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), top


def _check_shapes(a: Tensor, b: Tensor) -> None:
    """ValueError unless the images have one size and their batches broadcast."""
    first, second = a.shape.with_rank_at_least(3), b.shape.with_rank_at_least(3)
    if first.rank is None or second.rank is None:
        return
    first[-3:].assert_is_compatible_with(second[-3:])
    for size, other in zip(reversed(list(first[:-3])), reversed(list(second[:-3]))):
        if None not in (size, other) and 1 not in (size, other) and size != other:
            raise ValueError(f"Two images are not compatible: {first} and {second}.")


@scoped("PSNR")
def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels.

    >>> a = tf.zeros([2, 2, 3])
    >>> tf.image.psnr(a, a + 0.1, max_val=1.0).numpy().round(3).item()
    20.0
    """
    a, b, top = _as_floats(a, b, max_val)
    error = raw_ops.Mean(raw_ops.SquaredDifference(a, b), _PIXELS)
    _check_shapes(a, b)
    decibels = 20.0 * raw_ops.Log(top) / math.log(10.0)
    return raw_ops.Sub(decibels, np.float32(10 / math.log(10)) * raw_ops.Log(error), name=name)


@scoped("SSIM")
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of two images, 1 when they are equal.

    >>> image = tf.reshape(tf.range(144.0), [12, 12, 1])
    >>> tf.image.ssim(image, image, max_val=255.0).numpy().item()
    1.0
    """
    img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
    _check_shapes(img1, img2)
    if img1.dtype is not img2.dtype:
        raise bad_dtype("ssim", want=f"be of dtype {img1.dtype.name}, as `img1`", img2=img2)
    img1, img2, top = _as_floats(img1, img2, max_val)
    similarity, _ = _similarity(img1, img2, top, filter_size, filter_sigma, k1, k2)
    if not return_index_map:
        similarity = raw_ops.Mean(similarity, _SPACE)
    return raw_ops.Mean(similarity, np.int32(-1))


def _similarity(
    x: Tensor, y: Tensor, top: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Similarity at each place where the window fits, and its part without the brightness."""
    for image in (x, y):
        for extent in sizes(image)[-3:-1]:
            fits = convert_to_tensor(extent) >= size
            require(fits, f"ssim: images must be at least {size} pixels high and wide.")
    kernel = gaussian(size, sigma)
    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    mean_x, mean_y = _blur(x, kernel), _blur(y, kernel)
    product, squares = mean_x * mean_y * 2.0, mean_x**2 + mean_y**2
    luminance = (product + c1) / (squares + c1)
    products, total = _blur(x * y, kernel) * 2.0, _blur(x**2 + y**2, kernel)
    contrast = (products - product + c2) / (total - squares + c2)
    return luminance * contrast, contrast


def gaussian(size: int, sigma: float) -> np.ndarray:
    """The weights of a round window that sum to 1."""
    check_room("ssim", (size, size), 4)
    place = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.square(place) * np.float32(np.float64(-0.5) / sigma**2)
        weight = np.exp(exponent[:, None] + exponent)
        return (weight / weight.sum()).astype(np.float32)


def _blur(x: Tensor, kernel: np.ndarray) -> Tensor:
    """Each channel by itself, averaged over the window wherever it fits."""
    flat = raw_ops.Reshape(x, _join([-1], x, -3))
    filters = raw_ops.Tile(kernel[:, :, None, None], int_vector([1, 1, sizes(x)[-1], 1]))
    blurred = raw_ops.DepthwiseConv2dNative(flat, filters, strides=[1, 1, 1, 1], padding="VALID")
    if x.shape.rank == 4:
        return blurred
    return raw_ops.Reshape(blurred, _outer_join(x, blurred))


def _join(front: list[int], x: Tensor, start: int) -> TensorLike:
    shape = shape_of(x)
    if isinstance(shape, np.ndarray):
        return np.concatenate([front, shape[start:]]).astype(np.int32)
    return raw_ops.ConcatV2([np.array(front, np.int32), shape[start:]], np.int32(0))


def _outer_join(outer: Tensor, inner: Tensor) -> TensorLike:
    """The batch dimensions of one tensor and the last three of another."""
    shapes = shape_of(outer)[:-3], shape_of(inner)[1:]
    if all(isinstance(shape, np.ndarray) for shape in shapes):
        return np.concatenate(shapes)
    return raw_ops.ConcatV2(list(shapes), np.int32(0))


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of two images over several scales, each half of the one before.

    >>> image = tf.reshape(tf.range(32.0 * 32), [32, 32, 1])
    >>> same = tf.image.ssim_multiscale(image, image, 255.0, power_factors=(0.5, 0.5))
    >>> same.numpy().item()
    1.0
    """
    img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
    _check_shapes(img1, img2)
    for image in (img1, img2):
        if not (image.dtype.is_floating or image.dtype.is_integer):
            raise bad_dtype("ssim_multiscale", want="hold real numbers", image=image)
    img1, img2, top = _as_floats(img1, img2, max_val)
    parts: list[Tensor] = []
    for level in range(len(power_factors)):
        if level:
            img1, img2 = _halved(img1), _halved(img2)
        similarity, contrast = _similarity(img1, img2, top, filter_size, filter_sigma, k1, k2)
        last = level == len(power_factors) - 1
        parts.append(raw_ops.Relu(raw_ops.Mean(similarity if last else contrast, _SPACE)))
    powers = np.array(power_factors, np.float32)
    combined = raw_ops.Prod(raw_ops.Pow(raw_ops.Pack(parts, axis=-1), powers), np.int32(-1))
    return raw_ops.Mean(combined, np.int32(-1))


def _halved(x: Tensor) -> Tensor:
    """Half the size; an odd size is first made even by repeating the edge."""
    flat = raw_ops.Reshape(x, _join([-1], x, -3))
    _, height, width, _ = sizes(flat)
    rest = [height % 2, width % 2]
    if any(isinstance(r, Tensor) for r in rest) or any(rest):
        widths = [0, 0, 0, rest[0], 0, rest[1], 0, 0]
        packed = raw_ops.Pack([convert_to_tensor(w) for w in widths], axis=0)
        paddings = raw_ops.Reshape(packed, np.array([4, 2], np.int32))
        flat = raw_ops.MirrorPad(flat, paddings, mode="SYMMETRIC")
    window = [1, 2, 2, 1]
    small = raw_ops.AvgPool(flat, ksize=window, strides=window, padding="VALID")
    return raw_ops.Reshape(small, _outer_join(x, small))


@scoped("total_variation")
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels, for each image.

    >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[1.0], [0.0]]])).numpy()
    np.float32(6.0)
    """
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank == 3:
        down, across = images[1:] - images[:-1], images[:, 1:] - images[:, :-1]
    elif rank == 4:
        down, across = images[:, 1:] - images[:, :-1], images[:, :, 1:] - images[:, :, :-1]
    else:
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    return raw_ops.AddV2(_absolute_sum(down), _absolute_sum(across), name=name)


def _absolute_sum(x: Tensor) -> Tensor:
    return raw_ops.Sum(raw_ops.Abs(x), _PIXELS)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences to the next row and to the next column; zero in the last ones.

    >>> dy, dx = tf.image.image_gradients(tf.reshape(tf.range(4.0), [1, 2, 2, 1]))
    >>> dy[0, ..., 0].numpy().tolist(), dx[0, ..., 0].numpy().tolist()
    ([[2.0, 2.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    """
    image = convert_to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    down = image[:, 1:] - image[:, :-1]
    across = image[:, :, 1:] - image[:, :, :-1]
    below = np.array([[0, 0], [0, 1], [0, 0], [0, 0]], np.int32)
    return raw_ops.Pad(down, below), raw_ops.Pad(across, below[[0, 2, 1, 3]])


def sobel_edges(image: TensorLike) -> Tensor:
    """Sobel's edges: a last axis with the change downwards and the change to the right.

    >>> image = tf.constant([[[[0.0], [1.0], [2.0]]] * 3])
    >>> tf.image.sobel_edges(image)[0, 1, 1, 0].numpy()
    array([0., 8.], dtype=float32)
    """
    image = convert_to_tensor(image)
    if not image.dtype.is_floating:
        raise bad_dtype("sobel_edges", want="hold floats", image=image)
    around = np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32)
    padded = raw_ops.MirrorPad(image, around, mode="REFLECT")
    down = _smooth(padded[:, 2:] - padded[:, :-2], 2)
    across = _smooth(padded[:, :, 2:] - padded[:, :, :-2], 1)
    return raw_ops.Pack([down, across], axis=-1)


def _smooth(x: Tensor, axis: int) -> Tensor:
    """One, two and one parts of three neighbours."""
    before: Any = (slice(None),) * axis
    first, middle, last = (x[(*before, s)] for s in (slice(-2), slice(1, -1), slice(2, None)))
    return first + middle * 2 + last
