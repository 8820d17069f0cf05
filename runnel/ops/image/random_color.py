"""Random changes of brightness, contrast, hue, saturation and JPEG quality."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import int32
from runnel.core.values.types import TensorLike
from runnel.ops.image import color
from runnel.ops.random.numbers import uniform
from runnel.ops.random.seeded_numbers import stateless_uniform


def _uniform(low: Any, high: Any, seed: int | None, **dtype: Any) -> Tensor:
    return uniform([], low, high, seed=seed, **dtype)


def _stateless_uniform(low: Any, high: Any, seed: TensorLike, **dtype: Any) -> Tensor:
    return stateless_uniform([], seed, minval=low, maxval=high, **dtype)


def _check_number(**argument: Any) -> None:
    ((name, value),) = argument.items()
    if not isinstance(value, Real | Tensor | np.ndarray):
        raise TypeError(f"A random change of colours: `{name}` must be a number, got {value!r}.")


def _check_delta(max_delta: Any) -> None:
    _check_number(max_delta=max_delta)
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")


def _check_hue_delta(max_delta: Any) -> None:
    _check_number(max_delta=max_delta)
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    _check_delta(max_delta)


def _check_bounds(lower: Any, upper: Any) -> None:
    _check_number(lower=lower)
    _check_number(upper=upper)
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def _check_quality(low: Any, high: Any) -> None:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`image`, brighter or darker by at most `max_delta`.

    >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    _check_delta(max_delta)
    return color.adjust_brightness(image, _uniform(-max_delta, max_delta, seed))


def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """`image`, brighter or darker by at most `max_delta`, always the same for a `seed`.

    >>> tf.image.stateless_random_brightness(tf.zeros([2, 2, 3]), 0.2, (1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_delta(max_delta)
    return color.adjust_brightness(image, _stateless_uniform(-max_delta, max_delta, seed))


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """`image` with its contrast multiplied by a number from `lower` to `upper`.

    >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    _check_bounds(lower, upper)
    return color.adjust_contrast(image, _uniform(lower, upper, seed))


def stateless_random_contrast(
    image: TensorLike, lower: float, upper: float, seed: TensorLike
) -> Tensor:
    """`image` with its contrast multiplied by a number that `seed` decides.

    >>> tf.image.stateless_random_contrast(tf.zeros([2, 2, 3]), 0.5, 1.5, (1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_bounds(lower, upper)
    return color.adjust_contrast(image, _stateless_uniform(lower, upper, seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`image` with its hues moved by at most `max_delta` of the colour circle.

    >>> tf.image.random_hue(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    _check_hue_delta(max_delta)
    return color.adjust_hue(image, _uniform(-max_delta, max_delta, seed))


def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """`image` with its hues moved by at most `max_delta`, always the same for a `seed`.

    >>> tf.image.stateless_random_hue(tf.zeros([2, 2, 3]), 0.2, (1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_hue_delta(max_delta)
    return color.adjust_hue(image, _stateless_uniform(-max_delta, max_delta, seed))


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """`image` with its saturation multiplied by a number from `lower` to `upper`.

    >>> tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    _check_bounds(lower, upper)
    return color.adjust_saturation(image, _uniform(lower, upper, seed))


def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: TensorLike = None
) -> Tensor:
    """`image` with its saturation multiplied by a number that `seed` decides.

    >>> tf.image.stateless_random_saturation(tf.zeros([2, 2, 3]), 0.5, 1.5, (1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_bounds(lower, upper)
    return color.adjust_saturation(image, _stateless_uniform(lower, upper, seed))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """`image` as it looks after it was saved as JPEG with a random quality.

    >>> tf.image.random_jpeg_quality(tf.zeros([8, 8, 3]), 50, 90).shape
    TensorShape([8, 8, 3])
    """
    _check_quality(min_jpeg_quality, max_jpeg_quality)
    quality = _uniform(min_jpeg_quality, max_jpeg_quality, seed, dtype=int32)
    return color.adjust_jpeg_quality(image, quality)


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """`image` as it looks after it was saved as JPEG with a quality that `seed` decides.

    >>> tf.image.stateless_random_jpeg_quality(tf.zeros([8, 8, 3]), 50, 90, (1, 2)).shape
    TensorShape([8, 8, 3])
    """
    _check_quality(min_jpeg_quality, max_jpeg_quality)
    quality = _stateless_uniform(min_jpeg_quality, max_jpeg_quality, seed, dtype=int32)
    return color.adjust_jpeg_quality(image, quality)
