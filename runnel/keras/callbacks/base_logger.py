"""`tf.keras.callbacks.BaseLogger`: means of the logs of batches."""

from __future__ import annotations

from typing import Any

from runnel.keras.callbacks.base import Callback


class BaseLogger(Callback):
    """Puts the means of the batches' logs, weighted by their sizes, into those of the epoch.

    It is for loops that say in `params["metrics"]` what to average, and in the logs of each batch
    its `size`; metrics in `stateful_metrics` are taken as they are at the end.

    >>> logger = tf.keras.callbacks.BaseLogger()
    >>> logger.set_params({"metrics": ["loss"]})
    >>> logger.on_epoch_begin(0)
    >>> logger.on_batch_end(0, {"size": 3, "loss": 1.0})
    >>> logger.on_batch_end(1, {"size": 1, "loss": 5.0})
    >>> logs = {}
    >>> logger.on_epoch_end(0, logs)
    >>> logs
    {'loss': 2.0}
    """

    def __init__(self, stateful_metrics: Any = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.totals: dict[str, Any] = {}

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.seen, self.totals = 0, {}

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        logs = logs or {}
        size = logs.get("size", 0)
        self.seen += size * logs.get("num_steps", 1)
        for key, value in logs.items():
            if key in self.stateful_metrics:
                self.totals[key] = value
            else:
                self.totals[key] = self.totals.get(key, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is None:
            return
        for key in self.params["metrics"]:
            if key in self.stateful_metrics and key in self.totals:
                logs[key] = self.totals[key]
            elif key in self.totals:
                logs[key] = self.totals[key] / self.seen
