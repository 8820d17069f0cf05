"""Readers of files whose names a queue holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.core.files.tfrecord import RecordReader
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops


class ReaderBase:
    """Pairs of a key and a value, from one file after another."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        if state.graph is None:
            raise RuntimeError("Readers are not supported when eager execution is enabled.")
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    reader_ref = property(lambda self: self._reader_ref)
    supports_serialize = property(lambda self: self._supports_serialize)

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next key and value, of the files that a queue names."""
        return raw_ops.ReaderReadV2(self._reader_ref, _handle(queue), name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """At most so many keys and values."""
        count = tf.cast(num_records, tf.int64)
        return raw_ops.ReaderReadUpToV2(self._reader_ref, _handle(queue), count, name=name)

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many values were read."""
        return raw_ops.ReaderNumRecordsProducedV2(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files were read."""
        return raw_ops.ReaderNumWorkUnitsCompletedV2(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Any:
        """The state of the reader as a string."""
        return raw_ops.ReaderSerializeStateV2(self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Go back to a state."""
        return raw_ops.ReaderRestoreStateV2(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Any:
        """Begin again, with the next file."""
        return raw_ops.ReaderResetV2(self._reader_ref, name=name)


def _handle(queue: Any) -> Any:
    return queue if isinstance(queue, tf.Tensor) else queue.queue_ref


class WholeFileReader(ReaderBase):
    """The name of a file, and all it holds."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw_ops.WholeFileReaderV2(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """The lines of files."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(
            raw_ops.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name)
        )


class FixedLengthRecordReader(ReaderBase):
    """Pieces of files that are all as long."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        made = raw_ops.FixedLengthRecordReaderV2(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(made)


class TFRecordReader(ReaderBase):
    """The records of TFRecord files."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        zipped = tf.io.TFRecordOptions.get_compression_type_string(options)
        super().__init__(raw_ops.TFRecordReaderV2(compression_type=zipped, name=name))


class IdentityReader(ReaderBase):
    """What the queue holds, as key and as value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw_ops.IdentityReaderV2(name=name), supports_serialize=True)


class LMDBReader(ReaderBase):
    """Records of LMDB files, which are not read here."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        raise NotImplementedError("LMDBReader: LMDB files are not read; convert them to TFRecord.")


class TFRecordCompressionType:
    """How files of records are compressed."""

    NONE, ZLIB, GZIP = 0, 1, 2


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file."""
    zipped = tf.io.TFRecordOptions.get_compression_type_string(options)
    return RecordReader(os.fspath(path), zipped)
