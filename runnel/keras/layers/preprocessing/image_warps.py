"""Layers that flip, move, turn and zoom images at random."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.layers.preprocessing.image_sizes import HEIGHT, WIDTH, as_images
from runnel.keras.layers.preprocessing.random_layer import BaseRandomLayer

_FILL_MODES = ("reflect", "wrap", "constant", "nearest")
_FLIPS = {
    "horizontal": (True, False),
    "vertical": (False, True),
    "horizontal_and_vertical": (True, True),
}


class RandomFlip(BaseRandomLayer):
    """Images mirrored, each or not, left to right and upside down.

    Args:
        mode: "horizontal", "vertical" or "horizontal_and_vertical".
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.keras.layers.RandomFlip("horizontal")(tf.ones((1, 2, 2, 1)), training=True).shape
    TensorShape([1, 2, 2, 1])
    """

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if mode not in _FLIPS:
            raise ValueError(f"`mode` must be one of {tuple(_FLIPS)}, got {mode!r}.")
        self.mode = mode
        self.horizontal, self.vertical = _FLIPS[mode]
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs, self.compute_dtype)
        return self._flipped(images) if training else images

    def _flipped(self, images: Any) -> Any:
        flipped = images
        for wanted, way in ((self.horizontal, "left_right"), (self.vertical, "up_down")):
            if wanted:
                seed = self._random_generator.make_seed_for_stateless_op()
                if seed is None:
                    flip = getattr(tf.image, f"random_flip_{way}")
                    flipped = flip(flipped, self._random_generator.make_legacy_seed())
                else:
                    flipped = getattr(tf.image, f"stateless_random_flip_{way}")(flipped, seed=seed)
        flipped.set_shape(images.shape)
        return flipped

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"mode": self.mode, "seed": self.seed}


class _RandomWarp(BaseRandomLayer):
    """Images seen through a projective transformation, drawn for each."""

    _factors: tuple[str, ...] = ("height_factor", "width_factor")

    def __init__(
        self, fill_mode: str, interpolation: str, seed: int | None, fill_value: float, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if fill_mode not in _FILL_MODES:
            raise NotImplementedError(
                f"Unknown `fill_mode` {fill_mode!r}: only {_FILL_MODES} are supported."
            )
        if interpolation not in ("nearest", "bilinear"):
            raise NotImplementedError(
                f'Unknown `interpolation` {interpolation!r}: only "nearest" and "bilinear" are '
                "supported."
            )
        self.fill_mode = fill_mode
        self.fill_value = fill_value
        self.interpolation = interpolation
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs, self.compute_dtype)
        return self._warped(images) if training else images

    def _warped(self, images: Any) -> Any:
        batch = tf.expand_dims(images, 0) if images.shape.rank == 3 else images
        shape = tf.shape(batch)
        height, width = tf.cast(shape[HEIGHT], tf.float32), tf.cast(shape[WIDTH], tf.float32)
        size = tf.get_static_value(shape[1:3])
        warped = tf.raw_ops.ImageProjectiveTransformV3(
            images=batch,
            transforms=self._transforms(shape[0], height, width),
            output_shape=shape[1:3] if size is None else tf.constant(size, tf.int32),
            fill_value=tf.constant(self.fill_value, tf.float32),
            fill_mode=self.fill_mode.upper(),
            interpolation=self.interpolation.upper(),
        )
        warped = tf.squeeze(warped, 0) if images.shape.rank == 3 else warped
        warped.set_shape(images.shape)
        return warped

    def _transforms(self, count: Any, height: Any, width: Any) -> tf.Tensor:
        """For each image the eight numbers of a transformation."""
        raise NotImplementedError(f"{type(self).__name__} must implement `_transforms`.")

    def _uniform(self, count: Any, low: float, high: float) -> tf.Tensor:
        """A column of numbers, one for each image."""
        drawn = self._random_generator.random_uniform(shape=[count, 1], minval=low, maxval=high)
        return tf.cast(drawn, tf.float32)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            **{name: getattr(self, name) for name in self._factors},
            "fill_mode": self.fill_mode,
            "fill_value": self.fill_value,
            "interpolation": self.interpolation,
            "seed": self.seed,
        }


class RandomTranslation(_RandomWarp):
    """Images moved by up to parts of their height and width."""

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self.height_lower, self.height_upper = _bounds(height_factor)
        self.width_lower, self.width_upper = _bounds(width_factor)
        for factor in (height_factor, width_factor):
            low, high = _bounds(factor)
            if high < low or max(abs(low), abs(high)) > 1.0:
                raise ValueError(f"A factor must lie in [-1, 1], lower before upper, got {factor}.")

    def _transforms(self, count: Any, height: Any, width: Any) -> tf.Tensor:
        down = self._uniform(count, self.height_lower, self.height_upper) * height
        right = self._uniform(count, self.width_lower, self.width_upper) * width
        zero, one = tf.zeros_like(down), tf.ones_like(down)
        return tf.concat([one, zero, -right, zero, one, -down, zero, zero], axis=1)


class RandomRotation(_RandomWarp):
    """Images turned by up to a part of a full turn.

    Args:
        factor: how far: a part of a full turn, or the least and the most.
        fill_mode: "constant", "reflect", "wrap" or "nearest": what stands outside of the image.
        interpolation: "nearest", "bilinear" or another method of `tf.image.resize`.
        seed: a number that decides, with the global seed, which random numbers are drawn.
        fill_value: the value for "constant".
    """

    _factors = ("factor",)

    def __init__(
        self,
        factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = factor
        self.lower, self.upper = _bounds(factor)
        if self.upper < self.lower:
            raise ValueError(f"`factor` must be positive, or lower before upper, got {factor}.")

    def _transforms(self, count: Any, height: Any, width: Any) -> tf.Tensor:
        turn = 2.0 * math.pi
        angles = self._random_generator.random_uniform(
            shape=[count], minval=self.lower * turn, maxval=self.upper * turn
        )
        cos, sin = tf.cos(angles)[:, None], tf.sin(angles)[:, None]
        right, bottom = width - 1, height - 1
        x = (right - (cos * right - sin * bottom)) / 2.0
        y = (bottom - (sin * right + cos * bottom)) / 2.0
        zero = tf.zeros_like(cos)
        return tf.concat([cos, -sin, x, sin, cos, y, zero, zero], axis=1)


class RandomZoom(_RandomWarp):
    """Images zoomed in (negative factors) or out, keeping their middle."""

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any = None,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.height_lower, self.height_upper = _bounds(height_factor)
        if max(abs(self.height_lower), abs(self.height_upper)) > 1.0:
            raise ValueError(f"`height_factor` must lie in [-1, 1], got {height_factor}.")
        self.width_factor = width_factor
        if width_factor is not None:
            self.width_lower, self.width_upper = _bounds(width_factor)
            if self.width_lower < -1.0 or self.width_upper < -1.0:
                raise ValueError(f"`width_factor` must be larger than -1, got {width_factor}.")

    def _transforms(self, count: Any, height: Any, width: Any) -> tf.Tensor:
        tall = self._uniform(count, 1.0 + self.height_lower, 1.0 + self.height_upper)
        wide = tall
        if self.width_factor is not None:
            wide = self._uniform(count, 1.0 + self.width_lower, 1.0 + self.width_upper)
        x = (width - 1.0) / 2.0 * (1.0 - wide)
        y = (height - 1.0) / 2.0 * (1.0 - tall)
        zero = tf.zeros_like(tall)
        return tf.concat([wide, zero, x, zero, tall, y, zero, zero], axis=1)


def _bounds(factor: Any) -> tuple[float, float]:
    if isinstance(factor, tuple | list):
        return factor[0], factor[1]
    return -factor, factor
