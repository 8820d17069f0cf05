"""Processes that were forked after XLA had started its threads, which they lack."""

from __future__ import annotations

import ctypes
import functools
import os
import sys

forked = False  # whether this process lacks the threads of XLA that its parent had started


class ForkError(RuntimeError):
    """XLA was asked for in a process that was forked after its threads had started."""


def _note_fork() -> None:
    """In a child: remember that XLA's threads are missing, if they had been started."""
    global forked
    bridge = sys.modules.get("jax._src.xla_bridge")
    if getattr(bridge, "backends_are_initialized", lambda: True)():
        forked = True
        for client in getattr(bridge, "_backends", {}).values():
            # Never freed: at the end of the process it would wait for its threads.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(client))


@functools.cache
def watch() -> None:
    """From now on children know whether they lack XLA's threads; see `forked`."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_note_fork)


def refuse(what: str) -> ForkError:
    """The error for what a forked process cannot do."""
    return ForkError(
        f"{what} in a process that was forked (os.fork, or multiprocessing's start method 'fork') "
        "from one that had used XLA: its threads are not here, and this would wait for them for "
        'ever. Start processes with multiprocessing.get_context("spawn") (or "forkserver"), or '
        "fork before the first function is compiled. Eager operations and datasets work here."
    )
