"""Calls in converted code: the user's own functions are converted too, library code is left alone."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

from runnel.core.raw import raw_ops
from runnel.core.tensor import EagerTensor, Tensor

_STANDARD = tuple(
    {sysconfig.get_paths()[k] for k in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_PACKAGE = __name__.partition(".")[0]


def _tensor_len(value: Any) -> Any:
    if _symbolic(value):
        size = value.shape[0] if value.shape.rank else None
        if value.shape.rank == 0:
            raise ValueError("len() of a scalar tensor.")
        return size if size is not None else raw_ops.GatherV2(raw_ops.Shape(value), 0, 0)
    return len(value)


def _tensor_range(*args: Any) -> Any:
    if any(_symbolic(a) for a in args):
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        from runnel.autograph.runtime import _TensorRange

        return _TensorRange(start, stop, step)
    return range(*[int(a) if isinstance(a, EagerTensor) else a for a in args])


def _tensor_number(kind: type, dtype: str) -> Callable[..., Any]:
    def convert(value: Any = 0, *rest: Any) -> Any:
        return raw_ops.Cast(value, DstT=dtype) if _symbolic(value) else kind(value, *rest)

    return convert


def _tensor_abs(value: Any) -> Any:
    return abs(value)


def _symbolic(value: Any) -> bool:
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.len: _tensor_len,
    builtins.range: _tensor_range,
    builtins.int: _tensor_number(int, "int32"),
    builtins.float: _tensor_number(float, "float32"),
}


def converted_call(function: Any) -> Any:
    """What to call in place of `function`."""
    try:
        found = _BUILTINS.get(function)
    except TypeError:
        return function
    if found is not None:
        return found
    if inspect.ismethod(function) and should_convert(function.__func__):
        return functools.partial(convert(function.__func__), function.__self__)
    if inspect.isfunction(function):
        return convert(function) if should_convert(function) else function
    if isinstance(function, functools.partial) and inspect.isfunction(function.func):
        return functools.partial(converted_call(function.func), *function.args, **function.keywords)
    return function


def should_convert(function: Any) -> bool:
    """Whether a function is the user's own, in Python, and not marked to be left alone."""
    if not inspect.isfunction(function) or getattr(function, "autograph_left_alone", False):
        return False
    module = function.__module__ or ""
    if module.split(".")[0] in (_PACKAGE, "numpy", "jax") or module in sys.builtin_module_names:
        return False
    return not function.__code__.co_filename.startswith(_STANDARD)


def convert(function: Any) -> Any:
    from runnel.autograph.conversion import convert as convert_function

    return convert_function(function)
