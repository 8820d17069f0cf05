"""Snappy: the compression of some of TensorFlow's files, block by block.

A block is the size of its contents, then pieces: bytes as they are, or a copy of earlier ones. In a
file each block stands behind its size, four bytes with the highest first.
"""

from __future__ import annotations

from collections.abc import Iterator

_FRAGMENT = 1 << 16  # bytes that copies can reach back to
_LONGEST = 64  # bytes of one copy
_SHORTEST = 4
_MOST_BYTES = 1 << 31  # bytes that a block may hold


def compress(data: bytes) -> bytes:
    """One block."""
    parts = [_varint(len(data))]
    for start in range(0, len(data), _FRAGMENT):
        parts += _pieces(data[start : start + _FRAGMENT])
    return b"".join(parts)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _pieces(data: bytes) -> Iterator[bytes]:
    """The pieces of a fragment. The longer nothing is found, the fewer places are looked at."""
    seen: dict[bytes, int] = {}
    place = start = 0  # bytes from `start` on have no piece yet
    misses = 32
    last = len(data) - _SHORTEST
    while place <= last:
        key = data[place : place + _SHORTEST]
        earlier = seen.get(key)
        seen[key] = place
        if earlier is None:
            place += misses >> 5
            misses += 1
            continue
        if start < place:
            yield _literal(data[start:place])
        size = _SHORTEST + _alike(data, earlier + _SHORTEST, place + _SHORTEST)
        for done in range(0, size, _LONGEST):
            length = min(_LONGEST, size - done)
            yield bytes([(length - 1) << 2 | 2]) + (place - earlier).to_bytes(2, "little")
        place = start = place + size
        misses = 32
    if start < len(data):
        yield _literal(data[start:])


def _alike(data: bytes, a: int, b: int) -> int:
    """How many bytes at two places are the same; `b` is the later."""
    begin, end = b, len(data)
    while b + 32 <= end and data[a : a + 32] == data[b : b + 32]:
        a, b = a + 32, b + 32
    while b < end and data[a] == data[b]:
        a, b = a + 1, b + 1
    return b - begin


def _literal(data: bytes) -> bytes:
    size = len(data) - 1
    if size < 60:
        return bytes([size << 2]) + data
    width = (size.bit_length() + 7) // 8
    return bytes([(59 + width) << 2]) + size.to_bytes(width, "little") + data


def decompress(block: bytes) -> bytes:
    """The contents of a block; ValueError if it is damaged."""
    try:
        return _contents(block)
    except IndexError:
        raise ValueError("it ends too early") from None


def _contents(block: bytes) -> bytes:
    size = shift = place = 0
    while True:
        byte = block[place]
        size |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            break
        if shift > 35:
            raise ValueError("its size makes no sense")
    if size > _MOST_BYTES:
        raise ValueError(f"{size} bytes are too many for one block")
    made = bytearray()
    while place < len(block):
        if block[place] & 3 == 0:
            place = _add_literal(made, block, place)
        else:
            place = _add_copy(made, block, place)
        if len(made) > size:
            break
    if len(made) != size:
        raise ValueError(f"it holds {len(made)} bytes in place of {size}")
    return bytes(made)


def _add_literal(made: bytearray, block: bytes, place: int) -> int:
    size = block[place] >> 2
    place += 1
    if size >= 60:
        width = size - 59
        size = int.from_bytes(block[place : place + width], "little")
        place += width
    if place + size >= len(block):
        raise ValueError("it ends too early")
    made += block[place : place + size + 1]
    return place + size + 1


def _add_copy(made: bytearray, block: bytes, place: int) -> int:
    tag = block[place]
    if tag & 3 == 1:
        length, back = (tag >> 2 & 7) + 4, tag >> 5 << 8 | block[place + 1]
        place += 2
    else:
        width = 2 if tag & 3 == 2 else 4
        length, back = (
            (tag >> 2) + 1,
            int.from_bytes(block[place + 1 : place + 1 + width], "little"),
        )
        place += 1 + width
    if not 0 < back <= len(made):
        raise ValueError("it copies what is not there")
    start = len(made) - back
    piece = made[start : start + length]
    made += (piece * (length // len(piece) + 1))[:length]  # a copy may reach into itself
    return place


class Compressor:
    """Blocks with their sizes, for a file; the methods are those of `zlib`'s."""

    def compress(self, data: bytes) -> bytes:
        if not data:
            return b""
        block = compress(data)
        return len(block).to_bytes(4, "big") + block

    def flush(self, mode: int = 0) -> bytes:
        return b""
