"""String tensors as kernels have them: arrays of `bytes` objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.text.blocks import SIZE, blocks_of, chunks, every_block
from runnel.kernels.text.dictionary_strings import Repeated, repeated
from runnel.kernels.text.flat_text import FlatText, flat_text


def packed(values: Sequence[bytes], shape: tuple[int, ...] | None = None) -> Array:
    """An array of strings, a vector unless a shape is given.

    >>> packed([b"a", b"b"], (2, 1))
    array([[b'a'],
           [b'b']], dtype=object)
    """
    result = np.fromiter(values, object, len(values))
    return result if shape is None else result.reshape(shape)


def placed_strings(text: bytes, starts: Array, stops: Array, dtype: Any = object) -> Array | None:
    """The strings that stand in a text, from `starts` to `stops`; None if there are long ones.

    >>> placed_strings(b"one,two", np.array([0, 4]), np.array([3, 7]))
    array([b'one', b'two'], dtype=object)
    """
    sizes = stops - starts
    if b"\0" in text or sizes.max(initial=0) > SIZE:
        return None
    every, made = every_block(text), np.empty(len(starts), dtype)
    for some in chunks(len(starts)):
        blocks = blocks_of(every, starts[some], sizes[some])
        made[some] = blocks.view(f"S{SIZE}")[:, 0]  # NumPy leaves out the zeros at their ends
    return made


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


def for_all_flat(function: Callable[[FlatText], Array], x: Array) -> Array:
    """The same for a function that takes the strings as one text and gives no strings."""
    known = repeated(x)
    if known is None:
        return function(flat_text(x)).reshape(x.shape)
    assert known.distinct is not None and known.places is not None
    return function(flat_text(known.distinct))[known.places]


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
