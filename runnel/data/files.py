"""Elements on disk: the format of `save`, `load`, `snapshot` and `cache(filename)`.

A folder holds shards of records (in the framing of TFRecord files, with checksums), the element
spec, and `complete.json`, which is written last. A folder without it is what a killed run left
behind: it is not read, and the next run starts anew.
"""

from __future__ import annotations

import json
import os
import uuid
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from runnel.core import files, structured_value
from runnel.core.errors import DataLossError, NotFoundError, OpError
from runnel.core.protos import messages
from runnel.core.tfrecord import RecordReader, TFRecordWriter
from runnel.data.states import decode, encode
from runnel.data.structure import Structure, Values

_SPEC = "dataset_spec.pb"
_DONE = "complete.json"
_PACKED = b"z"
_PLAIN = b"p"


def packed(values: Values, compression: str) -> bytes:
    """An element as the bytes of a record."""
    data = encode(list(values))
    return _PACKED + zlib.compress(data, 1) if compression else _PLAIN + data


def unpacked(record: bytes, path: str) -> Values:
    """The element in a record."""
    kind, data = record[:1], record[1:]
    if kind == _PACKED:
        try:
            data = zlib.decompress(data)
        except zlib.error as error:
            raise DataLossError(None, None, f"{path}: a damaged element: {error}") from error
    elif kind != _PLAIN:
        raise DataLossError(None, None, f"{path}: this is no file of elements.")
    found: Values = decode(data)
    return found


class Writer:
    """Writes elements into a new folder inside `path`, which counts when it is finished."""

    def __init__(self, path: str, structure: Structure, compression: str) -> None:
        self.path = path
        self.run = f"run-{uuid.uuid4().hex[:12]}"
        self._folder = os.path.join(path, self.run)
        self._compression = compression
        self._shards: dict[int, TFRecordWriter] = {}
        self.counts: dict[int, int] = {}
        files.makedirs(self._folder)
        spec = structured_value.encode(structure.spec).SerializeToString()
        files.write_whole(os.path.join(self._folder, _SPEC), spec)

    def write(self, values: Values, shard: int = 0) -> None:
        self._append(packed(values, self._compression), shard)

    def _append(self, record: bytes, shard: int) -> None:
        if shard not in self._shards:
            self._shards[shard] = TFRecordWriter(shard_file(self._folder, shard))
            self.counts[shard] = 0
        self._shards[shard].write(record)
        self.counts[shard] += 1

    def copy(self, path: str, shard: int, count: int) -> None:
        """Write the first elements of a file of another run."""
        reader = RecordReader(path)
        for _ in range(count):
            self._append(next(reader), shard)

    def clear(self) -> None:
        """Forget what has been written."""
        for writer in self._shards.values():
            writer.close()
        self._shards, self.counts = {}, {}

    def flush(self) -> None:
        """Hand everything to the operating system."""
        for writer in self._shards.values():
            writer.flush()

    def finish(self) -> None:
        """Make this the contents of the path, and remove what earlier runs have left."""
        for writer in self._shards.values():
            writer.close()
        shards = {str(shard): count for shard, count in sorted(self.counts.items())}
        content = json.dumps({"run": self.run, "shards": shards}).encode()
        files.write_whole(os.path.join(self.path, _DONE), content)
        for name in files.listdir(self.path):
            if name.startswith("run-") and name.rstrip("/") != self.run:
                with suppress(OpError):
                    files.rmtree(os.path.join(self.path, name.rstrip("/")))

    def abandon(self) -> None:
        """Throw away what has been written."""
        for writer in self._shards.values():
            with suppress(OpError):
                writer.close()
        with suppress(OpError):
            files.rmtree(self._folder)


def shard_file(folder: str, shard: int) -> str:
    return os.path.join(folder, f"shard-{shard:05d}.records")


class Saved:
    """A finished folder of elements."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            done = json.loads(files.read_whole(os.path.join(path, _DONE)))
            self.folder = os.path.join(path, done["run"])
            self.shards = {int(shard): int(count) for shard, count in done["shards"].items()}
        except NotFoundError:
            message = f"There is no finished dataset at {path}."
            raise NotFoundError(None, None, message) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataLossError(None, None, f"{path}/{_DONE} is damaged: {error}") from error

    @property
    def count(self) -> int:
        return sum(self.shards.values())

    def element_spec(self) -> Any:
        from google.protobuf.message import DecodeError

        proto = messages.StructuredValue()
        path = os.path.join(self.folder, _SPEC)
        try:
            proto.ParseFromString(files.read_whole(path))
        except DecodeError as error:
            raise DataLossError(None, None, f"{path} is damaged: {error}") from error
        return structured_value.decode(proto)

    def read(self, shard: int, skip: int = 0) -> Iterator[Values]:
        path = shard_file(self.folder, shard)
        for i, record in enumerate(RecordReader(path)):
            if i >= skip:
                yield unpacked(record, path)


def is_finished(path: str) -> bool:
    return files.exists(os.path.join(path, _DONE))
