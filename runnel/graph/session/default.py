"""The graph and the session that are meant where a program names none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.settings.scopes import innermost_graph
from runnel.graph.build.graph import Graph


class _Default:
    """The graph of the process, which is there even while ops run at once."""

    graph: Graph | None = None


def process_graph() -> Graph:
    """The graph that is meant where no other is being built."""
    if _Default.graph is None:
        _Default.graph = Graph()
    return _Default.graph


def get_default_graph() -> Graph:
    """The graph being built; while ops run at once, the one of the process.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     tf.compat.v1.get_default_graph() is graph
    True
    """
    graph = innermost_graph()
    return process_graph() if graph is None else graph


def has_default_graph() -> bool:
    """Whether a `with graph.as_default()` is open in this thread."""
    return state.graph is not None and state.graph is not _Default.graph


def reset_default_graph() -> None:
    """Begin a new graph of the process; the old one is left to those who hold it."""
    if has_default_graph():
        raise AssertionError(
            "reset_default_graph: a graph is being built in a `with` block, and would stay the "
            "default one. Leave the block first, or make a tf.Graph."
        )
    building = state.graph is not None
    _Default.graph = None
    if building:
        build_by_default()


def build_by_default() -> None:
    """From now on ops become part of the graph of the process, in new threads too."""
    state.graph = context.first_graph.graph = process_graph()


def run_by_default() -> None:
    """From now on ops run at once."""
    state.graph = context.first_graph.graph = None


@contextmanager
def building_by_default(graph: Graph | None = None) -> Iterator[Graph]:
    """Ops inside become part of a graph of the process, a new one; then all is as it was."""
    outer = _Default.graph, state.graph, context.first_graph.graph
    _Default.graph = Graph() if graph is None else graph
    build_by_default()
    try:
        yield _Default.graph
    finally:
        _Default.graph, state.graph, context.first_graph.graph = outer


def get_default_session() -> Any:
    """The innermost session of a `with` block or of `InteractiveSession`; None without one."""
    return state.sessions[-1] if state.sessions else None


@contextmanager
def default_session(session: Any) -> Iterator[Any]:
    """`session` is meant by `tensor.eval()` and `operation.run()` inside."""
    outer = state.sessions
    state.sessions = (*outer, session)
    try:
        yield session
        if state.sessions[-1:] != (session,):
            raise AssertionError(
                f"{session!r} is left while another session is the default one: blocks of "
                "`as_default` must be left in the reverse order in which they were entered."
            )
    finally:
        state.sessions = outer
