"""`tf.keras.layers.UnitNormalization`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer


class UnitNormalization(Layer):
    """Inputs scaled to a length of one along an axis.

    >>> tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]])).numpy()
    array([[0.6, 0.8]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axis, int | list | tuple):
            raise TypeError(
                "Invalid value for `axis` argument: expected an int or a list/tuple of ints. "
                f"Received: axis={axis}"
            )
        self.axis = tuple(axis) if isinstance(axis, list | tuple) else axis
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        rank = tf.TensorShape(input_shape).rank
        axes = self.axis if isinstance(self.axis, tuple) else (self.axis,)
        if rank is not None and any(not -rank <= axis < rank for axis in axes):
            raise ValueError(
                f"`axis` of {type(self).__name__} must be one of the {rank} axes of the inputs, "
                f"got {self.axis}."
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        inputs = tf.cast(inputs, self.compute_dtype)
        return tf.linalg.l2_normalize(inputs, axis=self.axis, epsilon=1e-12)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}
