"""Uniform, normal and truncated normal numbers, as TensorFlow's CPU kernels make them.

Every function takes a stream (see `runnel.core.philox`), a shape of Python integers and a NumPy
dtype. Integers and uniform floats are TensorFlow's bit for bit. Normals agree to the last digits:
TensorFlow takes logarithm and sine from the C library, whose single precision differs between
versions; here they are computed in double precision and rounded, which is what its newest has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from runnel.core import philox
from runnel.core.types import Array, Namespace
from runnel.core.xla import lax, stored

_MANTISSA_BITS = {
    np.dtype(np.float16): 10,
    np.dtype(ml_dtypes.bfloat16): 7,
    np.dtype(np.float32): 23,
}
_ONE_32, _ONE_64 = np.float32(1).view(np.uint32), np.float64(1).view(np.uint64)
_CHUNK = 1 << 14  # blocks at a time in NumPy: the temporaries then stay in the cache
_LEAST = 1e-7  # Box-Muller takes the logarithm of nothing smaller
_CUTOFF = 2.0  # of the truncated normal, in standard deviations


def uniform(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats in [0, 1)."""
    drawn = _fill(xp, key, counter, shape, dtype, lambda bits: unit(xp, bits, dtype))
    return drawn if xp is np else stored(drawn)  # not drawn again for every element of an image


def full_int(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Integers of 32 or 64 bits, signed or not, over the whole range of `dtype`."""
    return _fill(xp, key, counter, shape, dtype, lambda bits: _unsigned(xp, bits, dtype))


def uniform_int(
    xp: Namespace,
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    minval: Array | int,
    maxval: Array | int,
    dtype: Any,
) -> Array:
    """Integers in [minval, maxval), of int32 or int64; the caller checks that there are any."""
    word = np.uint64 if _per_block(dtype) == 2 else np.uint32
    low = xp.reshape(xp.asarray(minval, dtype), (1,)).astype(word)
    span = xp.reshape(xp.asarray(maxval, dtype), (1,)).astype(word) - low  # may not fit when signed
    return _fill(
        xp, key, counter, shape, dtype, lambda bits: _unsigned(xp, bits, dtype) % span + low
    )


def normal(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats of mean 0 and standard deviation 1."""
    return _fill(xp, key, counter, shape, dtype, lambda bits: box_muller(xp, bits, dtype))


def truncated_normal(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Normal floats, drawn again where they lie two or more standard deviations from 0.

    The output falls into groups of as many numbers as a block gives. Each group has a stretch of
    blocks of its own, and takes from it the first numbers that lie inside.
    """
    size, width = math.prod(shape), _per_block(dtype)
    stretch = np.uint64(width * philox.STEPS_PER_OUTPUT // 4)

    def draw(block: Array) -> Array:
        return box_muller(xp, philox.blocks(xp, key, counter, block), dtype)

    search = _first_inside if xp is np else _first_inside_traced

    def groups(start: int, stop: int) -> Array:
        return search(xp, draw, xp.arange(start, stop, dtype=xp.uint64) * stretch, width)

    flat = _in_chunks(xp, -(-size // width), groups)
    return flat.reshape(-1)[:size].reshape(shape).astype(dtype, copy=False)


def unit(xp: Namespace, bits: Array, dtype: Any) -> Array:
    """Floats in [0, 1) made of `philox.blocks`; those of 16 bits are still float32.

    Random bits behind the exponent of 1.0 give a float in [1, 2).
    """
    if _per_block(dtype) == 2:
        mantissa = (bits & np.uint64(0xFFFFF)) << np.uint64(32) | bits >> np.uint64(32)
        return (mantissa | _ONE_64).view(xp.float64) - np.float64(1)
    unused = 23 - _MANTISSA_BITS[np.dtype(dtype)]
    mantissa = philox.words(xp, bits) << np.uint32(unused) & np.uint32(0x7FFFFF)
    return (mantissa | _ONE_32).view(xp.float32) - np.float32(1)


def box_muller(xp: Namespace, bits: Array, dtype: Any) -> Array:
    """Normal floats made of `philox.blocks`, in pairs; those of 16 bits are still float32."""
    real = np.float64 if _per_block(dtype) == 2 else np.float32
    flat = unit(xp, bits, real)
    turn = (flat[:, 1::2].astype(xp.float64) * np.float64(2 * math.pi)).astype(real)
    log = xp.log(xp.maximum(flat[:, 0::2], real(_LEAST)).astype(xp.float64)).astype(real)
    radius = xp.sqrt(real(-2) * log)[..., None]
    turn = turn.astype(xp.float64)[..., None]
    pair = xp.concatenate((xp.sin(turn), xp.cos(turn)), -1).astype(real)
    return (pair * radius).reshape(flat.shape)


def _fill(
    xp: Namespace,
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    dtype: Any,
    make: Callable[[Array], Array],
) -> Array:
    """What `make` makes of successive blocks, as an array of `shape`."""
    size = math.prod(shape)
    count = -(-size // _per_block(dtype))
    flat = _in_chunks(xp, count, lambda *span: make(philox.successive(xp, key, counter, *span)))
    return flat.reshape(-1)[:size].reshape(shape).astype(dtype, copy=False)


def _in_chunks(xp: Namespace, count: int, make: Callable[[int, int], Array]) -> Array:
    if xp is not np or count <= _CHUNK:
        return make(0, count)
    return np.concatenate([make(at, min(at + _CHUNK, count)) for at in range(0, count, _CHUNK)])


def _per_block(dtype: Any) -> int:
    return 2 if np.dtype(dtype).itemsize == 8 else 4


def _unsigned(xp: Namespace, bits: Array, dtype: Any) -> Array:
    return bits if _per_block(dtype) == 2 else philox.words(xp, bits)


def _first_inside(xp: Namespace, draw: Callable[[Array], Array], block: Array, width: int) -> Array:
    kept = draw(block)
    outside = np.abs(kept) >= _CUTOFF
    rows = np.flatnonzero(outside.view(f"u{width}"))  # a row of bools as one number: a fast "any"
    if not rows.size:
        return kept
    values, taken = _put(xp, *_empty_groups(xp, rows, width), kept[rows])
    while rows.size:
        kept[rows] = values
        short = taken < width
        rows, block = rows[short], block + np.uint64(1)
        values, taken = _put(xp, values[short], taken[short], draw(block[rows]))
    return kept


def _first_inside_traced(
    xp: Namespace, draw: Callable[[Array], Array], block: Array, width: int
) -> Array:
    def go_on(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        kept, taken, block = state
        return *_put(xp, kept, taken, draw(block)), block + np.uint64(1)

    state = *_empty_groups(xp, block, width), block
    return lax.while_loop(lambda state: xp.any(state[1] < width), go_on, state)[0]


def _empty_groups(xp: Namespace, block: Array, width: int) -> tuple[Array, Array]:
    real = xp.float32 if width == 4 else xp.float64
    return xp.zeros((block.shape[0], width), real), xp.zeros(block.shape[0], xp.int32)


def _put(xp: Namespace, kept: Array, taken: Array, drawn: Array) -> tuple[Array, Array]:
    """The numbers of `drawn` that lie inside, put behind the `taken` numbers that are in `kept`."""
    place = np.arange(kept.shape[1], dtype=np.int32)
    for column in range(drawn.shape[1]):
        number = drawn[:, column]
        inside = xp.abs(number) < number.dtype.type(_CUTOFF)
        here = inside[:, None] & (taken[:, None] == place)
        kept = xp.where(here, number[:, None], kept)
        taken = taken + inside.astype(xp.int32)
    return kept, taken
