"""A limit to the memory that new weights may take, for models whose configs come from files."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Budget(threading.local):
    left: int | None = None  # bytes; no limit if None


_budget = _Budget()


@contextmanager
def weights_limited_to(size: int) -> Iterator[None]:
    """Inside, layers may make weights of so many bytes together."""
    outer = _budget.left
    _budget.left = size
    try:
        yield
    finally:
        _budget.left = outer


def take(name: Any, dims: tuple[Any, ...], kind: Any) -> None:
    """Told before a weight is made; `ValueError` if it is too large."""
    if _budget.left is None or None in dims:
        return
    size = math.prod(dims) * kind.size
    if size > _budget.left:
        raise ValueError(
            f"The weight {name!r} of shape {dims} would need {size:,} bytes, more than the "
            "file has weights for: it is damaged, or made to exhaust memory."
        )
    _budget.left -= size
