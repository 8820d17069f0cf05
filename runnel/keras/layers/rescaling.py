"""`tf.keras.layers.Rescaling`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer


class Rescaling(Layer):
    """`inputs * scale + offset`.

    Args:
        scale, offset: the result is `inputs * scale + offset`.

    >>> tf.keras.layers.Rescaling(0.5, offset=1.0)(tf.constant([2])).numpy()
    array([2.], dtype=float32)
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        kind = self._compute
        return tf.cast(inputs, kind) * tf.cast(self.scale, kind) + tf.cast(self.offset, kind)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale, "offset": self.offset}
