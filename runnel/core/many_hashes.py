"""The hashes of `fingerprint.py` for many strings at once.

The strings lie end to end and are sorted, the longest first, so that at each word those that still
go on are the first ones. When only a few are left, they are done one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core import fingerprint
from runnel.core.types import Array

_FEW = 8  # strings; fewer are done by Python sooner than by NumPy
_WORD = 8  # bytes
_BLOCK = 64  # bytes


class _Strings:
    """Strings end to end, sorted: where each begins, and how long it is."""

    def __init__(self, values: Sequence[bytes]) -> None:
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        data = np.frombuffer(b"".join([*values, bytes(_WORD)]), np.uint8)
        self._values = values
        self._order = np.argsort(-lengths, kind="stable")
        self.lengths = lengths[self._order]
        self.starts = (np.cumsum(lengths) - lengths)[self._order]
        self.data = data
        self.words: Any = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))  # at every byte

    def count(self, length: int) -> int:
        """How many strings have at least this length; they are the first ones."""
        return int(np.searchsorted(-self.lengths, -length, side="right"))

    def unsorted(self, hashes: Array, one: Callable[[bytes], int], few: int) -> Array:
        """The hashes in the order of the strings; the first `few` are still to be made."""
        result = np.empty_like(hashes)
        result[self._order] = hashes
        for place in self._order[:few].tolist():
            result[place] = one(self._values[place])
        return result


def fingerprints64(values: Sequence[bytes]) -> Array:
    """`fingerprint64` of each string."""
    strings = _Strings(values)
    result = np.full(len(values), fingerprint.EMPTY, np.uint64)
    last = long = strings.count(_BLOCK + 1)
    for shortest in (33, 17, 8, 4, 1):
        first, last = last, strings.count(shortest)
        if first < last:
            result[first:last] = _short(strings, slice(first, last), shortest)
    few = _long(strings, result, long) if long else 0
    return strings.unsorted(result, fingerprint.fingerprint64, few)


def _short(strings: _Strings, part: slice, shortest: int) -> Array:
    """The fingerprints of strings whose lengths belong together: one formula is for all."""
    starts, lengths = strings.starts[part], strings.lengths[part]
    sizes, ends = lengths.astype(np.uint64), starts + lengths
    if shortest >= _WORD:
        formula, places = fingerprint.form(shortest)
        words = [strings.words[(starts if p >= 0 else ends) + p] for p in places]
        return formula(sizes, *words)
    if shortest == 4:
        halves = strings.words[starts], strings.words[ends - 4]
        return fingerprint.from_4_to_7(sizes, *[half & 0xFFFFFFFF for half in halves])
    letters = [strings.data[p] for p in (starts, starts + lengths // 2, ends - 1)]
    return fingerprint.up_to_3(sizes, *[letter.astype(np.uint64) for letter in letters])


def _long(strings: _Strings, result: Array, count: int) -> int:
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


def murmurs64(values: Sequence[bytes]) -> Array:
    """`murmur64` of each string."""
    strings = _Strings(values)
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


def keyed_hashes64(values: Sequence[bytes], key: tuple[int, int]) -> Array:
    """`keyed_hash64` of each string."""
    strings = _Strings(values)
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
