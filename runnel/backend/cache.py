"""A dictionary that forgets what was used least recently."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """At most `limit` entries; `get` keeps an entry young. Safe between threads."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()
        self._latest: tuple[Hashable, Value | None] = (None, None)  # asked for again, mostly

    def get(self, key: Hashable) -> Value | None:
        latest = self._latest
        if latest[0] == key:
            return latest[1]
        with self._lock:
            value = self._entries.get(key)
            if value is not None:
                self._entries.move_to_end(key)
                self._latest = (key, value)
            return value

    def __setitem__(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._entries[key] = value
            self._latest = (key, value)
            self._entries.move_to_end(key)
            while len(self._entries) > self.limit:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> list[tuple[Hashable, Value]]:
        with self._lock:
            return list(self._entries.items())

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._latest = (None, None)
