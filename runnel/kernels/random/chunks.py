"""Many random numbers, a chunk at a time, so that what lies between stays in the cache.

A program of XLA makes a chunk of any stream, whatever the size of the whole: there is one for each
kind of numbers, compiled when NumPy has made so many that more are likely to come. It makes the
same numbers to the last bit; where it cannot be sure of that, NumPy makes the chunk.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.backend import forks
from runnel.backend import jax as xla
from runnel.core.values.types import Array, Namespace
from runnel.kernels.random import philox

CHUNK = 1 << 16  # blocks
_PIECE = 1 << 14  # blocks that NumPy, or a loop of a program, makes at a time
_WORTH_COMPILING = 4  # chunks, which take NumPy a tenth of the time of a compilation
Stream = tuple[Array, Array]  # key and counter


class Kind(NamedTuple):
    """How blocks become numbers."""

    make: Callable[..., Array]
    """Of a namespace, blocks, a dtype and what else it needs: a row of numbers for each block."""
    columns: Callable[..., tuple[list[Array], Any]]
    """Of `philox.columns`, the dtype and the rest, in a compiled program: as many columns, and
    whether NumPy might make other numbers."""
    doubtful: frozenset[np.dtype[Any]] = frozenset()
    """The dtypes of which the two always differ."""


def filled(
    xp: Namespace, kind: Kind, stream: Stream, count: int, dtype: Any, *given: Array
) -> Array:
    """The numbers that the first `count` blocks of a stream become."""
    if count <= _PIECE:
        return kind.make(xp, philox.successive(xp, *stream, 0, count), dtype, *given)
    if xp is not np:
        return _traced(kind, stream, (np.uint64(0), np.uint64(1), count), dtype, *given)[0]
    chunk = chunks(kind, np.dtype(dtype))
    return np.concatenate([chunk(stream, at, n, 1, *given) for at, n in spans(count, CHUNK)])


def spans(count: int, most: int) -> list[tuple[int, int]]:
    """Where the parts of `count` elements begin, and how many are in each, `most` or fewer."""
    return [(at, min(count - at, most)) for at in range(0, count, most)]


@functools.cache
def chunks(kind: Kind, dtype: np.dtype[Any]) -> Chunks:
    """What makes numbers of a kind and a dtype."""
    return Chunks(kind, dtype)


class Chunks:
    """Makes NumPy arrays of numbers of one kind."""

    def __init__(self, kind: Kind, dtype: np.dtype[Any]) -> None:
        self._kind, self._dtype = kind, dtype
        self._made = itertools.count()

    def __call__(self, stream: Stream, start: int, count: int, step: int, *given: Array) -> Array:
        """The numbers of `count` blocks, `step` places apart, no more than a chunk of them."""
        fit = count > CHUNK // 2 and self._dtype not in self._kind.doubtful
        if fit and not forks.forked and next(self._made) >= _WORTH_COMPILING:
            numbers, doubtful = self._program(stream, np.uint64(start), np.uint64(step), *given)
            if not doubtful:
                return np.asarray(numbers)[:count]
        parts = [
            self._by_numpy(stream, start + at * step, n, step, *given)
            for at, n in spans(count, _PIECE)
        ]
        return np.concatenate(parts)

    def _by_numpy(self, stream: Stream, start: int, count: int, step: int, *given: Array) -> Array:
        index = np.uint64(start) + np.arange(count, dtype=np.uint64) * np.uint64(step)
        return self._kind.make(np, philox.blocks(np, *stream, index), self._dtype, *given)

    @functools.cached_property
    def _program(self) -> Any:
        def program(stream: Stream, start: Array, step: Array, *given: Array) -> Any:
            return _traced(self._kind, stream, (start, step, CHUNK), self._dtype, *given)

        return xla.compile(program)


def _traced(
    kind: Kind, stream: Stream, place: tuple[Array, Array, int], dtype: Any, *given: Array
) -> tuple[Array, Array]:
    size = 8 if np.dtype(dtype).itemsize == 8 else 4
    columns, doubtful = kind.columns(columns_at(stream, *place, size), dtype, *given)
    return xla.jnp.stack(columns, -1), doubtful


def columns_at(stream: Stream, start: Array, step: Array, count: int, size: int) -> list[Array]:
    """`philox.columns` of blocks `step` places apart; of many, in a loop over parts of them."""
    xp, each = xla.jnp, min(count, _PIECE)

    def part(at: Array) -> list[Array]:
        index = start + (at + xp.arange(each, dtype=xp.uint64)) * step
        return philox.columns(xp, *stream, index, size)

    if count <= _PIECE:
        return part(np.uint64(0))
    parts = xla.lax.map(part, np.arange(0, count, each, dtype=np.uint64))
    return [column.reshape(-1)[:count] for column in parts]
