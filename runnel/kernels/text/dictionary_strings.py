"""Arrays of strings that know which of their elements are the same.

A text has far fewer words than places for them. What `tf.strings.split` gives therefore says of
each place which of the distinct words stands there, so that later ops look at every word once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.values.types import Array


class Repeated(np.ndarray[Any, Any]):
    """An array of strings: element `i` of the flat array is `distinct[places[i]]`.

    What NumPy makes of it (a slice, a transposed view) has `distinct` None: it is like any array.

    >>> from runnel.kernels.text.dictionary_strings import Repeated
    >>> words = Repeated.of(np.array([b"a", b"b"], object), np.array([1, 0, 1]))
    >>> words.tolist(), words[1:].distinct
    ([b'b', b'a', b'b'], None)
    """

    distinct: Array | None
    places: Array | None

    @classmethod
    def of(cls, distinct: Array, places: Array) -> Repeated:
        """The array that has these strings in these places; a vector."""
        result: Repeated = distinct.take(places).view(cls)
        result.distinct, result.places = distinct, places
        return result

    def __array_finalize__(self, other: Any) -> None:
        self.distinct = self.places = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Elementwise functions, which look at each distinct string once beside a scalar."""
        plain = [x.view(np.ndarray) if isinstance(x, Repeated) else x for x in inputs]
        scalars = sum(np.ndim(x) == 0 for x in inputs)
        if self.distinct is None or scalars < len(inputs) - 1 or method != "__call__" or options:
            return getattr(ufunc, method)(*plain, **options)
        return ufunc(*[self.distinct if x is self else x for x in inputs])[self.places]

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()


def repeated(x: Array) -> Repeated | None:
    """`x` if it knows its distinct strings."""
    return x if type(x) is Repeated and x.distinct is not None else None


def gathered(arrays: Sequence[Array], order: Array) -> Array:
    """Vectors of strings one behind the other, in another order."""
    known = [repeated(x) for x in arrays]
    if not known or any(x is None for x in known):
        return np.concatenate(arrays)[order]
    distinct: list[Any] = [x.distinct for x in known]  # type: ignore[union-attr]
    firsts = np.cumsum([0, *map(len, distinct)])
    places = [x.places + first for x, first in zip(known, firsts, strict=False)]  # type: ignore
    return Repeated.of(np.concatenate(distinct), np.concatenate(places)[order])
