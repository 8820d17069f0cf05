"""Files of what a program did, which TensorBoard's debugger reads: records of `DebugEvent`s.

A folder holds six files. What belongs to the source and the graphs is written as it comes. Events
of runs, of which there may be very many, wait in a ring that keeps the newest, until they are
flushed.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections import deque
from typing import Any

from runnel.core.files import files
from runnel.core.files.tfrecord import TFRecordWriter
from runnel.core.protos import messages
from runnel.core.settings.build import VERSION
from runnel.core.values.errors import OpError

_FILE_VERSION = "debug.Event:1"
_OF_CODE = ("metadata", "source_files", "stack_frames", "graphs")
_OF_RUNS = ("execution", "graph_execution_traces")
_lock = threading.Lock()


class EventFiles:
    """The files of one run of the debugger in one folder."""

    def __init__(self, folder: str, run_id: str, ring_size: int) -> None:
        self.run_id = run_id
        self._lock = threading.RLock()
        self._devices: dict[str, int] = {}
        files.makedirs(folder)
        start = os.path.join(folder, f"tfdbg_events.{int(time.time()):010d}.{platform.node()}")
        self._files = {kind: TFRecordWriter(f"{start}.{kind}") for kind in (*_OF_CODE, *_OF_RUNS)}
        limit = ring_size if ring_size > 0 else None
        self._rings = {kind: deque[bytes](maxlen=limit) for kind in _OF_RUNS if limit}
        self.closed = False
        facts = messages.DebugMetadata(
            tensorflow_version=VERSION, file_version=_FILE_VERSION, tfdbg_run_id=run_id
        )
        self.write("metadata", debug_metadata=facts)
        self.flush("metadata")

    def write(self, kind: str, **what: Any) -> None:
        """Append an event to a file; nothing happens once the files are closed."""
        event = messages.DebugEvent(wall_time=time.time(), **what).SerializeToString()
        with self._lock:
            if not self.closed:
                ring = self._rings.get(kind)
                self._files[kind].write(event) if ring is None else ring.append(event)

    def device_id(self, name: str) -> int:
        """The number of a device, which is written down when it is first asked for."""
        with self._lock:
            if name not in self._devices:
                self._devices[name] = number = len(self._devices) + 1
                device = messages.DebuggedDevice(device_name=name, device_id=number)
                self.write("graphs", debugged_device=device)
            return self._devices[name]

    def flush(self, *kinds: str) -> None:
        """Hand what was written to these files, and what waits for them, to the system."""
        with self._lock:
            for kind in () if self.closed else kinds:
                ring = self._rings.get(kind, ())
                while ring:
                    self._files[kind].write(ring.popleft())
                self._files[kind].flush()

    def close(self) -> None:
        """Write what waits, and close the files."""
        with self._lock:
            self.flush(*self._files)
            self.closed = True
            for file in self._files.values():
                file.close()


_folders: dict[str, EventFiles] = {}


def event_files(folder: str, run_id: str, ring_size: int) -> EventFiles:
    """The files in a folder, made if there are none yet."""
    with _lock:
        if folder not in _folders:
            _folders[folder] = EventFiles(folder, run_id, ring_size)
        return _folders[folder]


class DebugEventsWriter:
    """Writes events to the files of a folder; all writers for a folder share them."""

    def __init__(self, dump_root: str, tfdbg_run_id: str, circular_buffer_size: int = 1000) -> None:
        if not dump_root:
            raise ValueError("Empty or None dump root: events need a folder.")
        self._dump_root = dump_root
        with _lock:
            if dump_root in _folders and _folders[dump_root].closed:
                del _folders[dump_root]
        try:
            self._files = event_files(dump_root, tfdbg_run_id, circular_buffer_size)
        except OpError as error:
            raise ValueError(
                f"Failed to initialize debug events writer at: {dump_root}. {error.message}"
            ) from error

    @property
    def dump_root(self) -> str:
        return self._dump_root

    def WriteSourceFile(self, source_file: Any) -> None:
        self._files.write("source_files", source_file=source_file)

    def WriteStackFrameWithId(self, stack_frame_with_id: Any) -> None:
        self._files.write("stack_frames", stack_frame_with_id=stack_frame_with_id)

    def WriteGraphOpCreation(self, graph_op_creation: Any) -> None:
        self._files.write("graphs", graph_op_creation=graph_op_creation)

    def WriteDebuggedGraph(self, debugged_graph: Any) -> None:
        self._files.write("graphs", debugged_graph=debugged_graph)

    def WriteExecution(self, execution: Any) -> None:
        self._files.write("execution", execution=execution)

    def WriteGraphExecutionTrace(self, graph_execution_trace: Any) -> None:
        self._files.write("graph_execution_traces", graph_execution_trace=graph_execution_trace)

    def RegisterDeviceAndGetId(self, device_name: str) -> int:
        """The number of a device in the events."""
        return self._files.device_id(device_name)

    def FlushNonExecutionFiles(self) -> None:
        """Write out what is known of source files and graphs."""
        self._files.flush(*_OF_CODE)

    def FlushExecutionFiles(self) -> None:
        """Write out the events of runs that wait, of which only the newest are kept."""
        self._files.flush(*_OF_RUNS)

    def Close(self) -> None:
        """Write out everything; events that follow are dropped."""
        self._files.close()
