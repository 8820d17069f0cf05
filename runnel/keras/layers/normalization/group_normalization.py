"""`tf.keras.layers.GroupNormalization`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec


class GroupNormalization(Layer):
    """Centred and scaled by the mean and variance of each example's groups of channels.

    >>> layer = tf.keras.layers.GroupNormalization(groups=1)
    >>> layer(tf.constant([[[1.0, 3.0]]])).numpy().round(2)
    array([[[-1.,  1.]]], dtype=float32)
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)

    def build(self, input_shape: Any) -> None:
        shape = tf.TensorShape(input_shape).with_rank_at_least(1)
        channels = self._checked_channels(shape)
        if self.groups == -1:
            self.groups = channels
        if channels < self.groups or channels % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must divide the number of channels ({channels})."
            )
        self.input_spec = InputSpec(ndim=shape.rank, axes={self.axis: channels})
        self.gamma = self._channel_weight("gamma", channels) if self.scale else None
        self.beta = self._channel_weight("beta", channels) if self.center else None
        super().build(input_shape)

    def _checked_channels(self, shape: tf.TensorShape) -> int:
        channels = shape[self.axis]
        if channels is None:
            raise ValueError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer "
                f"received an input with shape {shape}."
            )
        if self.axis % (shape.rank or 1) == 0:
            raise ValueError(
                "You are trying to normalize your batch axis. Use `BatchNormalization` instead."
            )
        return int(channels)

    def _channel_weight(self, name: str, channels: int) -> Any:
        return self.add_weight(
            name,
            shape=(channels,),
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        axis = self.axis % rank
        known, asked = inputs.shape.as_list(), tf.shape(inputs)
        sizes = [asked[i] if n is None else n for i, n in enumerate(known)]
        size = known[axis] // self.groups
        grouped = tf.reshape(inputs, [*sizes[:axis], self.groups, size, *sizes[axis + 1 :]])
        axes = [i for i in range(1, rank + 1) if i != axis]
        mean, variance = self._moments(grouped, mask, axis, axes)
        normalized = (grouped - mean) * tf.math.rsqrt(variance + self.epsilon)
        outputs = tf.reshape(normalized, sizes)
        wide = [known[axis] if i == axis else 1 for i in range(rank)]
        if self.gamma is not None:
            outputs = outputs * tf.reshape(self.gamma, wide)
        return outputs if self.beta is None else outputs + tf.reshape(self.beta, wide)

    def _moments(self, grouped: Any, mask: Any, axis: int, axes: list[int]) -> Any:
        """Mean and variance of each group; masked places do not count."""
        if mask is None:
            return tf.nn.moments(grouped, axes, keepdims=True)
        counted = tf.cast(mask, grouped.dtype)
        for _ in range(grouped.shape.rank - 1 - counted.shape.rank):
            counted = counted[..., tf.newaxis]
        counted = tf.expand_dims(counted, axis)
        return tf.nn.weighted_moments(grouped, axes, counted, keepdims=True)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "groups": self.groups,
            "axis": self.axis,
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
            "beta_initializer": initializers.serialize(self.beta_initializer),
            "gamma_initializer": initializers.serialize(self.gamma_initializer),
            "beta_regularizer": regularizers.serialize(self.beta_regularizer),
            "gamma_regularizer": regularizers.serialize(self.gamma_regularizer),
            "beta_constraint": constraints.serialize(self.beta_constraint),
            "gamma_constraint": constraints.serialize(self.gamma_constraint),
        }
