"""Many strings as one buffer, worked on as a whole: cut into pieces by NumPy.

Python takes some fifty nanoseconds to make a string. A text repeats its words, though, so `pieces`
first finds which pieces are the same, by comparing sixteen bytes at a time, and makes each once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from runnel.backend.freed_memory import keep_freed_memory
from runnel.core.values.types import Array
from .arrays import packed
from .blocks import SIZE, SLOTS, blocks_of, chunks, every_block, same_blocks, slots_of
from .dictionary_strings import Repeated

_PIECES_TO_COMPARE = 2048  # pieces; fewer are made one by one before it is known which are the same
_SAMPLE = 2048  # pieces, which tell whether any are the same
_BYTES_OF_LONG_PIECES = 256  # bytes; with longer pieces there may be as many sizes as pieces


def joined(values: Sequence[bytes], separator: bytes) -> tuple[bytes, Array]:
    """All strings with `separator` behind each, and the places where they begin."""
    lengths = np.fromiter(map(len, values), np.int64, len(values)) + len(separator)
    return separator.join([*values, b""]), np.cumsum(lengths) - lengths


def pieces(text: bytes, starts: Array, ends: Array) -> Array:
    """The pieces of a text between two places each, behind which it goes on for a byte or more."""
    if len(starts) < _PIECES_TO_COMPARE:
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return packed([text[start:end] for start, end in pairs])
    keep_freed_memory()  # large arrays come and go with every text
    sizes = ends - starts
    if b"\0" in text:
        return cut(text, starts, sizes)
    if _are_new(first_alike(text, starts[:_SAMPLE], sizes[:_SAMPLE]), 0.9):
        return cut(text, starts, sizes)  # the first of them tell of the others
    model = first_alike(text, starts, sizes)
    numbers = np.arange(len(model))
    first = np.flatnonzero(model == numbers)
    if _are_new(model, 0.5):
        return cut(text, starts, sizes)
    numbers[first] = np.arange(len(first))
    return Repeated.of(cut(text, starts[first], sizes[first]), numbers[model])


def _are_new(model: Array, most: float) -> bool:
    """Whether more than this part of some pieces are like none before them."""
    return bool(np.count_nonzero(model == np.arange(len(model))) > most * len(model))


def cut(text: bytes, starts: Array, sizes: Array) -> Array:
    """Pieces of a text, of which NumPy makes those of one size together."""
    if sizes.max(initial=0) > _BYTES_OF_LONG_PIECES:
        pairs = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
        return packed([text[start:end] for start, end in pairs])
    counts = np.bincount(sizes)
    if len(counts) and counts[-1] == len(starts):
        return packed(_of_size(text, starts, len(counts) - 1))
    order = np.argsort(sizes.astype(np.int16), kind="stable")  # small numbers take no comparing
    groups = np.split(starts[order], np.cumsum(counts))
    result = np.empty(len(starts), object)
    made = [_of_size(text, group, size) for size, group in enumerate(groups) if len(group)]
    result[order] = packed(list(chain.from_iterable(made)))
    return result


def _of_size(text: bytes, starts: Array, size: int) -> list[bytes]:
    if not size:
        return [b""] * len(starts)
    every: Any = np.ndarray((len(text) - size + 1,), f"V{size}", text, strides=(1,))
    return every[starts].tolist()  # type: ignore[no-any-return]


def first_alike(text: bytes, starts: Array, sizes: Array) -> Array:
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
