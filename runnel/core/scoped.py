"""Scopes in graphs for functions that are made of several ops.

    @scoped("moments")
    def moments(x, axes, ..., name=None):
        mean = reduce_mean(x, axes, keepdims=True, name="mean")     # the operation `moments/mean`
        ...

Like `runnel/core/dispatch.py`, `scoped` gives the function object a new body:

    def moments(x, axes, ..., name=None):
        if __state.graph is None:
            return __plain_moments(x, axes, ..., name)              # the body it had
        with __scope_moments(name) as name:
            return __plain_moments(x, axes, ..., name)

So outside graphs a scope costs one more Python call, and none is made for a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType
from typing import Any, TypeVar

from runnel.core.context import state
from runnel.core.dispatch import Parameters, compiled_body

Function = TypeVar("Function", bound=Callable[..., Any])


def scoped(default: str, *, last: bool = False) -> Callable[[Function], Function]:
    """Let the operations that a function makes be named inside `name`, or else inside `default`.

    With `last`, that operation which the function gives its `name` to bears the scope's own name.
    """

    def exchange(function: Function) -> Function:
        assert isinstance(function, FunctionType)
        _give_scope(function, default, last)
        return function

    return exchange


def _give_scope(function: FunctionType, default: str, last: bool) -> None:
    title = function.__name__
    plain = FunctionType(function.__code__, function.__globals__, title, function.__defaults__)
    plain.__kwdefaults__ = function.__kwdefaults__
    renamed = {"__plain": f"__plain_{title}", "__scope": f"__scope_{title}"}
    function.__globals__[renamed["__plain"]] = plain
    function.__globals__[renamed["__scope"]] = lambda name: _scope(name or default, last)
    function.__globals__["__state"] = state
    code = _compiled(Parameters.of(function))
    function.__code__ = code.replace(
        co_name=title,
        co_qualname=function.__qualname__,
        co_filename=function.__code__.co_filename,
        co_firstlineno=function.__code__.co_firstlineno,
        co_names=tuple(renamed.get(name, name) for name in code.co_names),
    )


@contextmanager
def _scope(name: str, last: bool) -> Iterator[str | None]:
    """Enter the scope; gives what the body is to take for its `name`."""
    assert state.graph is not None
    with state.graph.name_scope(name) as scope:
        yield scope if last else None


@cache
def _compiled(parameters: Parameters) -> CodeType:
    """The new body."""
    call = parameters.passed()
    entered = "__scope(name) as name" if "name" in parameters.names else "__scope(None)"
    lines = [
        f"def body({parameters.declared()}):",
        f" if __state.graph is None: return __plain({call})",
        f" with {entered}: return __plain({call})",
    ]
    return compiled_body(lines)
