"""Interrupts neither vanish nor leave something half-made.

Python prints and forgets what is raised in a function that it calls by itself: for an object that
goes away, or at a collection of garbage. While a program is traced, one interrupt in three strikes
there.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import gc
import importlib
import signal
import sys
import threading
import time
import traceback
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
        error = unraisable.exc_value
        if error is not None and is_from_outside(error):
            _thread.start_new_thread(_raise_again, (error, threading.get_ident()))
        else:
            before(unraisable)

    sys.unraisablehook = hook


def is_from_outside(error: BaseException) -> bool:
    """Whether it is an interrupt, or was raised by the handler of a signal, such as an alarm's."""
    if isinstance(error, KeyboardInterrupt):
        return True
    handlers = {
        getattr(signal.getsignal(each), "__code__", None) for each in signal.valid_signals()
    }
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))


def _raise_again(error: BaseException, thread: int) -> None:
    """Let it strike once more, not as a signal, which a program in the background may ignore."""
    time.sleep(_SOON)
    again = type("Again", (type(error),), {"__new__": lambda _: error})  # Python wants a class
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(again))


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
