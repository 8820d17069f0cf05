"""`FileWriter`: writes summaries, graphs and the statistics of runs to event files."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.core.files.tfrecord import RecordReader
from runnel.core.protos import messages
from runnel.summary.event_file import EventFile
from runnel.v1.train.meta_graphs import if_writable


class FileWriter:
    """Writes events to a new file of a folder, for TensorBoard.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     with tf.compat.v1.summary.FileWriter(folder, session.graph) as writer:
    ...         loss = tf.compat.v1.summary.scalar("loss", 0.5)
    ...         writer.add_summary(session.run(loss), global_step=3)
    >>> [path] = tf.io.gfile.glob(folder + "/events*")
    >>> [(e.step, e.WhichOneof("what")) for e in tf.compat.v1.train.summary_iterator(path)][-1]
    (3, 'summary')
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._logdir = os.fspath(logdir)
        self._options = max_queue, int(flush_secs * 1000), filename_suffix or ""
        self._seen: set[str] = set()
        self._open()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def _open(self) -> None:
        self._file = EventFile()
        self._file.open(self._logdir, *self._options)
        self._closed = False

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._logdir

    def _add(self, global_step: Any, **what: Any) -> None:
        if not self._closed:
            self._file.add(0 if global_step is None else int(global_step), **what)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a summary: a message, or the string that `Session.run` returned."""
        if isinstance(summary, bytes):
            summary = messages.Summary.FromString(summary)
        for value in summary.value:
            if value.tag in self._seen:  # TensorBoard needs what describes a tag only once
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._seen.add(value.tag)
        self._add(global_step, summary=summary)

    def add_event(self, event: Any) -> None:
        """Write an event as it is."""
        if not self._closed:
            what = event.WhichOneof("what")
            options = {} if what is None else {what: getattr(event, what)}
            self._file.add(event.step, wall_time=event.wall_time, **options)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if isinstance(graph, tf.Graph):
            with if_writable("The graph"):
                proto = graph.as_graph_def(add_shapes=True)
                self._add(global_step, graph_def=proto.SerializeToString())
            return
        if graph is not None and hasattr(graph, "node"):
            graph_def = graph
        elif not hasattr(graph_def, "node"):
            raise TypeError(f"add_graph: the passed graph must be a tf.Graph, got {graph!r}.")
        self._add(global_step, graph_def=graph_def.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a graph with its collections and signatures."""
        if not hasattr(meta_graph_def, "collection_def"):
            raise TypeError(f"add_meta_graph: a MetaGraphDef is wanted, got {meta_graph_def!r}.")
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write that a session began, ended, or saved a checkpoint."""
        self._add(global_step, session_log=session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write the statistics of one run, under a tag that is used once."""
        if tag in self._seen:
            raise ValueError(f"The provided tag was already used for this event type: {tag}.")
        self._seen.add(tag)
        tagged = messages.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=tagged)

    def flush(self) -> None:
        """Hand all events to the operating system."""
        if not self._closed:
            self._file.flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        if not self._closed:
            self._file.close()
            self._closed = True

    def reopen(self) -> None:
        """Begin another file, if this one is closed."""
        if self._closed:
            self._open()


class FileWriterCache:
    """One writer for each folder."""

    _cache: dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Close all writers, and forget them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder."""
        path = os.fspath(logdir)
        with FileWriterCache._lock:
            if path not in FileWriterCache._cache:
                FileWriterCache._cache[path] = FileWriter(path)
            return FileWriterCache._cache[path]


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of a file."""
    for record in RecordReader(os.fspath(path)):
        yield messages.Event.FromString(record)
