"""Event files, which TensorBoard reads: records that each hold an `Event` message."""

from __future__ import annotations

import itertools
import os
import platform
import time
import weakref
from typing import Any

from runnel.core.files import files
from runnel.core.files.tfrecord import TFRecordWriter
from runnel.core.protos import messages
from runnel.core.state.resource import Resource
from runnel.core.values.errors import NotFoundError

_VERSION = "brain.Event:2"
_count = itertools.count()


class EventFile(Resource):
    """What the handle of a summary writer points to: a file of events, once it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self._records: TFRecordWriter | None = None
        self._waiting = 0
        self._max_queue = 0
        self._flush_seconds = 0.0
        self._flushed_at = 0.0

    def open(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        """Make a new file in `logdir`; nothing happens if there is one already."""
        with self.lock:
            if self._records is not None:
                return
            files.makedirs(logdir)
            now = int(time.time())
            place = f"{platform.node()}.{os.getpid()}.{next(_count)}"
            name = f"events.out.tfevents.{now:010d}.{place}{suffix}"
            self._records = TFRecordWriter(os.path.join(logdir, name))
            # Also when Python ends: events that wait must not be lost.
            weakref.finalize(self, self._records.close)
            self._max_queue, self._flush_seconds = max_queue, flush_millis / 1000
            source = messages.SourceMetadata(writer="tensorflow.core.util.events_writer")
            self._append(messages.Event(file_version=_VERSION, source_metadata=source))
            self.flush()

    def add(self, step: int, **what: Any) -> None:
        """Append an event: its `summary`, its `graph_def` or another of its fields."""
        with self.lock:
            self._append(messages.Event(step=step, **what))
            late = time.time() - self._flushed_at > self._flush_seconds
            if self._waiting > self._max_queue or late:
                self.flush()

    def _append(self, event: Any) -> None:
        event.wall_time = event.wall_time or time.time()
        self._opened().write(event.SerializeToString())
        self._waiting += 1

    def flush(self) -> None:
        """Hand all events to the operating system."""
        with self.lock:
            self._opened().flush()
            self._waiting, self._flushed_at = 0, time.time()

    def close(self) -> None:
        """Write what waits, and close the file; no event can follow."""
        with self.lock:
            self._opened().close()
            self._records = None

    def _opened(self) -> TFRecordWriter:
        if self._records is None:
            message = "The summary writer has no file: it is closed, or was never initialized."
            raise NotFoundError(None, None, message)
        return self._records
