"""Running ops while the program goes on, which never happens here: results are the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def async_scope() -> Iterator[None]:
    """A context in which ops may run later than they are called; here they run at once."""
    yield


def async_clear_error() -> None:
    """Nothing: an op's error is raised by the call that made it."""


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context for a choice of executor, of which there is one."""
    yield


def enable_strict_mode() -> None:
    """Nothing: there are no deprecated functions to refuse."""
