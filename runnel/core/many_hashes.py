"""The hashes of `fingerprint.py` for many strings at once.

The strings lie end to end. Those of many words are sorted, the longest first, so that at each word
those that still go on are the first ones. When only a few are left, they are done one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core import fingerprint
from runnel.core.types import Array

_CHUNK = 16384  # strings
_MOST = 1 << 15
_FEW = 8  # strings; fewer are done by Python sooner than by NumPy
_WORD = 8  # bytes
_BLOCK = 64  # bytes
_SHORTEST = np.array(
    [1, 4, 8, 17, 33, 65]
)  # lengths from which on fingerprints have another formula


def _in_chunks(hashes: Callable[..., Array]) -> Callable[..., Array]:
    """The same function, which gets so few strings at a time that arrays stay in the cache."""

    @functools.wraps(hashes)
    def of_all(values: Sequence[bytes], *key: Any, **options: Any) -> Array:
        if len(values) <= _CHUNK:
            return hashes(values, *key, **options)
        firsts = range(0, len(values), _CHUNK)
        chunks = [hashes(values[i : i + _CHUNK], *key, **options) for i in firsts]
        return np.concatenate(chunks)

    return of_all


class _Strings:
    """Strings end to end: where each begins, and how long it is."""

    def __init__(self, values: Sequence[bytes]) -> None:
        self.values = values
        self.data = np.frombuffer(b"\0".join([*values, bytes(_WORD)]), np.uint8)
        ends = np.flatnonzero(self.data[:-_WORD] == 0)
        if len(ends) > len(values):  # they have zero bytes themselves
            ends = np.cumsum(np.fromiter(map(len, values), np.int64, len(values)) + 1) - 1
        self.starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])[: len(values)]
        self.lengths = ends - self.starts if len(values) else self.starts
        size = len(self.data) - _WORD + 1
        self.words: Any = np.ndarray((size,), "<u8", self.data, strides=(1,))  # at every byte


class _Sorted(_Strings):
    """Strings of which the longest is the first."""

    def __init__(self, values: Sequence[bytes]) -> None:
        super().__init__(values)
        kind = (
            np.int16 if self.lengths.max(initial=0) < _MOST else np.int64
        )  # small numbers are sorted without comparing them
        fewer = np.negative(self.lengths.astype(kind))
        self._order = np.argsort(fewer, kind="stable")
        self.lengths, self.starts = self.lengths[self._order], self.starts[self._order]

    def count(self, length: int) -> int:
        """How many strings have at least this length; they are the first ones."""
        return int(np.searchsorted(-self.lengths, -length, side="right"))

    def unsorted(self, hashes: Array, one: Callable[[bytes], int], few: int) -> Array:
        """The hashes in the order of the strings; the first `few` are still to be made."""
        result = np.empty_like(hashes)
        result[self._order] = hashes
        for place in self._order[:few].tolist():
            result[place] = one(self.values[place])
        return result


@_in_chunks
def fingerprints64(values: Sequence[bytes]) -> Array:
    """`fingerprint64` of each string."""
    strings = _Strings(values)
    result = np.full(len(values), fingerprint.EMPTY, np.uint64)
    limits = np.searchsorted(_SHORTEST, strings.lengths, side="right")
    for number, shortest in enumerate(_SHORTEST.tolist(), 1):
        places = np.flatnonzero(limits == number)
        if not len(places):
            continue
        if shortest > _BLOCK:
            result[places] = _long_fingerprints([values[place] for place in places.tolist()])
        else:
            result[places] = _short(strings, places, shortest)
    return result


def _short(strings: _Strings, places: Array, shortest: int) -> Array:
    """The fingerprints of strings whose lengths belong together: one formula is for all."""
    starts, lengths = strings.starts[places], strings.lengths[places]
    sizes, ends = lengths.astype(np.uint64), starts + lengths
    if shortest >= _WORD:
        formula, offsets = fingerprint.form(shortest)
        words = [strings.words[(starts if p >= 0 else ends) + p] for p in offsets]
        return formula(sizes, *words)
    if shortest == 4:
        halves = strings.words[starts], strings.words[ends - 4]
        return fingerprint.from_4_to_7(sizes, *[half & 0xFFFFFFFF for half in halves])
    letters = [strings.data[p] for p in (starts, starts + lengths // 2, ends - 1)]
    return fingerprint.up_to_3(sizes, *[letter.astype(np.uint64) for letter in letters])


def _long_fingerprints(values: Sequence[bytes]) -> Array:
    strings = _Sorted(values)
    result = np.empty(len(values), np.uint64)
    few = _long(strings, result, len(values))
    return strings.unsorted(result, fingerprint.fingerprint64, few)


def _long(strings: _Sorted, result: Array, count: int) -> int:
    """Fingerprints of the strings of more than 64 bytes; how many are left to be done."""
    starts, lengths = strings.starts[:count], strings.lengths[:count]
    begun = fingerprint.begun(strings.words[starts])
    state = [np.broadcast_to(np.asarray(part, np.uint64), count).copy() for part in begun]
    few = 0
    for number in range((int(lengths[0]) - 1) // _BLOCK):
        going = strings.count((number + 1) * _BLOCK + 1)
        if going < _FEW:
            few = going
            break
        places = starts[:going] + number * _BLOCK
        parts: list[Any] = [part[:going] for part in state]
        for part, new in zip(parts, fingerprint.step(strings.words.__getitem__, places, *parts)):
            part[:] = new
    ends = starts + lengths - _BLOCK
    tails = (lengths.astype(np.uint64) - np.uint64(1)) & np.uint64(63)
    result[:count] = fingerprint.ended(strings.words.__getitem__, ends, tails, *state)
    return few


@_in_chunks
def murmurs64(values: Sequence[bytes]) -> Array:
    """`murmur64` of each string."""
    strings = _Sorted(values)
    result = fingerprint.murmur_begun(strings.lengths.astype(np.uint64))
    few = 0
    for number in range(int(strings.lengths.max(initial=0)) // _WORD):
        going = strings.count((number + 1) * _WORD)
        if going < _FEW:
            few = going
            break
        words = strings.words[strings.starts[:going] + number * _WORD]
        result[:going] = fingerprint.murmur_step(result[:going], words)
    rest, some = _rests(strings), strings.lengths % _WORD > 0
    result[some] = fingerprint.murmur_rest(result[some], rest[some])
    return strings.unsorted(fingerprint.murmur_ended(result), fingerprint.murmur64, few)


@_in_chunks
def keyed_hashes64(values: Sequence[bytes], key: tuple[int, int]) -> Array:
    """`keyed_hash64` of each string."""
    strings = _Sorted(values)
    state = [np.full(len(values), part, np.uint64) for part in fingerprint.sip_begun(key)]
    final = _rests(strings) | (strings.lengths.astype(np.uint64) & np.uint64(255)) << np.uint64(56)
    few = 0
    for number in range(int(strings.lengths.max(initial=0)) // _WORD):
        going = strings.count((number + 1) * _WORD)
        if going < _FEW:
            few = going
            break
        _sip_word(state, strings.words[strings.starts[:going] + number * _WORD], going)
    _sip_word(state, final, len(values))
    result = fingerprint.sip_ended(state)
    return strings.unsorted(result, lambda value: fingerprint.keyed_hash64(value, key), few)


def _sip_word(state: list[Array], words: Array, count: int) -> None:
    parts = [part[:count] for part in state]
    new = list(parts)
    fingerprint.sip_word(new, words)
    for part, value in zip(parts, new):
        part[:] = value


def _rests(strings: _Strings) -> Array:
    """What is left behind the whole words of each string, as a number."""
    rest = strings.lengths % _WORD
    words = strings.words[strings.starts + strings.lengths - rest]
    keep = (np.uint64(1) << (rest * 8).astype(np.uint64)) - np.uint64(1)
    return words & keep
