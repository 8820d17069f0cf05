"""Readers of files whose names a queue holds: lines, records, whole files."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.files.tfrecord import RecordReader
from runnel.core.op.op import op
from runnel.core.state.queues import Queue
from runnel.core.state.resource import Resource
from runnel.core.values.errors import InvalidArgumentError, UnimplementedError
from runnel.core.values.types import Array, Namespace
from runnel.ops.resources.lookup_tables import shared
from runnel.ops.shapes import scalar

Item = tuple[bytes, bytes]


class Reader(Resource):
    """Pairs of a key and a value, from one file after another."""

    def __init__(self) -> None:
        super().__init__()
        self.reset()

    def reset(self) -> None:
        """Begin again, with the next file that the queue has."""
        self._items: Iterator[Item] | None = None
        self.produced, self.completed = 0, 0

    def items(self, name: str) -> Iterator[Item]:
        """What one file holds."""
        raise NotImplementedError

    def read(self, queue: Queue) -> Item:
        """The next pair; OutOfRangeError when the queue is closed and all files are read."""
        with self.lock:
            while True:
                if self._items is None:
                    self._items = self.items(_name_in(queue))
                found = next(self._items, None)
                if found is not None:
                    self.produced += 1
                    return found
                self._items = None
                self.completed += 1

    def read_up_to(self, queue: Queue, count: int) -> list[Item]:
        """At most so many pairs of one file, and at least one."""
        with self.lock:
            found = [self.read(queue)]
            while len(found) < count and self._items is not None:
                following = next(self._items, None)
                if following is None:
                    self._items = None
                    self.completed += 1
                    break
                self.produced += 1
                found.append(following)
            return found


def _name_in(queue: Queue) -> str:
    (element,) = queue.take(1)
    return bytes(np.asarray(element[0]).item()).decode()


class _Lines(Reader):
    def __init__(self, skipped: int) -> None:
        self._skipped = skipped
        super().__init__()

    def items(self, name: str) -> Iterator[Item]:
        lines = files.read_whole(name).split(b"\n")
        lines = lines[:-1] if lines and not lines[-1] else lines
        for number, line in enumerate(lines):
            if number >= self._skipped:
                yield f"{name}:{number + 1}".encode(), line.removesuffix(b"\r")


class _Whole(Reader):
    def items(self, name: str) -> Iterator[Item]:
        yield name.encode(), files.read_whole(name)


class _Names(Reader):
    def items(self, name: str) -> Iterator[Item]:
        yield name.encode(), name.encode()


class _Records(Reader):
    def __init__(self, compression: str) -> None:
        self._compression = compression
        super().__init__()

    def items(self, name: str) -> Iterator[Item]:
        reader = RecordReader(name, self._compression)
        while True:
            start = reader.offset
            record = next(reader, None)
            if record is None:
                return
            yield f"{name}:{start}".encode(), record


class _Fixed(Reader):
    def __init__(self, record: int, header: int, footer: int, hop: int, encoding: str) -> None:
        if min(header, footer, hop) < 0 or record <= 0:
            text = "FixedLengthRecordReaderV2: `record_bytes` must be positive."
            raise InvalidArgumentError(None, None, text)
        if encoding not in ("", "ZLIB"):
            raise InvalidArgumentError(None, None, f"Unknown encoding {encoding!r}.")
        self._sizes, self._encoding = (record, header, footer, hop), encoding
        super().__init__()

    def items(self, name: str) -> Iterator[Item]:
        record, header, footer, hop = self._sizes
        whole = files.read_whole(name)
        if self._encoding:
            whole = zlib.decompress(whole)
        body = whole[header : len(whole) - footer]
        for number, start in enumerate(range(0, len(body) - record + 1, hop or record)):
            yield f"{name}:{number}".encode(), body[start : start + record]


@op("TextLineReaderV2", "-> reader_handle: resource", shape=scalar, effects="reads files")
def _text_line_reader(
    xp: Namespace, *, skip_header_lines: int = 0, container: str = "", shared_name: str = ""
) -> Reader:
    made: Reader = shared(container, shared_name, lambda: _Lines(skip_header_lines))
    return made


@op("WholeFileReaderV2", "-> reader_handle: resource", shape=scalar, effects="reads files")
def _whole_file_reader(xp: Namespace, *, container: str = "", shared_name: str = "") -> Reader:
    made: Reader = shared(container, shared_name, _Whole)
    return made


@op("IdentityReaderV2", "-> reader_handle: resource", shape=scalar, effects="reads files")
def _identity_reader(xp: Namespace, *, container: str = "", shared_name: str = "") -> Reader:
    made: Reader = shared(container, shared_name, _Names)
    return made


@op("TFRecordReaderV2", "-> reader_handle: resource", shape=scalar, effects="reads files")
def _tf_record_reader(
    xp: Namespace, *, container: str = "", shared_name: str = "", compression_type: str = ""
) -> Reader:
    made: Reader = shared(container, shared_name, lambda: _Records(compression_type))
    return made


@op("FixedLengthRecordReaderV2", "-> reader_handle: resource", shape=scalar, effects="reads files")
def _fixed_length_record_reader(
    xp: Namespace,
    *,
    record_bytes: int,
    header_bytes: int = 0,
    footer_bytes: int = 0,
    hop_bytes: int = 0,
    container: str = "",
    shared_name: str = "",
    encoding: str = "",
) -> Reader:
    sizes = record_bytes, header_bytes, footer_bytes, hop_bytes
    made: Reader = shared(container, shared_name, lambda: _Fixed(*sizes, encoding))
    return made


def _string(value: bytes) -> Array:
    made = np.empty((), object)
    made[()] = value
    return made


def _strings(values: list[bytes]) -> Array:
    made = np.empty(len(values), object)
    made[:] = values
    return made


@op(
    "ReaderReadV2",
    "reader_handle: resource, queue_handle: resource -> key: string, value: string",
    shape=lambda *inputs, **attrs: [(), ()],
    effects="queues",
)
def _reader_read(xp: Namespace, reader_handle: Reader, queue_handle: Queue) -> tuple[Array, Array]:
    key, value = reader_handle.read(queue_handle)
    return _string(key), _string(value)


@op(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64 "
    "-> keys: string, values: string",
    shape=lambda *inputs, **attrs: [(None,), (None,)],
    effects="queues",
)
def _reader_read_up_to(
    xp: Namespace, reader_handle: Reader, queue_handle: Queue, num_records: Array
) -> tuple[Array, Array]:
    found = reader_handle.read_up_to(queue_handle, int(num_records))
    return _strings([k for k, _ in found]), _strings([v for _, v in found])


_COUNTED: Any = {"effects": "queues", "shape": scalar}


@op("ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64", **_COUNTED)
def _reader_records(xp: Namespace, reader_handle: Reader) -> Array:
    return np.asarray(reader_handle.produced, np.int64)


@op(
    "ReaderNumWorkUnitsCompletedV2", "reader_handle: resource -> units_completed: int64", **_COUNTED
)
def _reader_units(xp: Namespace, reader_handle: Reader) -> Array:
    return np.asarray(reader_handle.completed, np.int64)


@op("ReaderResetV2", "reader_handle: resource ->", shape=lambda *i, **a: [], effects="queues")
def _reader_reset(xp: Namespace, reader_handle: Reader) -> None:
    reader_handle.reset()


@op("ReaderSerializeStateV2", "reader_handle: resource -> state: string", **_COUNTED)
def _reader_serialize(xp: Namespace, reader_handle: Reader) -> Array:
    raise UnimplementedError(
        None, None, "ReaderSerializeStateV2: readers keep no state in strings."
    )


@op(
    "ReaderRestoreStateV2",
    "reader_handle: resource, state: string ->",
    shape=lambda *i, **a: [],
    effects="queues",
)
def _reader_restore(xp: Namespace, reader_handle: Reader, state: Array) -> None:
    raise UnimplementedError(None, None, "ReaderRestoreStateV2: readers keep no state in strings.")
