"""Noise during training: added, multiplied, or whole channels left out."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.core import Dropout, RandomLayer, when_training

# The value that SELU tends to for very negative inputs: -alpha * scale.
_SELU_LOWEST = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946


class _Noise(RandomLayer):
    """Noise that leaves shapes and masks alone."""

    def __init__(self, seed: int | None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.supports_masking = True
        self.seed = seed

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class GaussianNoise(_Noise):
    """Normal noise, added during training.

    >>> tf.keras.layers.GaussianNoise(0.5)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.stddev = stddev

    def call(self, inputs: Any, training: Any = None) -> Any:
        def noisy() -> Any:
            return inputs + self._random_generator.random_normal(
                tf.shape(inputs), stddev=self.stddev, dtype=inputs.dtype
            )

        return when_training(training, noisy, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "stddev": self.stddev, "seed": self.seed}


class GaussianDropout(_Noise):
    """Multiplied by normal noise around one during training.

    >>> tf.keras.layers.GaussianDropout(0.5)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.rate = rate

    def call(self, inputs: Any, training: Any = None) -> Any:
        if not 0 < self.rate < 1:
            return inputs

        def noisy() -> Any:
            stddev = math.sqrt(self.rate / (1.0 - self.rate))
            return inputs * self._random_generator.random_normal(
                tf.shape(inputs), mean=1.0, stddev=stddev, dtype=inputs.dtype
            )

        return when_training(training, noisy, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class AlphaDropout(_Noise):
    """Dropout to SELU's lowest value, then scaled so that mean and variance stay.

    >>> tf.keras.layers.AlphaDropout(0.5)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape

    def call(self, inputs: Any, training: Any = None) -> Any:
        if not 0 < self.rate < 1:
            return inputs
        factor = ((1 - self.rate) * (1 + self.rate * _SELU_LOWEST**2)) ** -0.5
        offset = -factor * _SELU_LOWEST * self.rate

        def dropped() -> Any:
            shape = tf.shape(inputs) if self.noise_shape is None else self.noise_shape
            drawn = self._random_generator.random_uniform(shape, dtype=inputs.dtype)
            kept = tf.cast(drawn >= self.rate, inputs.dtype)
            return factor * (inputs * kept + _SELU_LOWEST * (1 - kept)) + offset

        return when_training(training, dropped, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class _SpatialDropout(Dropout):
    """Dropout of whole channels; `rank` is the number of dimensions that a channel has."""

    def __init__(self, rank: int, rate: float, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = checked_data_format(data_format)
        self.input_spec = InputSpec(ndim=rank + 2)
        self._rank = rank

    def _noise_shape(self, inputs: Any) -> Any:
        shape, ones = tf.shape(inputs), [1] * self._rank
        if self.data_format == "channels_first":
            return tf.stack([shape[0], shape[1], *ones])
        return tf.stack([shape[0], *ones, shape[-1]])


class SpatialDropout1D(_SpatialDropout):
    """Dropout of whole channels of sequences.

    >>> tf.keras.layers.SpatialDropout1D(0.5)(tf.ones([1, 2, 1])).numpy().tolist()
    [[[1.0], [1.0]]]
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(1, rate, "channels_last", **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Dropout of whole channels of images.

    >>> tf.keras.layers.SpatialDropout2D(0.5)(tf.ones([1, 2, 2, 1])).shape
    TensorShape([1, 2, 2, 1])
    """

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(2, rate, data_format, **kwargs)


class SpatialDropout3D(_SpatialDropout):
    """Dropout of whole channels of volumes.

    >>> tf.keras.layers.SpatialDropout3D(0.5)(tf.ones([1, 2, 2, 2, 1])).shape
    TensorShape([1, 2, 2, 2, 1])
    """

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(3, rate, data_format, **kwargs)
