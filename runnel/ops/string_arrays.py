"""String tensors as kernels have them: arrays of `bytes` objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.repeated import Repeated, repeated
from runnel.core.types import Array


def packed(values: Sequence[bytes], shape: tuple[int, ...] | None = None) -> Array:
    """An array of strings, a vector unless a shape is given.

    >>> packed([b"a", b"b"], (2, 1))
    array([[b'a'],
           [b'b']], dtype=object)
    """
    result = np.fromiter(values, object, len(values))
    return result if shape is None else result.reshape(shape)


def each(function: Callable[[bytes], bytes], x: Array) -> Array:
    """What `function` makes of each string."""
    return for_all(lambda values: packed(list(map(function, values))), x)


def for_all(function: Callable[[list[bytes]], Array], x: Array) -> Array:
    """What `function` makes of a list of strings, for those of an array.

    It gives a vector with an element for each string; it gets each only once, where that is known.
    """
    known = repeated(x)
    if known is None:
        return function(x.ravel().tolist()).reshape(x.shape)
    assert known.distinct is not None and known.places is not None
    found = function(known.distinct.tolist())
    return Repeated.of(found, known.places) if found.dtype == object else found[known.places]


def attribute_bytes(text: str) -> bytes:
    """The bytes of an attribute, which is kept as text."""
    return text.encode("utf-8", "surrogateescape")


def byte_table(values: Sequence[bytes]) -> tuple[Array, Array]:
    """All strings one after another as one array of bytes, and the place where each begins.

    The second array has one element more than there are strings: the end of the last.
    """
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    starts = np.zeros(len(values) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return np.frombuffer(b"".join(values), np.uint8), starts


def counts_between(marks: Array, starts: Array) -> Array:
    """How many of the true `marks` stand between each start and the next."""
    total: Any = np.zeros(len(marks) + 1, np.int64)
    np.cumsum(marks, out=total[1:])
    return np.diff(total[starts])
