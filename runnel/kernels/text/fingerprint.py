"""64-bit fingerprints of strings: FarmHash's `Fingerprint64`, which hash buckets are made with."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = EMPTY = 0x9AE16A3B2F90404F  # also the fingerprint of nothing
_MIX = 0xC6A4A7935BD1E995
_SEED = 0xDECAFCAFFE
_BITS = 0xFFFFFFFFFFFFFFFF
_SIP_STEPS = ((0, 1, 13, 32), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 32))

_word = struct.Struct("<Q").unpack_from
_half = struct.Struct("<I").unpack_from


def fingerprint64(data: bytes) -> int:
    """The fingerprint of a string, from 0 to 2**64 - 1.

    >>> from runnel.kernels.text.fingerprint import fingerprint64
    >>> hex(fingerprint64(b""))
    '0x9ae16a3b2f90404f'
    """
    size = len(data)
    if size > 64:
        return _longer(data, size)
    if size >= 8:
        formula, places = form(size)
        return formula(size, *[_at(data, place % size) for place in places])  # type: ignore[no-any-return]
    if size >= 4:
        return from_4_to_7(size, _half(data, 0)[0], _half(data, size - 4)[0])  # type: ignore[no-any-return]
    return up_to_3(size, data[0], data[size >> 1], data[-1]) if size else _K2


def form(size: int) -> tuple[Callable[..., Any], tuple[int, ...]]:
    """For a size from 8 to 64: the formula, and the words it takes, from the front or the back."""
    if size <= 16:
        return _from_8_to_16, (0, -8)
    if size <= 32:
        return _from_17_to_32, (0, 8, -8, -16)
    return _from_33_to_64, (0, 8, -8, -16, 16, 24, -32, -24)


def joined_fingerprint(first: int, second: int) -> int:
    """The fingerprint of two, in this order."""
    result = first ^ _MIX ^ _cut(_shifted(_cut(second * _MIX)) * _MIX)
    return _shifted(_cut(_shifted(_cut(result * _MIX)) * _MIX))  # type: ignore[no-any-return]


def _cut(x: Any) -> Any:
    """The lowest 64 bits of a Python integer; an element of an array has no others."""
    return x & _BITS if type(x) is int else x


def _shifted(x: Any) -> Any:
    return x ^ (x >> 47)


def _turned(x: Any, by: int) -> Any:
    x = _cut(x)
    return (x >> by) | _cut(x << (64 - by))


def _mixed(u: Any, v: Any, factor: Any) -> Any:
    u, v = _cut(u), _cut(v)
    a = _shifted(_cut((u ^ v) * factor))
    return _cut(_shifted(_cut((v ^ a) * factor)) * factor)


def _at(data: bytes, place: int) -> int:
    value: int = _word(data, place)[0]
    return value


# The formulas are for Python's integers as for arrays of uint64.


def up_to_3(size: Any, first: Any, middle: Any, last: Any) -> Any:
    y = first + (middle << 8)
    z = size + (last << 2)
    return _cut(_shifted(_cut(y * _K2 ^ z * _K0)) * _K2)


def from_4_to_7(size: Any, first: Any, last: Any) -> Any:
    return _mixed(size + (first << 3), last, _cut(_K2 + size * 2))


def _from_8_to_16(size: Any, first: Any, last: Any) -> Any:
    factor = _cut(_K2 + size * 2)
    a = first + _K2
    c = _turned(last, 37) * factor + a
    d = (_turned(a, 25) + last) * factor
    return _mixed(c, d, factor)


def _from_17_to_32(size: Any, first: Any, second: Any, last: Any, before: Any) -> Any:
    factor = _cut(_K2 + size * 2)
    a, b = first * _K1, second
    c, d = last * factor, before * _K2
    u = _turned(a + b, 43) + _turned(c, 30) + d
    return _mixed(u, a + _turned(b + _K2, 18) + c, factor)


def _from_33_to_64(
    size: Any, w0: Any, w1: Any, last: Any, before: Any, w2: Any, w3: Any, v0: Any, v1: Any
) -> Any:
    factor = _cut(_K2 + size * 2)
    a, b = w0 * _K2, w1
    c, d = last * factor, before * _K2
    y = _turned(a + b, 43) + _turned(c, 30) + d
    z = _mixed(y, a + _turned(b + _K2, 18) + c, factor)
    e, f = w2 * factor, w3
    g = (y + v0) * factor
    h = (z + v1) * factor
    u = _turned(e + f, 43) + _turned(g, 30) + h
    return _mixed(u, e + _turned(f + a, 18) + g, factor)


def _longer(data: bytes, size: int) -> int:
    state = begun(_at(data, 0))
    for place in range(0, (size - 1) // 64 * 64, 64):
        state = step(functools.partial(_at, data), place, *state)
    return ended(functools.partial(_at, data), size - 64, size - 1 & 63, *state)  # type: ignore[no-any-return]


# The state of a longer string is x, y, z and two pairs of words, v and w.


def begun(first: Any) -> tuple[Any, ...]:
    """The state before a string that begins with this word."""
    y = 81 * _K1 + 113 & _BITS
    z = _shifted(y * _K2 + 113 & _BITS) * _K2 & _BITS
    return first + (81 * _K2 & _BITS) & _BITS, y, z, 0, 0, 0, 0


def step(
    at: Callable[[Any], Any],
    place: Any,
    x: Any,
    y: Any,
    z: Any,
    v0: Any,
    v1: Any,
    w0: Any,
    w1: Any,
    factor: Any = _K1,
    weight: int = 1,
) -> tuple[Any, ...]:
    """The state after 64 more bytes, whose words `at` gives from `place` on."""
    x = _turned(x + y + v0 + at(place + 8), 37) * factor
    y = _turned(y + v1 + at(place + 48), 42) * factor
    x = _cut(x ^ w1 * weight)
    y = _cut(y + v0 * weight + at(place + 40))
    z = _cut(_turned(z + w0, 33) * factor)
    v = _pair(at, place, v1 * factor, x + w0)
    w = _pair(at, place + 32, z + w1, y + at(place + 16))
    return z, y, x, *v, *w


def ended(
    at: Callable[[Any], Any],
    place: Any,
    tail: Any,
    x: Any,
    y: Any,
    z: Any,
    v0: Any,
    v1: Any,
    w0: Any,
    w1: Any,
) -> Any:
    """The fingerprint: the last 64 bytes, from `place` on, and `tail`, how many of them are new."""
    factor = _K1 + ((z & 0xFF) << 1)
    w0 = w0 + tail
    v0 = v0 + w0
    w0 = w0 + v0
    x, y, z, v0, v1, w0, w1 = step(at, place, x, y, z, v0, v1, w0, w1, factor, 9)
    u = _mixed(v0, w0, factor) + _shifted(y) * _K0 + z
    return _mixed(u, _mixed(v1, w1, factor) + x, factor)


def _pair(at: Callable[[Any], Any], place: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Two words out of 32 bytes and two seeds."""
    a = a + at(place)
    b = _turned(b + a + at(place + 24), 21)
    c = a
    a = a + at(place + 8) + at(place + 16)
    b = b + _turned(a, 44)
    return _cut(a + at(place + 24)), _cut(b + c)


def keyed_hash64(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4: a hash that nobody can foresee who does not know the key.

    >>> from runnel.kernels.text.fingerprint import keyed_hash64
    >>> hex(keyed_hash64(bytes(range(15)), (0x0706050403020100, 0x0F0E0D0C0B0A0908)))
    '0xa129ca6149be45e5'
    """
    v = sip_begun(key)
    whole = len(data) // 8 * 8
    for place in range(0, whole, 8):
        sip_word(v, _at(data, place))
    sip_word(v, _at(data[whole:].ljust(7, b"\0") + bytes([len(data) & 0xFF]), 0))
    return sip_ended(v)  # type: ignore[no-any-return]


def sip_begun(key: tuple[int, int]) -> list[Any]:
    """The state before a string."""
    low, high = (part & _BITS for part in key)
    return [
        low ^ 0x736F6D6570736575,
        high ^ 0x646F72616E646F6D,
        low ^ 0x6C7967656E657261,
        high ^ 0x7465646279746573,
    ]


def sip_word(v: list[Any], word: Any) -> None:
    """Change the state by a word; parts that are arrays are changed themselves."""
    v[3] ^= word
    _sip_rounds(v, 2)
    v[0] ^= word


def sip_ended(v: list[Any]) -> Any:
    v[2] ^= 0xFF
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_rounds(v: list[Any], count: int) -> None:
    for _ in range(count):
        for a, b, by, after in _SIP_STEPS:
            v[a] += v[b]
            v[a] = _cut(v[a])
            _turn_left(v, b, by)
            v[b] ^= v[a]
            if after:
                _turn_left(v, a, after)


def _turn_left(v: list[Any], place: int, by: int) -> None:
    x = v[place]
    high = x >> (64 - by)
    x <<= by
    x |= high
    v[place] = _cut(x)


def murmur64(data: bytes, seed: int = _SEED) -> int:
    """MurmurHash64A: the hash of TensorFlow's oldest buckets.

    >>> from runnel.kernels.text.fingerprint import murmur64
    >>> murmur64(b"Hello") % 3
    2
    """
    whole = len(data) // 8 * 8
    result = murmur_begun(len(data), seed)
    for place in range(0, whole, 8):
        result = murmur_step(result, _at(data, place))
    if len(data) > whole:
        result = murmur_rest(result, int.from_bytes(data[whole:], "little"))
    return murmur_ended(result)  # type: ignore[no-any-return]


def murmur_begun(size: Any, seed: int = _SEED) -> Any:
    return seed ^ _cut(size * _MIX)


def murmur_step(result: Any, word: Any) -> Any:
    """The state after another word."""
    return murmur_rest(result, _cut(_shifted(_cut(word * _MIX)) * _MIX))


def murmur_rest(result: Any, rest: Any) -> Any:
    return _cut((result ^ rest) * _MIX)


def murmur_ended(result: Any) -> Any:
    return _shifted(_cut(_shifted(result) * _MIX))
