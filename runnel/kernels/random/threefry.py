"""ThreeFry 2x32 with 20 rounds, TensorFlow's other generator.

TensorFlow has it in compiled functions only (`jit_compile=True`) and refuses it elsewhere on a CPU;
here it works everywhere. A stream is a `key`, uint64 of one element, and a `counter`, of which only
the first element counts. Each counter gives 64 bits. The numbers are those of TensorFlow's compiled
functions: bit for bit, normals to the last digits.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, has the algorithm.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from runnel.core.values.types import Array, Namespace
from runnel.kernels.random.philox import STEPS_PER_OUTPUT

_ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
_PARITY = 0x1BD11BDA
_PASSES = 5
_LEAST = 1e-7  # Box-Muller takes the logarithm of nothing smaller
_CUTOFF = 2.0  # of the truncated normal, in standard deviations


def from_seed(xp: Namespace, seed: Array) -> tuple[Array, Array]:
    """The key and counter of a stateless op whose integer seed of two elements is `seed`."""
    low, high = (xp.asarray(seed)[i : i + 1].astype(xp.uint32).astype(xp.uint64) for i in (0, 1))
    return low | high << np.uint64(32), xp.zeros(1, xp.uint64)


def from_state(xp: Namespace, state: Array) -> tuple[Array, Array]:
    """The key and counter that the state of a `tf.random.Generator`, int64[2], holds."""
    bits = xp.asarray(state).view(xp.uint64)
    return bits[1:2], bits[:1]


def advance(xp: Namespace, state: Array, outputs: Array | int) -> Array:
    """The state of a `tf.random.Generator` after it has given `outputs` numbers, of any kind."""
    bits = xp.asarray(state).view(xp.uint64)
    steps = xp.asarray(outputs).astype(xp.uint64) * np.uint64(STEPS_PER_OUTPUT)
    return xp.concatenate((bits[:1] + steps, bits[1:])).view(xp.int64)


def full_int(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Integers of 32 or 64 bits, signed or not, over the whole range of `dtype`."""
    if np.dtype(dtype).itemsize == 8:
        low, high = _words(xp, key, counter, math.prod(shape))
        bits = low.astype(xp.uint64) | high.astype(xp.uint64) << np.uint64(32)
        return bits.reshape(shape).astype(dtype)
    return _interleaved(xp, key, counter, shape).astype(dtype)


def uniform_int(
    xp: Namespace,
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    minval: Array | int,
    maxval: Array | int,
    dtype: Any,
) -> Array:
    """Integers in [minval, maxval); the caller checks that there are any."""
    word = np.uint64 if np.dtype(dtype).itemsize == 8 else np.uint32
    low = xp.asarray(minval, dtype).reshape(1).astype(word)
    span = xp.asarray(maxval, dtype).reshape(1).astype(word) - low
    bits = full_int(xp, key, counter, shape, word)
    return (bits.reshape(-1) % span + low).reshape(shape).astype(dtype)


def uniform(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats in [0, 1)."""
    return _narrowed(xp, _unit(xp, key, counter, shape, dtype), dtype)


def normal(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats of mean 0 and standard deviation 1, in pairs that lie as the words of a counter do."""
    axis, half = _halved(shape)
    place = min(axis + 1, len(half))
    flat = _unit(xp, key, counter, (*half[:place], 2, *half[place:]), dtype)
    real = flat.dtype.type
    first, second = (xp.take(flat, i, place) for i in (0, 1))
    radius = xp.sqrt(real(-2) * xp.log(xp.maximum(first, real(_LEAST))))
    turn = real(2 * math.pi) * second
    both = _joined(xp, (radius * xp.sin(turn), radius * xp.cos(turn)), axis, shape)
    return _narrowed(xp, both, dtype)


def truncated_normal(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Normal floats between -2 and 2, by the inverse of their distribution."""
    flat = _unit(xp, key, counter, shape, dtype)
    real = flat.dtype.type
    low, high = (real((1 + math.erf(end / math.sqrt(2))) / 2) for end in (-_CUTOFF, _CUTOFF))
    place = low + (high - low) * flat
    numbers = real(math.sqrt(2)) * _erfinv(xp, real(2) * place - real(1))
    return _narrowed(xp, numbers.astype(flat.dtype), dtype)


def _erfinv(xp: Namespace, x: Array) -> Array:
    package = "scipy.special" if xp is np else "jax.scipy.special"
    return importlib.import_module(package).erfinv(x)


def _unit(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats in [0, 1): of float64, or float32 for all other dtypes."""
    if np.dtype(dtype) == np.float64:
        bits = full_int(xp, key, counter, shape, np.uint64) >> np.uint64(12)
        return (bits | np.float64(1).view(np.uint64)).view(xp.float64) - np.float64(1)
    bits = full_int(xp, key, counter, shape, np.uint32)
    if np.dtype(dtype) == np.float16:
        return (bits & np.uint32(0x3FF)).astype(xp.float32) / np.float32(1 << 10)
    return ((bits >> np.uint32(9)) | np.float32(1).view(np.uint32)).view(xp.float32) - np.float32(1)


def _narrowed(xp: Namespace, numbers: Array, dtype: Any) -> Array:
    """Numbers as `dtype`; to bfloat16 they are cut, not rounded."""
    if np.dtype(dtype) == ml_dtypes.bfloat16:
        numbers = (numbers.view(xp.uint32) & np.uint32(0xFFFF0000)).view(xp.float32)
    return numbers.astype(dtype)


def _interleaved(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...]) -> Array:
    """32-bit words: the two of a counter are neighbours along the first dimension of even size."""
    axis, half = _halved(shape)
    pair = [word.reshape(half) for word in _words(xp, key, counter, math.prod(half))]
    return _joined(xp, pair, axis, shape)


def _halved(shape: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The dimension in which pairs lie, and the shape of one half."""
    if not shape:
        return 0, ()
    even = [axis for axis, size in enumerate(shape) if size % 2 == 0]
    axis = even[0] if even else shape.index(max(shape))
    return axis, shape[:axis] + (-(-shape[axis] // 2),) + shape[axis + 1 :]


def _joined(xp: Namespace, pair: Sequence[Array], axis: int, shape: tuple[int, ...]) -> Array:
    """Two halves, element beside element, cut to `shape`."""
    if not shape:
        return pair[0]
    half = pair[0].shape
    padded = half[:axis] + (2 * half[axis],) + half[axis + 1 :]
    return xp.stack(pair, axis + 1).reshape(padded)[tuple(slice(size) for size in shape)]


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
