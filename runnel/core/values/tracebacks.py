"""Whether the stack of an error shows the lines inside this library.

Entry points, which users call, say `except Exception as error: trim(error); raise`, which costs
nothing while there is no error. A bare `raise` takes the stack that the error has by then, and adds
no line for the function it is in, so that nothing of the library is left in it.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np

_filtering = True
_LIBRARIES = tuple(
    f"{Path(path).parent}{os.sep}" for path in (str(Path(__file__).parent.parent), np.__file__)
)
_MADE_HERE = "<runnel"  # files that there are not, of code made while running
_RUNNER = "<frozen runpy>"  # below a program that is started by `python -m`
_COMPILERS = ("jax", "jaxlib")  # beside NumPy, but imported late
# Where packages and Python's own modules are, and the packages whose errors are about the work.
_INSTALLED, _PYTHON = (Path(np.__file__).parent.parent, Path(os.__file__).parent)
_RAISING = frozenset(
    "_flapack builtins fsspec google h5py jax jaxlib ml_dtypes numpy PIL re2 runnel scipy".split()
)
Function = TypeVar("Function", bound=Callable[..., Any])
Inside = tuple[str, ...]


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


def trim(error: BaseException) -> None:
    """Leave the library's lines out of an error's stack, and the causes that have no others."""
    if not _filtering:
        return
    inside = _inside()
    error.__traceback__ = _outside(error.__traceback__, inside)
    _trim_causes(error, inside)


def trimmed(entry: Function) -> Function:
    """Decorator: the stacks of errors have no lines of the library. For what is not called often.

    Where a call counts, the function has the `try` itself, see above.
    """

    @functools.wraps(entry)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return entry(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    return cast(Function, call)


def trim_methods(kind: type, *others: str) -> None:
    """`trimmed`, for the public methods of a class that are its own, and for others by name."""
    for name, method in list(vars(kind).items()):
        if name.startswith("_") and name not in others:
            continue
        if isinstance(method, staticmethod | classmethod):
            setattr(kind, name, type(method)(trimmed(method.__func__)))
        elif inspect.isfunction(method):
            setattr(kind, name, trimmed(method))


def _trim_causes(error: BaseException, inside: Inside) -> None:
    """Chain an error to the next one before it in which there is a line of the user's."""
    given = error.__cause__
    before = given or (None if error.__suppress_context__ else error.__context__)
    seen = {id(error)}
    while before is not None and id(before) not in seen:
        seen.add(id(before))
        trace = before.__traceback__
        kept = _outside(trace, inside)
        if kept is not None or trace is None:
            before.__traceback__ = kept
            break
        before = before.__cause__ or before.__context__
    else:
        before = None
    if before is None or before is not (given or error.__context__):
        error.__cause__ = before


def let_through(error: Exception) -> None:
    """Raise an error again that only struck here: of a signal's handler, or from another thread.

    To be asked before an error is explained, or passed over: those are about the work at hand.
    """
    raising = type(error).__module__.partition(".")[0]
    if raising not in _RAISING or isinstance(error, TimeoutError) or not _ends_inside(error):
        raise error


def is_of_library(trace: TracebackType) -> bool:
    """Whether a line of a stack is one of this library."""
    return trace.tb_frame.f_code.co_filename.startswith((_LIBRARIES[0], _MADE_HERE))


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
    return filename.startswith((str(_PYTHON), "<", *_inside()))


def _outside(trace: TracebackType | None, inside: Inside) -> TracebackType | None:
    """The frames outside the libraries, and outside what of Python's own they call."""
    kept, ours = [], False
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        ours = filename.startswith(inside) or (ours and _is_python(filename))
        if not ours:
            kept.append(trace)
        trace = trace.tb_next
    result = None
    for trace in reversed(kept):
        result = TracebackType(result, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    return result


def _is_python(filename: str) -> bool:
    return filename.startswith(str(_PYTHON)) and "site-packages" not in filename


def _inside() -> Inside:
    """What the names of the libraries' files start with."""
    loaded = (getattr(sys.modules.get(name), "__file__", None) for name in _COMPILERS)
    compilers = tuple(f"{Path(path).parent}{os.sep}" for path in loaded if path)
    return (*_LIBRARIES, *compilers, _MADE_HERE, _RUNNER)
