"""`UpdateEmbeddingCallback`: renews the vocabulary of a `DynamicEmbedding` during a training."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.keras.callbacks.base import Callback
from runnel.keras.utils.timed_thread import TimedThread


class UpdateEmbeddingCallback(TimedThread, Callback):
    """Calls `update_embeddings` of a layer every `interval` seconds, in a thread of its own.

    with UpdateEmbeddingCallback(layer, interval=60) as update:
        model.fit(data, callbacks=[update])
    """

    def __init__(self, dynamic_embedding_layer: Any, interval: float) -> None:
        TimedThread.__init__(self, interval)
        Callback.__init__(self)
        self._epoch = 0
        self._dynamic_embedding_layer = dynamic_embedding_layer

    def on_interval(self) -> None:
        """Renew the vocabulary; the optimizer forgets what it knew of the old embeddings."""
        if self.model is None or not self._dynamic_embedding_layer.built:
            return  # training has not begun
        self._dynamic_embedding_layer.update_embeddings(None)
        known = self.model.optimizer.variables
        for variable in known() if callable(known) else known:
            if "dynamic_embedding" in variable.name:
                variable.assign(np.zeros(variable.shape, variable.dtype.as_numpy_dtype))

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch
