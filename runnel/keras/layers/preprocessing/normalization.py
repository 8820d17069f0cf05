"""`tf.keras.layers.Normalization`."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.layers.preprocessing.base import PreprocessingLayer
from runnel.keras.layers.preprocessing.category_output import as_list


class Normalization(PreprocessingLayer):
    """Inputs moved and scaled to mean 0 and variance 1, learned from data or given.

    Args:
        axis: the axes whose features are normalised each by itself; None takes one mean for all.
        mean, variance: what to use, in place of what `adapt` finds.
        invert: whether the inverse is computed.

    >>> layer = tf.keras.layers.Normalization(axis=None)
    >>> layer.adapt([1.0, 3.0])
    >>> layer([3.0]).numpy()
    array([1.], dtype=float32)
    """

    def __init__(
        self,
        axis: Any = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        axes = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.axis = axes
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, tf.Variable):
                raise ValueError(f"Normalization takes no variable as `{name}`.")
        if (mean is None) != (variance is None):
            raise ValueError(
                f"`mean` and `variance` must be given together, got {mean} and {variance}."
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert

    def build(self, input_shape: Any) -> None:
        if isinstance(input_shape, list | tuple) and all(
            isinstance(shape, tf.TensorShape) for shape in input_shape
        ):
            raise ValueError(
                "Normalization takes a single input: make an array of a list or tuple of numbers."
            )
        super().build(input_shape)
        dims = tf.TensorShape(input_shape).as_list()
        rank = len(dims)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(f"`axis` {self.axis} is beyond the rank {rank} of the inputs.")
        kept = sorted(axis % rank for axis in self.axis)
        if any(dims[axis] is None for axis in kept):
            raise ValueError(
                f"The dimensions in `axis` {self.axis} must be known, got the shape {dims}."
            )
        self._reduced = [axis for axis in range(rank) if axis not in kept]
        self._broadcast = [dims[axis] if axis in kept else 1 for axis in range(rank)]
        shape = tuple(dims[axis] for axis in kept)
        if self.input_mean is None:
            self._add_statistics(shape)
        else:
            self._given_mean = self._laid_out(self.input_mean * np.ones(shape))
            self._given_variance = self._laid_out(self.input_variance * np.ones(shape))

    def _add_statistics(self, shape: tuple[int, ...]) -> None:
        kind = self.compute_dtype
        self.adapt_mean = self.add_weight("mean", shape, kind, "zeros", trainable=False)
        self.adapt_variance = self.add_weight("variance", shape, kind, "ones", trainable=False)
        self.count = self.add_weight("count", (), tf.int64, "zeros", trainable=False)

    @property
    def mean(self) -> tf.Tensor:
        """The mean that calls use: the given one, or that of the data seen so far."""
        return self._given_mean if self.input_mean is not None else self._laid_out(self.adapt_mean)

    @property
    def variance(self) -> tf.Tensor:
        """The variance that calls use."""
        if self.input_variance is not None:
            return self._given_variance
        return self._laid_out(self.adapt_variance)

    def _laid_out(self, values: Any) -> tf.Tensor:
        return tf.cast(tf.reshape(values, self._broadcast), self.compute_dtype)

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the mean and the variance of the data along `axis`."""
        super().adapt(data, batch_size=batch_size, steps=steps)

    def update_state(self, data: Any) -> None:
        """Mix the moments of a batch into those seen so far."""
        if self.input_mean is not None:
            raise ValueError(
                "A Normalization layer that was given its mean and variance cannot be adapted: "
                f"got mean={self.input_mean} and variance={self.input_variance}."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        values = self._standardized(data)
        mean, variance = tf.nn.moments(values, axes=self._reduced)
        sizes = tf.shape(values, out_type=tf.int64)
        count = tf.reduce_prod([sizes[axis] for axis in self._reduced] or tf.ones(1, tf.int64))
        total = count + self.count
        new = tf.cast(count, values.dtype) / tf.cast(total, values.dtype)
        old = 1.0 - new
        merged = self.adapt_mean * old + mean * new
        spread = (self.adapt_variance + (self.adapt_mean - merged) ** 2) * old
        self.adapt_variance.assign(spread + (variance + (mean - merged) ** 2) * new)
        self.adapt_mean.assign(merged)
        self.count.assign(total)

    def reset_state(self) -> None:
        """Back to mean 0 and variance 1."""
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(tf.zeros_like(self.adapt_mean))
            self.adapt_variance.assign(tf.ones_like(self.adapt_variance))
            self.count.assign(0)

    def call(self, inputs: Any) -> Any:
        values = self._standardized(inputs)
        deviation = tf.maximum(tf.sqrt(self.variance), epsilon())
        return self.mean + values * deviation if self.invert else (values - self.mean) / deviation

    def _standardized(self, inputs: Any) -> tf.Tensor:
        return tf.cast(tf.convert_to_tensor(inputs), self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_signature(self, input_spec: Any) -> Any:
        return input_spec

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "axis": self.axis,
            "invert": self.invert,
            "mean": as_list(self.input_mean),
            "variance": as_list(self.input_variance),
        }
