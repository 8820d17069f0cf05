"""What is true of the running thread: the graph being built, the active tapes, scopes and device.

The reading path begins here, before `core/op/signature.py`.

All of it hangs on one thread-local object, `state`. Hot code reads its attributes directly; they
are changed by context managers, so that an exception leaves nothing behind.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.values import errors

if TYPE_CHECKING:
    from runnel.core.op.observing import Watcher
    from runnel.core.state.owned_state import OwnedStates
    from runnel.graph.build.graph import Graph


def _quiet_runner() -> Callable[..., Any]:
    """`run` of a context in which NumPy divides by zero without a word, as TensorFlow does.

    Running a kernel through it costs a tenth of entering `np.errstate` for each op.
    """
    quiet = contextvars.copy_context()
    quiet.run(np.seterr, all="ignore")
    return quiet.run


class FirstGraph:
    """The graph that a new thread builds: none, unless programs switch eager mode off."""

    graph: Graph | None = None


first_graph = FirstGraph()


class ThreadState(threading.local):
    """The state of one thread."""

    graph: Graph | None
    left: Graph | None  # the graph around an `init_scope`
    tapes: tuple[Any, ...]  # recorders of tapes and forward accumulators, the innermost last
    accumulates: bool  # whether a forward accumulator is among them
    live: set[int] | None  # ids of the tensors whose gradients a running backpropagation asks for
    scopes: tuple[str, ...]
    device: str | None
    creators: tuple[Callable[..., Any], ...]
    sessions: tuple[Any, ...]  # the default ones of `tf.compat.v1`, the innermost last
    strategies: tuple[Any, ...]  # contexts of `tf.distribute`, the innermost last
    owned: OwnedStates | None  # what ops in graphs keep between runs, if not for all runs alike
    variables_made: int  # by this thread; a trace that made some is traced again
    watcher: Watcher | None  # who looks at the values of this thread
    passing: bool  # whether a graph is run at shapes that will hardly come again
    run: Callable[..., Any]

    def __init__(self) -> None:
        self.graph = first_graph.graph
        self.left = None
        self.tapes = ()
        self.accumulates = False
        self.live = None
        self.scopes = ()
        self.device = None
        self.creators = ()
        self.sessions = ()
        self.strategies = ()
        self.owned = None
        self.variables_made = 0
        self.watcher = None
        self.passing = False
        self.run = _quiet_runner()


state = ThreadState()
errors.tracing = lambda: state.graph is not None


@contextmanager
def building(graph: Graph | None) -> Iterator[Graph | None]:
    """Ops called inside are appended to `graph`; with `None` they run at once."""
    outer = state.graph
    state.graph = graph
    try:
        yield graph
    finally:
        state.graph = outer


def set_tapes(tapes: tuple[Any, ...]) -> None:
    """Make these the active tapes of the thread."""
    state.tapes = tapes
    state.accumulates = any(tape.is_forward for tape in tapes)


@contextmanager
def recording(*tapes: Any) -> Iterator[None]:
    """Ops called inside are told to `tapes` alone."""
    outer = state.tapes
    set_tapes(tapes)
    try:
        yield
    finally:
        set_tapes(outer)


def unrecorded() -> AbstractContextManager[None]:
    """Ops called inside are told to no tape."""
    return recording()


@contextmanager
def unwatched() -> Iterator[None]:
    """Nobody looks at the ops called inside, nor at operations that are made of them.

    A graph runs like that: its operations know who looks at them, and the Python functions in it
    are nobody's business, as in TensorFlow, which runs them in other threads.
    """
    outer, state.watcher = state.watcher, None
    try:
        yield
    finally:
        state.watcher = outer


@contextmanager
def asking_for(live: set[int] | None) -> Iterator[None]:
    """Inside, gradient functions need to give the gradients of these tensors only (None: all)."""
    outer = state.live
    state.live = live
    try:
        yield
    finally:
        state.live = outer


def executing_eagerly() -> bool:
    """Whether ops run at once (`True`) or become part of a graph.

    >>> tf.executing_eagerly()
    True
    """
    return state.graph is None
