"""`tf.train.Example` and `SequenceExample` read straight from their bytes.

A record is scanned once for the places of its features; the values of a feature are then taken from
there by NumPy. This is several times faster than building messages. Malformed bytes raise
`Malformed`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BYTES, FLOAT, INT64 = 1, 2, 3
NAMES = {BYTES: "string", FLOAT: "float", INT64: "int64"}


class Malformed(ValueError):
    """These are not the bytes of such a message."""


Field = tuple[int, int, int]  # the kind of a feature's values, and where their list begins and ends


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
        if shift > 63:
            raise Malformed("a number is too long")


def _sized(data: bytes, place: int, end: int) -> tuple[int, int]:
    """Where the contents of a field with a length begin and end."""
    size = data[place]
    place += 1
    if size >= 0x80:
        size, place = _varint(data, place - 1)
    stop = place + size
    if stop > end:
        raise Malformed("a field is longer than its message")
    return place, stop


def _skip(data: bytes, place: int, end: int, tag: int) -> int:
    """Past a field that nobody asked for."""
    kind = tag & 7
    if kind == 0:
        return _varint(data, place)[1]
    if kind == 1:
        return place + 8
    if kind == 2:
        return _sized(data, place, end)[1]
    if kind == 5:
        return place + 4
    raise Malformed(f"a field of wire type {kind}")


def _tag(data: bytes, place: int) -> tuple[int, int]:
    tag = data[place]
    return (tag, place + 1) if tag < 0x80 else _varint(data, place)


def _parts(data: bytes, start: int, stop: int, wanted: int) -> list[tuple[int, int]]:
    """The places of all fields number `wanted` that have a length."""
    found, place, want = [], start, wanted << 3 | 2
    while place < stop:
        tag, place = _tag(data, place)
        if tag == want:
            begin, place = _sized(data, place, stop)
            found.append((begin, place))
        else:
            place = _skip(data, place, stop, tag)
    return found


def _entries(data: bytes, start: int, stop: int) -> list[tuple[bytes, int, int]]:
    """The keys and the places of the values of a map."""
    found = []
    place = start
    while place < stop:
        tag, place = _tag(data, place)
        if tag != 0x0A:
            place = _skip(data, place, stop, tag)
            continue
        place, end = _sized(data, place, stop)
        key, a, b = b"", 0, 0
        while place < end:
            tag, place = _tag(data, place)
            if tag == 0x0A:
                begin, place = _sized(data, place, end)
                key = data[begin:place]
            elif tag == 0x12:
                a, place = _sized(data, place, end)
                b = place
            else:
                place = _skip(data, place, end, tag)
        found.append((key, a, b))
    return found


def _feature(data: bytes, start: int, stop: int) -> Field | None:
    """Where the values of a `Feature` are; None if it has no kind."""
    found = None
    place = start
    while place < stop:
        tag, place = _tag(data, place)
        if tag in (0x0A, 0x12, 0x1A):
            begin, place = _sized(data, place, stop)
            found = tag >> 3, begin, place
        else:
            place = _skip(data, place, stop, tag)
    return found


def example(data: bytes) -> dict[bytes, Field]:
    """The features of an `Example` that have a kind."""
    found: dict[bytes, Field] = {}
    try:
        for start, stop in _parts(data, 0, len(data), 1):
            _collect(data, start, stop, found)
    except IndexError:
        raise Malformed("it ends too early") from None
    return found


def _collect(data: bytes, start: int, stop: int, found: dict[bytes, Field]) -> None:
    """The features of a map: at once where they are laid out as every writer does it."""
    place = start
    while place < stop and data[place] == 0x0A:
        a, end = _sized(data, place + 1, stop)
        key = a + 2 + data[a + 1]
        if data[a] != 0x0A or data[a + 1] >= 0x80 or key + 1 >= end or data[key] != 0x12:
            break
        b, feature_end = _sized(data, key + 1, end)
        if feature_end != end or b == end or data[b] not in _LISTS:
            break
        first, last = _sized(data, b + 1, end)
        if last != end:
            break
        found[data[a + 2 : key]] = data[b] >> 3, first, last
        place = end
    for name, a, b in _entries(data, place, stop):
        field = _feature(data, a, b)
        if field is not None:
            found[name] = field


_LISTS = (0x0A, 0x12, 0x1A)


def sequence_example(data: bytes) -> tuple[dict[bytes, Field], dict[bytes, list[Field | None]]]:
    """The features of the context, and the lists of features."""
    context: dict[bytes, Field] = {}
    lists: dict[bytes, list[Field | None]] = {}
    try:
        for start, stop in _parts(data, 0, len(data), 1):
            _collect(data, start, stop, context)
        for start, stop in _parts(data, 0, len(data), 2):
            for key, a, b in _entries(data, start, stop):
                lists[key] = [_feature(data, x, y) for x, y in _parts(data, a, b, 1)]
    except IndexError:
        raise Malformed("it ends too early") from None
    return context, lists


def values(data: bytes, field: Field) -> Any:
    """The values of a feature as a vector."""
    try:
        return _READERS[field[0]](data, field[1], field[2])
    except IndexError:
        raise Malformed("it ends too early") from None


def _floats(data: bytes, start: int, stop: int) -> Any:
    if stop - start >= 2 and data[start] == 0x0A:
        begin, end = _sized(data, start + 1, stop)
        if end == stop:
            if (end - begin) % 4:
                raise Malformed("a list of floats has a part of one")
            return np.frombuffer(data, "<f4", (end - begin) // 4, begin)
    parts, place = [], start
    while place < stop:
        tag, place = _tag(data, place)
        if tag == 0x0D:
            parts.append(data[place : place + 4])
            place += 4
        elif tag == 0x0A:
            begin, place = _sized(data, place, stop)
            parts.append(data[begin:place])
        else:
            place = _skip(data, place, stop, tag)
    joined = b"".join(parts)
    if len(joined) % 4 or place > stop:
        raise Malformed("a list of floats has a part of one")
    return np.frombuffer(joined, "<f4")


def _integers(data: bytes, start: int, stop: int) -> Any:
    if stop - start >= 2 and data[start] == 0x0A:
        begin, end = _sized(data, start + 1, stop)
        if end == stop:
            return _packed(data, begin, end)
    parts, place = [], start
    while place < stop:
        tag, place = _tag(data, place)
        if tag == 0x08:
            number, place = _varint(data, place)
            parts.append(np.array([number & _LONG], np.uint64).view(np.int64))
        elif tag == 0x0A:
            begin, place = _sized(data, place, stop)
            parts.append(_packed(data, begin, place))
        else:
            place = _skip(data, place, stop, tag)
    if place > stop:
        raise Malformed("a number is longer than its list")
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


_LONG = (1 << 64) - 1
_BYTES_FOR_PYTHON = 32  # bytes; so few are decoded before NumPy has been called


def _packed(data: bytes, begin: int, end: int) -> Any:
    """Numbers in groups of seven bits, one after another."""
    if end - begin <= _BYTES_FOR_PYTHON:
        found, place = [], begin
        while place < end:
            byte = data[place]
            place += 1
            if byte >= 0x80:
                byte, place = _varint(data, place - 1)
            found.append(byte & _LONG)
        if place > end:
            raise Malformed("a number is longer than its list")
        return np.array(found, np.uint64).view(np.int64)
    raw = np.frombuffer(data, np.uint8, end - begin, begin)
    last = raw < 0x80
    if last.all():
        return raw.astype(np.int64)
    if not last[-1]:
        raise Malformed("a number is longer than its list")
    return packed(raw, last)


def packed(raw: Any, last: Any) -> Any:
    """Numbers in groups of seven bits; `last` says which bytes end one."""
    stops = np.flatnonzero(last)
    starts = np.concatenate([[0], stops[:-1] + 1])
    if (stops - starts).max() > 9:
        raise Malformed("a number is too long")
    places = np.arange(len(raw)) - np.repeat(starts, stops - starts + 1)
    groups = (raw & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.bitwise_or.reduceat(groups, starts).view(np.int64)


def _strings(data: bytes, start: int, stop: int) -> Any:
    found, place = [], start
    while place < stop:
        tag, place = _tag(data, place)
        if tag == 0x0A:
            begin, place = _sized(data, place, stop)
            found.append(data[begin:place])
        else:
            place = _skip(data, place, stop, tag)
    made = np.empty(len(found), object)
    made[:] = found
    return made


_READERS = {BYTES: _strings, FLOAT: _floats, INT64: _integers}
