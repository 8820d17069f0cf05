"""`tf.keras.layers.ActivityRegularization`."""

from __future__ import annotations

from typing import Any

from runnel.keras import regularizers
from runnel.keras.engine.layer.base_layer import Layer


class ActivityRegularization(Layer):
    """A penalty on the inputs, which pass through unchanged.

    >>> layer = tf.keras.layers.ActivityRegularization(l1=0.5)
    >>> layer(tf.constant([[1.0, -2.0]])).numpy(), layer.losses[0].numpy()
    (array([[ 1., -2.]], dtype=float32), np.float32(1.5))
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1, self.l2 = l1, l2

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}
