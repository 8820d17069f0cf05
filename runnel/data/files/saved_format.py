"""Elements on disk: the format of `save`, `load` and `snapshot`, which is TensorFlow's.

A folder holds the element spec (`dataset_spec.pb`), a folder for the run that wrote it with one
for each shard, and `snapshot.metadata`, which is written last. Without that it is what a killed
run left behind: it is not read, and the next run starts anew. In a shard are files of records, and
an element is as many records as it has components.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.files import files, leftovers
from runnel.core.files.tfrecord import RecordReader, TFRecordOptions, TFRecordWriter
from runnel.core.protos import messages
from runnel.core.values.errors import DataLossError, NotFoundError, OpError
from runnel.data.files.element_records import dtypes_of, records_of, values_of
from runnel.data.files.messages import saved_elements
from runnel.data.run.structure import Structure, Values
from runnel.kernels.records.snappy import Compressor

_SPEC = "dataset_spec.pb"
_DONE = "snapshot.metadata"
_SHARD = ".shard"
_VERSION = 2  # of the format


class _Snappy(TFRecordOptions):
    """Options for files compressed with Snappy, which users cannot ask for by name."""

    def _compressor(self) -> Any:
        return Compressor()


def _options(compression: str) -> TFRecordOptions:
    return _Snappy() if compression == "SNAPPY" else TFRecordOptions(compression)


class Writer:
    """Writes elements into a new folder inside `path`, which counts when it is finished.

    An empty file beside it, with a temporary name, says that its writer is at work.
    `keep_spec` leaves an element spec that is there as it is.
    """

    def __init__(
        self,
        path: str,
        structure: Structure,
        compression: str,
        name: str = "",
        *,
        keep_spec: bool = False,
    ) -> None:
        self.path = path
        self._keep_spec = keep_spec
        self.run = str(secrets.randbits(64))
        self._name = name  # of the dataset that a snapshot is of
        self._folder = os.path.join(path, self.run)
        self._structure = structure
        self._compression = compression
        self._shards: dict[int, TFRecordWriter] = {}
        self.counts: dict[int, int] = {}
        self._spec = structured_value.encode(structure.spec).SerializeToString()
        files.makedirs(self._folder)
        self._mark = "" if files.scheme_of(path) else leftovers.temporary(self._folder)
        if self._mark:
            files.open_binary(self._mark, "wb").close()

    def write(self, values: Values, shard: int = 0) -> None:
        self._append(records_of(self._structure, values), shard)

    def _append(self, records: list[bytes], shard: int) -> None:
        if shard not in self._shards:
            path = shard_file(self._folder, shard)
            files.makedirs(os.path.dirname(path))
            self._shards[shard] = TFRecordWriter(path, _options(self._compression))
            self.counts[shard] = 0
        writer = self._shards[shard]
        for record in records:
            writer.write(record)
        self.counts[shard] += 1

    def copy(self, run: str, shard: int, count: int) -> None:
        """Write the first elements of a shard of another run."""
        width = len(dtypes_of(self._structure))
        path = shard_file(os.path.join(self.path, run), shard)
        reader = RecordReader(path, self._compression)
        for _ in range(count):
            self._append([_next(reader, path) for _ in range(width)], shard)

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
        done, spec = os.path.join(self.path, _DONE), os.path.join(self.path, _SPEC)
        if not files.exists(spec) or not (self._keep_spec or files.read_whole(spec) == self._spec):
            with suppress(NotFoundError):  # the old elements do not go with the new spec
                files.remove(done)
            files.write_whole(spec, self._spec)
        files.write_whole(done, self._metadata().SerializeToString())
        self._unmark()
        self._remove_earlier_runs()

    def _unmark(self) -> None:
        with suppress(OSError):
            os.remove(self._mark)

    def _remove_earlier_runs(self) -> None:
        """Remove all runs but this one and those that are being written."""
        names = [name.rstrip("/") for name in files.listdir(self.path)]
        kept = {name.partition(".")[0] for name in names if leftovers.is_temporary(name)}
        for run in set(names) - kept - {self.run}:
            if run.isdigit():
                with suppress(OpError):
                    files.rmtree(os.path.join(self.path, run))

    def _metadata(self) -> Any:
        return saved_elements()(
            graph_hash=self._name,
            run_id=self.run,
            creation_timestamp=int(time.time() * 1e6),
            version=_VERSION,
            dtype=[dtype.enum for dtype in dtypes_of(self._structure)],
            num_elements=sum(self.counts.values()),
            shard=list(self.counts),
            shard_elements=list(self.counts.values()),
            finalized=True,
        )

    def leave(self) -> None:
        """Leave what has been written to a later run."""
        for writer in self._shards.values():
            with suppress(OpError):
                writer.close()
        self._unmark()

    def abandon(self) -> None:
        """Throw away what has been written."""
        self.leave()
        with suppress(OpError):
            files.rmtree(self._folder)


def shard_file(folder: str, shard: int) -> str:
    return os.path.join(folder, f"{shard:08d}{_SHARD}", "00000000.snapshot")


class Saved:
    """A finished folder of elements."""

    def __init__(self, path: str, compression: str) -> None:
        self.path, self.compression = path, compression
        proto = _metadata_in(path)
        if proto is None or not proto.finalized:
            raise NotFoundError(None, None, f"There is no finished dataset at {path}.")
        if proto.version != _VERSION:
            message = f"{path} has version {proto.version} of the format; only 2 is known."
            raise DataLossError(None, None, message)
        self.count: int = proto.num_elements
        self.folder = os.path.join(path, proto.run_id)
        self._counts = dict(zip(proto.shard, proto.shard_elements))  # of ours, not TensorFlow's

    @property
    def shards(self) -> list[int]:
        """The numbers of the shards."""
        if self._counts:
            return sorted(self._counts)
        names = [name.rstrip("/") for name in files.listdir(self.folder)]
        texts = [name.removesuffix(_SHARD) for name in names if name.endswith(_SHARD)]
        return sorted(int(text) for text in texts if text.isdigit())

    def element_spec(self) -> Any:
        path = os.path.join(self.path, _SPEC)
        proto = messages.StructuredValue()
        try:
            proto.ParseFromString(files.read_whole(path))
            return structured_value.decode(proto)
        except OpError:
            raise
        except Exception as error:  # protobuf has an error class of its own
            raise DataLossError(None, None, f"{path} is damaged: {error}") from error

    def read(self, structure: Structure, shard: int, skip: int = 0) -> Iterator[Values]:
        """The elements of a shard; an error if there are fewer than were written."""
        folder = os.path.dirname(shard_file(self.folder, shard))
        names = sorted(files.listdir(folder))
        if not names:
            raise NotFoundError(None, None, f"{folder} holds no elements: its files are missing.")
        width, place = len(dtypes_of(structure)), 0
        for name in names:
            path = os.path.join(folder, name)
            records = RecordReader(path, self.compression)
            for first in records:
                element = [first, *[_next(records, path) for _ in range(width - 1)]]
                place += 1
                if place > skip:
                    yield values_of(structure, element, path)
        self.check_count(place, self._counts.get(shard, 0), folder)

    def check_count(self, found: int, wanted: int, where: str) -> None:
        """DataLossError for fewer elements than were written, as far as that is known."""
        if found < wanted:
            message = f"{where} holds {found} of the {wanted} elements that were written there."
            raise DataLossError(None, None, message)


def _next(records: RecordReader, path: str) -> bytes:
    try:
        return next(records)
    except StopIteration:
        raise DataLossError(None, None, f"{path} ends in the middle of an element.") from None


def _metadata_in(path: str) -> Any:
    """What stands beside the elements in a folder, None if nothing does."""
    file = os.path.join(path, _DONE)
    try:
        return saved_elements().FromString(files.read_whole(file))
    except NotFoundError:
        return None
    except OpError:
        raise
    except Exception as error:  # protobuf has an error class of its own
        raise DataLossError(None, None, f"{file} is damaged: {error}") from error


def is_finished(path: str) -> bool:
    found = _metadata_in(path)
    return found is not None and bool(found.finalized)
