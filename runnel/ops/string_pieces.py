"""Many strings as one buffer, worked on as a whole: cut into pieces by NumPy.

Python takes some fifty nanoseconds to make a string. A text repeats its words, though, so `pieces`
first finds which pieces are the same, by comparing sixteen bytes at a time, and makes each once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runnel.core.repeated import Repeated
from runnel.core.text_blocks import (
    SIZE,
    SLOTS,
    blocks_of,
    chunks,
    every_block,
    same_blocks,
    slots_of,
)
from runnel.core.types import Array
from runnel.core.xla import keep_freed_memory
from runnel.ops.string_arrays import packed

_MANY = 2048  # pieces; fewer are made one by one before it is known which are the same


def joined(values: Sequence[bytes], separator: bytes) -> tuple[bytes, Array]:
    """All strings with `separator` behind each, and the places where they begin."""
    lengths = np.fromiter(map(len, values), np.int64, len(values)) + len(separator)
    return separator.join([*values, b""]), np.cumsum(lengths) - lengths


def pieces(text: bytes, starts: Array, ends: Array) -> Array:
    """The pieces of a text between two places each, behind which it goes on for a byte or more."""
    if len(starts) < _MANY or b"\0" in text:
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return packed([text[start:end] for start, end in pairs])
    keep_freed_memory()  # large arrays come and go with every text
    sizes = ends - starts
    model = _first_alike(text, starts, sizes)
    numbers = np.arange(len(model))
    first = np.flatnonzero(model == numbers)
    if 2 * len(first) > len(model):
        return _made(text, starts, sizes)
    numbers[first] = np.arange(len(first))
    return Repeated.of(_made(text, starts[first], sizes[first]), numbers[model])


def _made(text: bytes, starts: Array, sizes: Array) -> Array:
    """Pieces of a text without a zero byte: copied with one behind each, and split there."""
    limits = np.cumsum(sizes + 1)
    places = np.repeat(starts - limits + sizes + 1, sizes + 1) + np.arange(limits[-1])
    letters = np.frombuffer(text, np.uint8)[places]
    letters[limits - 1] = 0
    return packed(letters.tobytes().split(b"\0")[:-1])


def _first_alike(text: bytes, starts: Array, sizes: Array) -> Array:
    """For each piece the number of an earlier one that is the same, or its own number.

    A table has in each slot the number of a piece, and the letters of a piece choose its slot. One
    that is not the same as what stands there takes its place.
    """
    every = every_block(text)
    blocks = np.empty((len(starts), 2), np.uint64)
    model = np.arange(len(starts))
    table = np.zeros(1 << SLOTS, np.int64)
    for part in chunks(len(starts)):
        own = blocks_of(every, starts[part], sizes[part])
        blocks[part] = own
        slots, numbers = slots_of(own, 0), model[part]
        found = table[slots]
        short = (sizes[part] <= SIZE) & (sizes[found] <= SIZE)
        new = np.flatnonzero(~(same_blocks(own, blocks, found) & short))
        table[slots[new]] = numbers[new]
        latest = table[slots[new]]
        same = same_blocks(own[new], blocks, latest) & (sizes[part][new] <= SIZE)
        found[new] = np.where(same & (sizes[latest] <= SIZE), latest, numbers[new])
        model[part] = found
    return model
