"""`tf.data.experimental.enable_debug_mode`: users' functions run as the Python they are."""

from __future__ import annotations

from runnel.core.op.context import state


class _Mode:
    on = False


def enable_debug_mode() -> None:
    """Run the functions of all datasets made from now on in the caller's Python, one by one.

    A breakpoint or a `print` in a function given to `map` then works as anywhere else. No threads
    are started: parallel calls and prefetching become sequential.
    """
    if state.graph is not None:
        raise ValueError("enable_debug_mode: the debug mode is for eager programs only.")
    _Mode.on = True


def disable_debug_mode() -> None:
    """Trace functions again; tests use it."""
    _Mode.on = False


def debugging() -> bool:
    return _Mode.on
