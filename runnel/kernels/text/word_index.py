"""Words and their places in a list, found by NumPy for many pieces of a text at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runnel.core.values.types import Array
from .blocks import SIZE, SLOTS, blocks_of, chunks, every_block, same_blocks, slots_of
from .flat_text import FlatText
from .unmade import Unmade


class WordIndex:
    """The places of words, in tables by slot.

    A word stands in the slot of a table that its letters choose. Those that find it taken go into
    another table, where they choose anew; such slots are marked.
    """

    def __init__(self, words: Sequence[bytes]) -> None:
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        starts = np.cumsum(sizes) - sizes
        text = b"".join(words)
        self.is_complete = b"\0" not in text  # words with a zero byte would look like others
        self._count = len(words)
        # A last block, which no piece has, stands for all that is not there.
        self._blocks = np.vstack(
            [blocks_of(every_block(text), starts, sizes), np.zeros((1, 2), np.uint64)]
        )
        self._sizes = np.append(sizes, -1)
        self._tables: list[tuple[Array, Array]] = []
        rest = np.flatnonzero(sizes <= SIZE)
        while len(rest):
            rest = self._add_table(rest)
        self._long = {word: place for place, word in enumerate(words) if len(word) > SIZE}

    def _add_table(self, places: Array) -> Array:
        """Put words into a new table; those that found their slots taken are left."""
        slots = slots_of(self._blocks[places], len(self._tables))
        table = np.full(1 << SLOTS, self._count)
        table[slots] = places
        rest = table[slots] != places
        marked = np.zeros(1 << SLOTS, bool)
        marked[slots[rest]] = True
        self._tables.append((table, marked))
        return places[rest]

    def places(self, pieces: Unmade | FlatText) -> Array:
        """The place of each piece of a text among the words; their number if it is none."""
        every, starts, sizes = every_block(pieces.text), pieces.starts, pieces.sizes
        result = np.empty(len(starts), np.int64)
        for part in chunks(len(starts)):
            result[part] = self._found(blocks_of(every, starts[part], sizes[part]), sizes[part])
        for number in np.flatnonzero(sizes > SIZE).tolist() if self._long else ():
            result[number] = self._long.get(pieces.one(number), self._count)
        return result

    def _found(self, blocks: Array, sizes: Array) -> Array:
        result = np.full(len(blocks), self._count)
        rest = np.arange(len(blocks))
        for turn, (table, marked) in enumerate(self._tables):
            slots = slots_of(blocks, turn)
            found = table[slots]
            same = same_blocks(blocks, self._blocks, found) & (self._sizes[found] == sizes)
            result[rest] = np.where(same, found, self._count)
            again = np.flatnonzero(marked[slots] & ~same)
            rest, blocks, sizes = rest[again], blocks[again], sizes[again]
        return result
