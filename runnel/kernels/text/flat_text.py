"""The strings of an array as one run of bytes, on which NumPy works without touching any string.

Laying them out takes longer than most of what is then done with them. An array of strings never
changes, so the layout of those that were used last is kept beside them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.memo import kept_beside

PADDING = 64  # zero bytes before the first string and behind the last
MANY = 256  # strings; the layout of fewer is soon made again


class FlatText:
    """Strings end to end, with a zero byte before and behind each.

    `text` holds the bytes, `data` the same as an array; string `i` is
    `text[starts[i] : starts[i] + sizes[i]]`.

    >>> from runnel.kernels.text.flat_text import FlatText
    >>> words = FlatText.of([b"to", b"", b"be"])
    >>> words.sizes, [words.one(i) for i in range(3)]
    (array([2, 0, 2]), [b'to', b'', b'be'])
    """

    def __init__(
        self, text: bytes, starts: Array, sizes: Array, *, has_zeros: bool = False
    ) -> None:
        self.text, self.starts, self.sizes = text, starts, sizes
        self.has_zeros = has_zeros  # in the strings, so that those between them do not tell
        self.data = np.frombuffer(text, np.uint8)

    @classmethod
    def of(cls, values: Sequence[bytes]) -> FlatText:
        """The strings of a list."""
        if not values:
            return cls(bytes(2 * PADDING), np.zeros(0, np.int64), np.zeros(0, np.int64))
        text = b"\0".join([bytes(PADDING - 1), *values, bytes(PADDING - 1)])
        marks = np.flatnonzero(np.frombuffer(text, np.uint8)[PADDING - 1 : 1 - PADDING] == 0)
        marks += PADDING - 1
        if len(marks) != len(values) + 1:  # the strings have zero bytes themselves
            sizes = np.fromiter(map(len, values), np.int64, len(values))
            starts = np.cumsum(sizes + 1) - sizes - 1 + PADDING
            return cls(text, starts, sizes, has_zeros=True)
        return cls(text, marks[:-1] + 1, np.diff(marks) - 1)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def ends(self) -> Array:
        """Where the zero byte behind each string is."""
        return self.starts + self.sizes

    @functools.cached_property
    def inner(self) -> bytes:
        """The strings with a zero byte before the first, between two, and behind the last."""
        return self.text[PADDING - 1 : len(self.text) - PADDING + 1]

    @functools.cached_property
    def is_ascii(self) -> bool:
        return self.text.isascii()

    @functools.cached_property
    def longest(self) -> int:
        return int(self.sizes.max(initial=0))

    def one(self, place: int) -> bytes:
        return self.text[self.starts[place] : self.starts[place] + self.sizes[place]]

    def part(self, places: Any) -> FlatText:
        """Some of the strings, in a part of the same text."""
        zeros = self.has_zeros
        return FlatText(self.text, self.starts[places], self.sizes[places], has_zeros=zeros)

    def words(self, places: Array, count: int) -> Array:
        """`count` words of eight bytes from each place on: an array for each of them."""
        blocks: Any = np.ndarray(
            (len(self.text) - 8 * count + 1,), f"V{8 * count}", self.text, 0, 1
        )
        return blocks[places].view(np.uint64).reshape(-1, count).T


def flat_text(x: Array) -> FlatText:
    """The strings of an array laid out, as they were the last time if that is not long ago."""
    return FlatText.of(x.ravel().tolist()) if x.size < MANY else _laid_out(x)


@kept_beside
def _laid_out(x: Array) -> FlatText:
    return FlatText.of(x.ravel().tolist())
