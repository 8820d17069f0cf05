"""Whether the stack of an error shows the lines inside this library."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import numpy as np

_filtering = True
_LIBRARIES = tuple(
    str(Path(path).parent) for path in (str(Path(__file__).parent.parent), np.__file__)
)
_COMPILERS = ("jax", "jaxlib")  # beside NumPy, but imported late
# Where packages and Python's own modules are, and the packages whose errors are about the work.
_INSTALLED, _PYTHON = (Path(np.__file__).parent.parent, Path(os.__file__).parent)
_RAISING = frozenset(
    "_flapack builtins fsspec google h5py jax jaxlib ml_dtypes numpy PIL re2 runnel scipy".split()
)
Error = TypeVar("Error", bound=BaseException)


def enable_traceback_filtering() -> None:
    """Leave the library's own lines out of the stacks that errors show."""
    global _filtering
    _filtering = True


def disable_traceback_filtering() -> None:
    """Show the library's own lines in the stacks of errors, and the errors they come from."""
    global _filtering
    _filtering = False


def is_traceback_filtering_enabled() -> bool:
    """Whether stacks leave out the library's own lines.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _filtering


def shown(error: Error) -> Error:
    """The error with the lines of its stack that users are to see, which the caller raises."""
    return error.with_traceback(_outside(error.__traceback__)) if _filtering else error


def cause(error: BaseException, raised: BaseException) -> BaseException | None:
    """What an error is said to come from: nothing, or the error inside the library."""
    return None if _filtering or error is raised else error


def let_through(error: Exception) -> None:
    """Raise an error again that only struck here: of a signal's handler, or from another thread.

    To be asked before an error is explained, or passed over: those are about the work at hand.
    """
    raising = type(error).__module__.partition(".")[0]
    if raising not in _RAISING or isinstance(error, TimeoutError) or not _ends_inside(error):
        raise error


def _ends_inside(error: Exception) -> bool:
    """Whether an error was raised by a line of this library or of one that it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return True
    filename = trace.tb_frame.f_code.co_filename
    if filename.startswith(str(_INSTALLED)):
        return Path(filename).relative_to(_INSTALLED).parts[0] in _RAISING
    return filename.startswith((str(_PYTHON), "<")) or _is_inside(filename)


def _outside(trace: TracebackType | None) -> TracebackType | None:
    """The frames outside the libraries."""
    kept = []
    while trace is not None:
        if not _is_inside(trace.tb_frame.f_code.co_filename):
            kept.append(trace)
        trace = trace.tb_next
    result = None
    for trace in reversed(kept):
        result = TracebackType(result, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    return result


def _is_inside(filename: str) -> bool:
    loaded = (getattr(sys.modules.get(name), "__file__", None) for name in _COMPILERS)
    compilers = tuple(str(Path(path).parent) for path in loaded if path)
    return filename.startswith((*_LIBRARIES, *compilers))
