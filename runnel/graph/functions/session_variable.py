"""Variables of a graph that have a value outside of it too: the one that a session keeps.

Keras trains its models with functions, in a program that builds a graph as in any other. What such
a function reads and changes is then the variable of Keras's session, and the graph sees it too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.settings.scopes import (
    control_dependencies,
    get_current_name_scope,
    outside_functions,
)
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.graph.build.func_graph import outermost
from runnel.graph.build.graph import Graph
from runnel.graph.functions.graph_variable import GraphVariable


class SessionVariable(GraphVariable):
    """A variable of a graph; outside of the graph, the one in the session that `session` gives."""

    _symbolic: Any = None
    _held: Any = None
    _eager: Any = None

    def __init__(self, *args: Any, session: Callable[[Any], Any], **options: Any) -> None:
        self._session = session
        super().__init__(*args, **options)

    def _inside(self) -> bool:
        return outermost(state.graph) is self._symbolic.graph

    @property
    def _handle(self) -> Any:
        return self._symbolic if self._inside() else self._of_session()

    @_handle.setter
    def _handle(self, handle: Any) -> None:
        self._symbolic = handle

    def _of_session(self) -> Any:
        session = self._session(self._symbolic.graph)
        held = session.resources.of(self._symbolic.op, session.values_of)
        if held is not self._held:
            self._held, self._eager = held, EagerTensor(held, dtypes.resource)
        if held.value is None:
            session.run(self._initializer)
        return self._eager

    @property
    def graph(self) -> Any:
        return self._symbolic.graph

    @property
    def op(self) -> Any:
        return self._symbolic.op

    @property
    def device(self) -> str:
        return str(self._symbolic.op.device)

    def value(self) -> Tensor:
        return super().value() if self._inside() else Variable.value(self)

    def _after(self, result: Any) -> Any:
        return super()._after(result) if self._inside() else result

    def numpy(self) -> Any:
        return super().numpy() if self._inside() else Variable.numpy(self)

    def __repr__(self) -> str:
        return super().__repr__() if self._inside() else Variable.__repr__(self)


class _Left(threading.local):
    """The graph that is left while ops run at once in the middle of building it."""

    graph: Any = None


_left = _Left()


def outside_graph() -> Any:
    """The plain graph that is being built, also from inside of `at_once`; None in eager mode."""
    found = outside_functions() if _left.graph is None else _left.graph
    return found if isinstance(found, Graph) else None  # not where rows are traced as batches


def builds_graph() -> bool:
    """Whether ops become part of a plain graph now."""
    return isinstance(state.graph, Graph) and not state.graph.building_function


@contextmanager
def at_once() -> Iterator[None]:
    """Ops inside run at once, although a graph is being built."""
    outer, _left.graph = _left.graph, outside_graph()
    try:
        with context.building(None), context.unrecorded():
            yield
    finally:
        _left.graph = outer


@contextmanager
def at_home() -> Iterator[None]:
    """Ops inside become part of the plain graph that is being built, outside of functions."""
    graph, scope = outside_graph(), get_current_name_scope()
    title = f"{scope}/" if scope else None
    with (
        context.building(graph),
        graph.name_scope(title),
        control_dependencies(None),
        context.unrecorded(),
    ):
        yield
