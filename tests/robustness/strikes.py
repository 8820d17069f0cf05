"""Exceptions that strike from outside: at a random moment, or at every place in turn.

Python looks for signals, and for exceptions from other threads, when a call has returned, when a
function starts and when a loop turns back. `at_place` raises at the place of a given number among
all those that are passed in the library, so that a test can try one after the other.
"""

import ctypes
import dis
import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import runnel

_LIBRARY = str(Path(runnel.__file__).parent)


class Struck(Exception):
    """What a user's handler, or another thread, may raise."""


class Places:
    """Counts the places that are passed, and strikes at one."""

    def __init__(self, number: int, error: BaseException) -> None:
        self.left, self.error = number, error
        self.has_struck = False

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_LIBRARY):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self.passed

    def passed(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "opcode" and frame.f_lasti in _places(frame.f_code):
            self.left -= 1
            if self.left < 0 and not self.has_struck:
                self.has_struck = True
                raise self.error
        return self.passed


@functools.cache
def _places(code: CodeType) -> frozenset[int]:
    """Where, in a function, Python has just looked for exceptions from outside."""
    found, looked = set(), False
    for step in dis.get_instructions(code):
        if looked or step.opname == "JUMP_BACKWARD":
            found.add(step.offset)
        starts = step.opname == "RESUME" and (step.arg or 0) & 3 < 2
        looked = starts or (step.opname.startswith("CALL") and "INTRINSIC" not in step.opname)
    return frozenset(found)


@contextmanager
def at_place(number: int, error: BaseException) -> Iterator[Places]:
    """Raise an error at the place of this number; a test looks at `has_struck` afterwards."""
    places = Places(number, error)
    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # Python 3.12 tells of none if nobody has asked before
    sys.settrace(places.called)
    try:
        yield places
    finally:
        sys.settrace(before)


def by_signal(run: Callable[[], Any], seconds: float, error: BaseException) -> tuple[bool, Any]:
    """Run something, with a signal after some seconds whose handler raises an error.

    Whether the handler was called, and the error that came out.
    """
    called = []

    def handler(number: int, frame: FrameType | None) -> None:
        called.append(number)
        raise error

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        run()
        if called:
            _wait()
        return bool(called), None
    except BaseException as found:
        return bool(called), found
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def by_thread(run: Callable[[], Any], seconds: float, error: BaseException) -> tuple[bool, Any]:
    """Run something, in which another thread raises the class of an error after some seconds."""
    target, called = threading.get_ident(), []
    lock, ready = threading.Lock(), threading.Event()

    def raise_there() -> None:
        ready.wait(60)  # it may not strike the beginning of this thread
        with lock:
            if not called:
                called.append(True)
                raising = ctypes.py_object(type(error))
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), raising)

    timer = threading.Timer(seconds, raise_there)
    timer.start()
    try:
        ready.set()
        run()
        with lock:
            struck = bool(called)
            called.append(False)  # too late to strike
        if struck:
            _wait()
        return struck, None
    except BaseException as found:
        return bool(called), found
    finally:
        called.append(False)
        timer.cancel()
        timer.join()


def _wait() -> None:
    """What struck where Python cannot raise it comes a little later."""
    for _ in range(100):
        time.sleep(0.02)
