"""Whole batches of `Example`s, read side by side.

Records of one dataset are nearly always laid out alike: the same keys in the same order. So all
records of a batch, joined into one array of bytes, are gone through in step, and NumPy compares and
reads them all at once. Records that differ from the first are left for another turn, with one of
them as the first; what still differs after some turns is read one by one (`example_wire`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.kernels.records import example_wire as wire

_TURNS = 6
_RECORDS_FOR_PYTHON = 4  # records; so few are read one by one
_PADDING = bytes(512)  # so that places a little past the last record can be read
_LISTS = {0x0A: wire.BYTES, 0x12: wire.FLOAT, 0x1A: wire.INT64}
_STRINGS = 256  # of a list; longer ones are read one by one
_BYTES_TO_GATHER = 64  # bytes of values of a record, up to which they are gathered by their places


class Field:
    """Where the values of a feature are in each record: kind (0 if missing), start and stop.

    `kind` is that of all records if they have the same.
    """

    def __init__(self, kind: int | None, starts: Any, stops: Any) -> None:
        self.kind, self.starts, self.stops = kind, starts, stops

    @functools.cached_property
    def kinds(self) -> Any:
        """The kind in each record."""
        return np.full(len(self.starts), self.kind, np.int8)

    def put(self, rows: Any, kind: Any, starts: Any, stops: Any) -> None:
        self.kinds[rows], self.starts[rows], self.stops[rows] = kind, starts, stops
        self.kind = None


class Batch:
    """The records of a batch, and the places of their features."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self.records = records
        self.data = b"".join([*records, _PADDING])
        self.bytes = np.frombuffer(self.data, np.uint8)
        sizes = np.fromiter(map(len, records), np.int64, len(records))
        self.stops = np.cumsum(sizes)
        self.starts = self.stops - sizes
        self.fields: dict[bytes, Field] = {}
        self._scan()

    def field(self, key: bytes) -> Field:
        """The places of a feature, which may be missing everywhere."""
        found = self.fields.get(key)
        if found is None:
            count = len(self.records)
            nowhere = np.zeros(count, np.int64), np.zeros(count, np.int64)
            found = self.fields[key] = Field(0, *nowhere)
        return found

    def _scan(self) -> None:
        rows = np.arange(len(self.records))
        for _ in range(_TURNS):
            if len(rows) < _RECORDS_FOR_PYTHON:
                break
            turn = _Turn(self, rows)
            turn.read()
            if turn.whole:
                return
            rows = rows[~turn.same]
        for number in rows.tolist():
            self._scan_alone(number)

    def _scan_alone(self, number: int) -> None:
        base = int(self.starts[number])
        try:
            found = wire.example(self.records[number])
        except wire.Malformed as error:
            error.args = (f"number {number}: {error}",)
            raise
        for key, (kind, start, stop) in found.items():
            self.field(key).put(number, kind, base + start, base + stop)

    def window(self, places: Any, size: int) -> Any:
        """So many bytes from each of some places on, a row per place."""
        shape = len(self.data) - size + 1, size
        return np.ndarray(shape, np.uint8, self.data, strides=(1, 1))[places]

    def numbers_at(self, places: Any) -> tuple[Any, Any, Any]:
        """Varints that begin at some places, the places after them, and which were too long."""
        byte = self.bytes.take(places)
        after = places + 1
        value = byte.astype(np.int64)
        going = byte >= 0x80
        if not going.any():
            return value, after, going
        value &= 0x7F
        for shift in (7, 14, 21, 28):
            byte = self.bytes.take(after, mode="clip")
            value |= np.where(going, (byte.astype(np.int64) & 0x7F) << shift, 0)
            after = after + going
            going = going & (byte >= 0x80)
            if not going.any():
                break
        return value, after, going


class _Turn:
    """One passage through records, in step with the first of them.

    A record that differs from the first goes along with it from there on, so that all steps are
    valid, and its places are not kept.
    """

    def __init__(self, batch: Batch, rows: Any) -> None:
        self.batch, self.rows = batch, rows
        self.data, self.bytes = batch.data, batch.bytes
        everything = len(rows) == len(batch.records)
        self.place = batch.starts if everything else batch.starts[rows]
        self.end = batch.stops if everything else batch.stops[rows]
        self.same = np.ones(len(rows), bool)
        self.whole = True  # as long as all are like the first

    def read(self) -> None:
        """Read the features of all records like the first; `same` says which are."""
        found: list[tuple[bytes, int, Any, Any]] = []
        if self._enter():
            while self._more():
                entry = self._entry()
                if entry is None:  # the first record is unusual
                    self.whole = False
                    self.same[:] = False
                    break
                found.append(entry)
        if self.whole or self.same.any():
            self._store(found)
        else:
            self.batch._scan_alone(int(self.rows[0]))
            self.same[0] = True

    def _store(self, found: list[tuple[bytes, int, Any, Any]]) -> None:
        fields, count = self.batch.fields, len(self.batch.records)
        if self.whole and count == len(self.rows):
            for key, kind, starts, stops in found:
                fields[key] = Field(kind, starts, stops)
            return
        rows = self.rows[self.same]
        for key, kind, starts, stops in found:
            self.batch.field(key).put(rows, kind, starts[self.same], stops[self.same])

    def _keep(self, fits: Any) -> None:
        if not fits.all():
            self.whole = False
            self.same &= fits
            self.place = np.where(fits, self.place, self.place[0])
            self.end = np.where(fits, self.end, self.end[0])

    def _enter(self) -> bool:
        """Go into the only field of the records, which fills them."""
        tag = self.bytes.take(self.place) == 0x0A
        size, self.place, long = self.batch.numbers_at(self.place + 1)
        fits = tag & (self.place + size == self.end) & ~long
        if not fits[0]:
            self.whole = False
            self.same[:] = False
            return False
        self._keep(fits)
        return True

    def _more(self) -> bool:
        """Whether the first record goes on. One that ended before goes on into the next, but never
        comes to its own end again."""
        if self.place[0] < self.end[0]:
            return True
        fits = self.place == self.end
        if fits[0]:
            self._keep(fits)
        else:  # its last feature is longer than itself
            self.whole = False
            self.same[:] = False
        return False

    def _entry(self) -> tuple[bytes, int, Any, Any] | None:
        """The next feature: key, kind, and where its list of values begins and ends.

        Before the values of one of less than 128 bytes always as many bytes stand. Three of those
        are lengths, each of which follows from the one before.
        """
        data, first = self.data, int(self.place[0])
        width = data[first + 3]  # of the key
        size = width + 8
        head = self.batch.window(self.place, size)
        sizes = head[:, 1]
        if sizes.max() >= 0x80:
            return self._long_entry()
        expected = head[0].tobytes()
        kind = _LISTS.get(expected[width + 6], 0)
        if not kind or expected != _usual_head(expected[1], expected[4:-4], expected[-2]):
            return None
        start, self.place = self.place + size, self.place + (2 + sizes.astype(np.int64))
        if head.tobytes() != expected * len(head):
            lengths = np.zeros(size, np.uint8)
            lengths[[1, width + 5, width + 7]] = 1
            head = head - np.multiply.outer(sizes, lengths)
            if sizes.min() < size - 2 or head.tobytes() != head[0].tobytes() * len(head):
                self._keep((head == head[0]).all(1) & (sizes >= size - 2))
        return expected[4:-4], kind, start, self.place

    def _long_entry(self) -> tuple[bytes, int, Any, Any] | None:
        data, numbers = self.data, self.batch.numbers_at
        fits = self.bytes.take(self.place) == 0x0A
        size, place, long = numbers(self.place + 1)
        stop = place + size
        fits = fits & ~long & (stop <= self.end)
        first = int(place[0])
        if not fits[0] or first + 2 >= int(stop[0]):
            return None
        width = data[first + 1]
        head = self.bytes[first : first + width + 3]
        if width >= 0x80 or head[0] != 0x0A or head[-1] != 0x12:
            return None
        limit = len(data) - len(head)
        place = np.minimum(place, limit)
        fits &= (self.batch.window(place, len(head)) == head).all(1)
        size, place, long = numbers(np.minimum(place + len(head), limit))
        fits &= ~long & (place + size == stop)
        if not fits[0] or first + width + 4 >= int(stop[0]):
            return None
        kind = data[int(place[0])]
        place = np.minimum(place, limit)
        fits &= self.bytes.take(place) == kind
        size, place, long = numbers(place + 1)
        fits &= ~long & (place + size == stop)
        if not fits[0] or kind not in _LISTS:
            return None
        self.place = stop
        self._keep(fits)
        return data[first + 2 : first + 2 + width], _LISTS[kind], place, stop


def _usual_head(size: int, key: bytes, kind: int) -> bytes:
    """What stands before the values of a feature whose entry has so many bytes."""
    width = len(key)
    if width >= 0x80 or size < width + 6:
        return b""
    lengths = size - width - 4, size - width - 6
    return b"\x0a%c\x0a%c%b\x12%c%c%c" % (size, width, key, lengths[0], kind, lengths[1])


def column(batch: Batch, field: Field, kind: int) -> tuple[Any, Any]:
    """How many values of a kind each record has (one number, or a vector), and all the values."""
    if field.kind == kind:
        return _read(batch, field.starts, field.stops, kind)
    there = field.kinds == kind
    counts, values = _read(batch, field.starts[there], field.stops[there], kind)
    lengths = np.zeros(len(there), np.int64)
    lengths[there] = counts
    return lengths, values


def _read(batch: Batch, starts: Any, stops: Any, kind: int) -> tuple[Any, Any]:
    some = starts < stops
    if not some.all():  # lists without values
        lengths = np.zeros(len(starts), np.int64)
        if not some.any():
            return lengths, np.zeros(0, _DTYPES[kind])
        counts, values = _read(batch, starts[some], stops[some], kind)
        lengths[some] = counts
        return lengths, values
    found = _READERS[kind](batch, starts, stops) if len(starts) else None
    return _one_by_one(batch, starts, stops, kind) if found is None else found


def _one_by_one(batch: Batch, starts: Any, stops: Any, kind: int) -> tuple[Any, Any]:
    parts = [
        wire.values(batch.data, (kind, start, stop))
        for start, stop in zip(starts.tolist(), stops.tolist())
    ]
    counts = np.array([len(part) for part in parts], np.int64)
    return counts, np.concatenate(parts) if parts else np.zeros(0, _DTYPES[kind])


_DTYPES = {wire.BYTES: object, wire.FLOAT: np.float32, wire.INT64: np.int64}


def _contents(batch: Batch, starts: Any, stops: Any) -> Any:
    """Where the only field of each list begins; None if one has another form."""
    tags, marks = batch.bytes.take(starts) == 0x0A, batch.bytes.take(starts + 1)
    if (tags & (marks < 0x80) & (marks == stops - starts - 2)).all():
        return starts + 2
    size, place, long = batch.numbers_at(starts + 1)
    usual = tags & ~long & (place + size == stops) & (starts < stops)
    return place if usual.all() else None


def _joined(batch: Batch, starts: Any, stops: Any) -> tuple[Any, Any]:
    """The sizes of some places, as one number if they are the same, and all their bytes."""
    sizes = stops - starts
    width = int(sizes[0])
    same = sizes.tobytes() == sizes[:1].tobytes() * len(sizes)
    if same and width <= _BYTES_TO_GATHER:
        return width, batch.window(starts, width).ravel()
    data = batch.data
    pieces = [data[a:b] for a, b in zip(starts.tolist(), stops.tolist())]
    return width if same else sizes, np.frombuffer(b"".join(pieces), np.uint8)


def _floats(batch: Batch, starts: Any, stops: Any) -> tuple[Any, Any] | None:
    places = _contents(batch, starts, stops)
    if places is None:
        return None
    sizes, raw = _joined(batch, places, stops)
    if np.any(sizes % 4):
        return None
    return sizes // 4, raw.view("<f4")


def _integers(batch: Batch, starts: Any, stops: Any) -> tuple[Any, Any] | None:
    places = _contents(batch, starts, stops)
    if places is None:
        return None
    single, after, long = batch.numbers_at(places)
    if not long.any() and (after == stops).all():
        return 1, single
    sizes, raw = _joined(batch, places, stops)
    last = raw < 0x80
    if last.all():
        return sizes, raw.astype(np.int64)
    sizes = stops - places
    ends = np.cumsum(sizes)
    if not last[ends - 1].all():
        return None
    seen = np.concatenate([[0], np.cumsum(last)])
    return seen[ends] - seen[ends - sizes], wire.packed(raw, last)


def _strings(batch: Batch, starts: Any, stops: Any) -> tuple[Any, Any] | None:
    places = _contents(batch, starts, stops)
    if places is None:
        return _several_strings(batch, starts, stops)
    return 1, _texts(batch.data, places, stops)


def _texts(data: bytes, starts: Any, stops: Any) -> Any:
    made = np.empty(len(starts), object)
    made[:] = [data[a:b] for a, b in zip(starts.tolist(), stops.tolist())]
    return made


def _several_strings(batch: Batch, starts: Any, stops: Any) -> tuple[Any, Any] | None:
    """Lists of different numbers of strings: the first of each, the second of each, and so on."""
    rows, place, ends = np.arange(len(starts)), starts, stops
    found = []
    for _ in range(_STRINGS):
        tags = batch.bytes.take(place) == 0x0A
        size, begin, long = batch.numbers_at(place + 1)
        stop = begin + size
        if not (tags & ~long & (stop <= ends)).all():
            return None
        found.append((rows, begin, stop))
        going = stop < ends
        rows, place, ends = rows[going], stop[going], ends[going]
        if not len(rows):
            break
    if len(rows):
        return None
    owners, begins, limits = (np.concatenate(parts) for parts in zip(*found))
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=len(starts))
    return counts, _texts(batch.data, begins[order], limits[order])


_READERS = {wire.BYTES: _strings, wire.FLOAT: _floats, wire.INT64: _integers}
