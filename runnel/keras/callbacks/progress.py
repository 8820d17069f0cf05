"""`tf.keras.callbacks.ProgbarLogger`: the bar that `fit` shows."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import runnel as tf
from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.utils.messages import print_message
from runnel.keras.utils.progress_bar import Progbar


class ProgbarLogger(Callback):
    """Shows how far an epoch is, and its metrics.

    >>> tf.keras.callbacks.ProgbarLogger().verbose
    1
    """

    _supports_tf_logs = True

    def __init__(self, count_mode: str = "samples", stateful_metrics: Any = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(
                f'Unknown `count_mode`: {count_mode}. Expected values are ["samples", "steps"]'
            )
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.progbar: Any = None
        self.target: int | None = None
        self.verbose: Any = 1
        self.epochs = 1
        self._in_fit = False

    def set_params(self, params: Any) -> None:
        self.verbose, self.epochs = params["verbose"], params["epochs"]
        self.target = params["steps"]

    def on_train_begin(self, logs: Any = None) -> None:
        self._in_fit = True

    def on_test_begin(self, logs: Any = None) -> None:
        if not self._in_fit:
            self._reset()

    def on_predict_begin(self, logs: Any = None) -> None:
        self._reset()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._reset()
        if self.verbose and self.epochs > 1:
            print_message(f"Epoch {epoch + 1}/{self.epochs}")

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._update(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._in_fit:
            self._update(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._update(batch, None)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._finish(logs)

    def on_test_end(self, logs: Any = None) -> None:
        if not self._in_fit:
            self._finish(logs)

    def on_predict_end(self, logs: Any = None) -> None:
        self._finish(logs)

    def on_train_end(self, logs: Any = None) -> None:
        self._in_fit = False

    def compiling(self, number: int, seconds: float) -> None:
        """Told while a program is compiled for long: the bar says so."""
        if self.verbose == 1:
            self._bar().note(f"compiling program {number}, {seconds:.0f}s")

    def _reset(self) -> None:
        self.seen = 0
        self.progbar = Progbar(
            target=self.target,
            verbose=self.verbose,
            stateful_metrics=self.stateful_metrics,
            unit_name="step" if self.use_steps else "sample",
        )

    def _bar(self) -> Progbar:
        if self.progbar is None:
            self._reset()
        bar: Progbar = self.progbar
        if not self.stateful_metrics and self.model is not None:
            bar.stateful_metrics = {m.name for m in self.model.metrics}  # known by now
        return bar

    def _update(self, batch: int, logs: Any) -> None:
        self.seen = batch + 1
        if self.verbose == 1 and (self.progbar is None or self.progbar.is_due()):
            self._bar().update(self.seen, _items(logs), finalize=False)  # fetches the values

    def _finish(self, logs: Any) -> None:
        bar = self._bar()
        if self.target is None:
            self.target = bar.target = self.seen
        bar.update(self.target, _items(logs), finalize=True)


def showing_compilation(callbacks: Any) -> AbstractContextManager[Any]:
    """While the bar among some callbacks, if there is one, says when programs are compiled."""
    for callback in callbacks:
        if isinstance(callback, ProgbarLogger):
            watching = tf.__internal__.progress.watching_compilation(callback.compiling)
            return watching  # type: ignore[no-any-return]
    return nullcontext()


def _items(logs: Any) -> list[tuple[str, Any]]:
    hidden = ("batch", "size", "num_steps")
    return [(k, v) for k, v in as_numbers(logs or {}).items() if k not in hidden]
