"""What was found out about an array, kept beside it: the arrays of tensors never change."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from runnel.core.values.types import Array

_ARRAYS_KEPT = 8  # arrays, the last ones used, of each function
Found = TypeVar("Found")


def kept_beside(find: Callable[[Array], Found]) -> Callable[[Array], Found]:
    """A function of one array that remembers its answers for as long as the array lives.

    >>> import numpy as np
    >>> from runnel.kernels.memo import kept_beside
    >>> largest = kept_beside(lambda x: print("looking") or x.max())
    >>> x = np.array([3, 5])
    >>> int(largest(x)), int(largest(x))
    looking
    (5, 5)
    """
    known: dict[int, tuple[weakref.ref[Any], Found]] = {}

    @functools.wraps(find)
    def found(x: Array) -> Found:
        number = id(x)
        entry = known.get(number)
        if entry is None or entry[0]() is not x:
            entry = weakref.ref(x, lambda _: known.pop(number, None)), find(x)
            while len(known) >= _ARRAYS_KEPT:
                known.pop(next(iter(known), 0), None)
            known[number] = entry
        return entry[1]

    return found
