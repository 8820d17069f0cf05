"""A word to the user, once, when the loss has become NaN in `fit`."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

import runnel as tf

# A loss is looked at when so many steps have followed: the program that makes it is done by then,
# and nobody has to wait for it.
_STEPS_LATER = 32


class NanWatch:
    """Looks at the loss of every step of a run, until the first that is NaN."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, int, int, Any]] | None = deque()

    def see(self, epoch: int, first: int, last: int, logs: Any) -> None:
        """Take the logs of one execution: of the batches from `first` to `last`."""
        if self._waiting is None or not isinstance(logs, dict):
            return
        loss = logs.get("loss")
        if loss is not None:
            self._waiting.append((epoch, first, last, loss))
        if len(self._waiting) > _STEPS_LATER:
            self._look(*self._waiting.popleft())

    def end_epoch(self) -> None:
        """Look at all that is left."""
        while self._waiting:
            self._look(*self._waiting.popleft())

    def _look(self, epoch: int, first: int, last: int, loss: Any) -> None:
        value = loss.numpy() if tf.is_tensor(loss) else np.asarray(loss)
        if value.dtype.kind != "f" or not np.isnan(value).any():
            return
        self._waiting = None
        batch = f"batch {last + 1}" if first == last else f"batches {first + 1} to {last + 1}"
        tf.get_logger().warning(
            "The loss is NaN from %s of epoch %d on. `tf.debugging.enable_check_numerics()`, "
            "called before `fit`, ends it with an error that names the operation and your line; "
            "`tf.keras.callbacks.TerminateOnNaN()` ends it quietly. Often it is a NaN in the data, "
            "a learning rate that is too large, or a `log` or a division of 0.",
            batch,
            epoch + 1,
        )
