"""Layers that change the brightness of images."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.layers.preprocessing.image_sizes import as_images
from runnel.keras.layers.preprocessing.random_layer import BaseRandomLayer


class RandomContrast(BaseRandomLayer):
    """Images with more or less contrast, one factor for a batch."""

    def __init__(self, factor: Any, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.factor = factor
        pair = isinstance(factor, tuple | list)
        self.lower, self.upper = (factor[0], factor[1]) if pair else (factor, factor)
        if self.lower < 0.0 or self.upper < 0.0 or self.lower > 1.0:
            raise ValueError(f"`factor` must lie between 0 and 1, got {factor}.")
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs, self.compute_dtype)
        return self._contrasted(images) if training else images

    def _contrasted(self, images: Any) -> Any:
        low, high = 1.0 - self.lower, 1.0 + self.upper
        seed = self._random_generator.make_seed_for_stateless_op()
        if seed is None:
            legacy = self._random_generator.make_legacy_seed()
            changed = tf.image.random_contrast(images, low, high, seed=legacy)
        else:
            changed = tf.image.stateless_random_contrast(images, low, high, seed=seed)
        changed = tf.clip_by_value(changed, 0, 255)
        changed.set_shape(images.shape)
        return changed

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"factor": self.factor, "seed": self.seed}


class RandomBrightness(BaseRandomLayer):
    """Images made lighter or darker, each by its own part of the range of values."""

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self._factor = _factor_range(factor)
        if not isinstance(value_range, tuple | list) or len(value_range) != 2:
            raise ValueError(f"`value_range` must be two numbers, got {value_range}.")
        self._value_range = sorted(value_range)
        self._seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs, self.compute_dtype)
        return self._lightened(images) if training else images

    def _lightened(self, images: Any) -> Any:
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError(f"Images have rank 3 or 4, got the shape {images.shape}.")
        shape = [1, 1, 1] if rank == 3 else [tf.shape(images)[0], 1, 1, 1]
        low, high = self._value_range
        change = self._random_generator.random_uniform(
            shape=shape, minval=self._factor[0], maxval=self._factor[1]
        )
        change = tf.cast(change * (high - low), images.dtype)
        return tf.clip_by_value(images + change, low, high)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "factor": self._factor,
            "value_range": self._value_range,
            "seed": self._seed,
        }


def _factor_range(factor: Any) -> list[float]:
    if isinstance(factor, int | float):
        found = [-abs(factor), abs(factor)]
    elif isinstance(factor, tuple | list) and len(factor) == 2:
        found = sorted(factor)
    else:
        raise ValueError(f"`factor` must be a number or two of them, got {factor}.")
    if found[0] < -1.0 or found[1] > 1.0:
        raise ValueError(f"`factor` must lie in [-1.0, 1.0], got {factor}.")
    return found
