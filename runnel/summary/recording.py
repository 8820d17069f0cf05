"""Which writer summaries go to on this thread, at which step, and whether they are written."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import constant
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor


class Recording(threading.local):
    """The default writer, step and condition of one thread."""

    writer: Any = None
    step: Any = None
    condition: Any = None  # None: always


recording = Recording()


def get_step() -> Any:
    """The step of summaries that name none; None before it was set.

    >>> tf.summary.experimental.set_step(7)
    >>> tf.summary.experimental.get_step()
    7
    >>> tf.summary.experimental.set_step(None)
    """
    return recording.step


def set_step(step: Any) -> None:
    """Let `step` be the step of this thread's summaries that name none.

    A variable of int64 may change later, also between the runs of a `tf.function`; a number stays
    what it was when the function was traced.
    """
    recording.step = step


def should_record_summaries() -> Tensor:
    """Whether summaries are written now: there is a default writer, and `record_if` allows it.

    >>> tf.summary.should_record_summaries().numpy()
    np.False_
    """
    if recording.writer is None:
        return constant(False)
    condition = recording.condition
    if condition is None:
        return constant(True)
    if callable(condition) and not isinstance(condition, Tensor):
        condition = condition()
    return raw_ops.LogicalAnd(True, condition)  # type: ignore[no-any-return]


def is_known(condition: Tensor) -> bool | None:
    """The truth of a condition while a graph is built, if it is known by then."""
    value = constant_value(condition)
    return None if value is None else bool(value)


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Inside, summaries are written only where `condition` is true: a value, or a function of none.

    >>> with tf.summary.record_if(lambda: False):
    ...     tf.summary.should_record_summaries().numpy()
    np.False_
    """
    outer = recording.condition
    recording.condition = condition
    try:
        yield
    finally:
        recording.condition = outer
