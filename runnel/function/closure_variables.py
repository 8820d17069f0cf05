"""Which variables a Python function may get at other than through its arguments.

A trace serves all variables that are passed to it, unless the function knows one of them anyway:
then what it does to the argument, it does to that one too.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from runnel.core.state.variable import Variable

_MOST_OBJECTS = 10_000  # objects; a function that reaches more is taken to reach every variable
_PLAIN = (int, float, complex, str, bytes, type(None), types.ModuleType)


def reaches(function: Callable[..., Any], instance: Any, handles: Collection[int]) -> bool:
    """Whether a function, or a method of `instance`, may use a variable with one of the handles."""
    pending: list[Any] = [function, instance]
    seen: dict[int, Any] = {}
    while pending:
        value = pending.pop()
        if isinstance(value, _PLAIN) or id(value) in seen:
            continue
        if isinstance(value, Variable):
            if value.handle._id in handles:
                return True
            continue
        seen[id(value)] = value
        if len(seen) > _MOST_OBJECTS:
            return True
        pending += _parts(value)
    return False


def _parts(value: Any) -> Iterator[Any]:
    """What can be got from an object without calling it."""
    if isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif isinstance(value, type):
        yield from _of_class(value)
    else:
        yield from getattr(value, "__dict__", {}).values()
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                yield getattr(value, name, None)
        yield type(value)


def _of_class(kind: type) -> Iterator[Any]:
    if not _is_library(kind.__module__):
        yield from vars(kind).values()
        yield from kind.__bases__


def _of_function(function: types.FunctionType) -> Iterator[Any]:
    yield from (function.__defaults__, function.__kwdefaults__, function.__dict__)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    if not _is_library(function.__module__):
        known = function.__globals__
        yield from (known[name] for name in _names(function.__code__) if name in known)


def _is_library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ("runnel", "numpy", "jax", "builtins")


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
