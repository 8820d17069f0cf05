"""`tf.keras.layers.SpectralNormalization`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import initializers
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.layers.core import when_training
from runnel.keras.layers.wrappers.wrapper import Wrapper


class SpectralNormalization(Wrapper):
    """A layer whose kernel is divided, at each step of training, by its largest singular value.

    >>> layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(2))
    >>> layer(tf.ones([3, 4]), training=True).shape
    TensorShape([3, 2])
    """

    def __init__(self, layer: Any, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(
                "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`"
            )
        self.power_iterations = power_iterations

    def build(self, input_shape: Any) -> None:  # type: ignore[override]
        super().build(input_shape)
        shape = tf.TensorShape(input_shape)
        self.input_spec = InputSpec(shape=[None, *shape.as_list()[1:]])
        for name in ("kernel", "embeddings"):
            if hasattr(self.layer, name):
                self.kernel = getattr(self.layer, name)
                break
        else:
            raise ValueError(
                f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'"
            )
        self.vector_u = self.add_weight(
            "vector_u",
            shape=(1, self.kernel.shape[-1]),
            initializer=initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
            dtype=self.kernel.dtype,
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        when_training(training, lambda: self._normalized(), lambda: tf.constant(False))
        return self.layer(inputs)

    def _normalized(self) -> Any:
        self.normalize_weights()
        return tf.constant(True)

    def normalize_weights(self) -> None:
        """Divide the kernel by its largest singular value, as power iterations find it."""
        shape = self.kernel.shape
        matrix = tf.reshape(self.kernel, [-1, shape[-1]])
        left = tf.convert_to_tensor(self.vector_u)
        right = left
        for _ in range(self.power_iterations):
            right = tf.math.l2_normalize(tf.matmul(left, matrix, transpose_b=True))
            left = tf.math.l2_normalize(tf.matmul(right, matrix))
        left, right = tf.stop_gradient(left), tf.stop_gradient(right)
        largest = tf.matmul(tf.matmul(right, matrix), left, transpose_b=True)
        zero = tf.reduce_all(tf.equal(matrix, 0))  # a kernel of zeros stays as it is
        divided = tf.reshape(matrix / tf.where(zero, tf.ones_like(largest), largest), shape)
        self.vector_u.assign(tf.where(zero, self.vector_u, left))
        self.kernel.assign(divided)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(self.layer.compute_output_shape(input_shape))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "power_iterations": self.power_iterations}
