"""What a dispatcher knows, on disk: a record for every change, read again after a restart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from runnel.core.files import files
from runnel.core.files.tfrecord import RecordReader, framed
from runnel.core.values.errors import DataLossError
from runnel.data.run.states import decode, encode

_NAME = "journal"


class Journal:
    """Appends changes to a file in a folder."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, _NAME)
        self._file: IO[bytes] | None = None
        files.makedirs(folder)

    def read(self) -> Iterator[list[Any]]:
        """The changes that were written; one that a killed process left half written is none."""
        if not files.exists(self._path):
            return
        try:
            for record in RecordReader(self._path):
                yield decode(record)
        except DataLossError:
            return

    def begin(self, changes: Iterable[list[Any]]) -> None:
        """Start a new file with these changes, in place of the old one."""
        files.write_whole(self._path, framed([encode(change) for change in changes]))
        self._file = files.open_binary(self._path, "ab")

    def write(self, *change: Any) -> None:
        """Note a change before anybody is told of it; a process that is killed leaves it there."""
        assert self._file is not None
        files.write_all(self._file, framed([encode(list(change))]))
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
