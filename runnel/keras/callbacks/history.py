"""`tf.keras.callbacks.History`: what `fit` returns."""

from __future__ import annotations

from typing import Any

from runnel.keras.callbacks.base import Callback


class History(Callback):
    """The metrics of every epoch.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> history = model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0)
    >>> history.epoch, list(history.history)
    ([0, 1], ['loss'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for key, value in (logs or {}).items():
            self.history.setdefault(key, []).append(value)
        self.model.history = self
