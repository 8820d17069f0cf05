"""Callbacks that watch one metric: `EarlyStopping` and `ReduceLROnPlateau`."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.schedules import set_rate
from runnel.keras.utils.messages import print_message


def improvement(mode: str, monitor: str, class_name: str) -> Any:
    """The function that says whether one value is better than another."""
    if mode not in ("auto", "min", "max"):
        logging.getLogger("tensorflow").warning(
            "%s mode %s is unknown, fallback to auto mode.", class_name, mode
        )
        mode = "auto"
    if not isinstance(monitor, str):
        raise TypeError(f"{class_name}: `monitor` must be the name of a metric, got {monitor!r}.")
    if mode == "auto":
        grows = any(monitor.endswith(end) for end in ("acc", "accuracy", "auc"))
        mode = "max" if grows or monitor.startswith("fmeasure") else "min"
    return np.greater if mode == "max" else np.less


class EarlyStopping(Callback):
    """Stops training when a metric has not become better for some epochs.

    Args:
        monitor: the name of the metric that is watched.
        min_delta: the least change that counts as an improvement.
        patience: how many epochs without improvement are waited for.
        verbose: 0 for silence, 1 for messages.
        mode: "min", "max" or "auto": which way is better; "auto" tells by the name.
        baseline: a value that has to be reached.
        restore_best_weights: whether the weights of the best epoch are taken at the end.
        start_from_epoch: how many epochs pass before it is looked at.

    >>> callback = tf.keras.callbacks.EarlyStopping("loss", patience=3)
    >>> callback.patience
    3
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__()
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self.baseline, self.min_delta = baseline, abs(min_delta)
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait, self.stopped_epoch, self.best_epoch = 0, 0, 0
        self.best_weights: Any = None
        self.monitor_op = improvement(mode, monitor, "EarlyStopping")
        if self.monitor_op is np.less:
            self.min_delta *= -1

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait, self.stopped_epoch, self.best_epoch = 0, 0, 0
        self.best = np.inf if self.monitor_op is np.less else -np.inf
        self.best_weights = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights = self.model.get_weights()
            self.best_epoch = epoch
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best, self.best_epoch = current, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print_message(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print_message(
                    "Restoring model weights from the end of the best epoch: "
                    f"{self.best_epoch + 1}."
                )
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: Any) -> Any:
        """The value of the metric, None with a warning if there is none."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            logging.getLogger("tensorflow").warning(
                "Early stopping conditioned on metric `%s` which is not available. Available "
                "metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
        return value

    def _is_improvement(self, value: Any, reference: Any) -> bool:
        return bool(self.monitor_op(value - self.min_delta, reference))


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a metric has stopped improving.

    Args:
        monitor: the name of the metric that is watched.
        factor: what the rate is multiplied by.
        patience: how many epochs without improvement are waited for.
        verbose: 0 for silence, 1 for messages.
        mode: "min", "max" or "auto": which way is better; "auto" tells by the name.
        min_delta: the least change that counts as an improvement.
        cooldown: how many epochs pass after a change before it is looked at again.
        min_lr: the lowest rate.

    >>> tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5).factor
    0.5
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        self.monitor, self.factor, self.min_lr = monitor, factor, min_lr
        self.min_delta, self.patience, self.verbose = min_delta, patience, verbose
        self.cooldown, self.cooldown_counter, self.wait, self.best = cooldown, 0, 0, 0.0
        self.mode = mode
        self._reset()

    def _reset(self) -> None:
        better = improvement(self.mode, self.monitor, "Learning rate reduction")
        delta = self.min_delta
        if better is np.less:
            self.monitor_op = lambda a, b: np.less(a, b - delta)
            self.best = np.inf
        else:
            self.monitor_op = lambda a, b: np.greater(a, b + delta)
            self.best = -np.inf
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._reset()

    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = {} if logs is None else logs
        rate = np.float32(self.model.optimizer.learning_rate)
        logs["lr"] = rate
        current = logs.get(self.monitor)
        if current is None:
            logging.getLogger("tensorflow").warning(
                "Learning rate reduction is conditioned on metric `%s` which is not available. "
                "Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience and rate > np.float32(self.min_lr):
                self._reduce(epoch, rate)

    def _reduce(self, epoch: int, rate: np.float32) -> None:
        lower = max(rate * self.factor, self.min_lr)
        set_rate(self.model.optimizer, lower)
        if self.verbose > 0:
            print_message(
                f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {lower}."
            )
        self.cooldown_counter, self.wait = self.cooldown, 0
