"""`while` and `for`: Python's loops, or loops of the graph when tensors decide them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.op.context import state
from runnel.graph.control.subgraphs import trace
from .branches import Get, Put, if_stmt, read
from .graph_loops import GraphLoop
from .items import is_symbolic, items_of
from .undefined import Undefined


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    assigns: bool = False,
    *,
    begins: bool = True,
    relaxes: bool = False,
) -> None:
    """`while`: a loop of the graph as soon as the test is symbolic.

    If the test assigns variables with `:=`, a loop of the graph computes it once more where the
    body begins, and after the loop. Without `begins` it must not read variables that are None
    before it. If it `relaxes`, variables may change their shapes.
    """
    going = _first_test(test, get, put)
    while not is_symbolic(going):
        if not going:
            return
        body()
        going = _first_test(test, get, put)

    def step(index: Any) -> None:
        if assigns:
            test()
        body()

    GraphLoop(test, step, get, put, names, begins=begins, relaxes=relaxes).build()
    if assigns:
        test()


def _first_test(test: Callable[[], Any], get: Get, put: Put) -> Any:
    """The test's value; if it is symbolic, the operations made for it are thrown away."""
    if state.graph is None:
        return test()
    start = get()
    found: list[Any] = []
    trace(lambda: found.extend([read(test())]), "while_test")
    if is_symbolic(found[0]):
        put(start)
    return found[0]


def for_stmt(
    iterable: Any,
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Put,
    names: Sequence[str],
    target: str | None = None,
) -> None:
    """`for`: a loop of the graph over symbolic tensors, Python's over anything else.

    `target` is the variable of the loop, if it has just one.
    """
    iterable = read(iterable)
    staged = getattr(iterable, "_autograph_for", None)
    if staged is not None and state.graph is not None:
        staged(test, body, get, put, names)
        return
    items = items_of(iterable) if state.graph is not None else None
    if items is not None:
        if items.first is not None and target in names:
            _begin(names.index(target), items.first, get, put)
        GraphLoop(test, lambda index: body(items.item(index)), get, put, names, items).build()
        return
    for item in iterable:
        going = True if test is None else test()
        if is_symbolic(going):
            if_stmt(going, functools.partial(body, item), _nothing, get, put, names)
        elif going:
            body(item)
        else:
            break


def _begin(place: int, first: Any, get: Get, put: Put) -> None:
    """Give the variable of a loop, if it has no value, the one that it keeps without a run."""
    values = get()
    if isinstance(values[place], Undefined):
        put((*values[:place], first, *values[place + 1 :]))


def _nothing() -> None:
    pass
