"""List comprehensions and generators over tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.autograph.branches import if_stmt
from runnel.autograph.items import Items, items_of
from runnel.autograph.lists import append
from runnel.autograph.loops import for_stmt
from runnel.core.op.context import state


def comprehension(
    kind: str, iterable: Any, test: Callable[[Any], Any] | None, element: Callable[[Any], Any]
) -> Any:
    """A list comprehension or generator over something that may be a tensor."""
    items = items_of(iterable) if state.graph is not None else None
    if items is not None and (test is not None or items.known_count() is None):
        return _staged_comprehension(items, test, element)
    source = iterable if items is None else items
    chosen = (element(item) for item in source if test is None or test(item))
    return list(chosen) if kind == "list" else chosen


def _staged_comprehension(
    items: Items, test: Callable[[Any], Any] | None, element: Callable[[Any], Any]
) -> Any:
    result: list[Any] = [[]]

    def get() -> tuple[Any, ...]:
        return tuple(result)

    def put(values: tuple[Any, ...]) -> None:
        result[:] = values

    def add(item: Any) -> None:
        result[0] = append(result[0], element(item))

    def body(item: Any) -> None:
        if test is None:
            add(item)
        else:
            if_stmt(test(item), lambda: add(item), lambda: None, get, put, ["the list"])

    for_stmt(items, None, body, get, put, ["the list"])
    return result[0]
