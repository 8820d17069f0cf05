"""Random choices, as TensorFlow's CPU kernels make them: categories and permutations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.philox import STEPS_PER_OUTPUT
from runnel.core.random_bits import full_int, uniform
from runnel.core.types import Array, Namespace
from runnel.core.xla import jax, lax

_CIPHER_SEQUENCE = 0x7369F885192C0EF5
_CIPHER_CONSTANT = 0xFFFFFFFC
_LEAST_BITS = 16


def categorical(
    xp: Namespace, key: Array, counter: Array, logits: Array, samples: int, dtype: Any
) -> Array:
    """For each row of `logits`, `samples` indices of classes with probability softmax(logits).

    Infinite logits count as impossible. (TensorFlow starts again from a fixed place of the stream
    wherever it cuts a large batch between threads; these are its numbers on a single thread.)
    """
    wide = logits.astype(xp.float64)
    finite = xp.isfinite(wide)
    lowest = np.finfo(np.float64).min  # so that a row without finite logits gives no infinities
    top = xp.max(xp.where(finite, wide, lowest), axis=-1, keepdims=True)
    weights = xp.where(finite, xp.exp(xp.where(finite, wide, top) - top), 0.0)
    total = xp.cumsum(weights, axis=-1)
    wanted = uniform(xp, key, counter, (logits.shape[0], samples), np.float64) * total[:, -1:]
    return _upper_bound(xp, total, wanted).astype(dtype)


def categorical_steps(rows: int, samples: int) -> int:
    """How far one call of `Multinomial` moves its counter."""
    return rows * -(-samples // 4) * 4 * 2 * STEPS_PER_OUTPUT


def permutation(xp: Namespace, key: Array, counter: Array, size: int) -> Array:
    """The order, int32, in which `RandomShuffle` puts the `size` rows of its input."""
    if size < 2:
        return xp.arange(size, dtype=xp.int32)
    remaining = np.arange(size, 1, -1, dtype=np.uint32)
    offset = full_int(xp, key, counter, (size - 1,), np.uint32) % remaining
    partner = np.arange(size - 1, dtype=np.int32) + offset.astype(xp.int32)
    return _swapped(partner, size) if xp is np else _swapped_traced(xp, partner, size)


def shuffle_steps(size: int) -> int:
    """How far one call of `RandomShuffle` on `size` rows moves its counter."""
    return -(-max(size - 1, 0) // 4)


def index_shuffle(index: Array, seed: Array, max_index: Array, rounds: int) -> Array:
    """Where a random permutation of 0 … max_index puts `index`; arrays of integers that broadcast.

    `seed` has three integers in its last dimension. The permutation is a block cipher (Simon) that
    is applied until the number is in range.
    """
    index, max_index, *keys = np.broadcast_arrays(index, max_index, *np.moveaxis(seed, -1, 0))
    shuffled = [
        _shuffle_one(int(i), int(last), [int(word) for word in words], rounds)
        for i, last, *words in zip(*(np.ravel(x) for x in (index, max_index, *keys)))
    ]
    return np.array(shuffled, np.uint64).astype(index.dtype).reshape(index.shape)


def _upper_bound(xp: Namespace, total: Array, wanted: Array) -> Array:
    """For each row, how many elements of `total` are no greater than each of `wanted`."""
    if xp is np:
        rows = [np.searchsorted(row, value, side="right") for row, value in zip(total, wanted)]
        return np.array(rows, np.int64).reshape(wanted.shape)
    return jax.vmap(lambda row, value: xp.searchsorted(row, value, side="right"))(total, wanted)


def _swapped(partner: Array, size: int) -> Array:
    order = list(range(size))
    for i, j in enumerate(partner.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int32)


def _swapped_traced(xp: Namespace, partner: Array, size: int) -> Array:
    def swap(i: Array, order: Array) -> Array:
        # One read and one write of both places: with more, XLA copies the array at every step.
        return order.at[xp.stack((i, partner[i]))].set(order[xp.stack((partner[i], i))])

    return lax.fori_loop(0, partner.shape[0], swap, xp.arange(size, dtype=xp.int32))


def _shuffle_one(index: int, max_index: int, words: list[int], rounds: int) -> int:
    if max_index == 0:
        return 0
    width = (max(math.ceil(math.log2(max_index)), _LEAST_BITS) + 1) // 2
    keys = _round_keys(words, width, rounds)
    while True:
        index = _encrypt(index, keys, width)
        if index <= max_index:
            return index


def _round_keys(words: list[int], width: int, rounds: int) -> list[int]:
    mask = (1 << width) - 1
    keys = [word & mask for word in words]
    for i in range(rounds - 3):
        last = keys[-1]
        bit = (_CIPHER_SEQUENCE & mask) >> i & 1
        turned = _rotate(last, width - 3, width) ^ _rotate(last, width - 4, width)
        keys.append((_CIPHER_CONSTANT & mask) ^ bit ^ keys[i] ^ turned)
    return keys


def _encrypt(number: int, keys: list[int], width: int) -> int:
    mask = (1 << width) - 1
    left, right = number >> width & mask, number & mask
    for key in keys:
        left, right = right, left ^ _mix(right, width) ^ key
    return left << width | right


def _mix(x: int, width: int) -> int:
    return _rotate(x, 1, width) & _rotate(x, 8, width) ^ _rotate(x, 2, width)


def _rotate(x: int, places: int, width: int) -> int:
    return (x << places | x >> (width - places)) & ((1 << width) - 1)
