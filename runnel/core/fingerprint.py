"""64-bit fingerprints of strings: FarmHash's `Fingerprint64`, which hash buckets are made with."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.types import Array

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_MIX = 0xC6A4A7935BD1E995
_BITS = 0xFFFFFFFFFFFFFFFF

_word = struct.Struct("<Q").unpack_from
_half = struct.Struct("<I").unpack_from


def fingerprint64(data: bytes) -> int:
    """The fingerprint of a string, from 0 to 2**64 - 1.

    >>> from runnel.core.fingerprint import fingerprint64
    >>> hex(fingerprint64(b""))
    '0x9ae16a3b2f90404f'
    """
    size = len(data)
    if size > 64:
        return _longer(data, size)
    if size >= 8:
        formula, places = _form(size)
        return formula(size, *[_at(data, place % size) for place in places])  # type: ignore[no-any-return]
    if size >= 4:
        return _from_4_to_7(size, _half(data, 0)[0], _half(data, size - 4)[0])  # type: ignore[no-any-return]
    return _up_to_3(size, data[0], data[size >> 1], data[-1]) if size else _K2


def fingerprints64(values: Sequence[bytes]) -> Array:
    """The fingerprints of many strings, those of up to 64 bytes all at once."""
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    starts = np.cumsum(lengths) - lengths
    data = np.frombuffer(b"".join([*values, bytes(8)]), np.uint8)
    words: Any = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))  # at every byte
    result = np.full(len(values), _K2, np.uint64)
    for first, last in ((1, 3), (4, 7), (8, 16), (17, 32), (33, 64)):
        chosen = np.flatnonzero((lengths >= first) & (lengths <= last))
        if len(chosen):
            result[chosen] = _of_length(first, words, data, starts[chosen], lengths[chosen])
    for place in np.flatnonzero(lengths > 64).tolist():
        result[place] = fingerprint64(values[place])
    return result


def _of_length(first: int, words: Array, data: Array, starts: Array, lengths: Array) -> Array:
    """The fingerprints of strings whose lengths belong together: one formula is for all."""
    size, ends = lengths.astype(np.uint64), starts + lengths
    if first >= 8:
        formula, places = _form(first)
        return formula(size, *[words[(starts if p >= 0 else ends) + p] for p in places])
    if first == 4:
        halves = words[starts], words[ends - 4]
        return _from_4_to_7(size, *[half & 0xFFFFFFFF for half in halves])
    letters = [data[p].astype(np.uint64) for p in (starts, starts + lengths // 2, ends - 1)]
    return _up_to_3(size, *letters)


def _form(size: int) -> tuple[Callable[..., Any], tuple[int, ...]]:
    """For a size from 8 to 64: the formula, and the words it takes, from the front or the back."""
    if size <= 16:
        return _from_8_to_16, (0, -8)
    if size <= 32:
        return _from_17_to_32, (0, 8, -8, -16)
    return _from_33_to_64, (0, 8, -8, -16, 16, 24, -32, -24)


def joined_fingerprint(first: int, second: int) -> int:
    """The fingerprint of two, in this order."""
    result = first ^ _MIX ^ (_shifted(second * _MIX & _BITS) * _MIX & _BITS)
    result = result * _MIX & _BITS
    return _shifted(_shifted(result) * _MIX & _BITS)  # type: ignore[no-any-return]


def _shifted(x: Any) -> Any:
    return x ^ (x >> 47)


def _turned(x: Any, by: int) -> Any:
    x = x & _BITS
    return (x >> by) | (x << (64 - by) & _BITS)


def _mixed(u: Any, v: Any, factor: Any) -> Any:
    u, v = u & _BITS, v & _BITS
    a = _shifted((u ^ v) * factor & _BITS)
    return _shifted((v ^ a) * factor & _BITS) * factor & _BITS


def _at(data: bytes, place: int) -> int:
    value: int = _word(data, place)[0]
    return value


# The formulas are for Python's integers as for arrays of uint64.


def _up_to_3(size: Any, first: Any, middle: Any, last: Any) -> Any:
    y = first + (middle << 8)
    z = size + (last << 2)
    return _shifted((y * _K2 ^ z * _K0) & _BITS) * _K2 & _BITS


def _from_4_to_7(size: Any, first: Any, last: Any) -> Any:
    return _mixed(size + (first << 3), last, _K2 + size * 2 & _BITS)


def _from_8_to_16(size: Any, first: Any, last: Any) -> Any:
    factor = _K2 + size * 2 & _BITS
    a = first + _K2
    c = _turned(last, 37) * factor + a
    d = (_turned(a, 25) + last) * factor
    return _mixed(c, d, factor)


def _from_17_to_32(size: Any, first: Any, second: Any, last: Any, before: Any) -> Any:
    factor = _K2 + size * 2 & _BITS
    a, b = first * _K1, second
    c, d = last * factor, before * _K2
    u = _turned(a + b, 43) + _turned(c, 30) + d
    return _mixed(u, a + _turned(b + _K2, 18) + c, factor)


def _from_33_to_64(
    size: Any, w0: Any, w1: Any, last: Any, before: Any, w2: Any, w3: Any, v0: Any, v1: Any
) -> Any:
    factor = _K2 + size * 2 & _BITS
    a, b = w0 * _K2, w1
    c, d = last * factor, before * _K2
    y = _turned(a + b, 43) + _turned(c, 30) + d
    z = _mixed(y, a + _turned(b + _K2, 18) + c, factor)
    e, f = w2 * factor, w3
    g = (y + v0) * factor
    h = (z + v1) * factor
    u = _turned(e + f, 43) + _turned(g, 30) + h
    return _mixed(u, e + _turned(f + a, 18) + g, factor)


def _pair(data: bytes, place: int, a: int, b: int) -> tuple[int, int]:
    """Two words out of 32 bytes and two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", data, place)
    a += w
    b = _turned(b + a + z, 21)
    c = a
    a += x + y
    b += _turned(a, 44)
    return a + z & _BITS, b + c & _BITS


def _longer(data: bytes, size: int) -> int:
    x, y = 81, 81 * _K1 + 113 & _BITS
    z = _shifted(y * _K2 + 113 & _BITS) * _K2 & _BITS
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _at(data, 0)
    end = (size - 1) // 64 * 64
    for place in range(0, end, 64):
        x, y, z, v, w = _step(data, place, x, y, z, v, w, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    tail = size - 1 & 63
    w = (w[0] + tail, w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x, y, z, v, w = _step(data, end + tail - 63, x, y, z, v, w, factor, 9)
    u = _mixed(v[0], w[0], factor) + _shifted(y) * _K0 + z
    return _mixed(u, _mixed(v[1], w[1], factor) + x, factor)  # type: ignore[no-any-return]


def _step(
    data: bytes,
    place: int,
    x: int,
    y: int,
    z: int,
    v: tuple[int, int],
    w: tuple[int, int],
    factor: int,
    weight: int,
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """64 more bytes."""
    x = _turned(x + y + v[0] + _at(data, place + 8), 37) * factor
    y = _turned(y + v[1] + _at(data, place + 48), 42) * factor
    x = (x ^ w[1] * weight) & _BITS
    y = y + v[0] * weight + _at(data, place + 40) & _BITS
    z = _turned(z + w[0], 33) * factor & _BITS
    v = _pair(data, place, v[1] * factor, x + w[0])
    w = _pair(data, place + 32, z + w[1], y + _at(data, place + 16))
    return z, y, x, v, w


def keyed_hash64(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4: a hash that nobody can foresee who does not know the key.

    >>> from runnel.core.fingerprint import keyed_hash64
    >>> hex(keyed_hash64(bytes(range(15)), (0x0706050403020100, 0x0F0E0D0C0B0A0908)))
    '0xa129ca6149be45e5'
    """
    low, high = (part & _BITS for part in key)
    v = [
        low ^ 0x736F6D6570736575,
        high ^ 0x646F72616E646F6D,
        low ^ 0x6C7967656E657261,
        high ^ 0x7465646279746573,
    ]
    whole = len(data) // 8 * 8
    words = [_at(data, place) for place in range(0, whole, 8)]
    rest = data[whole:].ljust(7, b"\0") + bytes([len(data) & 0xFF])
    for word in (*words, _at(rest, 0)):
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        v[0] = v[0] + v[1] & _BITS
        v[1] = _left(v[1], 13) ^ v[0]
        v[0] = _left(v[0], 32)
        v[2] = v[2] + v[3] & _BITS
        v[3] = _left(v[3], 16) ^ v[2]
        v[0] = v[0] + v[3] & _BITS
        v[3] = _left(v[3], 21) ^ v[0]
        v[2] = v[2] + v[1] & _BITS
        v[1] = _left(v[1], 17) ^ v[2]
        v[2] = _left(v[2], 32)


def _left(x: int, by: int) -> int:
    return (x << by & _BITS) | (x >> (64 - by))


def murmur64(data: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A: the hash of TensorFlow's oldest buckets.

    >>> from runnel.core.fingerprint import murmur64
    >>> murmur64(b"Hello") % 3
    2
    """
    whole = len(data) // 8 * 8
    result = seed ^ (len(data) * _MIX & _BITS)
    for place in range(0, whole, 8):
        word = _shifted(_at(data, place) * _MIX & _BITS) * _MIX & _BITS
        result = (result ^ word) * _MIX & _BITS
    if len(data) > whole:
        rest = int.from_bytes(data[whole:], "little")
        result = (result ^ rest) * _MIX & _BITS
    return _shifted(_shifted(result) * _MIX & _BITS)  # type: ignore[no-any-return]
