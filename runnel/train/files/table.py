"""Sorted string tables: the `.index` file of a checkpoint, from byte strings to byte strings.

A table is a row of blocks, an index of them, and a footer. A block holds entries, each as the
length that its key shares with the one before it, the lengths of the rest of the key and of the
value, and these two; then the places of the entries whose keys stand in full. Behind a block come
the kind of its compression (none, here) and a masked checksum.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping

from runnel.core.values.errors import DataLossError, UnimplementedError
from runnel.kernels.records import checksum

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48  # bytes: two handles, padding, and the magic number
_TRAILER = 5  # bytes behind a block
_BLOCK = 1 << 18  # bytes after which a block is closed
_RESTART = 16  # entries after which a key stands in full


def encode(items: Mapping[bytes, bytes]) -> bytes:
    """The table of `items`."""
    out = bytearray()
    index: list[tuple[bytes, bytes]] = []
    for block, last in _blocks(sorted(items.items())):
        index.append((last, _append_block(out, block)))
    meta = _append_block(out, _encode_block([], _RESTART))
    places = _append_block(out, _encode_block(index, 1))
    footer = (meta + places).ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC)
    return bytes(out) + footer


def _blocks(items: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """The entries as blocks, each with its last key."""
    part: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in items:
        part.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK:
            yield _encode_block(part, _RESTART), key
            part, size = [], 0
    if part:
        yield _encode_block(part, _RESTART), part[-1][0]


def _encode_block(items: Iterable[tuple[bytes, bytes]], interval: int) -> bytes:
    out = bytearray()
    restarts: list[int] = []
    before = b""
    for number, (key, value) in enumerate(items):
        shared = 0
        if number % interval:
            while shared < min(len(before), len(key)) and before[shared] == key[shared]:
                shared += 1
        else:
            restarts.append(len(out))
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        before = key
    restarts = restarts or [0]
    return bytes(out) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def _append_block(out: bytearray, block: bytes) -> bytes:
    """Append a block with its trailer; its handle."""
    handle = varint(len(out)) + varint(len(block))
    out += block + b"\0"
    out += struct.pack("<I", checksum.masked(block + b"\0"))
    return handle


def decode(data: bytes, name: str) -> dict[bytes, bytes]:
    """The items of a table; DataLossError for one that is damaged."""
    return dict(items_in(data, name))


def items_in(data: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """The items one after another, block by block."""
    if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise DataLossError(None, None, f"{name} is not a sorted string table: bad magic number.")
    footer = Cursor(data[-_FOOTER:-8], name)
    footer.varint(), footer.varint()  # the block of metadata, which is empty
    places = _block_at(data, footer.varint(), footer.varint(), name)
    before: bytes | None = None
    for _, handle in _entries(places, name):
        cursor = Cursor(handle, name)
        for key, value in _entries(_block_at(data, cursor.varint(), cursor.varint(), name), name):
            if before is not None and key <= before:
                raise DataLossError(None, None, f"{name} is damaged: its keys are not in order.")
            yield key, value
            before = key


def _block_at(data: bytes, offset: int, size: int, name: str) -> bytes:
    end = offset + size + _TRAILER
    if end > len(data) - _FOOTER:
        raise DataLossError(None, None, f"{name} is damaged: a block ends behind its file.")
    stored = struct.unpack("<I", data[end - 4 : end])[0]
    if checksum.masked(data[offset : end - 4]) != stored:
        raise DataLossError(None, None, f"{name} is damaged: the checksum of a block is wrong.")
    if data[end - _TRAILER] != 0:
        raise UnimplementedError(None, None, f"{name} has compressed blocks.")
    return data[offset : offset + size]


def _entries(block: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < 4:
        raise DataLossError(None, None, f"{name} is damaged: a block is too short.")
    restarts = struct.unpack("<I", block[-4:])[0]
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise DataLossError(None, None, f"{name} is damaged: a block is too short.")
    cursor = Cursor(block[:end], name)
    key = b""
    while cursor.left:
        shared, rest, size = cursor.varint(), cursor.varint(), cursor.varint()
        if shared > len(key):
            raise DataLossError(None, None, f"{name} is damaged: a key has no beginning.")
        key = key[:shared] + cursor.take(rest)
        yield key, cursor.take(size)


class Cursor:
    """Reads numbers and strings from bytes, one after another."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._place = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._place

    def varint(self) -> int:
        """A number of up to 64 bits, seven to a byte."""
        result = shift = 0
        while self._place < len(self._data) and shift < 64:
            byte = self._data[self._place]
            self._place += 1
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7
        raise DataLossError(None, None, f"{self._name} is damaged: a number does not end.")

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise DataLossError(None, None, f"{self._name} is damaged: a string does not end.")
        self._place += size
        return self._data[self._place - size : self._place]


def varint(number: int) -> bytes:
    """A number, seven bits to a byte, the lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
