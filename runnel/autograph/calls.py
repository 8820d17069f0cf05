"""Calls in converted code: the user's functions are converted too, libraries are left alone."""

from __future__ import annotations

import functools
import inspect
import sysconfig
from pathlib import Path
from typing import Any

from runnel.autograph import conversion
from runnel.autograph.builtin_functions import OVERLOADS
from runnel.autograph.features import entered
from runnel.graph.functions.functional import foldl, foldr, map_fn, scan

_PACKAGE = str(Path(__file__).parent.parent)
_PATHS = sysconfig.get_paths()
_STANDARD = tuple({_PATHS[k] for k in ("stdlib", "platstdlib")})
_INSTALLED = tuple({_PATHS[k] for k in ("purelib", "platlib")})
_LEFT_ALONE = frozenset(
    """tensorflow numpy scipy jax jaxlib ml_dtypes pandas matplotlib PIL h5py google absl
    pytest _pytest pluggy hypothesis IPython ipykernel wrapt attr attrs six mock
    tensorboard""".split()
)

_TAKERS = frozenset({map_fn, foldl, foldr, scan})


def plain_call(function: Any) -> Any:
    """What to call in place of `function` where only Python's own functions are replaced."""
    try:
        return OVERLOADS.get(function, function)
    except TypeError:
        return function  # not hashable


def converted_call(function: Any) -> Any:
    """What to call in place of `function`."""
    found = plain_call(function)
    if found is not function:
        return found
    if inspect.ismethod(function):
        if not should_convert(function.__func__):
            return function
        return functools.partial(_converted(function.__func__), function.__self__)
    if inspect.isfunction(function):
        if function in _TAKERS:
            return _with_converted(function)
        return _converted(function) if should_convert(function) else function
    if isinstance(function, functools.partial):
        inner = converted_call(function.func)
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, type) or inspect.isbuiltin(function):
        return function  # constructors run as they are
    return _converted_object(function)


def _with_converted(taker: Any) -> Any:
    """A function of ours that converts the function which it is given to call in a loop."""

    @functools.wraps(taker)
    def call(fn: Any, *args: Any, **kwargs: Any) -> Any:
        return taker(converted_call(fn) if callable(fn) else fn, *args, **kwargs)

    return call


def _converted(function: Any) -> Any:
    return entered(conversion.convert(function))


def _converted_object(function: Any) -> Any:
    """An object with a `__call__` of the user's own."""
    method = inspect.getattr_static(type(function), "__call__", None)
    if inspect.isfunction(method) and should_convert(method):
        return functools.partial(_converted(method), function)
    return function


def should_convert(function: Any) -> bool:
    """Whether a function is the user's own, in Python, and not marked to be left alone."""
    if not inspect.isfunction(function) or getattr(function, "autograph_left_alone", False):
        return False
    if (function.__module__ or "").split(".")[0] in _LEFT_ALONE:
        return False
    file = function.__code__.co_filename
    if file.startswith(_PACKAGE):
        return False
    return file.startswith(_INSTALLED) or not file.startswith(_STANDARD)
