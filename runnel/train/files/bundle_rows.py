"""Tensor bundles that are written and read tensor by tensor, in the order of their keys.

`tf.data` keeps the elements of a cache in such a bundle. There may be millions of them: neither the
writer nor the reader holds the tensors, and the reader goes through the index block by block.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

import numpy as np

from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.values.dtypes import DType, as_dtype, string, variant
from runnel.core.values.errors import DataLossError, OpError
from runnel.core.values.shape import TensorShape
from runnel.kernels.records import checksum
from runnel.train.files import table
from runnel.train.files.bundle import data_path, index_path, parsed, write_index, write_strings

_CHUNK = 1 << 18


class RowWriter:
    """A bundle of one file; nothing of it counts until it is finished."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._writing = files.writing(data_path(prefix, 0, 1))
        self._file: IO[bytes] = self._writing.__enter__()
        self._waiting = bytearray()
        self._offset = 0
        self._entries: dict[bytes, Any] = {}

    def add(self, key: str, value: Any, dtype: DType, shape: tuple[int, ...] | None = None) -> None:
        """Append a tensor; for variants, `value` are their messages as bytes."""
        if dtype is variant:
            data, crc = _variants(value)
        elif dtype is string:
            data, crc = _strings(value)
        else:
            data = np.ascontiguousarray(value).tobytes()
            crc = checksum.extend(0, data)
        dims = np.shape(value) if shape is None else shape
        entry = messages.BundleEntryProto(dtype=dtype.enum, shape=TensorShape(dims).as_proto())
        entry.offset, entry.size = self._offset, len(data)
        entry.crc32c = checksum.mask(crc)
        self._entries[key.encode()] = _Packed(entry.SerializeToString())
        self._offset += len(data)
        self._waiting += data
        if len(self._waiting) > _CHUNK:
            self._flush()

    def _flush(self) -> None:
        with files.os_errors(self._prefix):
            files.write_all(self._file, self._waiting)
        self._waiting = bytearray()

    def finish(self) -> None:
        """Make the bundle whole: the index comes last."""
        self._flush()
        self._writing.__exit__(None, None, None)
        write_index(self._prefix, 1, self._entries)

    def abandon(self) -> None:
        """Throw away what has been written."""
        stop = _Abandoned()
        with suppress(_Abandoned, OpError):
            self._writing.__exit__(type(stop), stop, None)


class _Abandoned(Exception):
    """Tells the file being written that it is not wanted."""


class _Packed(bytes):
    """An entry of the index in its final form, which takes less room than the message."""

    def SerializeToString(self) -> bytes:
        return bytes(self)


def _strings(value: Any) -> tuple[bytes, int]:
    """Strings as they stand in a bundle, and their checksum."""
    made = io.BytesIO()
    _, crc = write_strings(made, np.asarray(value, object))
    return made.getvalue(), crc


def _variants(items: Sequence[bytes]) -> tuple[bytes, int]:
    """Variants: of each the length, the message, and the checksum of everything up to there."""
    parts, crc = [], 0
    for item in items:
        crc = checksum.extend(checksum.extend(crc, len(item).to_bytes(8, "little")), item)
        check = checksum.mask(crc).to_bytes(4, "little")
        crc = checksum.extend(crc, check)
        parts += [table.varint(len(item)), item, check]
    return b"".join(parts), crc


class RowReader:
    """The tensors of a bundle, key by key: key, dtype, shape and value; see `RowWriter.add`."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __iter__(self) -> Iterator[tuple[str, DType, tuple[int, ...], Any]]:
        path = index_path(self._prefix)
        items = table.items_in(files.read_whole(path), path)
        head = next(items, None)
        if head is None or head[0] != b"":
            raise DataLossError(None, None, f"{path} is damaged: it has no header.")
        shards = parsed(messages.BundleHeaderProto, head[1], path).num_shards
        opened: dict[int, IO[bytes]] = {}
        try:
            for key, value in items:
                entry = parsed(messages.BundleEntryProto, value, path)
                if entry.shard_id not in opened:
                    name = data_path(self._prefix, entry.shard_id, shards)
                    opened[entry.shard_id] = files.open_binary(name, "rb")
                yield self._tensor(key.decode(errors="replace"), entry, opened[entry.shard_id])
        finally:
            for file in opened.values():
                file.close()

    def _tensor(
        self, key: str, entry: Any, file: IO[bytes]
    ) -> tuple[str, DType, tuple[int, ...], Any]:
        dims = tuple(dim.size for dim in entry.shape.dim)
        try:
            dtype = as_dtype(entry.dtype)
        except TypeError as error:
            raise self._damaged(key, str(error)) from None
        if min(entry.offset, entry.size, *dims, 0) < 0:
            raise self._damaged(key, "a size is negative")
        with files.os_errors(self._prefix):
            if file.tell() != entry.offset:
                file.seek(entry.offset)
            data = file.read(entry.size)
        if len(data) != entry.size:
            raise self._damaged(key, "its data ends behind the file")
        count = math.prod(dims)
        value: Any
        if dtype is variant:
            value, crc = self._variants_in(key, data, count)
        elif dtype is string:
            value, crc = self._strings_in(key, data, count)
            value = value.reshape(dims)
        elif count * dtype.size != len(data):
            raise self._damaged(key, f"{len(data)} bytes do not fill {dtype.name}{list(dims)}")
        else:
            value, crc = np.frombuffer(data, dtype.np_dtype).reshape(dims), checksum.extend(0, data)
        if checksum.mask(crc) != entry.crc32c:
            raise self._damaged(key, "its checksum is wrong")
        return key, dtype, dims, value

    def _damaged(self, key: str, why: str) -> DataLossError:
        message = f"The bundle {self._prefix} is damaged at {key!r}: {why}."
        return DataLossError(None, None, message)

    def _strings_in(self, key: str, data: bytes, count: int) -> tuple[Any, int]:
        cursor = table.Cursor(data, f"{self._prefix} ({key})")
        lengths = [cursor.varint() for _ in range(count)]
        cursor.take(4)
        if sum(lengths) != cursor.left:
            raise self._damaged(key, "the lengths of its strings are wrong")
        texts = np.empty(count, object)
        texts[:] = [cursor.take(length) for length in lengths]
        return texts, self._same(key, data, _strings(texts))

    def _variants_in(self, key: str, data: bytes, count: int) -> tuple[list[bytes], int]:
        cursor = table.Cursor(data, f"{self._prefix} ({key})")
        items = []
        for _ in range(count):
            items.append(cursor.take(cursor.varint()))
            cursor.take(4)
        return items, self._same(key, data, _variants(items))

    def _same(self, key: str, data: bytes, again: tuple[bytes, int]) -> int:
        """The checksum of what was read, provided that it would be written as it stands there."""
        if again[0] != data:
            raise self._damaged(key, "its lengths or their checksums are wrong")
        return again[1]


def is_bundle(prefix: str) -> bool:
    """Whether a bundle is there."""
    return bool(files.exists(index_path(prefix)))
