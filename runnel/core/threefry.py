"""ThreeFry 2x32 with 20 rounds, TensorFlow's other generator.

TensorFlow has it in compiled functions only (`jit_compile=True`) and refuses it elsewhere on a CPU.
A stream is a `key`, uint64 of one element, and a `counter`, of which only the first element counts.
Each counter gives 64 bits. The numbers are those of the compiled functions, bit for bit.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, has the algorithm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.types import Array, Namespace

_ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
_PARITY = 0x1BD11BDA
_PASSES = 5


def from_seed(xp: Namespace, seed: Array) -> tuple[Array, Array]:
    """The key and counter of a stateless op whose integer seed of two elements is `seed`."""
    low, high = (xp.asarray(seed)[i : i + 1].astype(xp.uint32).astype(xp.uint64) for i in (0, 1))
    return low | high << np.uint64(32), xp.zeros(1, xp.uint64)


def full_int(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Integers of 32 or 64 bits, signed or not, over the whole range of `dtype`."""
    if np.dtype(dtype).itemsize == 8:
        low, high = _words(xp, key, counter, math.prod(shape))
        bits = low.astype(xp.uint64) | high.astype(xp.uint64) << np.uint64(32)
        return bits.reshape(shape).astype(dtype)
    return _interleaved(xp, key, counter, shape).astype(dtype)


def uniform(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats in [0, 1), of float32 or float64."""
    if np.dtype(dtype) == np.float64:
        bits = full_int(xp, key, counter, shape, np.uint64) >> np.uint64(12)
        return (bits | np.float64(1).view(np.uint64)).view(xp.float64) - np.float64(1)
    bits = full_int(xp, key, counter, shape, np.uint32) >> np.uint32(9)
    return (bits | np.float32(1).view(np.uint32)).view(xp.float32) - np.float32(1)


def _interleaved(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...]) -> Array:
    """32-bit words: the two of a counter are neighbours along the first dimension of even size."""
    if not shape:
        return _words(xp, key, counter, 1)[0].reshape(())
    even = [axis for axis, size in enumerate(shape) if size % 2 == 0]
    axis = even[0] if even else shape.index(max(shape))
    half = shape[:axis] + (-(-shape[axis] // 2),) + shape[axis + 1 :]
    pair = [word.reshape(half) for word in _words(xp, key, counter, math.prod(half))]
    padded = half[:axis] + (2 * half[axis],) + half[axis + 1 :]
    both = xp.stack(pair, axis + 1).reshape(padded)
    return both[tuple(slice(size) for size in shape)]


def _words(xp: Namespace, key: Array, counter: Array, count: int) -> tuple[Array, Array]:
    """The two 32-bit words of each of `count` counters."""
    numbers = xp.reshape(counter, (-1,))[:1] + xp.arange(count, dtype=xp.uint64)
    x, y = _halves(xp, numbers)
    first, second = _halves(xp, xp.reshape(key, (1,)))
    keys = first, second, first ^ second ^ np.uint32(_PARITY)
    x, y = x + keys[0], y + keys[1]
    for turn in range(_PASSES):
        for distance in _ROTATIONS[turn % 2]:
            x = x + y
            y = x ^ (y << np.uint32(distance) | y >> np.uint32(32 - distance))
        x = x + keys[(turn + 1) % 3]
        y = y + (keys[(turn + 2) % 3] + np.uint32(turn + 1))
    return x, y


def _halves(xp: Namespace, number: Array) -> tuple[Array, Array]:
    return number.astype(xp.uint32), (number >> np.uint64(32)).astype(xp.uint32)
