"""Uniform, normal and truncated normal numbers, as TensorFlow's CPU kernels make them.

Every function takes a stream (see `runnel.kernels.random.philox`), a shape of Python integers and a
NumPy dtype. Integers and uniform floats are TensorFlow's bit for bit. Normals agree to the last
digits: TensorFlow takes logarithm and sine from the C library, whose single precision differs
between versions; here they are computed in double precision and rounded, which is what its newest
has.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import ml_dtypes
import numpy as np

from runnel.backend.jax import jnp, lax
from runnel.backend.stored import stored
from runnel.core.values.types import Array, Namespace
from runnel.kernels.random import philox
from runnel.kernels.single_precision import doubtful, logarithm, sine_and_cosine
from .chunks import CHUNK, Kind, Stream, chunks, columns_at, filled, spans

_MANTISSA_BITS = {
    np.dtype(np.float16): 10,
    np.dtype(ml_dtypes.bfloat16): 7,
    np.dtype(np.float32): 23,
}
_ONE_32, _ONE_64 = np.float32(1).view(np.uint32), np.float64(1).view(np.uint64)
_LEAST = 1e-7  # Box-Muller takes the logarithm of nothing smaller
_CUTOFF = 2.0  # of the truncated normal, in standard deviations


def uniform(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats in [0, 1)."""
    drawn = _fill(xp, _UNIT, (key, counter), shape, dtype)
    return drawn if xp is np else stored(drawn)  # not drawn again for every element of an image


def full_int(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Integers of 32 or 64 bits, signed or not, over the whole range of `dtype`."""
    return _fill(xp, _UNSIGNED, (key, counter), shape, dtype)


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
    return _fill(xp, _BETWEEN, (key, counter), shape, dtype, low, span)


def normal(xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Floats of mean 0 and standard deviation 1."""
    return _fill(xp, _NORMAL, (key, counter), shape, dtype)


def truncated_normal(
    xp: Namespace, key: Array, counter: Array, shape: tuple[int, ...], dtype: Any
) -> Array:
    """Normal floats, drawn again where they lie two or more standard deviations from 0.

    The output falls into groups of as many numbers as a block gives. Each group has a stretch of
    blocks of its own, and takes from it the first numbers that lie inside.
    """
    size, width = math.prod(shape), _per_block(dtype)
    groups = -(-size // width)
    if xp is np:
        parts = spans(groups, CHUNK) or [(0, 0)]
        flat = np.concatenate([_first_inside((key, counter), part, width, dtype) for part in parts])
    else:
        flat = _first_inside_traced(xp, (key, counter), groups, width)
    return flat.reshape(-1)[:size].reshape(shape).astype(dtype, copy=False)


def unit(xp: Namespace, bits: Array, dtype: Any) -> Array:
    """Floats in [0, 1) made of `philox.blocks`; those of 16 bits are still float32."""
    return _unit(xp, _unsigned(xp, bits, dtype), dtype)


def _unit(xp: Namespace, numbers: Array, dtype: Any) -> Array:
    """Random bits behind the exponent of 1.0 give a float in [1, 2)."""
    if _per_block(dtype) == 2:
        mantissa = (numbers & np.uint64(0xFFFFF)) << np.uint64(32) | numbers >> np.uint64(32)
        return (mantissa | _ONE_64).view(xp.float64) - np.float64(1)
    unused = 23 - _MANTISSA_BITS[np.dtype(dtype)]
    mantissa = numbers << np.uint32(unused) & np.uint32(0x7FFFFF)
    return (mantissa | _ONE_32).view(xp.float32) - np.float32(1)


def _unit_columns(columns: list[Array], dtype: Any) -> tuple[list[Array], Any]:
    return [_unit(jnp, column, dtype) for column in columns], _SURE


def _unsigned(xp: Namespace, bits: Array, dtype: Any) -> Array:
    return bits if _per_block(dtype) == 2 else philox.words(xp, bits)


def _unsigned_columns(columns: list[Array], dtype: Any) -> tuple[list[Array], Any]:
    return columns, _SURE


def _between(xp: Namespace, bits: Array, dtype: Any, low: Array, span: Array) -> Array:
    return _unsigned(xp, bits, dtype) % span + low


def _between_columns(
    columns: list[Array], dtype: Any, low: Array, span: Array
) -> tuple[list[Array], Any]:
    return [column % span + low for column in columns], _SURE


def box_muller(xp: Namespace, bits: Array, dtype: Any) -> Array:
    """Normal floats made of `philox.blocks`, in pairs; those of 16 bits are still float32."""
    numbers = _unsigned(xp, bits, dtype)
    both = _pair(xp, numbers[:, 0::2], numbers[:, 1::2], _real(dtype))
    if xp is not np:
        return xp.stack(both, -1).reshape(numbers.shape)
    result = np.empty(numbers.shape, _real(dtype))
    result[:, 0::2], result[:, 1::2] = both
    return result


def _pair(xp: Namespace, first: Array, second: Array, real: Any) -> tuple[Array, Array]:
    inside, turn = _directions(xp, first, second, real)
    turn = turn.astype(xp.float64)
    radius = xp.sqrt(real(-2) * xp.log(inside.astype(xp.float64)).astype(real))
    return xp.sin(turn).astype(real) * radius, xp.cos(turn).astype(real) * radius


def _normal_columns(columns: list[Array], dtype: Any) -> tuple[list[Array], Any]:
    real, found, doubts = _real(dtype), [], []
    for first, second in zip(columns[0::2], columns[1::2], strict=True):
        if real is np.float64:
            both, doubt = _pair(jnp, first, second, real), _SURE
        else:
            both, doubt = _single_pair(first, second)
        found += [stored(column) for column in both]
        doubts.append(doubt)
    return found, functools.reduce(jnp.logical_or, doubts)


def _single_pair(first: Array, second: Array) -> tuple[tuple[Array, Array], Array]:
    """`_pair` of float32 in a compiled program, and whether NumPy might round otherwise."""
    inside, turn = _directions(jnp, first, second, np.float32)
    wide = logarithm(inside), *sine_and_cosine(turn)
    log, sine, cosine = (x.astype(np.float32) for x in wide)
    radius = jnp.sqrt(np.float32(-2) * log)
    return (sine * radius, cosine * radius), functools.reduce(jnp.logical_or, map(doubtful, wide))


def _directions(xp: Namespace, first: Array, second: Array, real: Any) -> tuple[Array, Array]:
    """What decides how far from 0 a pair of normal numbers is, and in which direction."""
    turn = _unit(xp, second, real).astype(xp.float64) * np.float64(2 * math.pi)
    return xp.maximum(_unit(xp, first, real), real(_LEAST)), turn.astype(real)


_SURE = np.bool_(False)  # that no number is doubtful
_UNIT, _UNSIGNED = Kind(unit, _unit_columns), Kind(_unsigned, _unsigned_columns)
_BETWEEN = Kind(_between, _between_columns)
_NORMAL = Kind(box_muller, _normal_columns, doubtful=frozenset({np.dtype(np.float64)}))


def _fill(
    xp: Namespace, kind: Kind, stream: Stream, shape: tuple[int, ...], dtype: Any, *given: Array
) -> Array:
    """Numbers of a kind made of successive blocks, as an array of `shape`."""
    size = math.prod(shape)
    flat = filled(xp, kind, stream, -(-size // _per_block(dtype)), dtype, *given)
    return flat.reshape(-1)[:size].reshape(shape).astype(dtype, copy=False)


def _per_block(dtype: Any) -> int:
    return 2 if np.dtype(dtype).itemsize == 8 else 4


def _real(dtype: Any) -> Any:
    """What floats of a dtype are computed in."""
    return np.float64 if _per_block(dtype) == 2 else np.float32


def _stretch(width: int) -> int:
    """How far the blocks of a group of truncated normal numbers are from those of the next."""
    return width * philox.STEPS_PER_OUTPUT // 4


def _first_inside(stream: Stream, part: tuple[int, int], width: int, dtype: Any) -> Array:
    """The numbers of some groups, given by the first and how many they are, in NumPy."""
    (start, count), step = part, _stretch(width)
    block = (start + np.arange(count, dtype=np.uint64)) * np.uint64(step)
    if count <= CHUNK // 2:
        kept = box_muller(np, philox.blocks(np, *stream, block), dtype)
    else:
        normals = chunks(_NORMAL, np.dtype(_real(dtype)))
        kept = np.array(normals(stream, start * step, count, step))
    outside = np.abs(kept) >= _CUTOFF
    rows = np.flatnonzero(outside.view(f"u{width}"))  # a row of bools as one number: a fast "any"
    if not rows.size:
        return kept
    values, taken = _put(np, *_empty_groups(np, len(rows), width), list(kept[rows].T))
    while rows.size:
        kept[rows] = np.stack(values, -1)
        short = taken < width
        rows, block = rows[short], block + np.uint64(1)
        drawn = box_muller(np, philox.blocks(np, *stream, block[rows]), dtype)
        values, taken = _put(np, [v[short] for v in values], taken[short], list(drawn.T))
    return kept


def _first_inside_traced(xp: Namespace, stream: Stream, groups: int, width: int) -> Array:
    real = np.dtype(np.float32 if width == 4 else np.float64)
    step = np.uint64(_stretch(width))

    def go_on(state: tuple[list[Array], Array, Array]) -> tuple[list[Array], Array, Array]:
        kept, taken, block = state
        drawn, _ = _normal_columns(columns_at(stream, block, step, groups, real.itemsize), real)
        return *_put(xp, kept, taken, drawn), block + np.uint64(1)

    state = *_empty_groups(xp, groups, width), xp.zeros((), xp.uint64)
    kept = lax.while_loop(lambda state: xp.any(state[1] < width), go_on, state)[0]
    return xp.stack(kept, -1)


def _empty_groups(xp: Namespace, count: int, width: int) -> tuple[list[Array], Array]:
    real = xp.float32 if width == 4 else xp.float64
    return [xp.zeros(count, real) for _ in range(width)], xp.zeros(count, xp.int32)


def _put(
    xp: Namespace, kept: list[Array], taken: Array, drawn: list[Array]
) -> tuple[list[Array], Array]:
    """The numbers of `drawn` that lie inside, put behind the `taken` numbers that are in `kept`.

    Both are lists of columns.
    """
    for number in drawn:
        inside = xp.abs(number) < number.dtype.type(_CUTOFF)
        kept = [xp.where(inside & (taken == i), number, column) for i, column in enumerate(kept)]
        taken = taken + inside.astype(xp.int32)
    return kept, taken
