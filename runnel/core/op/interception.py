"""Watching or changing what eager ops do, at no cost while nobody does so.

`execute` calls `eager.run`. An interceptor wraps that function; without interceptors the plain one
stands in its place again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from runnel.core.op import eager
from runnel.core.tensor.tensor import EagerTensor

Run: TypeAlias = Callable[..., tuple[EagerTensor, ...]]
Interceptor: TypeAlias = Callable[[Run], Run]

_plain: Run = eager.run
_interceptors: list[Interceptor] = []
_lock = threading.Lock()


def intercept(interceptor: Interceptor) -> None:
    """Let `interceptor(run)` run every eager op from now on, once if asked for twice."""
    with _lock:
        if interceptor not in _interceptors:
            _interceptors.append(interceptor)
        _install()


def release(interceptor: Interceptor) -> None:
    """Undo `intercept`."""
    with _lock:
        if interceptor in _interceptors:
            _interceptors.remove(interceptor)
        _install()


def _install() -> None:
    run = _plain
    for interceptor in _interceptors:
        run = interceptor(run)
    eager.run = run
    eager.watched = bool(_interceptors)
