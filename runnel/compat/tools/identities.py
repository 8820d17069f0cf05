"""Sets and dictionaries of objects that are told apart by what they are, not by equality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from runnel.core.tensor.tensor import Reference


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are the same only if they are one object."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[Reference, Any] = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[Reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[Reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[Reference(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.deref() for key in self._storage)

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({self._storage!r})"


class ObjectIdentitySet(MutableSet[Any]):
    """A set in which objects are the same only if they are one object."""

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self._storage = {Reference(value): None for value in iterable}

    def __contains__(self, key: Any) -> bool:
        return Reference(key) in self._storage

    def add(self, value: Any) -> None:
        self._storage[Reference(value)] = None

    def discard(self, value: Any) -> None:
        self._storage.pop(Reference(value), None)

    def update(self, items: Iterable[Any]) -> None:
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        return ObjectIdentitySet(item for item in items if item in self)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        gone = ObjectIdentitySet(items)
        return ObjectIdentitySet(item for item in self if item not in gone)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.deref() for key in self._storage)

    def __repr__(self) -> str:
        return f"ObjectIdentitySet({list(self)!r})"
