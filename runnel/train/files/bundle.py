"""Tensor bundles: the files of a checkpoint, `prefix.index` and `prefix.data-00000-of-00001`.

The index is a table from names to where a tensor lies in the data and what its checksum is. A
bundle takes the place of an older one of the same name all at once: its data goes to a file that
the older index does not speak of, and only then does the index change.
"""

from __future__ import annotations

import glob
import math
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import IO, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from runnel.core.files import files
from runnel.core.files.folders import give_name
from runnel.core.protos import messages
from runnel.core.values.dtypes import DType, as_dtype, string
from runnel.core.values.errors import DataLossError, NotFoundError, OpError, UnimplementedError
from runnel.core.values.shape import TensorShape
from runnel.kernels.records import checksum
from runnel.train.files import table
from runnel.train.files.slices import extents_of, region, slice_key

_CHUNK = 1 << 22  # bytes that are checked while they are in the processor's cache
_VERSION = 1


def index_path(prefix: str) -> str:
    return f"{prefix}.index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


class Part(NamedTuple):
    """A part of a tensor: starts and lengths where it lies, None if it is the whole."""

    key: str
    extents: tuple[tuple[int, int], ...] | None
    array: Any


Tensors = Mapping[str, tuple[Any, DType]]


def write_bundle(
    prefix: str, tensors: Tensors, shards: Sequence[Sequence[Part]] | None = None
) -> None:
    """Write tensors, each an array with its dtype, in place of what was there under `prefix`.

    `shards` are the files to be made, each with its parts of the tensors; else there is one.
    """
    if shards is None:
        shards = [[Part(key, None, array) for key, (array, _) in tensors.items()]]
    with _writers_lock:
        lock = _writers.setdefault(os.path.abspath(prefix), threading.Lock())
    with lock:  # another thread's data would be removed as that of an older version
        _write_files(prefix, tensors, shards)


_writers: WeakValueDictionary[str, Any] = WeakValueDictionary()
_writers_lock = threading.Lock()


def _write_files(prefix: str, tensors: Tensors, shards: Sequence[Sequence[Part]]) -> None:
    old, count = shards_of(prefix), len(shards)
    named = count + 1 if old == count else count
    entries: dict[bytes, Any] = {}
    for number, parts in enumerate(shards):
        with files.writing(data_path(prefix, number, named)) as file:
            entries.update(_write_data(file, number, parts, tensors))
    entries.update(_entries_of_wholes(shards, tensors))
    write_index(prefix, named, entries)
    if named != count and _move_data(prefix, named, count):
        named = count
        write_index(prefix, count, entries)
    if old is not None:
        remove_data_but(prefix, named, count)


def shards_of(prefix: str) -> int | None:
    """In how many files the data of a bundle is that stands there already; None if none does."""
    if files.scheme_of(prefix) or not os.path.exists(index_path(prefix)):
        return None
    with suppress(OpError):
        return BundleReader(prefix).shards
    return 0


def write_index(prefix: str, shards: int, entries: Mapping[bytes, Any]) -> None:
    """Write the index of a bundle, whose data counts from then on."""
    header = messages.BundleHeaderProto(num_shards=shards)
    header.version.producer = _VERSION
    items = {key: entry.SerializeToString() for key, entry in entries.items()}
    files.write_whole(index_path(prefix), table.encode({b"": header.SerializeToString(), **items}))


def _move_data(prefix: str, named: int, count: int) -> bool:
    """Let the data be found under its usual names too; False where files cannot have two names."""
    try:
        for number in range(count):
            give_name(data_path(prefix, number, named), data_path(prefix, number, count))
    except OSError:
        return False
    files.sync_folder(os.path.dirname(prefix))
    return True


def remove_data_but(prefix: str, shards: int, count: int) -> None:
    """Remove the data files of a bundle but for `count`, which are named as of `shards`."""
    kept = {data_path(prefix, number, shards) for number in range(count)}
    for path in glob.glob(f"{glob.escape(prefix)}.data-[0-9]*-of-[0-9]*"):
        if path not in kept:
            with suppress(OSError):
                os.remove(path)


def _write_data(
    file: IO[bytes], shard: int, parts: Sequence[Part], tensors: Tensors
) -> dict[bytes, Any]:
    """Write parts of tensors one after another; their entries in the index."""
    entries: dict[bytes, Any] = {}
    offset = 0
    for name, extents, array in parts:
        dtype = tensors[name][1]
        size, crc = write_strings(file, array) if dtype is string else _write_array(file, array)
        entry = _entry_of(array, dtype)
        entry.shard_id, entry.offset, entry.size = shard, offset, size
        entry.crc32c = checksum.mask(crc)
        entries[name.encode() if extents is None else slice_key(name, extents)] = entry
        offset += size
    return entries


def _entry_of(array: Any, dtype: DType) -> Any:
    shape = TensorShape(array.shape).as_proto()
    return messages.BundleEntryProto(dtype=dtype.enum, shape=shape)


def _entries_of_wholes(shards: Sequence[Sequence[Part]], tensors: Tensors) -> dict[bytes, Any]:
    """The entries of tensors that are in parts, which say where these lie."""
    entries: dict[bytes, Any] = {}
    for name, extents, _ in (part for shard in shards for part in shard):
        if extents is not None:
            key = name.encode()
            if key not in entries:
                entries[key] = _entry_of(*tensors[name])
            proto = entries[key].slices.add()
            for start, length in extents:
                proto.extent.add(start=start, length=length)
    return entries


def _write_array(file: IO[bytes], array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Write an array's bytes; how many they are, and their checksum."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    crc = 0
    for start in range(0, len(flat), _CHUNK):
        chunk = flat[start : start + _CHUNK]
        crc = checksum.extend(crc, chunk)
        files.write_all(file, chunk)
    return len(flat), crc


def write_strings(file: IO[bytes], array: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Write strings: their lengths, a checksum of these, and their bytes."""
    values = [bytes(value) for value in array.ravel()]
    crc = _crc_of_lengths([len(value) for value in values])
    check = checksum.mask(crc).to_bytes(4, "little")
    content = b"".join(values)
    head = b"".join(table.varint(len(value)) for value in values) + check
    files.write_all(file, head)
    files.write_all(file, content)
    return len(head) + len(content), checksum.extend(checksum.extend(crc, check), content)


def _crc_of_lengths(lengths: list[int]) -> int:
    crc = 0
    for length in lengths:
        crc = checksum.extend(crc, length.to_bytes(4 if length < 1 << 32 else 8, "little"))
    return crc


class BundleReader:
    """The tensors of a bundle. Sizes and checksums are checked before anything is believed."""

    def __init__(self, prefix: files.PathLike) -> None:
        self.prefix = files.as_path(prefix)
        path = index_path(self.prefix)
        if not files.exists(path):
            if files.isdir(self.prefix):
                text = f"Unable to open table file {self.prefix}: it is a directory"
                raise DataLossError(None, None, f"{text}, and not the prefix of a checkpoint.")
            raise NotFoundError(
                None,
                None,
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
                f"for {self.prefix}: there is no {path}.",
            )
        items = table.decode(files.read_whole(path), path)
        header = parsed(messages.BundleHeaderProto, items.pop(b"", None), path)
        if header.version.min_consumer > _VERSION:
            raise UnimplementedError(None, None, f"{path} is of a newer version than is known.")
        self.shards: int = header.num_shards
        self._swapped = bool(header.endianness)
        self._entries = {
            key: parsed(messages.BundleEntryProto, value, path) for key, value in items.items()
        }
        self._open: dict[int, tuple[IO[bytes], int]] = {}

    def __enter__(self) -> BundleReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1][0].close()

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._entries

    def entries(self) -> Iterator[tuple[bytes, Any]]:
        """The entries of the index by key, those of parts among them."""
        yield from self._entries.items()

    def names(self) -> list[str]:
        """The names of the tensors, without those of parts."""
        keys = (key for key in self._entries if not key.startswith(b"\0"))
        return [key.decode("utf-8", "replace") for key in keys]

    def dtype(self, name: str) -> DType:
        return self._dtype(self._entry(name.encode()), name)

    def shape(self, name: str) -> TensorShape:
        return TensorShape(self._dims(self._entry(name.encode()), name))

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """A tensor's value; NotFoundError if there is none, DataLossError if it is damaged."""
        entry = self._entry(name.encode())
        return self._assembled(entry, name) if entry.slices else self._tensor(entry, name)

    def _entry(self, key: bytes) -> Any:
        if key not in self._entries:
            message = f"Key {key.decode('utf-8', 'replace')} not found in checkpoint {self.prefix}."
            raise NotFoundError(None, None, message)
        return self._entries[key]

    def _dtype(self, entry: Any, name: str) -> DType:
        try:
            return as_dtype(entry.dtype)
        except TypeError:
            raise self._damaged(name, f"there is no dtype of number {entry.dtype}") from None

    def _dims(self, entry: Any, name: str) -> tuple[int, ...]:
        dims = tuple(dim.size for dim in entry.shape.dim)
        if entry.shape.unknown_rank or any(d < 0 for d in dims):
            raise self._damaged(name, f"it has the shape {list(dims)}")
        return dims

    def _damaged(self, name: str, why: str) -> DataLossError:
        message = f"The checkpoint {self.prefix} is damaged at {name!r}: {why}."
        return DataLossError(None, None, message)

    def _tensor(self, entry: Any, name: str) -> np.ndarray[Any, Any]:
        dtype, dims = self._dtype(entry, name), self._dims(entry, name)
        if dtype is string:
            return self._strings(entry, name, dims)
        if not dtype.is_numpy_compatible:
            raise UnimplementedError(
                None, None, f"{name!r} in {self.prefix} is of dtype {dtype.name}, without values."
            )
        if math.prod(dims) * dtype.size != entry.size:
            raise self._damaged(name, f"{entry.size} bytes do not fill {dtype.name}{list(dims)}")
        with self._bytes(entry, name) as (file, size):
            array = np.empty(size // dtype.size, dtype.np_dtype)
            flat = array.view(np.uint8)
            crc = _read_into(file, flat)
        self._check(entry, name, crc)
        return (array.byteswap() if self._swapped else array).reshape(dims)

    @contextmanager
    def _bytes(self, entry: Any, name: str) -> Iterator[tuple[IO[bytes], int]]:
        """The file at the place of an entry, and how many bytes there are, surely."""
        file, length = self._shard(entry.shard_id)
        if entry.offset < 0 or entry.size < 0 or entry.offset + entry.size > length:
            raise self._damaged(name, f"its data ends behind the file of {length} bytes")
        with files.os_errors(self.prefix):
            file.seek(entry.offset)
            yield file, entry.size

    def _shard(self, shard: int) -> tuple[IO[bytes], int]:
        if not 0 <= shard < max(self.shards, 1):
            raise self._damaged("", f"there is no file of number {shard} of {self.shards}")
        if shard not in self._open:
            file = files.open_binary(data_path(self.prefix, shard, self.shards), "rb")
            self._open[shard] = (file, file.seek(0, os.SEEK_END))
        return self._open[shard]

    def _check(self, entry: Any, name: str, crc: int) -> None:
        if checksum.mask(crc) != entry.crc32c:
            raise self._damaged(name, "its checksum is wrong")

    def _strings(self, entry: Any, name: str, dims: tuple[int, ...]) -> np.ndarray[Any, Any]:
        count = math.prod(dims)
        if count + 4 > entry.size:
            raise self._damaged(name, f"{entry.size} bytes do not hold {count} strings")
        with self._bytes(entry, name) as (file, size):
            data = file.read(size)
        cursor = table.Cursor(data, f"{self.prefix} ({name})")
        lengths = [cursor.varint() for _ in range(count)]
        crc = _crc_of_lengths(lengths)
        check = cursor.take(4)
        if sum(lengths) != cursor.left or checksum.mask(crc).to_bytes(4, "little") != check:
            raise self._damaged(name, "the lengths of its strings are wrong")
        found = np.empty(count, object)
        crc = checksum.extend(crc, check)
        for place, length in enumerate(lengths):
            found[place] = cursor.take(length)
            crc = checksum.extend(crc, found[place])
        self._check(entry, name, crc)
        return found.reshape(dims)

    def _assembled(self, entry: Any, name: str) -> np.ndarray[Any, Any]:
        """A tensor that is stored in parts."""
        dtype, dims = self._dtype(entry, name), self._dims(entry, name)
        parts = []
        for proto in entry.slices:
            extents = extents_of(proto)
            part = self._entry(slice_key(name, extents))
            try:
                place = region(extents, dims)
            except ValueError as error:
                raise self._damaged(name, str(error)) from None
            if self._dims(part, name) != tuple(s.stop - s.start for s in place):
                raise self._damaged(name, "a part has another shape than its place")
            parts.append((place, part))
        if sum(math.prod(self._dims(part, name)) for _, part in parts) != math.prod(dims):
            raise self._damaged(name, "its parts do not make up the whole")
        whole = np.empty(dims, object if dtype is string else dtype.np_dtype)
        for place, part in parts:
            whole[place] = self._tensor(part, name)
        return whole


def _read_into(file: IO[bytes], flat: np.ndarray[Any, Any]) -> int:
    """Fill an array of bytes from a file; their checksum."""
    crc = start = 0
    while start < len(flat):
        chunk = flat[start : start + _CHUNK]
        got = file.readinto(chunk.data)  # type: ignore[attr-defined]
        if not got:
            raise DataLossError(None, None, "The file ended while it was read.")
        crc = checksum.extend(crc, chunk[:got])
        start += got
    return crc


def parsed(kind: Any, data: bytes | None, path: str) -> Any:
    """A message in an index; DataLossError if it is none."""
    if data is None:
        raise DataLossError(None, None, f"{path} is damaged: it has no header.")
    try:
        return kind.FromString(data)
    except Exception as error:  # protobuf's own class of error depends on its version
        raise DataLossError(None, None, f"{path} is damaged: {error}.") from None
