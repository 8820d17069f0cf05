"""Scopes that programs enter with `with`: names, control dependencies, lifting out of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any

from runnel.backend import configuration
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.values import nest

_ROOT_SCOPE = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_INNER_SCOPE = re.compile(r"[A-Za-z0-9_.\\/>-]*")


class name_scope:
    """A prefix for the names of the variables and operations made inside.

    A name that ends with `/` is taken as a whole scope; an empty one leads back to the root.

    >>> with tf.name_scope("encoder"):
    ...     with tf.name_scope("attention") as scope:
    ...         v = tf.Variable(1.0, name="scale")
    >>> scope, v.name
    ('encoder/attention/', 'encoder/attention/scale:0')
    """

    _entered: Any = ()  # scopes of graphs; what scopes are outside and inside of eager ones

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"The name of a tf.name_scope is a string, got {name!r}.")
        self._name = name
        self._entered = []

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        if state.graph is None:
            inside = _inner(self._name)
            self._entered.append((state.scopes, inside))
            state.scopes = inside
            return "/".join([*inside, ""])
        scope = _graph_scope(self._name)
        self._entered.append(scope)
        return scope.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        scope = self._entered[-1]
        if type(scope) is tuple:
            state.scopes = scope[0]
            self._entered.pop()
            return None
        return self._entered.pop().__exit__(kind, error, traceback)  # type: ignore[no-any-return]

    def __del__(self) -> None:
        """Leave the scopes that an interrupt, which struck in the functions above, left open."""
        for scope in reversed(self._entered):
            if type(scope) is tuple and state.scopes is scope[1]:
                state.scopes = scope[0]


@contextmanager
def eager_scope(name: str) -> Iterator[str]:
    """A scope for names outside graphs; the empty one is outside all others."""
    outer = state.scopes
    try:
        state.scopes = _inner(name)
        yield "/".join([*state.scopes, ""])
    finally:
        state.scopes = outer


def _inner(name: str) -> tuple[str, ...]:
    if not name:
        return ()
    return (name[:-1],) if name.endswith("/") else (*state.scopes, name)


def _graph_scope(name: str) -> AbstractContextManager[str]:
    assert state.graph is not None
    pattern = _INNER_SCOPE if get_current_name_scope() else _ROOT_SCOPE
    if name and not pattern.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid scope name; it must match {pattern.pattern}")
    return state.graph.name_scope(name)


def scope_of_ops(name: str) -> AbstractContextManager[str | None]:
    """The scope of the operations that one call makes; outside graphs, where none is made, nothing.

    A name that ends with the scope's slash is that of the scope itself, for the last of them.
    """
    return _NO_SCOPE if state.graph is None else state.graph.name_scope(name)


_NO_SCOPE = nullcontext()


def get_current_name_scope() -> str:
    """The scope that names made now begin with, without a slash at its end.

    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     tf.get_current_name_scope()
    'a/b'
    """
    return "/".join(state.scopes) if state.graph is None else state.graph._scope


def control_dependencies(control_inputs: Any) -> AbstractContextManager[Any]:
    """A context whose operations run after `control_inputs`; None lifts such conditions.

    Outside functions everything runs in program order; callables among the inputs are then called.
    """
    if state.graph is None:
        for item in control_inputs or ():
            if callable(item):
                item()
        return nullcontext()
    graph = state.graph
    if control_inputs is None:
        return graph.control_dependencies(None)
    if graph.building_function:
        parts = [part for item in control_inputs for part in _parts_in(graph, item)]
    else:
        parts = nest.flatten(list(control_inputs), expand_composites=True)
    return graph.control_dependencies([p for p in parts if not _is_done(p)])


def _parts_in(graph: Any, item: Any) -> list[Any]:
    """What the operations of a function have to wait for: that which its graph computes.

    All else is there before the function runs. None is nothing at all, which the graph refuses.
    """
    if item is None or getattr(item, "graph", None) is graph:
        return [item]
    parts = nest.flatten(item, expand_composites=True)
    return [part for part in parts if getattr(part, "graph", None) is graph]


def _is_done(item: Any) -> bool:
    """Whether the item has its value already: a tensor of no graph, or a variable."""
    return hasattr(item, "dtype") and getattr(item, "graph", None) is None


@contextmanager
def init_scope() -> Iterator[None]:
    """Ops inside run at once, although a function is being traced, and no tape records them.

    In a plain `tf.Graph` they still become part of it, and wait for nothing.

    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    """
    scope, outer, left = get_current_name_scope(), state.scopes, state.left
    graph = outside_functions()
    entered = graph is not None and graph is not state.graph and scope
    state.left = innermost_graph()
    with context.building(graph), control_dependencies(None), context.unrecorded():
        state.scopes = (scope,) if scope else ()
        try:
            with graph.name_scope(f"{scope}/") if entered else nullcontext():
                yield
        finally:
            state.scopes, state.left = outer, left


def innermost_graph() -> Any:
    """The graph being built, also from inside an `init_scope`; None where there is none."""
    return state.left if state.graph is None else state.graph


def outside_functions() -> Any:
    """The plain `tf.Graph` around the functions that are being traced, if there is one."""
    graph = state.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph  # type: ignore[attr-defined]
    return graph


def compares_objects() -> bool:
    """Whether `==` asks for the same object: by the switch, and in a plain graph."""
    return not configuration.tensor_equality or outside_functions() is not None


def inside_function() -> bool:
    """Whether a `tf.function` is being traced.

    >>> tf.inside_function()
    False
    """
    graph = innermost_graph()
    return graph is not None and graph.building_function


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Let `variable_creator(next_creator, **kwargs)` make the variables inside.

    It usually changes some of `kwargs`, which are those of `tf.Variable`, and calls `next_creator`.

    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(frozen):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """
    outer = state.creators
    state.creators = (*outer, variable_creator)
    try:
        yield
    finally:
        state.creators = outer
