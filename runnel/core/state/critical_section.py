"""`tf.CriticalSection`."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from runnel.core.op.context import state
from runnel.core.settings.scoped import scoped
from runnel.core.values import dtypes


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
            raise ValueError("tf.CriticalSection cannot be made from a definition.")
        self._name = name or "critical_section"
        self._lock = (
            _shared.setdefault(shared_name, threading.RLock()) if shared_name else threading.RLock()
        )

    @property
    def name(self) -> str:
        return self._name

    @scoped("critical_section_execute")
    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """What `fn()` returns, run alone.

        While a function is traced, a resource that one section wants for itself
        (`exclusive_resource_access`) may not be used in another section: ValueError.
        """
        graph = state.graph
        with self._lock, self._entered():
            if graph is None:
                return fn()
            before = len(graph.get_operations())
            result = fn()
            self._claim(graph, before, exclusive_resource_access)
            return result

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """ValueError if this thread is in the section already: others would wait for ever."""
        if self._lock in _inside.locks:
            raise ValueError(f"{self._name}: `execute` is called inside of the section itself.")
        _inside.locks.append(self._lock)
        try:
            yield
        finally:
            _inside.locks.pop()

    def _claim(self, graph: Any, before: int, exclusive: bool) -> None:
        """Note the resources that the operations since `before` use; ValueError if two clash."""
        added = graph.get_operations()[before:]
        used = frozenset(id(t) for op in added for t in op.inputs if t.dtype is dtypes.resource)
        claims = _claims.setdefault(graph, [])
        for other in claims:
            both = other.lock is not self._lock and (exclusive or other.exclusive)
            if both and used & other.resources:
                raise ValueError(
                    f"{self._name}: the function uses a resource that {other.name} uses too, and "
                    "one of them wants it for itself. Give both exclusive_resource_access=False."
                )
        claims.append(_Claim(self._name, self._lock, exclusive, used))


class _Claim(NamedTuple):
    """What one section used in a graph."""

    name: str
    lock: Any
    exclusive: bool
    resources: frozenset[int]  # the ids of handles, which the graph keeps alive


class _Inside(threading.local):
    """The locks of the sections that a thread is in."""

    def __init__(self) -> None:
        self.locks: list[Any] = []


_inside = _Inside()
_shared: dict[str, Any] = {}
_claims: weakref.WeakKeyDictionary[Any, list[_Claim]] = weakref.WeakKeyDictionary()
