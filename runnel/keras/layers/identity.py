"""`tf.keras.layers.Identity`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer


class Identity(Layer):
    """The inputs as they are.

    >>> tf.keras.layers.Identity()(tf.constant([1.0])).numpy()
    array([1.], dtype=float32)
    """

    def call(self, inputs: Any) -> Any:
        return tf.nest.map_structure(tf.identity, inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape
