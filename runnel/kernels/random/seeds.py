"""Which seeds a random op runs with, by TensorFlow's rules. Plain Python integers throughout.

A stateful op has two attributes, `seed` and `seed2`, made of the global seed and its own. Its
numbers come from a stream that starts there and goes on from call to call.
"""

from __future__ import annotations

import enum
import math
import random
import secrets
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from runnel.core.values.types import Array

DEFAULT_GRAPH_SEED = 87654321
_LARGEST = 2**31 - 1
_BITS = 64
_MASK = 2**_BITS - 1


def seed_pair(
    global_seed: int | None, op_seed: int | None, next_op_seed: Callable[[], int]
) -> tuple[int | None, int | None]:
    """The attributes `seed` and `seed2` of an op; both None for numbers that nobody can repeat.

    `next_op_seed` is asked only where there is a global seed and the op has none of its own: it is
    `GlobalSeed.next_op_seed` in eager mode and `OpCount.next_op_seed` of the graph being built.

    >>> seed_pair(None, 3, lambda: 0)
    (87654321, 3)
    >>> seed_pair(0, 0, lambda: 0)
    (0, 2147483647)
    """
    if global_seed is None and op_seed is None:
        return None, None
    if global_seed is None:
        global_seed = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        op_seed = next_op_seed()
    assert op_seed is not None
    pair = _truncate(global_seed), _truncate(op_seed)
    return pair if pair != (0, 0) else (0, _LARGEST)  # two zeros would mean "no seed"


def _truncate(seed: int) -> int:
    try:
        return int(seed) % _LARGEST
    except OverflowError:
        raise ValueError(f"A seed must be a finite number, got {seed!r}.") from None


class GlobalSeed:
    """The seed of `tf.random.set_seed`, and the seeds that it gives to eager ops without one.

    >>> seeds = GlobalSeed()
    >>> seeds.set(42)
    >>> seeds.next_op_seed(), seeds.next_op_seed()
    (478163327, 107420369)
    """

    def __init__(self) -> None:
        self.value: int | None = None
        self._random = random.Random()

    def set(self, seed: Any) -> None:
        """Begins the sequence again; None for seeds that nobody can repeat."""
        if seed is None:
            self.value, self._random = None, random.Random()
            return
        if np.ndim(seed):
            raise TypeError(f"set_seed: `seed` must be a number, got {seed!r}.")
        if isinstance(seed, str | bytes):
            raise ValueError(f"set_seed: `seed` must be a number, got {seed!r}.")
        if isinstance(seed, float) and not math.isfinite(seed):
            raise ValueError(f"set_seed: `seed` must be a finite number, got {seed!r}.")
        number = seed if isinstance(seed, int | float) else int(np.asarray(seed))
        self.value, self._random = int(number), random.Random(number)

    def next_op_seed(self) -> int:
        return self._random.randint(0, _LARGEST)


global_seed = GlobalSeed()
"""The one of this process."""


class OpCount:
    """The seeds of the ops of one graph that have none: 0, 1, 2 … in the order of their making."""

    def __init__(self) -> None:
        self.made = 0
        self.given = False  # whether the op that is made next has a seed of its own

    def next_op_seed(self) -> int:
        self.made += 1
        return self.made - 1


def start(seed: int, seed2: int) -> tuple[int, int]:
    """The key and the 128-bit counter where the stream of a stateful op begins.

    Where both seeds are zero, that is at a random place.
    """
    if seed == seed2 == 0:
        seed, seed2 = secrets.randbits(_BITS), secrets.randbits(_BITS)
    return seed & _MASK, (seed2 & _MASK) << _BITS


def stream(key: int, counter: int) -> tuple[Array, Array]:
    """The same as the arrays, uint64[1] and uint64[2], that `runnel.kernels.random.philox`
    takes."""
    return np.array([key], np.uint64), np.array([counter & _MASK, counter >> _BITS], np.uint64)


class Algorithm(enum.Enum):
    """A way to make random numbers, for `tf.random.Generator` and the stateless functions.

    On a CPU `AUTO_SELECT` is `PHILOX`.
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


COUNTER_SIZES = {Algorithm.PHILOX: 2, Algorithm.THREEFRY: 1, Algorithm.AUTO_SELECT: 2}
"""How many int64 of a generator's state are its counter; the key is one more, behind them."""


def algorithm(name: Algorithm | str | int) -> Algorithm:
    """The algorithm of a name such as "philox" or "auto_select", or of a number.

    >>> algorithm("Auto-Select")
    <Algorithm.AUTO_SELECT: 3>
    """
    if isinstance(name, Algorithm):
        return name
    if isinstance(name, str):
        name = name.strip().lower().replace("-", "").replace("_", "")
    for alg in Algorithm:
        if name in (alg.value, alg.name.lower().replace("_", "")):
            return alg
    choices = ", ".join(f'"{alg.name.lower()}" ({alg.value})' for alg in Algorithm)
    raise ValueError(f"`alg` must be one of {choices}, got {name!r}.")


def generator_state(seed: int | Iterable[int], alg: Algorithm) -> Array:
    """The state, int64, of `tf.random.Generator.from_seed`.

    The 64-bit digits of a Python integer fill it from the left, so that a small seed is a counter;
    a sequence stands at its right end, so that a single element is the key.

    >>> generator_state(1234, Algorithm.PHILOX)
    array([1234,    0,    0])
    >>> generator_state([1234], Algorithm.PHILOX)
    array([   0,    0, 1234])
    """
    size = COUNTER_SIZES[alg] + 1
    if isinstance(seed, int):
        words = [seed >> _BITS * i & _MASK for i in range(size)]
    else:
        words = [int(word) & _MASK for word in np.ravel(np.asarray(seed, object))][:size]
    return np.array([0] * (size - len(words)) + words, np.uint64).astype(np.int64)


def key_state(key: int, alg: Algorithm) -> Array:
    """The state of a generator that `tf.random.Generator.split` makes of one random int64."""
    return generator_state([key], alg)


def nondeterministic_state(alg: Algorithm) -> Array:
    """A random state, from the operating system."""
    return generator_state([secrets.randbits(_BITS) for _ in range(COUNTER_SIZES[alg] + 1)], alg)
