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
_FEW = 16


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
    is applied until the number is in range. This is for the host, in NumPy.
    """
    key = np.moveaxis(np.asarray(seed).astype(np.uint32), -1, 0)
    index, last, *words = np.broadcast_arrays(index, max_index, *key)
    columns = [np.ravel(column).astype(np.uint64) for column in (index, last, *words)]
    if index.size < _FEW:  # in Python integers: faster for a single number
        found = [_walk(*(int(x) for x in column), rounds=rounds) for column in zip(*columns)]
    else:
        found = _walk_together(*columns, rounds=rounds)
    return np.array(found, np.uint64).astype(index.dtype).reshape(index.shape)


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


def _walk(index: int, last: int, *words: int, rounds: int) -> int:
    width = _half_width(last)
    keys = _round_keys(words, width, rounds)
    while last:
        index = _encrypt(index, keys, width)
        if index <= last:
            return index
    return 0


def _walk_together(index: Array, last: Array, *words: Array, rounds: int) -> Array:
    width = np.array([_half_width(int(x)) for x in last], np.uint64)
    keys = np.stack(_round_keys(words, width, rounds))
    index = np.where(last > 0, index, 0)
    rows = np.flatnonzero(last)
    while rows.size:
        index[rows] = _encrypt(index[rows], keys[:, rows], width[rows])
        rows = rows[index[rows] > last[rows]]
    return index


# The cipher works on Python integers and on arrays of uint64 alike.


def _half_width(last: int) -> int:
    """Half the bits of a block, in which all numbers up to `last` should fit."""
    return (max(math.ceil(math.log2(max(last, 1))), _LEAST_BITS) + 1) // 2


def _round_keys(words: tuple[Any, ...], width: Any, rounds: int) -> list[Any]:
    mask = (1 << width) - 1
    keys = [word & mask for word in words]
    for i in range(rounds - 3):
        turned = _rotate(keys[-1], width - 3, width) ^ _rotate(keys[-1], width - 4, width)
        bit = (_CIPHER_SEQUENCE & mask) >> i & 1
        keys.append((_CIPHER_CONSTANT & mask) ^ bit ^ keys[i] ^ turned)
    return keys


def _encrypt(number: Any, keys: Any, width: Any) -> Any:
    mask = (1 << width) - 1
    left, right = number >> width & mask, number & mask
    for key in keys:
        left, right = right, left ^ _mix(right, width) ^ key
    return left << width | right


def _mix(x: Any, width: Any) -> Any:
    return _rotate(x, 1, width) & _rotate(x, 8, width) ^ _rotate(x, 2, width)


def _rotate(x: Any, places: Any, width: Any) -> Any:
    return (x << places | x >> (width - places)) & ((1 << width) - 1)
