"""64-bit fingerprints of strings: FarmHash's `Fingerprint64`, which hash buckets are made with."""

from __future__ import annotations

import struct

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
    if size <= 16:
        return _up_to_16(data, size)
    if size <= 32:
        return _up_to_32(data, size)
    return _up_to_64(data, size) if size <= 64 else _longer(data, size)


def joined_fingerprint(first: int, second: int) -> int:
    """The fingerprint of two, in this order."""
    result = first ^ _MIX ^ (_shifted(second * _MIX & _BITS) * _MIX & _BITS)
    result = result * _MIX & _BITS
    return _shifted(_shifted(result) * _MIX & _BITS)


def _shifted(x: int) -> int:
    return x ^ (x >> 47)


def _turned(x: int, by: int) -> int:
    x &= _BITS
    return (x >> by) | (x << (64 - by) & _BITS)


def _mixed(u: int, v: int, factor: int) -> int:
    u, v = u & _BITS, v & _BITS
    a = _shifted((u ^ v) * factor & _BITS)
    return _shifted((v ^ a) * factor & _BITS) * factor & _BITS


def _at(data: bytes, place: int) -> int:
    value: int = _word(data, place)[0]
    return value


def _up_to_16(data: bytes, size: int) -> int:
    factor = _K2 + size * 2 & _BITS
    if size >= 8:
        a, b = _at(data, 0) + _K2, _at(data, size - 8)
        c = _turned(b, 37) * factor + a
        d = (_turned(a, 25) + b) * factor
        return _mixed(c, d, factor)
    if size >= 4:
        first, last = _half(data, 0)[0], _half(data, size - 4)[0]
        return _mixed(size + (first << 3), last, factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _shifted((y * _K2 ^ z * _K0) & _BITS) * _K2 & _BITS
    return _K2


def _up_to_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2 & _BITS
    a, b = _at(data, 0) * _K1, _at(data, 8)
    c, d = _at(data, size - 8) * factor, _at(data, size - 16) * _K2
    u = _turned(a + b, 43) + _turned(c, 30) + d
    return _mixed(u, a + _turned(b + _K2, 18) + c, factor)


def _up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2 & _BITS
    a, b = _at(data, 0) * _K2, _at(data, 8)
    c, d = _at(data, size - 8) * factor, _at(data, size - 16) * _K2
    y = _turned(a + b, 43) + _turned(c, 30) + d
    z = _mixed(y, a + _turned(b + _K2, 18) + c, factor)
    e, f = _at(data, 16) * factor, _at(data, 24)
    g = (y + _at(data, size - 32)) * factor
    h = (z + _at(data, size - 24)) * factor
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
    return _mixed(u, _mixed(v[1], w[1], factor) + x, factor)


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
