"""Files of records with checksums: `tf.io.TFRecordWriter`, and the reader of such files.

A record is its length, a checksum of the length, the data, a checksum of the data. The whole file
may be compressed.
"""

from __future__ import annotations

import functools
import struct
import zlib
from typing import IO, Any

import numpy as np

from runnel.core.files import files
from runnel.core.values.errors import DataLossError, FailedPreconditionError, InvalidArgumentError
from runnel.kernels.records import snappy
from runnel.kernels.records.checksum import crc32c, mask

_HEAD = struct.Struct("<QI")
_FOOT = struct.Struct("<I")
_CHUNK = 1 << 18
_ROTATED = 0xA282EAD8
_MOST_BYTES = 1 << 31  # bytes of a compressed block


class TFRecordOptions:
    """How a file of records is compressed.

    >>> tf.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)  # complains about unknown ones
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """`""`, `"ZLIB"` or `"GZIP"` for options, a name, a number or None."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, str):
            if options not in cls.compression_type_map.values():
                raise ValueError(f"Not a valid compression type: {options!r}.")
            return options
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        raise ValueError(f"Not a valid compression type: {options!r}.")

    def _compressor(self) -> Any:
        kind = self.get_compression_type_string(self.compression_type)
        if not kind:
            return None
        bits = 15 if self.window_bits is None else self.window_bits
        return zlib.compressobj(
            -1 if self.compression_level is None else self.compression_level,
            zlib.DEFLATED if self.compression_method is None else self.compression_method,
            bits + 16 if kind == "GZIP" and bits <= 15 else bits,
            8 if self.mem_level is None else self.mem_level,
            self.compression_strategy or 0,
        )


class TFRecordWriter:
    """Writes records to a file.

    Args:
        path: a path, also with a scheme such as `gs://`.
        options: a `TFRecordOptions`, or the name of a compression.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'first', b'second']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._path = files.as_path(path)
        self._compressor = options._compressor()
        with files.os_errors(self._path):
            self._file: IO[bytes] | None = files.open_binary(self._path, "wb")
        self._records: list[bytes] = []  # not yet written
        self._waiting = 0  # their bytes

    def write(self, record: Any) -> None:
        """Append a record."""
        if type(record) is not bytes:
            record = _as_bytes(record)
        if self._file is None:
            raise FailedPreconditionError(None, None, "TFRecordWriter: the file has been closed.")
        self._records.append(record)
        self._waiting += len(record) + 16
        if self._waiting > _CHUNK:
            self._write_out()

    def _write_out(self) -> None:
        assert self._file is not None
        data = framed(self._records)
        self._records, self._waiting = [], 0
        if self._compressor is not None:
            data = self._compressor.compress(data)
        with files.os_errors(self._path):
            files.write_all(self._file, data)

    def flush(self) -> None:
        """Hand all records to the operating system."""
        if self._file is None:
            raise FailedPreconditionError(None, None, "TFRecordWriter: the file has been closed.")
        self._write_out()
        with files.os_errors(self._path):
            if self._compressor is not None:
                files.write_all(self._file, self._compressor.flush(zlib.Z_SYNC_FLUSH))
            self._file.flush()

    def close(self) -> None:
        """Write what is left, and close the file."""
        if self._file is None:
            return
        self._write_out()
        with files.os_errors(self._path):
            if self._compressor is not None:
                files.write_all(self._file, self._compressor.flush())
            self._file.close()
        self._file = None

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


def _as_bytes(record: Any) -> bytes:
    if hasattr(record, "numpy"):
        record = record.numpy()
    if isinstance(record, str):
        record = record.encode()
    if not isinstance(record, bytes | bytearray | memoryview):
        raise TypeError(f"TFRecordWriter: a record must be bytes, got {type(record).__name__}.")
    return bytes(record)


def framed(records: list[bytes]) -> bytes:
    """Records with their lengths and checksums."""
    count = len(records)
    crcs = np.fromiter(map(crc32c(), records), np.uint32, count)
    feet = _masked(crcs).astype("<u4", copy=False).tobytes()
    parts = [b""] * (3 * count)
    parts[0::3] = map(_head, map(len, records))
    parts[1::3] = records
    parts[2::3] = [feet[i : i + 4] for i in range(0, 4 * count, 4)]
    return b"".join(parts)


def _masked(crcs: Any) -> Any:
    """Checksums in the form for files; see `checksum.mask`."""
    return ((crcs >> 15) | (crcs << 17)) + np.uint32(_ROTATED)


@functools.lru_cache(maxsize=1 << 14)
def _head(size: int) -> bytes:
    """What stands before a record: its length, and the checksum of that."""
    length = size.to_bytes(8, "little")
    return length + _FOOT.pack(mask(crc32c()(length)))


@functools.lru_cache(maxsize=1 << 14)
def _length_mark(size: int) -> int:
    """The masked checksum of a length, as a number."""
    return mask(crc32c()(size.to_bytes(8, "little")))


class Stream:
    """A file, decompressed, that is read in chunks."""

    kinds: tuple[str, ...] = ("", "GZIP", "ZLIB")

    def __init__(self, path: str, compression: str = "", chunk: int = _CHUNK) -> None:
        if compression not in self.kinds:
            names = ", ".join(map(repr, self.kinds))
            message = f"compression_type must be one of {names}, got {compression!r}."
            raise InvalidArgumentError(None, None, message)
        self.path = path
        self._chunk = max(chunk, 1 << 12)
        self._zipped = compression
        with files.os_errors(path):
            self._file: Any = files.open_binary(path, "rb")
        self._inflater: Any = self._new_inflater() if compression else None
        self._started = False  # whether there was anything to inflate
        self._rest = b""

    def _new_inflater(self) -> Any:
        return zlib.decompressobj(31 if self._zipped == "GZIP" else 15)

    def seek(self, offset: int) -> None:
        """Go to a place in the decompressed contents, from the beginning."""
        if not self._zipped:
            self._file.seek(offset)
            return
        while offset > 0:
            piece = self.read()
            if not piece:
                return
            if len(piece) > offset:
                self._rest = piece[offset:]
            offset -= len(piece)

    def put_back(self, piece: bytes) -> None:
        """Give back the last bytes that were read; the next `read` begins with them."""
        self._rest = piece + self._rest

    def read(self) -> bytes:
        """The next bytes, none at the end."""
        if self._rest:
            piece, self._rest = self._rest, b""
            return piece
        if self._inflater is None:
            with files.os_errors(self.path):
                return self._file.read(self._chunk)  # type: ignore[no-any-return]
        return self._inflated()

    def _inflated(self) -> bytes:
        try:
            while True:
                pending = self._inflater.unconsumed_tail or self._inflater.unused_data
                if self._inflater.eof:
                    if not pending:
                        pending = self._file.read(self._chunk)
                    if not pending:
                        return b""
                    self._inflater = self._new_inflater()
                data = pending or self._file.read(self._chunk)
                if not data and not self._started:  # an empty file holds nothing
                    return b""
                self._started = True
                if not data:
                    raise DataLossError(None, None, f"{self.path} ends in the middle of its data.")
                piece: bytes = self._inflater.decompress(data, self._chunk * 4)
                if piece:
                    return piece
        except zlib.error as error:
            message = f"{self.path} is not {self._zipped} data: {error}."
            raise DataLossError(None, None, message) from error

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


class _RecordStream(Stream):
    """The same, which may also be compressed with Snappy, as only files of records are."""

    kinds = (*Stream.kinds, "SNAPPY")

    def _new_inflater(self) -> Any:
        return None if self._zipped == "SNAPPY" else super()._new_inflater()

    def read(self) -> bytes:
        if self._zipped != "SNAPPY" or self._rest:
            return super().read()
        with files.os_errors(self.path):
            head = self._file.read(4)
            size = int.from_bytes(head, "big")
            block = self._file.read(size) if size <= _MOST_BYTES else b""
        if not head:
            return b""
        try:
            if len(head) < 4 or len(block) < size:
                raise ValueError("it ends too early")
            return snappy.decompress(block)
        except ValueError as error:
            message = f"{self.path} is not Snappy data: {error}."
            raise DataLossError(None, None, message) from error


class RecordReader:
    """The records of a file, one after another; `offset` is where the next one begins.

    Records are taken from the file and checked a chunk at a time. A damaged one is an error when
    its turn comes, and each time after.
    """

    def __init__(
        self, path: str, compression: str = "", offset: int = 0, chunk: int = _CHUNK
    ) -> None:
        self.path = path
        self._stream = _RecordStream(path, compression, chunk)
        if offset:
            self._stream.seek(offset)
        self._rest = b""  # what was read after the last whole record
        self._records: list[bytes] = []  # checked and not yet taken, in reverse
        self._damage = ""
        self.offset = offset

    def __iter__(self) -> RecordReader:
        return self

    def __next__(self) -> bytes:
        if not self._records:
            self._read()
        record = self._records.pop()
        self.offset += len(record) + 16
        return record

    def take(self, count: int) -> list[bytes]:
        """The next records: at least one, and at most `count`."""
        if not self._records:
            self._read()
        taken = self._records[: -count - 1 : -1]
        del self._records[-count:]
        self.offset += sum(map(len, taken)) + 16 * len(taken)
        return taken

    def _read(self) -> None:
        """Get the records of another chunk; StopIteration at the end of the file."""
        if self._damage:
            raise self._damaged()
        parts, size, wanted = [self._rest], len(self._rest), 16
        while True:
            piece = self._stream.read()
            if not piece:
                self._stream.close()
                if not size:
                    raise StopIteration
                self._damage = "truncated record"
            parts.append(piece)
            size += len(piece)
            if size < wanted and piece:
                continue
            joined = b"".join(parts)
            parts, wanted = [joined], self._split(joined)
            if self._records:
                return
            if self._damage:
                raise self._damaged()

    def _split(self, data: bytes) -> int:
        """Cut off all whole records; how many bytes are wanted for the one after them."""
        place, size, wanted, damage = 0, len(data), 16, ""
        records: list[bytes] = []
        heads: list[int] = []
        unpack = _HEAD.unpack_from
        while place + 12 <= size:
            length, head = unpack(data, place)
            stop = place + 12 + length
            if stop + 4 > size:
                if head == _length_mark(length):
                    wanted = length + 16
                else:
                    damage = "corrupted record"
                break
            records.append(data[place + 12 : stop])
            heads.append(head)
            place = stop + 4
        good = _intact(data, records, heads)
        if good < len(records):
            damage = "corrupted record"
            del records[good:]
        self._damage = damage or self._damage
        records.reverse()
        self._records, self._rest = records, data[place:]
        return wanted

    def _damaged(self) -> DataLossError:
        return DataLossError(None, None, f"{self._damage} at {self.offset} in {self.path}")


def _intact(data: bytes, records: list[bytes], heads: list[int]) -> int:
    """How many records come before the first whose checksums are not what stands around it."""
    if not records:
        return 0
    sizes = np.fromiter(map(len, records), np.int64, len(records))
    masked = _masked(np.fromiter(map(crc32c(), records), np.uint32, len(records)))
    places = (np.cumsum(sizes + 16) - 4)[:, None] + np.arange(4)
    kept = np.frombuffer(data, np.uint8)[places].view("<u4")[:, 0]
    lengths, which = np.unique(sizes, return_inverse=True)
    marks = np.array([_length_mark(length) for length in lengths.tolist()], np.uint32)
    wrong = np.flatnonzero((masked != kept) | (marks[which] != np.array(heads, np.uint32)))
    return int(wrong[0]) if len(wrong) else len(records)
