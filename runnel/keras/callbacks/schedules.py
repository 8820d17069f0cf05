"""Small callbacks: learning rates by epoch, functions as hooks, a stop at NaN."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.utils.messages import print_message


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch by a function of its number and the last rate.

    >>> callback = tf.keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr / 2)
    >>> callback.schedule(0, 1.0)
    0.5
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        optimizer = self.model.optimizer
        if not hasattr(optimizer, "learning_rate"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(np.asarray(optimizer.learning_rate)))
        except TypeError:
            rate = self.schedule(epoch)  # a function of the epoch alone
        rate = as_numbers(rate)
        if not isinstance(rate, float | np.floating):
            raise ValueError(f'The output of the "schedule" function should be float. Got: {rate}')
        set_rate(optimizer, rate)
        if self.verbose > 0:
            print_message(
                f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs["lr"] = np.float32(self.model.optimizer.learning_rate.numpy())


def set_rate(optimizer: Any, rate: Any) -> None:
    """Assign the variable that shows the rate; that of a schedule is soon overwritten by it."""
    shown = optimizer.learning_rate
    if hasattr(shown, "assign"):
        shown.assign(rate)
    else:
        optimizer.learning_rate = rate


class LambdaCallback(Callback):
    """Functions as hooks.

    >>> callback = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
    >>> callback.on_epoch_end(3, {})
    3
    """

    def __init__(
        self,
        on_epoch_begin: Any = None,
        on_epoch_end: Any = None,
        on_batch_begin: Any = None,
        on_batch_end: Any = None,
        on_train_begin: Any = None,
        on_train_end: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.__dict__.update(kwargs)
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        self.__dict__.update({name: fn for name, fn in given.items() if fn is not None})

    def _implements(self, *names: str) -> bool:
        return any(name in self.__dict__ for name in names) or super()._implements(*names)


class TerminateOnNaN(Callback):
    """Stops training when the loss is not a finite number.

    >>> callback = tf.keras.callbacks.TerminateOnNaN()
    >>> callback.model = tf.keras.Sequential()
    >>> callback.on_batch_end(7, {"loss": float("nan")})
    Batch 7: Invalid loss, terminating training
    >>> callback.model.stop_training
    True
    """

    _supports_tf_logs = True

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(as_numbers(loss)):
            print_message(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class RemoteMonitor(Callback):
    """Sends the metrics of each epoch to a server.

    >>> tf.keras.callbacks.RemoteMonitor().root
    'http://localhost:9000'
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: Any = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        import logging
        from urllib import parse, request

        sent = {"epoch": epoch, **as_numbers(logs or {})}
        if self.send_as_json:
            body, kind = json.dumps(sent).encode(), "application/json"
        else:
            body = parse.urlencode({self.field: json.dumps(sent)}).encode()
            kind = "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind, **(self.headers or {})}
        try:
            with request.urlopen(request.Request(self.root + self.path, body, headers), timeout=30):
                pass
        except OSError:
            logging.getLogger("tensorflow").warning(
                "Could not reach RemoteMonitor root server at %s", self.root
            )
