"""`tf.profiler.experimental.Trace`: a part of a program with a name in profiles."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from runnel.backend.jax import jax
from runnel.profiler.sessions import is_running


class Trace:
    """A `with` block that profiles show under a name, with further values.

    >>> with tf.profiler.experimental.Trace("step", step_num=1):
    ...     y = tf.constant(1) + 1
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._values = kwargs
        self._annotation: Any = None

    def __enter__(self) -> Trace:
        if is_running():
            self._annotation = jax.profiler.TraceAnnotation(self._name, **self._values)
            self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Add values; a profile shows those that were known when the block was entered."""
        self._values.update(kwargs)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        if self._annotation is not None:
            self._annotation.__exit__(exc_type, exc_val, exc_tb)
            self._annotation = None
