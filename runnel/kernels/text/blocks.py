"""Short pieces of a text compared by NumPy: each as one block of sixteen bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runnel.core.values.types import Array

SIZE = 16  # bytes; a longer piece is not told apart from others by its block
BLOCK = np.dtype(np.complex128)  # stands for 16 bytes: NumPy moves them as one
_CHUNK = 1 << 14
SLOTS = 17  # bits of the number of a slot: a table of them stays in the processor's cache
_MASKS = np.frombuffer(  # by the number of bytes, those that count
    b"".join((b"\xff" * n).ljust(SIZE, b"\0") for n in range(SIZE + 1)), BLOCK
)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)  # they spread bits
_STEPS = np.array([0x165667B19E3779F8, 0xD6E8FEB86659FD92], np.uint64)


def chunks(count: int) -> Iterator[slice]:
    """So few pieces at a time that arrays of them stay in the cache."""
    return (slice(first, first + _CHUNK) for first in range(0, count, _CHUNK))


def every_block(text: bytes) -> Array:
    """The block that begins at each byte of a text."""
    return np.ndarray((len(text) + 1,), BLOCK, text + bytes(SIZE), strides=(1,))


def blocks_of(every: Array, starts: Array, sizes: Array) -> Array:
    """The first bytes of each piece, zeros behind its last, as rows of two numbers."""
    masks = _MASKS.take(sizes, mode="clip").view(np.uint64)
    return (every[starts].view(np.uint64) & masks).reshape(-1, 2)


def slots_of(blocks: Array, turn: int) -> Array:
    """A number of `SLOTS` bits for each block, another one in every turn."""
    first, second = _FACTORS + _STEPS * np.uint64(turn)
    mixed = blocks[:, 0] * first ^ blocks[:, 1] * second
    return (mixed >> np.uint64(64 - SLOTS)).view(np.int64)


def same_blocks(blocks: Array, others: Array, places: Array) -> Array:
    """Whether each block is the one of `others` in its place."""
    same = others.view(BLOCK).ravel().take(places).view(np.uint64) == blocks.ravel()
    return same[0::2] & same[1::2]
