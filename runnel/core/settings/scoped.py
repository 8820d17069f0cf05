"""Scopes in graphs for functions that are made of several ops.

    @scoped("moments")
    def moments(x, axes, ..., name=None):
        mean = reduce_mean(x, axes, keepdims=True, name="mean")     # the operation `moments/mean`
        ...

Outside graphs a scope costs one more Python call, and none is made for a name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from runnel.core.op.context import state as _state

Function = TypeVar("Function", bound=Callable[..., Any])


def scoped(default: str, *, last: bool = False) -> Callable[[Function], Function]:
    """Let the operations that a function makes be named inside `name`, or else inside `default`.

    With `last`, that operation which the function gives its `name` to bears the scope's own name.
    """

    def decorate(function: Function) -> Function:
        assert isinstance(function, FunctionType)
        return cast(Function, _wrapper(function, default, last))

    return decorate


def _wrapper(function: FunctionType, default: str, last: bool) -> FunctionType:
    state, scope, place = _state, _scope, _place_of_name(function)
    takes_name = "name" in inspect.signature(function).parameters

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if state.graph is None:
            return function(*args, **kwargs)
        positional = len(args) > place
        with scope((args[place] if positional else kwargs.get("name")) or default, last) as name:
            if positional:
                args = (*args[:place], name, *args[place + 1 :])
            elif takes_name:
                kwargs["name"] = name
            return function(*args, **kwargs)

    # It lives in the module of the function, where doctest and dispatch look for it.
    own = FunctionType(
        wrapper.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        wrapper.__closure__,
    )
    own.__kwdefaults__ = function.__kwdefaults__
    update_wrapper(own, function)
    return own


def _place_of_name(function: FunctionType) -> int:
    """Where `name` stands among the arguments by position; past all where it is not one of them."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    return positional.index("name") if "name" in positional else sys.maxsize


@contextmanager
def _scope(name: str, last: bool) -> Iterator[str | None]:
    """Enter the scope; gives what the body is to take for its `name`."""
    assert _state.graph is not None
    with _state.graph.name_scope(name) as scope:
        yield scope if last else None
