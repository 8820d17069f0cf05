"""Functions that a library registers: its call context, its session, its way to load models.

They are kept for the library that asks again; restoring in a graph uses the session.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

Registered = Callable[..., Any]
registered: dict[str, Registered] = {}
wrappers: dict[type, tuple[Registered, type | None]] = {}


def _registering(kind: str) -> Callable[[Registered], None]:
    def register(func: Registered) -> None:
        registered[kind] = func

    register.__doc__ = f"Register a library's function: {kind}."
    return register


register_call_context_function = _registering("call_context")
register_clear_session_function = _registering("clear_session")
register_get_session_function = _registering("get_session")
register_load_model_function = _registering("load_model")
_register_session_provider = _registering("session_provider")


def register_session_provider(session_provider: Registered) -> None:
    """Register where a session for restoring comes from; the first one stays."""
    if "session_provider" not in registered:
        _register_session_provider(session_provider)


def get_session() -> Any:
    """The session that a library's values are restored in, None without one."""
    provider = registered.get("session_provider")
    return None if provider is None else provider()


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Registered, wrapper_cls: type | None = None
) -> None:
    """Register how optimizers of a class are wrapped to scale their losses."""
    wrappers[optimizer_cls] = (wrapper_fn, wrapper_cls or None)


class _Policy(threading.local):
    used = False


_policy = _Policy()


def set_using_mixed_precision_policy(is_using: bool) -> None:
    """Say whether a library computes with a policy of mixed precision on this thread."""
    _policy.used = is_using


def is_using_mixed_precision_policy() -> bool:
    return _policy.used


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether graphs are rewritten to compute in float16: they never are."""
    return False


class _Options(threading.local):
    options: Any = None


_loading = _Options()


@contextlib.contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """While a library loads with these options."""
    outer, _loading.options = _loading.options, load_options
    try:
        yield
    finally:
        _loading.options = outer


def get_load_options() -> Any:
    """The options of the innermost `load_context`, None outside."""
    return _loading.options
