"""`tf.summary.SummaryWriter`, and what makes one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scoped import scoped
from runnel.core.settings.scopes import control_dependencies, init_scope
from runnel.core.state.capturable_resource import TrackableResource
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import is_symbolic_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import int32, string
from runnel.summary import ops as _ops  # noqa: F401 (declares what is called here)
from runnel.summary.recording import recording


class SummaryWriter:
    """Where summaries are written to.

    >>> import tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=1):
    ...     tf.summary.scalar("loss", 0.5).numpy()
    np.True_
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return super().__new__(cls)

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        """Inside, summaries of this thread go to the writer; it is flushed at the end."""
        return _AsDefault(self, step)

    def set_as_default(self, step: Any = None) -> None:
        """Let summaries of this thread go to the writer from now on."""
        self.as_default(step).__enter__()

    def init(self) -> Any:
        """Make the file, where that is still to do."""
        raise NotImplementedError(f"{type(self).__name__} has no init.")

    def flush(self) -> Any:
        """Hand all events to the operating system."""
        raise NotImplementedError(f"{type(self).__name__} has no flush.")

    def close(self) -> Any:
        """Flush the writer, and close its file."""
        raise NotImplementedError(f"{type(self).__name__} has no close.")


class _AsDefault:
    """The scope in which a writer is the default."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer, self._step = writer, step
        self._outer: tuple[Any, Any] = (None, None)

    def __enter__(self) -> SummaryWriter:
        self._outer = recording.writer, recording.step
        recording.writer = self._writer
        if self._step is not None:
            recording.step = self._step
        return self._writer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._writer.flush()
        finally:
            recording.writer = self._outer[0]
            if self._step is not None:  # set_step inside a scope without one lasts
                recording.step = self._outer[1]


class FileWriter(SummaryWriter):
    """A writer with a file of events."""

    def __init__(self, logdir: Any, max_queue: Any, flush_millis: Any, suffix: Any) -> None:
        self._place = (logdir, max_queue, flush_millis, suffix)
        self._resource = self._new_handle()
        self._init_op = self._open()
        self._closed = False

    def _new_handle(self) -> Tensor:
        return raw_ops.SummaryWriter()  # type: ignore[no-any-return]

    def _open(self) -> Any:
        return raw_ops.CreateSummaryFileWriter(self._resource, *self._place)

    def _complain_if_closed(self) -> None:
        if state.graph is None and self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        self._complain_if_closed()
        return super().as_default(step)

    def init(self) -> Any:
        self._complain_if_closed()
        return self._init_op

    def flush(self) -> Any:
        if state.graph is None and self._closed:
            return None
        return raw_ops.FlushSummaryWriter(self._resource)

    def close(self) -> Any:
        if state.graph is None and self._closed:
            return None
        with control_dependencies([self.flush()]):
            closed = raw_ops.CloseSummaryWriter(self._resource)
        if state.graph is None:
            self._closed = True
        return closed


class TrackableFileWriter(FileWriter, TrackableResource):
    """A writer that objects keep, and that SavedModels make anew."""

    def __init__(self, *place: Any) -> None:
        TrackableResource.__init__(self, device="/CPU:0")
        FileWriter.__init__(self, *place)

    def _new_handle(self) -> Tensor:
        return self.resource_handle

    def _create_resource(self) -> Tensor:
        return raw_ops.SummaryWriter()  # type: ignore[no-any-return]

    def _initialize(self) -> Any:
        return self._open()


class NoopWriter(SummaryWriter):
    """A writer that is never the default, and writes nothing."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[None]:
        yield

    def set_as_default(self, step: Any = None) -> None:
        return None

    def init(self) -> None:
        return None

    def flush(self) -> None:
        return None

    def close(self) -> None:
        return None


@scoped("create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of a new event file in `logdir`.

    Events are handed to the operating system when more than `max_queue` (10) of them wait, when
    `flush_millis` (two minutes) have passed, and at `flush`.

    Args:
        logdir: the folder.
        max_queue: after how many summaries they are written.
        flush_millis: after how many milliseconds they are written.
        filename_suffix: how the name of the file ends.
        experimental_trackable: whether the writer can be part of a SavedModel.
        experimental_mesh: of DTensor only; must be None.

    >>> import os, tempfile
    >>> logdir = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(logdir)
    >>> os.listdir(logdir)[0].startswith("events.out.tfevents.")
    True
    """
    if logdir is None:
        raise ValueError("tf.summary.create_file_writer: logdir must not be None.")
    if experimental_mesh is not None:
        raise NotImplementedError("tf.summary.create_file_writer: experimental_mesh")
    given = (
        (logdir, "", string),
        (max_queue, 10, int32),
        (flush_millis, 2 * 60 * 1000, int32),
        (filename_suffix, ".v2", string),
    )
    for value, _, _ in given:
        if is_symbolic_tensor(value):
            raise ValueError(
                "tf.summary.create_file_writer: the file is made while a function is traced, so "
                f"no argument can be a tensor of its graph, got {value}."
            )
    with init_scope():
        place = [
            convert_to_tensor(default if value is None else _as_text(value), dtype)
            for value, default, dtype in given
        ]
        return (TrackableFileWriter if experimental_trackable else FileWriter)(*place)


def _as_text(value: Any) -> Any:
    """A path object as a string, everything else as it is."""
    return value.__fspath__() if hasattr(value, "__fspath__") else value


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing, and leaves the default writer as it is.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 0.5, step=0).numpy()
    np.False_
    """
    return NoopWriter()


def flush(writer: Any = None, name: str | None = None) -> Any:
    """Hand the events of `writer`, or of the default one, to the operating system."""
    if writer is None:
        writer = recording.writer
        if writer is None:
            return raw_ops.NoOp(name=name)
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"tf.summary.flush: writer must be a SummaryWriter, got {writer!r}.")
    return writer.flush()
