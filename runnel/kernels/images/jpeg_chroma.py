"""The chroma of a JPEG file as a file of its own, so that a reader cannot upscale it.

Where two blocks of luma share one block of each chroma, the four blocks are also those of a file of
four components of one size. Its first two are nonsense, since both blocks of luma were coded one
after the other; the last two are the samples of chroma. Scans of luma alone are left out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_FRAMES = (0xC0, 0xC1, 0xC2)  # in order, and progressive
_TABLES = (0xC4, 0xDB, 0xDD)


def alone(contents: bytes, steps: tuple[int, int]) -> bytes:
    """A file of four components whose last two are the chromas of one with these steps."""
    parts = [b"\xff\xd8"]
    numbers: dict[int, int] = {}  # of the components
    for marker, body, data in _segments(contents):
        if marker in _FRAMES:
            numbers = {body[6 + 3 * i]: i for i in range(3)}
            parts.append(_segment(marker, _frame(body, steps)))
        elif marker in _TABLES:
            parts.append(_segment(marker, body))
        elif marker == _SCAN and (head := _scan(body, numbers)):
            parts.append(_segment(marker, head) + data)
    return b"".join([*parts, b"\xff\xd9"])


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _segments(contents: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Markers with their bodies, and the coded data after the head of a scan."""
    place = 2
    while place + 4 <= len(contents):
        marker = contents[place + 1]
        if contents[place] != 0xFF or marker in (0xFF, _START):  # fill bytes, or a second start
            place += 1 if marker == 0xFF else 2
            continue
        if marker == _END:
            return
        stop = place + 2 + int.from_bytes(contents[place + 2 : place + 4])
        after = _data_end(contents, stop) if marker == _SCAN else stop
        yield marker, contents[place + 4 : stop], contents[stop:after]
        place = after


def _data_end(contents: bytes, place: int) -> int:
    """Where coded data ends: at a marker that is neither a byte 255 nor a restart."""
    while (place := contents.find(b"\xff", place)) >= 0:
        follows = contents[place + 1 : place + 2]
        if follows not in _WITHIN:
            return place
        place += 2
    return len(contents)


_WITHIN = {b"\0", *(bytes([0xD0 + i]) for i in range(8))}


def _frame(body: bytes, steps: tuple[int, int]) -> bytes:
    precision, height, width = struct.unpack(">BHH", body[:5])
    tables = [body[8 + 3 * i] for i in (0, 0, 1, 2)]  # of the quantization
    size = -(-height // steps[0]), -(-width // steps[1])
    components = b"".join(bytes([i + 1, 0x11, table]) for i, table in enumerate(tables))
    return struct.pack(">BHHB", precision, *size, 4) + components


def _scan(body: bytes, numbers: dict[int, int]) -> bytes:
    """The head of a scan of the four components; empty for one of luma alone."""
    count = body[0]
    tables = {numbers[body[1 + 2 * i]]: body[2 + 2 * i] for i in range(count)}
    if list(tables) == [0]:
        return b""
    wanted = [(3, 1), (4, 2)] if 0 not in tables else [(1, 0), (2, 0), (3, 1), (4, 2)]
    pairs = [bytes([number, tables[i]]) for number, i in wanted if i in tables]
    return bytes([len(pairs)]) + b"".join(pairs) + body[1 + 2 * count :]
