"""The hashes of `fingerprint.py` for many strings at once.

The strings lie end to end. Those of many words are sorted, the longest first, so that at each word
those that still go on are the first ones. When only a few are left, they are done one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.text import fingerprint
from runnel.kernels.text.flat_text import FlatText

_CHUNK = 16384  # strings
_BYTES_OF_INT16 = 1 << 15  # of a string whose places fit into 16 bits
_STRINGS_FOR_PYTHON = 8  # strings; fewer are done by Python sooner than by NumPy
_WORD = 8  # bytes
_BLOCK = 64  # bytes
_SHORTEST = (1, 4, 8, 17, 33, 65)  # lengths from which on fingerprints have another formula
_FORMS = np.searchsorted(_SHORTEST, np.arange(_BLOCK + 2), side="right").astype(np.int8)


def _in_chunks(hashes: Callable[..., Array]) -> Callable[..., Array]:
    """The same function, which gets so few strings at a time that arrays stay in the cache."""

    @functools.wraps(hashes)
    def of_all(strings: FlatText, *key: Any, **options: Any) -> Array:
        if len(strings) <= _CHUNK:
            return hashes(strings, *key, **options)
        firsts = range(0, len(strings), _CHUNK)
        parts = [strings.part(slice(i, i + _CHUNK)) for i in firsts]
        return np.concatenate([hashes(part, *key, **options) for part in parts])

    return of_all


class _Sorted:
    """Strings of which the longest is the first."""

    def __init__(self, strings: FlatText) -> None:
        self._strings = strings
        # small numbers are sorted without comparing them
        kind = np.int16 if strings.sizes.max(initial=0) < _BYTES_OF_INT16 else np.int64
        self._order = np.argsort(np.negative(strings.sizes.astype(kind)), kind="stable")
        self.lengths, self.starts = strings.sizes[self._order], strings.starts[self._order]
        self._fewer = -self.lengths

    def count(self, length: int) -> int:
        """How many strings have at least this length; they are the first ones."""
        return int(np.searchsorted(self._fewer, -length, side="right"))

    def at(self, places: Array) -> Array:
        """The words at some places of the text."""
        return self._strings.words(places, 1)[0]

    def unsorted(self, hashes: Array, one: Callable[[bytes], int], few: int) -> Array:
        """The hashes in the order of the strings; the first `few` are still to be made."""
        result = np.empty_like(hashes)
        result[self._order] = hashes
        for place in self._order[:few].tolist():
            result[place] = one(self._strings.one(place))
        return result


@_in_chunks
def fingerprints64(strings: FlatText) -> Array:
    """`fingerprint64` of each string."""
    forms = _FORMS[np.minimum(strings.sizes, _BLOCK + 1)]
    result = np.full(len(strings), fingerprint.EMPTY, np.uint64)
    for form in np.flatnonzero(np.bincount(forms, minlength=1)[1:]).tolist():
        places = np.flatnonzero(forms == form + 1)
        if len(places) == len(strings):
            return _alike(strings, _SHORTEST[form])
        result[places] = _alike(strings.part(places), _SHORTEST[form])
    return result


def _alike(strings: FlatText, shortest: int) -> Array:
    """The fingerprints of strings whose lengths belong together: one formula is for all."""
    starts, ends, sizes = strings.starts, strings.ends, strings.sizes.astype(np.uint64)
    if shortest > _BLOCK:
        return _long_fingerprints(strings)
    if shortest >= _WORD:
        formula, offsets = fingerprint.form(shortest)
        each = len(offsets) // 2  # half of the words are counted from the front
        front, back = strings.words(starts, each), strings.words(ends - each * _WORD, each)
        return formula(sizes, *[(front if p >= 0 else back)[p // _WORD] for p in offsets])
    if shortest == 4:
        halves = [strings.words(places, 1)[0] for places in (starts, ends - 4)]
        return fingerprint.from_4_to_7(sizes, *[half & 0xFFFFFFFF for half in halves])
    letters = [strings.data[p] for p in (starts, starts + strings.sizes // 2, ends - 1)]
    return fingerprint.up_to_3(sizes, *[letter.astype(np.uint64) for letter in letters])


def _long_fingerprints(values: FlatText) -> Array:
    strings = _Sorted(values)
    result = np.empty(len(values), np.uint64)
    few = _long(strings, result, len(values))
    return strings.unsorted(result, fingerprint.fingerprint64, few)


def _long(strings: _Sorted, result: Array, count: int) -> int:
    """Fingerprints of the strings of more than 64 bytes; how many are left to be done."""
    starts, lengths = strings.starts[:count], strings.lengths[:count]
    begun = fingerprint.begun(strings.at(starts))
    state = [np.broadcast_to(np.asarray(part, np.uint64), count).copy() for part in begun]
    few = 0
    for number in range((int(lengths[0]) - 1) // _BLOCK):
        going = strings.count((number + 1) * _BLOCK + 1)
        if going < _STRINGS_FOR_PYTHON:
            few = going
            break
        places = starts[:going] + number * _BLOCK
        parts: list[Any] = [part[:going] for part in state]
        for part, new in zip(parts, fingerprint.step(strings.at, places, *parts)):
            part[:] = new
    ends = starts + lengths - _BLOCK
    tails = (lengths.astype(np.uint64) - np.uint64(1)) & np.uint64(63)
    result[:count] = fingerprint.ended(strings.at, ends, tails, *state)
    return few


@_in_chunks
def murmurs64(values: FlatText) -> Array:
    """`murmur64` of each string."""
    strings = _Sorted(values)
    result = fingerprint.murmur_begun(strings.lengths.astype(np.uint64))
    few = 0
    for number in range(int(strings.lengths.max(initial=0)) // _WORD):
        going = strings.count((number + 1) * _WORD)
        if going < _STRINGS_FOR_PYTHON:
            few = going
            break
        words = strings.at(strings.starts[:going] + number * _WORD)
        result[:going] = fingerprint.murmur_step(result[:going], words)
    rest, some = _rests(strings), strings.lengths % _WORD > 0
    result[some] = fingerprint.murmur_rest(result[some], rest[some])
    return strings.unsorted(fingerprint.murmur_ended(result), fingerprint.murmur64, few)


@_in_chunks
def keyed_hashes64(values: FlatText, key: tuple[int, int]) -> Array:
    """`keyed_hash64` of each string."""
    strings = _Sorted(values)
    state = [np.full(len(values), part, np.uint64) for part in fingerprint.sip_begun(key)]
    final = _rests(strings) | (strings.lengths.astype(np.uint64) & np.uint64(255)) << np.uint64(56)
    few = 0
    for number in range(int(strings.lengths.max(initial=0)) // _WORD):
        going = strings.count((number + 1) * _WORD)
        if going < _STRINGS_FOR_PYTHON:
            few = going
            break
        words = strings.at(strings.starts[:going] + number * _WORD)
        fingerprint.sip_word([part[:going] for part in state], words)
    fingerprint.sip_word(state, final)
    result = fingerprint.sip_ended(state)
    return strings.unsorted(result, lambda value: fingerprint.keyed_hash64(value, key), few)


def _rests(strings: _Sorted) -> Array:
    """What is left behind the whole words of each string, as a number."""
    rest = strings.lengths % _WORD
    words = strings.at(strings.starts + strings.lengths - rest)
    keep = (np.uint64(1) << (rest * 8).astype(np.uint64)) - np.uint64(1)
    return words & keep
