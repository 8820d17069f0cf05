"""The streams of stateful ops, as successive calls take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.random import philox, seeds


class OpStream:
    """The stream of one op with the seeds that the golden answers were recorded with."""

    def __init__(self, seed: int = 11, seed2: int = 22) -> None:
        key, counter = seeds.start(seed, seed2)
        words = [counter & 2**64 - 1, counter >> 64, key]
        self._state: Any = np.array(words, np.uint64).view(np.int64)

    def reserve(self, steps: int) -> tuple[Array, Array]:
        """The key and counter of one call, for which the stream moves on by `steps` blocks."""
        place = philox.from_state(np, self._state)
        self._state = philox.move(np, self._state, steps)
        return place
