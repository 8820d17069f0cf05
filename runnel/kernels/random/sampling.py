"""Random choices, as TensorFlow's CPU kernels make them: categories and permutations."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from runnel.backend.jax import jax, jnp, lax
from runnel.core.values.types import Array, Namespace
from runnel.kernels.linalg.lapack import scipy_linalg
from runnel.kernels.random import philox
from runnel.kernels.random.bits import full_int, uniform, unit
from runnel.kernels.random.philox import STEPS_PER_OUTPUT

_CIPHER_SEQUENCE = 0x7369F885192C0EF5
_CIPHER_CONSTANT = 0xFFFFFFFC
_LEAST_BITS = 16
_BLOCK = 32
_FEW_SWAPS = 1 << 10  # which Python does one after the other as fast


def categorical(
    xp: Namespace, key: Array, counter: Array, logits: Array, samples: int, dtype: Any
) -> Array:
    """For each row of `logits`, `samples` indices of classes with probability softmax(logits).

    Infinite logits count as impossible. (TensorFlow starts again from a fixed place of the stream
    wherever it cuts a large batch between threads; these are its numbers on a single thread.)
    """
    weights = _weights(xp, logits)
    shares = uniform(xp, key, counter, (logits.shape[0], samples), np.float64)
    find = _found_by_blocks if samples * _BLOCK < logits.shape[1] else _found
    return find(xp, weights, shares).astype(dtype)


def categorical_of_seeds(logits: Array, seeds: Array) -> Array:
    """What `categorical` gives for a row of logits and each pair of seeds of a stateless op."""
    total = np.cumsum(_weights(np, logits)[0])
    wanted = unit(np, philox.first_blocks(seeds), np.float64)[:, 0] * total[-1]
    return np.searchsorted(total, wanted, side="right")


def _weights(xp: Namespace, logits: Array) -> Array:
    """What each class weighs; nothing if its logit is not finite."""
    wide = logits.astype(xp.float64)
    wide = xp.where(xp.isfinite(wide), wide, -np.inf)
    top = xp.max(wide, axis=-1, keepdims=True)
    return xp.exp(wide - xp.where(top == -np.inf, 0.0, top))


def _found(xp: Namespace, weights: Array, shares: Array) -> Array:
    """In each row the class up to which the weights sum to more than a share of them all."""
    total = xp.cumsum(weights, axis=-1)
    return _upper_bound(xp, total, shares * total[:, -1:])


def _found_by_blocks(xp: Namespace, weights: Array, shares: Array) -> Array:
    """The same, first the block and then the class: for few shares of many classes.

    (Compiled, a share in each of 256 rows of 1000 takes 1 ms; `_found` takes 3.6 ms.)
    """
    rows, classes = weights.shape
    blocks = -(-classes // _BLOCK)
    weights = xp.pad(weights, [(0, 0), (0, blocks * _BLOCK - classes)])
    weights = weights.reshape(rows, blocks, _BLOCK)
    # A product: XLA would make the weights anew for a sum, and not as fast (2 ms).
    ends = xp.cumsum(xp.matmul(weights, np.ones(_BLOCK)), axis=-1)
    wanted = (shares * ends[:, -1:])[:, :, None]
    block = xp.minimum(xp.sum(ends[:, None] <= wanted, axis=-1), blocks - 1)
    before = xp.take_along_axis(xp.pad(ends, [(0, 0), (1, 0)]), block, axis=1)
    inside = xp.cumsum(weights[np.arange(rows)[:, None], block], axis=-1) + before[:, :, None]
    return xp.minimum(block * _BLOCK + xp.sum(inside <= wanted, axis=-1), classes)


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
    if xp is np:
        return _swapped(partner, size)
    return _swapped_together(partner, size).astype(xp.int32)


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
    columns = [np.ravel(column).astype(np.uint64).tolist() for column in (index, last, *words)]
    shuffled = [_walk(i, end, tuple(key), rounds) for i, end, *key in zip(*columns)]
    return np.array(shuffled, np.uint64).astype(index.dtype).reshape(index.shape)


def _upper_bound(xp: Namespace, total: Array, wanted: Array) -> Array:
    """For each row, how many elements of `total` are no greater than each of `wanted`."""
    if xp is np:
        rows = [np.searchsorted(row, value, side="right") for row, value in zip(total, wanted)]
        return np.array(rows, np.int64).reshape(wanted.shape)
    return jax.vmap(lambda row, value: xp.searchsorted(row, value, side="right"))(total, wanted)


def _swapped(partner: Array, size: int) -> Array:
    """Where places lead after each has been swapped with its partner, one after the other."""
    if size <= _FEW_SWAPS:
        order = list(range(size))
        for i, j in enumerate(partner.tolist()):
            order[i], order[j] = order[j], order[i]
        return np.array(order, np.int32)
    # To swap rows in turn is a step of solving equations: LAPACK has it, 15 times as fast.
    places = np.arange(size, dtype=np.float64)[:, None]
    swap = scipy_linalg("scipy.linalg.lapack").dlaswp
    return swap(places, partner, overwrite_a=True)[:, 0].astype(np.int32)


def _swapped_together(partner: Array, size: int) -> Array:
    """The same in a compiled program, without a loop over the swaps.

    After its swap a place is not touched again: what stays there was in the place of its partner.
    The swap before with the same partner had put there what it found in its own place; if there was
    none, the partner is still where it began. What a swap finds in its own place has come there in
    the same way, and so on.
    """
    place = jnp.arange(size, dtype=jnp.int64)
    partner = jnp.concatenate((partner.astype(jnp.int64), place[-1:]))  # the last keeps its place
    pairs = jnp.sort(partner << 32 | place)  # the swaps with the same partner together, in order
    swap, goal = pairs & 0xFFFFFFFF, pairs >> 32
    same = jnp.concatenate((jnp.zeros(1, bool), goal[1:] == goal[:-1]))
    before = jnp.where(same, jnp.roll(swap, 1), -1)
    final = jnp.concatenate((goal[1:] != goal[:-1], jnp.ones(1, bool)))
    # The last swap that put something into the place `goal` before that had its own turn.
    source = jnp.where(swap == goal, before, swap)
    found = place.at[swap].set(before, unique_indices=True)
    origin = place.at[jnp.where(final, goal, size)].set(source, mode="drop")
    there = _followed(jnp.where(origin < 0, place, origin))
    return jnp.where(found < 0, partner, there[found])


def _followed(step: Array) -> Array:
    """Where each place leads when the steps are taken until nothing changes."""

    def changes(state: tuple[Array, Array]) -> Array:
        return jnp.any(state[0] != state[1])

    return lax.while_loop(
        changes, lambda state: (state[1], state[1][state[1]]), (step, step[step])
    )[1]


def _walk(index: int, last: int, words: tuple[int, ...], rounds: int) -> int:
    if last == 0:
        return 0
    # Half the bits of a block, which TensorFlow makes large enough for all numbers below `last`.
    width = (max(math.ceil(math.log2(last)), _LEAST_BITS) + 1) // 2
    if 2 * width == _LEAST_BITS:  # a short range in a large block takes many steps
        return _walk_in_table(index, last, _table(words, rounds))
    keys = _round_keys(words, width, rounds)
    while (index := _encrypt(index, keys, width)) > last:
        pass
    return index


def _walk_in_table(index: int, last: int, table: list[int]) -> int:
    index = table[index % len(table)]
    while index > last:
        index = table[index]
    return index


@functools.lru_cache(maxsize=8)
def _table(words: tuple[int, ...], rounds: int) -> list[int]:
    """What the cipher makes of each number of the smallest block."""
    width = _LEAST_BITS // 2
    every = np.arange(1 << _LEAST_BITS)
    table: list[int] = _encrypt(every, _round_keys(words, width, rounds), width).tolist()
    return table


def _round_keys(words: tuple[int, ...], width: int, rounds: int) -> list[int]:
    mask = (1 << width) - 1
    keys = [word & mask for word in words]
    for i in range(rounds - 3):
        turned = _rotate(keys[-1], width - 3, width) ^ _rotate(keys[-1], width - 4, width)
        bit = (_CIPHER_SEQUENCE & mask) >> i & 1
        keys.append((_CIPHER_CONSTANT & mask) ^ bit ^ keys[i] ^ turned)
    return keys


def _encrypt(number: Any, keys: list[int], width: int) -> Any:
    mask = (1 << width) - 1
    left, right = number >> width & mask, number & mask
    for key in keys:
        mixed = _rotate(right, 1, width) & _rotate(right, 8, width) ^ _rotate(right, 2, width)
        left, right = right, left ^ mixed ^ key
    return left << width | right


def _rotate(x: Any, places: int, width: int) -> Any:
    return (x << places | x >> (width - places)) & ((1 << width) - 1)
