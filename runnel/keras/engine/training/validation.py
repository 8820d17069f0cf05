"""Evaluation between the epochs of `fit`."""

from __future__ import annotations

from typing import Any

from runnel.keras.callbacks.callback_list import CallbackList
from runnel.keras.utils.packing import unpack_x_y_sample_weight


class Validation:
    """When and on what to evaluate between epochs."""

    def __init__(
        self, model: Any, data: Any, freq: Any, steps: Any, batch_size: Any, queue: dict[str, Any]
    ) -> None:
        self._model, self._data, self._freq = model, data, freq
        self._steps, self._batch_size, self._queue = steps, batch_size, queue
        self._seen = False

    def _due(self, epoch: int) -> bool:
        if self._data is None:
            return False
        if isinstance(self._freq, int):
            return (epoch + 1) % self._freq == 0
        if isinstance(self._freq, list | tuple | set):
            return epoch + 1 in self._freq
        raise ValueError(
            "Expected `validation_freq` to be a list or int. "
            f"Received: validation_freq={self._freq} of the type {type(self._freq)}."
        )

    def add(self, logs: dict[str, Any], epoch: int, callbacks: CallbackList) -> dict[str, Any]:
        """The logs of an epoch together with those of its validation."""
        if not self._due(epoch):
            return logs
        x, y, sample_weight = unpack_x_y_sample_weight(self._data)
        found = self._model.evaluate(
            x,
            y,
            sample_weight=sample_weight,
            batch_size=self._batch_size,
            steps=self._steps,
            callbacks=callbacks,
            return_dict=True,
            _use_cached_eval_dataset=self._seen,
            **self._queue,
        )
        self._seen = True
        return logs | {f"val_{name}": value for name, value in found.items()}
