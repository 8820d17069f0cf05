"""The stacks of errors that nothing catches, as Python and notebooks print them.

Entry points trim the stacks of their errors (`tracebacks.py`). The thousand functions around single
ops, operators and constructors have no `try` for it, which would cost them time or lines: their
errors are trimmed here, when they are about to be shown. Errors that did not come through this
library are shown as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from runnel.core.values.tracebacks import is_of_library, trim

Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def show_trimmed() -> None:
    """Trim what `sys.excepthook` is given, and what a notebook shows below a cell."""
    sys.excepthook = _trimming(sys.excepthook)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show_below_cell)


def _trimming(hook: Hook) -> Hook:
    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _trim_ours(error)
        hook(kind, error, error.__traceback__)

    return show


def _show_below_cell(
    shell: Any, kind: type, error: Exception, trace: Any, tb_offset: int | None = None
) -> None:
    _trim_ours(error)
    shown = (kind, error, error.__traceback__)
    shell.showtraceback(shown, tb_offset=tb_offset, running_compiled_code=True)


def _trim_ours(error: BaseException) -> None:
    """Trim an error that came through this library, unless nothing would be left."""
    whole = trace = error.__traceback__
    while trace is not None and not is_of_library(trace):
        trace = trace.tb_next
    if trace is None or not isinstance(error, Exception):
        return
    trim(error)
    error.__traceback__ = error.__traceback__ or whole
