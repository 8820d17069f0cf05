"""Pieces of a text that have not been made into strings, for ops that need none.

A graph that splits texts and looks the words up never shows them to anyone. There the op that
splits gives an `Unmade` array: see `runnel/graph/run/unmade_strings.py`, which says when.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values.types import Array


class Unmade(np.ndarray[Any, Any]):
    """An array of strings that are not there: its elements must not be read.

    `text[starts[i]:ends[i]]` is what stands for element `i`; there is no zero byte in it.
    """

    text: bytes
    starts: Array
    ends: Array
    make: Callable[[bytes, Array, Array], Array]

    @classmethod
    def of(
        cls, text: bytes, starts: Array, ends: Array, make: Callable[[bytes, Array, Array], Array]
    ) -> Unmade:
        """The pieces of a text; `make` gives them as strings to those who need them."""
        result: Unmade = np.broadcast_to(np.full(1, b"", object), len(starts)).view(cls)
        result.text, result.starts, result.ends, result.make = text, starts, ends, make
        return result

    @functools.cached_property
    def sizes(self) -> Array:
        return self.ends - self.starts

    def one(self, place: int) -> bytes:
        return self.text[self.starts[place] : self.ends[place]]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        x, y = (np.asarray(made(x)) if isinstance(x, Unmade) else x for x in self._plain(inputs))
        return getattr(ufunc, method)(x, y, **options)

    def _plain(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Something shorter to compare: whether there is anything, beside an empty string."""
        x, y = inputs
        if x is self and np.ndim(y) == 0 and np.asarray(y).item() == b"":
            return (self.sizes, 0)
        return inputs


def made(x: Array) -> Array:
    """An array of strings, whatever it was."""
    return x.make(x.text, x.starts, x.ends) if type(x) is Unmade else x
