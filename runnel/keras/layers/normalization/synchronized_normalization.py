"""The old name of a `BatchNormalization` whose replicas share their statistics."""

from __future__ import annotations

from typing import Any

from runnel.keras.layers.arguments import passes_on
from runnel.keras.layers.normalization.normalization import BatchNormalization


class SyncBatchNormalization(BatchNormalization):
    """`BatchNormalization(synchronized=True)`.

    >>> layer = tf.keras.layers.experimental.SyncBatchNormalization()
    >>> layer(tf.ones([2, 3])).shape
    TensorShape([2, 3])
    """

    @passes_on(BatchNormalization, synchronized=True)
    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass
