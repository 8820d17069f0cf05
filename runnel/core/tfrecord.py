"""Files of records with checksums: `tf.io.TFRecordWriter`, and the reader of such files.

A record is its length, a checksum of the length, the data, a checksum of the data. The whole file
may be compressed.
"""

from __future__ import annotations

import struct
import zlib
from typing import IO, Any

from runnel.core import files
from runnel.core.checksum import extend, mask
from runnel.core.errors import DataLossError, InvalidArgumentError

_HEAD = struct.Struct("<QI")
_FOOT = struct.Struct("<I")
_CHUNK = 1 << 18
_ROTATED = 0xA282EAD8


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
        self._parts: list[bytes] = []
        self._waiting = 0

    def write(self, record: Any) -> None:
        """Append a record."""
        if self._file is None:
            raise RuntimeError("TFRecordWriter: the file has been closed.")
        if hasattr(record, "numpy"):
            record = record.numpy()
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes | bytearray | memoryview):
            raise TypeError(f"TFRecordWriter: a record must be bytes, got {type(record).__name__}.")
        self._parts.append(framed(bytes(record)))
        self._waiting += len(record)
        if self._waiting > _CHUNK:
            self._write_out()

    def _write_out(self) -> None:
        assert self._file is not None
        data = b"".join(self._parts)
        self._parts, self._waiting = [], 0
        if self._compressor is not None:
            data = self._compressor.compress(data)
        with files.os_errors(self._path):
            files.write_all(self._file, data)

    def flush(self) -> None:
        """Hand all records to the operating system."""
        if self._file is None:
            raise RuntimeError("TFRecordWriter: the file has been closed.")
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


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = len(record).to_bytes(8, "little")
    head = mask(extend(0, length)).to_bytes(4, "little")
    return b"%b%b%b%b" % (length, head, record, mask(extend(0, record)).to_bytes(4, "little"))


class Stream:
    """A file, decompressed, that is read in chunks."""

    def __init__(self, path: str, compression: str = "", chunk: int = _CHUNK) -> None:
        if compression not in ("", "GZIP", "ZLIB"):
            message = f"compression_type must be '', 'GZIP' or 'ZLIB', got {compression!r}."
            raise InvalidArgumentError(None, None, message)
        self.path = path
        self._chunk = max(chunk, 1 << 12)
        self._zipped = compression
        with files.os_errors(path):
            self._file: Any = files.open_binary(path, "rb")
        self._inflater: Any = self._new_inflater() if compression else None
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


class RecordReader:
    """The records of a file, one after another; `offset` is where the next one begins."""

    def __init__(
        self, path: str, compression: str = "", offset: int = 0, chunk: int = _CHUNK
    ) -> None:
        self.path = path
        self._stream = Stream(path, compression, chunk)
        if offset:
            self._stream.seek(offset)
        self._buffer = b""
        self._place = 0
        self.offset = offset

    def __iter__(self) -> RecordReader:
        return self

    def __next__(self) -> bytes:
        buffer, place = self._buffer, self._place
        if len(buffer) - place < 12:
            buffer, place = self._fill(12)
            if not buffer:
                self._stream.close()
                raise StopIteration
        length, head = _HEAD.unpack_from(buffer, place)
        crc = extend(0, buffer[place : place + 8])
        if (((crc >> 15) | (crc << 17)) + _ROTATED) & 0xFFFFFFFF != head:
            raise self._damaged("corrupted record")
        if len(buffer) - place < length + 16:
            buffer, place = self._fill(length + 16)
        start = place + 12
        stop = start + length
        data = buffer[start:stop]
        crc = extend(0, data)
        if (((crc >> 15) | (crc << 17)) + _ROTATED) & 0xFFFFFFFF != _FOOT.unpack_from(buffer, stop)[
            0
        ]:
            raise self._damaged("corrupted record")
        self._place = stop + 4
        self.offset += length + 16
        return data

    def _fill(self, wanted: int) -> tuple[bytes, int]:
        """Read until so many bytes are there; nothing at the end of the file."""
        parts = [self._buffer[self._place :]]
        size = len(parts[0])
        while size < wanted:
            piece = self._stream.read()
            if not piece:
                if not size:
                    return b"", 0
                raise self._damaged("truncated record")
            parts.append(piece)
            size += len(piece)
        self._buffer, self._place = b"".join(parts), 0
        return self._buffer, 0

    def _damaged(self, what: str) -> DataLossError:
        return DataLossError(None, None, f"{what} at {self.offset} in {self.path}")
