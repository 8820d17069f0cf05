"""A word to the user, once, when the loss has become NaN in `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf

# Looking at a loss waits for its step. So one is looked at in so many steps, and only when as many
# more have begun; most losses are means of an epoch, in which a NaN stays.
_STEPS = 64


class NanWatch:
    """Looks at the losses of a run, until the first that is NaN."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, int, Any]] | None = []

    def see(self, epoch: int, first: int, last: int, logs: Any) -> None:
        """Take the logs of one execution: of the batches from `first` to `last`."""
        waiting = self._waiting
        if waiting is None or not isinstance(logs, dict) or "loss" not in logs:
            return
        waiting.append((epoch, first, last, logs["loss"]))
        if len(waiting) >= 2 * _STEPS:
            self._look(_STEPS)

    def end_epoch(self) -> None:
        """Look at all that is left."""
        if self._waiting:
            self._look(len(self._waiting))

    def _look(self, count: int) -> None:
        """Look at the last of the oldest `count` losses; if it is NaN, tell which was the first."""
        assert self._waiting is not None
        oldest = self._waiting[:count]
        del self._waiting[:count]
        if _is_nan(oldest[-1][-1]):
            self._waiting = None
            _tell(*next(entry for entry in oldest if _is_nan(entry[-1]))[:-1])


def _is_nan(loss: Any) -> bool:
    value = loss.numpy() if tf.is_tensor(loss) else np.asarray(loss)
    return value.dtype.kind == "f" and bool(np.isnan(value).any())


def _tell(epoch: int, first: int, last: int) -> None:
    batch = f"batch {last + 1}" if first == last else f"batches {first + 1} to {last + 1}"
    tf.get_logger().warning(
        "The loss is NaN from %s of epoch %d on. `tf.debugging.enable_check_numerics()`, "
        "called before `fit`, ends it with an error that names the operation and your line; "
        "`tf.keras.callbacks.TerminateOnNaN()` ends it quietly. Often it is a NaN in the data, "
        "a learning rate that is too large, or a `log` or a division of 0.",
        batch,
        epoch + 1,
    )
