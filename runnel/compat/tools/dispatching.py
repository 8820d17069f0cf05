"""`util.dispatch`: handlers of functions for values of other types."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import runnel
from runnel.core.composite.dispatch import (
    GlobalOpDispatcher,
    add_handler,
    global_answer,
    supports_dispatch,
)

_ATTRIBUTE = "_dispatchers"


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """Let a function of a library be one that handlers can be registered for.

    What it raises on values that it cannot take is raised only if no handler takes them either.
    """
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)

    @functools.wraps(target)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            for handler in getattr(dispatched, _ATTRIBUTE):
                result = handler.handle(args, kwargs)
                if result is not OpDispatcher.NOT_SUPPORTED:
                    return result
            answer = global_answer(dispatched, args, kwargs)  # type: ignore[arg-type]
            if answer is None:
                raise
            return answer()

    setattr(dispatched, _ATTRIBUTE, [])
    return dispatched


class OpDispatcher:
    """Says what a function does on values of other types; `handle` may be NOT_SUPPORTED."""

    NOT_SUPPORTED = GlobalOpDispatcher.NOT_SUPPORTED

    def handle(self, args: Any, kwargs: Any) -> Any:
        """The answer for a call; NOT_SUPPORTED leaves it to others."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Have this asked where a function cannot take its arguments."""
        found = getattr(op, _ATTRIBUTE, None)
        function = getattr(op, "__func__", op)  # of a class method
        if found is not None:
            found.append(self)
        elif supports_dispatch(function):
            add_handler(function, self.handle)
        else:
            raise AttributeError(f"{op!r} has no dispatch: it was not made by add_dispatch_support")


class _ForTypes(OpDispatcher):
    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function, self._types = function, types

    def handle(self, args: Any, kwargs: Any) -> Any:
        leaves = runnel.nest.flatten([args, kwargs])
        if any(isinstance(leaf, self._types) for leaf in leaves):
            return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op: Any, *types: type) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for what a function does where one of its arguments is of these types."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _ForTypes(function, types).register(op)
        return function

    return decorate
