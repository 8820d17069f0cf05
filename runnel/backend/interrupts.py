"""Interrupts neither vanish nor leave something half-made.

Python prints and forgets what is raised in a function that it calls by itself: for an object that
goes away, or at a collection of garbage. While a program is traced, one interrupt in three strikes
there.
"""

from __future__ import annotations

import _thread
import functools
import gc
import importlib
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")

_SOON = 0.001  # seconds, after which the forgetful function has ended


@functools.cache
def keep() -> None:
    """See to it that no interrupt is forgotten from now on."""
    before = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            before(unraisable)
        elif threading.current_thread() is threading.main_thread():
            _thread.start_new_thread(_interrupt_again, ())

    sys.unraisablehook = hook


def without_jax_callbacks() -> None:
    """Take JAX off the list of those who are called at collections of garbage."""
    gc.callbacks[:] = [each for each in gc.callbacks if not _is_of_jax(each)]


def undisturbed(fn: Callable[[], Result]) -> Result:
    """What `fn` returns; it is run to its end by a thread of its own, whatever strikes here."""
    found: list[Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(fn())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]


def _interrupt_again() -> None:
    time.sleep(_SOON)
    _thread.interrupt_main()


def _is_of_jax(callback: Any) -> bool:
    """Whether JAX has asked to be called at every collection of garbage.

    It does the same work, and keeps no memory, whenever it is called itself.
    """
    return getattr(callback, "__module__", "").partition(".")[0] == "jax"


def import_jax() -> ModuleType:
    """JAX; its import draws some of NumPy's random numbers, which a program would miss."""
    numbers = np.random.get_state()
    try:
        return importlib.import_module("jax")
    finally:
        np.random.set_state(numbers)


keep()  # also for eager ops, which run without JAX
