"""Random numbers one by one, for kernels that do not know how many they will need."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.random import philox

_CHUNK = 64  # blocks of four words


class Words:
    """The 32-bit words of a stream in order, and what TensorFlow's `SimplePhilox` makes of them."""

    def __init__(self, key: Array, counter: Array) -> None:
        self._key, self._counter = key, counter
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        if not self._words:
            index = np.arange(self._block, self._block + _CHUNK, dtype=np.uint64)
            bits = philox.blocks(np, self._key, self._counter, index)
            self._words = philox.words(np, bits).ravel().tolist()[::-1]
            self._block += _CHUNK
        return self._words.pop()

    def long(self) -> int:
        low = self.word()
        return low | self.word() << 32

    def double(self) -> float:
        """A number in [0, 1) of 52 random bits."""
        high, low = self.word(), self.word()
        return ((high & 0xFFFFF) << 32 | low) / 2.0**52

    def single(self) -> float:
        """A number in [0, 1) of 23 random bits."""
        return (self.word() & 0x7FFFFF) / 2.0**23

    def below(self, limit: int) -> int:
        """A number in [0, limit), `limit` less than 2**32."""
        return self._below(limit, self.word, 1 << 32)

    def long_below(self, limit: int) -> int:
        """A number in [0, limit), `limit` less than 2**64."""
        return self._below(limit, self.long, 1 << 64)

    def _below(self, limit: int, draw: Any, size: int) -> int:
        if limit & (limit - 1) == 0:
            return int(draw() & (limit - 1))
        least = size % limit  # the first numbers are refused, so that all remainders are as likely
        number = draw()
        while number < least:
            number = draw()
        return int(number % limit)
