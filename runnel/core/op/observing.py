"""Seeing what runs and what is made, at no cost while nobody wants to.

`execute` calls `eager.run`. While an `Observer` wants to see eager ops, another function stands in
its place, which runs the op and tells; afterwards the plain one stands there again. `made`,
`planned` and `called` are functions that tell all who want to know, or None if nobody does.

An observer hears of operations of a graph when they are made. Who wants to see what one computes,
whenever it runs, leaves a `Watcher` with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from runnel.core.op import eager
from runnel.core.tensor.tensor import EagerTensor


class Observer:
    """Somebody who wants to see what happens: it overrides what it wants to be told."""

    def before(self, op: Any, inputs: Sequence[Any]) -> Any:
        """An eager op is about to run; what this returns, `ran` is given."""

    def ran(self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any], noted: Any) -> None:
        """An eager op has run."""

    def made(self, operation: Any) -> None:
        """A graph has a new operation."""

    def planned(self, function: Any) -> None:
        """A traced function is about to run for the first time."""

    def called(self, function: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """A traced function has run."""


class Watcher(Protocol):
    """Somebody who wants to see values, such as `tf.debugging.enable_check_numerics`.

    The watcher of a thread (`state.watcher`) sees what comes from functions and datasets, that of
    an operation what it computes.
    """

    def watches(self, operation: Any, index: int) -> bool:
        """Whether output number `index` of this operation is of interest."""
        ...

    def fine(self, xp: Any, value: Any) -> Any:
        """The truth, as a scalar of `xp`, of nothing being wrong with an output."""
        ...

    def error(self, operation: Any, index: int, value: Any, inputs: Sequence[Any]) -> Exception:
        """What to raise for output number `index`."""
        ...

    def given(self, name: str, values: Sequence[Any], hint: str = "") -> None:
        """See, outside graphs, what came from a function or a dataset; raises if it is wrong.

        The `hint` says how to learn more then.
        """
        ...


Tell = Callable[..., None]
made: Tell | None = None
planned: Tell | None = None
called: Tell | None = None

_base = eager.run  # what runs an op if nobody wants to see it
plain = eager.run  # what does if only the first CPU is used
_observers: list[Observer] = []
_lock = threading.Lock()


def observe(observer: Observer) -> None:
    """Tell an observer what happens from now on, once if asked for twice."""
    with _lock:
        if observer not in _observers:
            _observers.append(observer)
        _install()


def ignore(observer: Observer) -> None:
    """Undo `observe`."""
    with _lock:
        if observer in _observers:
            _observers.remove(observer)
        _install()


def run_by(run: Callable[..., tuple[EagerTensor, ...]]) -> None:
    """From now on eager ops are run by another function."""
    global _base
    with _lock:
        _base = run
        _install()


def _install() -> None:
    global made, planned, called
    seeing = [o for o in _observers if _hears(o, "before") or _hears(o, "ran")]
    eager.run = _told(seeing) if seeing else _base
    eager.watched = bool(seeing) or _base is not plain
    made, planned, called = _teller("made"), _teller("planned"), _teller("called")


def _hears(observer: Observer, event: str) -> bool:
    return getattr(type(observer), event) is not getattr(Observer, event)


def _told(observers: Sequence[Observer]) -> Callable[..., tuple[EagerTensor, ...]]:
    """What runs an op for observers: the last to come is told first before it, and last after."""

    def run(op: Any, inputs: Any, attrs: Any, found: Any) -> tuple[EagerTensor, ...]:
        noted = [(o.ran, o.before(op, inputs)) for o in reversed(observers)]
        outputs = _base(op, inputs, attrs, found)
        for ran, note in reversed(noted):
            ran(op, inputs, outputs, note)
        return outputs

    return run


def _teller(event: str) -> Tell | None:
    hearing = [getattr(o, event) for o in _observers if _hears(o, event)]
    if len(hearing) < 2:
        return hearing[0] if hearing else None

    def tell(*args: Any) -> None:
        for hear in hearing:
            hear(*args)

    return tell
