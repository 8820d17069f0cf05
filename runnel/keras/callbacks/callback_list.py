"""All callbacks of a run, called in turn."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.history import History
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.callbacks.progress import ProgbarLogger


class CallbackList:
    """Callbacks, and what they share."""

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        self.callbacks: list[Any] = tf.nest.flatten(callbacks) if callbacks else []
        self._add_defaults(add_history, add_progbar)
        if model is not None:
            self.set_model(model)
        if params:
            self.set_params(params)
        self._batched = {
            mode: [c for c in self.callbacks if self._hooks(c, mode)]
            for mode in ("train", "test", "predict")
        }

    def _add_defaults(self, add_history: bool, add_progbar: bool) -> None:
        kinds = {type(c) for c in self.callbacks}
        if add_progbar and not any(issubclass(k, ProgbarLogger) for k in kinds):
            self.callbacks.append(ProgbarLogger(count_mode="steps"))
        self.history = next((c for c in self.callbacks if isinstance(c, History)), None)
        if add_history and self.history is None:
            self.history = History()
            self.callbacks.append(self.history)

    @staticmethod
    def _hooks(callback: Any, mode: str) -> bool:
        names = [f"on_{mode}_batch_begin", f"on_{mode}_batch_end"]
        if mode == "train":
            names += ["on_batch_begin", "on_batch_end"]
        return not isinstance(callback, Callback) or callback._implements(*names)

    def set_params(self, params: Any) -> None:
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        self.model = model
        if self.history is not None:
            model.history = self.history
        for callback in self.callbacks:
            callback.set_model(model)

    def append(self, callback: Any) -> None:
        self.callbacks.append(callback)

    def _batch(self, mode: str, when: str, batch: int, logs: Any) -> None:
        callbacks = self._batched[mode]
        if not callbacks:
            return
        numbers = None
        for callback in callbacks:
            if getattr(callback, "_supports_tf_logs", False):
                given = logs
            else:
                numbers = given = as_numbers(logs) if numbers is None else numbers
            getattr(callback, f"on_{mode}_batch_{when}")(batch, {} if given is None else given)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("train", "begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("train", "end", batch, logs)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The older name of `on_train_batch_begin`."""
        self.on_train_batch_begin(batch, logs)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """The older name of `on_train_batch_end`."""
        self.on_train_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("test", "begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("test", "end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._batch("predict", "begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batch("predict", "end", batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = as_numbers(logs or {})
        for callback in self.callbacks:
            callback.on_epoch_end(epoch, logs)

    def _whole(self, hook: str, logs: Any) -> None:
        if not self.callbacks:
            return
        logs = as_numbers(logs or {})
        for callback in self.callbacks:
            getattr(callback, hook)(logs)

    def on_train_begin(self, logs: Any = None) -> None:
        self._whole("on_train_begin", logs)

    def on_train_end(self, logs: Any = None) -> None:
        self._whole("on_train_end", logs)

    def on_test_begin(self, logs: Any = None) -> None:
        self._whole("on_test_begin", logs)

    def on_test_end(self, logs: Any = None) -> None:
        self._whole("on_test_end", logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._whole("on_predict_begin", logs)

    def on_predict_end(self, logs: Any = None) -> None:
        self._whole("on_predict_end", logs)

    def make_logs(
        self, model: Any, logs: dict[str, Any], outputs: Any, mode: str, prefix: str = ""
    ) -> dict[str, Any]:
        """Logs with the outputs of a step by the names of metrics, for loops of users."""
        if not self.callbacks:
            return logs
        names = model.metrics_names
        if mode in ("train", "test") and names:
            logs.update((prefix + name, out) for name, out in zip(names, outputs))
        else:
            logs["outputs"] = outputs
        return logs

    def __iter__(self) -> Any:
        return iter(self.callbacks)
