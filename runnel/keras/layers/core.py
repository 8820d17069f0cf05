"""Small layers without weights: activation, dropout, masking."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.learning_phase import learning_phase
from runnel.keras.engine.random_generator import RandomGenerator


class Activation(Layer):
    """An activation function as a layer.

    Args:
        activation: a function or the name of one; None leaves the values as they are.

    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class RandomLayer(Layer):
    """A base of layers that draw random numbers."""

    def __init__(
        self, seed: int | None = None, force_generator: bool = False, **kwargs: Any
    ) -> None:
        rng_type = kwargs.pop("rng_type", None)
        super().__init__(**kwargs)
        self._random_generator = RandomGenerator(
            seed, rng_type="stateful" if force_generator else rng_type
        )


class Dropout(RandomLayer):
    """Zeros at some places during training, the others scaled up to keep the sum.

    Args:
        rate: the part of the inputs that is set to zero, from 0 to 1.
        noise_shape: the shape of the mask, with 1 where elements share their fate.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    Raises:
        ValueError: `rate` is not from 0 to 1.

    >>> layer = tf.keras.layers.Dropout(0.5, seed=1)
    >>> layer(tf.ones([3])).numpy()
    array([1., 1., 1.], dtype=float32)
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if isinstance(rate, int | float) and not 0 <= rate <= 1:
            raise ValueError(
                f"Invalid value {rate} received for `rate`, expected a value between 0 and 1."
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self.supports_masking = True

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        shape = tf.shape(inputs)
        return tf.stack(
            [shape[i] if value is None else value for i, value in enumerate(self.noise_shape)]
        )

    def call(self, inputs: Any, training: Any = None) -> Any:
        if isinstance(self.rate, int | float) and self.rate == 0:
            return tf.identity(inputs)
        return when_training(
            training,
            lambda: self._random_generator.dropout(
                inputs, self.rate, noise_shape=self._noise_shape(inputs)
            ),
            lambda: tf.identity(inputs),
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        own = {"rate": self.rate, "noise_shape": self.noise_shape, "seed": self.seed}
        return {**super().get_config(), **own}


def when_training(training: Any, yes: Any, no: Any) -> Any:
    """One of two functions' results; `training` may be a tensor, and None means no."""
    if training is None:
        training = learning_phase()
    if isinstance(training, tf.Tensor | tf.Variable):
        return tf.cond(tf.cast(training, tf.bool), yes, no)
    return yes() if training else no()


class Masking(Layer):
    """Masks the steps in which all features have a given value.

    >>> x = tf.constant([[[1.0], [0.0]]])
    >>> tf.keras.layers.Masking()(x)._keras_mask.numpy()
    array([[ True, False]])
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        kept = tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * tf.cast(kept, inputs.dtype)
        outputs._keras_mask = tf.squeeze(kept, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mask_value": self.mask_value}
