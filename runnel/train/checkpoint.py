"""`tf.train.Checkpoint`."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.folders import content_folder
from runnel.core.files.shared import once_for_all
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.progress import tells
from runnel.core.settings.scopes import control_dependencies
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.core.state.trackable import Trackable, tracking
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import int64, string
from runnel.core.values.errors import NotFoundError
from runnel.core.values.tracebacks import trimmed
from runnel.ops.control.python_functions import py_function
from runnel.train.files.bundle import BundleReader, Part, Tensors, write_bundle
from runnel.train.files.checkpoint_state import write_state
from runnel.train.files.sharding import sharded
from runnel.train.objects.by_name import NameBasedSaverStatus
from runnel.train.objects.object_graph import GRAPH_KEY, ObjectGraph, described, snapshot
from runnel.train.objects.restoring import Restoration, read_object_graph
from runnel.train.objects.status import CheckpointLoadStatus, InitializationOnlyStatus
from runnel.train.options import CheckpointOptions, run_callbacks

Status = CheckpointLoadStatus | InitializationOnlyStatus | NameBasedSaverStatus

_counting = threading.Lock()


class Checkpoint(AutoTrackable):
    """Saves and restores objects: variables, modules, optimizers, whatever is trackable.

    The objects are given by keyword, or are the children of `root`.

    >>> import os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "training")
    >>> step = tf.Variable(3)
    >>> path = tf.train.Checkpoint(step=step).save(prefix)
    >>> os.path.basename(path)
    'training-1'
    >>> other = tf.Variable(0)
    >>> tf.train.Checkpoint(step=other).restore(path).assert_consumed() is not None
    True
    >>> other.numpy()
    np.int32(3)
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        with tracking(self, False):
            self._root = root
            self._save_counter: Variable | None = None
            self._thread: _Writer | None = None
        if root is not None:
            _trackable(root() if isinstance(root, weakref.ref) else root, "root")
        for name, value in kwargs.items():
            setattr(self, name, value)
            self._check_child(name, getattr(self, name))

    @property
    def root(self) -> Any:
        """The object that is saved, or None; it may be given by a weak reference."""
        if not isinstance(self._root, weakref.ref):
            return self._root
        found = self._root()
        if found is None:
            raise AttributeError("The `root` of the Checkpoint is gone: nothing else refers to it.")
        return found

    def _check_child(self, name: str, child: Any) -> None:
        # A weak reference is kept, but not followed.
        _trackable(child() if isinstance(child, weakref.ref) else child, name)
        if self.root is None:
            return
        known = self.root._lookup_dependency(name)
        if known is not None and known is not child:
            raise ValueError(
                f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
                "exists."
            )

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called, which goes into the checkpoints and their names."""
        if self._save_counter is None:
            with context.building(None), tracking(self, False):
                made = Variable(0, dtype=int64, name="save_counter", trainable=False)
                self._save_counter = made
            self._track_trackable(made, "save_counter", overwrite=True)
            if self.root is not None:
                self.root._handle_deferred_dependencies("save_counter", made)
        return self._save_counter

    @property
    def _top(self) -> Trackable:
        """The object whose children are saved."""
        return self if self.root is None else self.root

    def _extra(self) -> dict[str, Trackable]:
        """What is saved beside the children of `root`."""
        if self.root is None:
            return {}
        own = {} if self.root._lookup_dependency("root") is not None else {"root": self.root}
        return {**own, **self._trackable_children()}

    def _objects(self, options: CheckpointOptions) -> ObjectGraph:
        graph = ObjectGraph(self._top, self._extra())
        if not options.experimental_skip_slot_variables:
            graph.add_slots()
        return graph

    def _snapshot(self, options: CheckpointOptions) -> tuple[Tensors, list[list[Part]] | None]:
        """The values as they are now, and how they are spread over files."""
        graph = self._objects(options)
        tensors = snapshot(graph)
        callback = options.experimental_sharding_callback
        if callback is None:
            return tensors, None
        return tensors, sharded(callback, tensors, graph.owners())

    @trimmed
    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> Any:
        """Write a checkpoint with exactly this prefix; the prefix.

        Inside `tf.function`, it is written each time the function comes there.

        Args:
            file_prefix: the path without endings.
            options: settings of where and how files are read and written; None for the usual ones.
        """
        if state.graph is None and not isinstance(file_prefix, Tensor):
            return self._write(file_prefix, options)
        options = options or CheckpointOptions()
        if not isinstance(file_prefix, Tensor):
            _make_folder(files.as_path(file_prefix))
        path = convert_to_tensor(file_prefix, dtype=string)
        if _runs_python(options):
            return _calling(lambda prefix: self._write(prefix, options), path)
        return self._write_by_ops(path, options)

    def _write_by_ops(self, path: Tensor, options: CheckpointOptions) -> Tensor:
        """Write the values at the time when the graph runs; the prefix."""
        values, proto = described(self._objects(options))
        values[GRAPH_KEY] = proto.SerializeToString(deterministic=True)
        tensors = [convert_to_tensor(values[key]) for key in sorted(values)]
        written = raw_ops.SaveV2(path, sorted(values), [""] * len(tensors), tensors)
        with control_dependencies([written] if written is not None else []):
            return raw_ops.Identity(path)  # type: ignore[no-any-return]

    def _write(
        self,
        file_prefix: PathLike,
        options: CheckpointOptions | None,
        then: Callable[[str], None] = lambda path: None,
    ) -> str:
        """Take the values now; write them, and do `then`, now or in a thread."""
        options = options or CheckpointOptions()
        prefix = files.as_path(file_prefix)
        self.sync()
        tensors, shards = self._snapshot(options)

        def write() -> None:
            _make_folder(prefix)
            write_bundle(prefix, tensors, shards)

        def run() -> None:
            once_for_all(prefix, write)
            then(prefix)
            run_callbacks(options, prefix)

        if options.enable_async:
            with tracking(self, False):
                self._thread = _Writer(run)
        else:
            run()
        return prefix

    def _next_number(self) -> int:
        """Count one more `save`; two threads get two numbers."""
        with _counting:
            self.save_counter.assign_add(1)
            return int(self.save_counter.numpy())

    @trimmed
    def save(self, file_prefix: PathLike, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with a number of its own, which becomes the folder's latest.

        Args:
            file_prefix: what the path begins with; a number is added.
            options: settings of where and how files are read and written; None for the usual ones.
        """
        if state.graph is not None:
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported: the list of "
                "checkpoints is kept outside of graphs. Use tf.train.Checkpoint.write()."
            )
        self.sync()
        prefix = f"{files.as_path(file_prefix)}-{self._next_number()}"

        def then(path: str) -> None:
            write_state(os.path.dirname(path), path, [path])

        return self._write(prefix, options, then)

    @trimmed
    @tells("Restoring", 1)
    def read(self, save_path: PathLike, options: CheckpointOptions | None = None) -> Status:
        """Restore a checkpoint that `write` wrote; says how it matched.

        Of the options, only those about what is restored have a meaning here.

        Args:
            save_path: a checkpoint's path without endings.
            options: settings of where and how files are read and written; None for the usual ones.
        """
        if state.graph is not None:
            raise TypeError(
                "A checkpoint cannot be restored inside tf.function, in which its values would be "
                "read once, while the function is traced; restore it between calls."
            )
        self.sync()
        with BundleReader(save_path) as reader:
            proto = read_object_graph(reader)
        root = self._top
        if proto is None:
            return NameBasedSaverStatus(reader, root)
        skip = options is not None and options.experimental_skip_slot_variables
        restoration = Restoration(reader, proto, self._extra(), with_slots=not skip)
        restoration.restore(0, root)
        return CheckpointLoadStatus(restoration, root)

    @trimmed
    def restore(
        self, save_path: PathLike | None, options: CheckpointOptions | None = None
    ) -> Status:
        """Restore a checkpoint that `save` wrote, or the variables of a SavedModel.

        None restores nothing. Objects that do not exist yet take their values when they are
        assigned to their place.

        Args:
            save_path: a checkpoint's path without endings; None does nothing.
            options: settings of where and how files are read and written; None for the usual ones.

        Raises:
            NotFoundError: there is no such checkpoint.
            ValueError: a shape or dtype does not fit.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        path = _variables_of_saved_model(files.as_path(save_path))
        try:
            status = self.read(path, options)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {save_path!s}: "
                f"{error.message}\nPlease double-check that the path is correct. You may be "
                "missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1'); "
                "tf.train.latest_checkpoint gives the path of the last one in a folder.",
            ) from None
        self.save_counter  # noqa: B018 - made now, it takes its value from the checkpoint
        return status

    def sync(self) -> None:
        """Wait until a checkpoint that is written by a thread is whole; raises what it raised."""
        thread = self._thread
        if thread is not None:
            with tracking(self, False):
                self._thread = None
            thread.finish()


class _Writer(threading.Thread):
    """Writes a checkpoint while the program goes on; the interpreter does not end before it."""

    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__(name="runnel checkpoint")
        self._work = run
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def finish(self) -> None:
        self.join()
        if self._error is not None:
            raise self._error


def _runs_python(options: CheckpointOptions) -> bool:
    """Whether writing calls functions of the user, or goes on in a thread."""
    callbacks = (options.experimental_sharding_callback, options.experimental_write_callbacks)
    return options.enable_async or any(callback is not None for callback in callbacks)


def _calling(write: Callable[[str], str], path: Tensor) -> Tensor:
    """Call a function of Python when the graph runs; a tensor with the prefix."""

    def run(prefix: Any) -> str:
        return write(prefix.numpy().decode())

    written: Tensor = py_function(run, [path], string)
    written.set_shape([])
    return written


def _trackable(value: Any, name: str) -> Any:
    if not isinstance(value, Trackable):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value!r}."
        )
    return value


def _make_folder(prefix: str) -> None:
    folder = os.path.dirname(prefix)
    if folder and not files.exists(folder):
        files.makedirs(folder)


def _variables_of_saved_model(path: str) -> str:
    names = ("saved_model.pb", "saved_model.pbtxt")
    if files.isdir(path) and any(files.exists(files.join(path, name)) for name in names):
        return str(files.join(content_folder(path), "variables", "variables"))
    return path
