"""Philox 4x32-10, the generator behind TensorFlow's random ops.

A stream is a `key`, uint64 of one element, and a `counter`, uint64[2] with the low half first. Each
counter gives one block of 128 random bits. The functions take numpy or jax.numpy as `xp`; sizes are
Python integers, while key and counter may be traced.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, has the algorithm.
"""

from __future__ import annotations

import functools

import numpy as np

from runnel.backend import jax as xla
from runnel.core.values.types import Array, Namespace

STEPS_PER_OUTPUT = 256
"""How many blocks TensorFlow sets aside per number: a stateful op moves its counter by this times
the size of its output, however many blocks it has used."""

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_ROUND_STEPS = np.outer(np.arange(_ROUNDS), np.array(_KEY_STEPS)).astype(np.uint32)[:, :, None]
_ROW_MULTIPLIERS = np.array(_MULTIPLIERS, np.uint64)[:, None]
_WORD = 0xFFFFFFFF
_LONG = 0xFFFFFFFFFFFFFFFF
_SEED_KEY = 0x02461E293EC8F720  # what TensorFlow mixes the seeds of stateless ops with
_FEW_TRACED = 1 << 12  # so many blocks are made before a loop would have been compiled
_BLOCKS_FOR_PYTHON = 384  # so many blocks take as long in Python integers as in NumPy calls


def blocks(xp: Namespace, key: Array, counter: Array, index: Array) -> Array:
    """The blocks that stand `index` places after `counter`, as uint64 of shape `[n, 2]`.

    `index` is uint64[n]. The four words of a block are the low and high halves of its two numbers,
    in that order, so `words` of the result is the stream of 32-bit numbers.
    """
    low = counter[0] + index
    high = counter[1] + (low < index)
    if xp is np and index.size <= _BLOCKS_FOR_PYTHON:
        lows, highs = (int.from_bytes(half.tobytes(), "little") for half in (low, high))
        return _few_blocks(lows, highs, int(np.ravel(key)[0]), index.size)
    if xp is np:
        return _many_blocks(low, high, _round_keys(xp, key))
    words = _traced_words(xp, key, low, high)
    return xp.stack((_join(xp, *words[:2]), _join(xp, *words[2:])), -1)


def columns(xp: Namespace, key: Array, counter: Array, index: Array, size: int) -> list[Array]:
    """The same blocks in a compiled program, apart: the four words of each, or the two numbers.

    `size` is that of a word or number in bytes. Arrays without gaps are what XLA is fast with.
    """
    low = counter[0] + index
    words = _traced_words(xp, key, low, counter[1] + (low < index))
    return list(words) if size == 4 else [_join(xp, *words[:2]), _join(xp, *words[2:])]


def _traced_words(xp: Namespace, key: Array, low: Array, high: Array) -> tuple[Array, ...]:
    run = _rounds if low.size <= _FEW_TRACED else _looped_rounds
    return run(xp, (*_halves(xp, low), *_halves(xp, high)), _round_keys(xp, key))


def successive(xp: Namespace, key: Array, counter: Array, start: int, stop: int) -> Array:
    """The blocks from `start` to `stop` places after `counter`."""
    count = stop - start
    if xp is np and count <= _BLOCKS_FOR_PYTHON:
        low, high = counter.tolist()
        if low + stop <= _LONG:  # no counter but the first half moves
            one = _ones(count)
            lows = (low + start) * one + _ascending(count)
            return _few_blocks(lows, high * one, int(np.ravel(key)[0]), count)
    return blocks(xp, key, counter, xp.arange(start, stop, dtype=xp.uint64))


def words(xp: Namespace, bits: Array) -> Array:
    """The 32-bit words of `blocks`, in the order of the stream: uint32 of shape `[n, 4]`."""
    return bits.view(xp.uint32)


def skip(xp: Namespace, counter: Array, count: Array | int) -> Array:
    """The counter that stands `count` blocks (less than 2**64) after `counter`."""
    count = xp.reshape(xp.asarray(count, xp.uint64), (1,))
    low = counter[:1] + count
    return xp.concatenate((low, counter[1:2] + (low < count)))


def scramble(xp: Namespace, seed: Array) -> tuple[Array, Array]:
    """The key and counter of a stateless op whose integer seed of two elements is `seed`."""
    counter = xp.asarray(seed).astype(xp.int64).astype(xp.uint64)  # a negative int32 keeps its sign
    key = xp.asarray(np.array([_SEED_KEY], np.uint64))
    (mixed,) = blocks(xp, key, counter, xp.zeros(1, xp.uint64))
    return mixed[:1], xp.concatenate((xp.zeros(1, xp.uint64), mixed[1:]))


def first_blocks(seeds: Array) -> Array:
    """The first block of the stream of each pair of seeds, int64 of shape `[n, 2]`, on the host."""
    lows, highs = seeds.astype(np.uint64).T
    mixed = _each_block(lows, highs, np.array([_SEED_KEY], np.uint64))
    return _each_block(np.zeros_like(lows), mixed[:, 1], mixed[:, 0])


def _each_block(lows: Array, highs: Array, keys: Array) -> Array:
    """The block at each counter, with one key for all or one for each."""
    return _many_blocks(lows, highs, np.stack(_halves(np, keys)) + _ROUND_STEPS)


def from_state(xp: Namespace, state: Array) -> tuple[Array, Array]:
    """The key and counter that the state of a `tf.random.Generator`, int64[3], holds."""
    bits = xp.asarray(state).view(xp.uint64)
    return bits[2:3], bits[:2]


def advance(xp: Namespace, state: Array, outputs: Array | int) -> Array:
    """The state of a `tf.random.Generator` after it has given `outputs` numbers, of any kind."""
    if xp is np:
        return move(np, state, int(outputs) * STEPS_PER_OUTPUT)
    return move(xp, state, xp.asarray(outputs).astype(xp.uint64) * np.uint64(STEPS_PER_OUTPUT))


def move(xp: Namespace, state: Array, steps: Array | int) -> Array:
    """The state of a `tf.random.Generator` that stands `steps` blocks after this one."""
    bits = xp.asarray(state).view(xp.uint64)
    if xp is not np:
        return xp.concatenate((skip(xp, bits[:2], steps), bits[2:])).view(xp.int64)
    low, high, *rest = bits.tolist()
    place = (low | high << 64) + int(steps)
    words = [place & _LONG, place >> 64 & _LONG, *rest]
    return np.array(words, np.uint64).view(np.int64)


def _few_blocks(lows: int, highs: int, key: int, count: int) -> Array:
    """The blocks of a few counters, given by their halves in integers with a number every 64 bits.

    A product of two 32-bit words fits in its 64 bits, so that one operation on such integers does
    the work of one on arrays at a fraction of the overhead.
    """
    one = _ones(count)
    words = one * _WORD
    k0, k1 = key & _WORD, key >> 32
    c0, c1, c2, c3 = lows & words, lows >> 32 & words, highs & words, highs >> 32 & words
    for _ in range(_ROUNDS):
        p0, p1 = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (p1 >> 32 & words) ^ c1 ^ (k0 * one), p1 & words
        c2, c3 = (p0 >> 32 & words) ^ c3 ^ (k1 * one), p0 & words
        k0, k1 = k0 + _KEY_STEPS[0] & _WORD, k1 + _KEY_STEPS[1] & _WORD
    both = (c0 | c1 << 32) | (c2 | c3 << 32) << 64 * count
    halves = np.frombuffer(both.to_bytes(16 * count, "little"), np.uint64).reshape(2, count)
    return np.ascontiguousarray(halves.T)


@functools.lru_cache(maxsize=128)
def _ones(count: int) -> int:
    """An integer with a 1 in every 64 bits."""
    return ((1 << 64 * count) - 1) // _LONG


@functools.lru_cache(maxsize=128)
def _ascending(count: int) -> int:
    """An integer with 0, 1, 2 … in its groups of 64 bits."""
    return int.from_bytes(np.arange(count, dtype=np.uint64).tobytes(), "little")


def _many_blocks(lows: Array, highs: Array, keys: Array) -> Array:
    """The blocks at many counters, in NumPy, written in place.

    The words that are multiplied are the rows of `x`; `y` has the word that each product meets. A
    product is met by the other row in the next round, with its low half: only `x` is cut to that.
    """
    word, half = np.uint64(_WORD), np.uint64(32)
    x, y = np.stack((lows, highs)), np.stack((highs, lows))
    x &= word
    y >>= half
    product, multipliers = np.empty_like(x), _ROW_MULTIPLIERS
    for step, pair in enumerate(keys.astype(np.uint64)):
        np.multiply(x, multipliers, out=product)
        np.right_shift(product, half, out=x)
        x ^= y
        x ^= pair if step % 2 else pair[::-1]
        x &= word
        y, product = product[::-1], y
        multipliers = multipliers[::-1]  # what was the first word of the counter is now the third
    return np.ascontiguousarray((x | y[::-1] << half).T)


def _rounds(xp: Namespace, counter: tuple[Array, ...], keys: Array) -> tuple[Array, ...]:
    c0, c1, c2, c3 = counter
    for k0, k1 in keys:
        low0, high0 = _halves(xp, c0.astype(xp.uint64) * np.uint64(_MULTIPLIERS[0]))
        low1, high1 = _halves(xp, c2.astype(xp.uint64) * np.uint64(_MULTIPLIERS[1]))
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return c0, c1, c2, c3


def _looped_rounds(xp: Namespace, counter: tuple[Array, ...], keys: Array) -> tuple[Array, ...]:
    """The same as a loop of two rounds: slower to compile, and three times as fast."""
    pairs = keys.reshape(-1, 2, *keys.shape[1:])
    return xla.lax.fori_loop(0, len(pairs), lambda i, words: _rounds(xp, words, pairs[i]), counter)  # type: ignore[no-any-return]


def _round_keys(xp: Namespace, key: Array) -> Array:
    return xp.stack(_halves(xp, xp.reshape(key, (1,)))) + _ROUND_STEPS


def _halves(xp: Namespace, number: Array) -> tuple[Array, Array]:
    return number.astype(xp.uint32), (number >> np.uint64(32)).astype(xp.uint32)


def _join(xp: Namespace, low: Array, high: Array) -> Array:
    return low.astype(xp.uint64) | high.astype(xp.uint64) << np.uint64(32)
