"""`tf.CriticalSection`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class CriticalSection:
    """Functions given to `execute` never run at the same time in two threads.

    >>> v = tf.Variable(0.0)
    >>> tf.CriticalSection().execute(lambda: v.assign_add(1.0)).numpy()
    np.float32(1.0)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None or import_scope is not None:
            raise NotImplementedError("tf.CriticalSection cannot be made from a definition.")
        self._name = name or "critical_section"
        self._lock = (
            _shared.setdefault(shared_name, threading.RLock()) if shared_name else threading.RLock()
        )

    @property
    def name(self) -> str:
        return self._name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """What `fn()` returns, run alone."""
        with self._lock:
            return fn()


_shared: dict[str, Any] = {}
