"""How many threads the linear algebra of NumPy and SciPy uses.

Both bring OpenBLAS along, whose threads divide the work on one matrix. On a small one they wait for
each other longer than they work, and longer still on a busy machine: the eigenvectors of 16
matrices of 64x64 took 330 ms there with two threads, and 11 ms with one.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

_USERS = ("numpy.linalg._umath_linalg", "scipy.linalg._fblas")  # modules linked with OpenBLAS
_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
_lock = threading.Lock()
_before: list[tuple[_Library, int]] = []  # libraries and their numbers of threads
_inside = 0  # threads of Python that are in `one_thread`


class _Library(NamedTuple):
    get: Any
    set: Any


@functools.cache
def _library(user: str) -> _Library | None:
    """OpenBLAS as a module sees it, None if that has other linear algebra."""
    path = getattr(importlib.import_module(user), "__file__", None)
    found = ctypes.CDLL(path) if path else None
    for name in _NAMES:
        getter = getattr(found, name.format("get_num_threads"), None)
        setter = getattr(found, name.format("set_num_threads"), None)
        if getter is not None and setter is not None:
            return _Library(getter, setter)
    return None


def _libraries() -> list[_Library]:
    found = [_library(user) for user in _USERS if user in sys.modules]
    return [library for library in found if library is not None]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let NumPy's and SciPy's linear algebra run in the thread that calls it."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside
    with _lock:
        _inside += 1
        if _inside == 1:
            _before[:] = [(library, library.get()) for library in _libraries()]
            for library, _ in _before:
                library.set(1)


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if not _inside:
            for library, count in _before:
                library.set(count)
