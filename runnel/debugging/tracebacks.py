"""Whether the stack of an error shows the lines inside this library."""

from __future__ import annotations

_filtering = True


def enable_traceback_filtering() -> None:
    """Leave the library's own lines out of the stacks that errors show."""
    global _filtering
    _filtering = True


def disable_traceback_filtering() -> None:
    """Show the library's own lines in the stacks of errors."""
    global _filtering
    _filtering = False


def is_traceback_filtering_enabled() -> bool:
    """Whether stacks leave out the library's own lines.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _filtering
