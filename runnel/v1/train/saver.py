"""`tf.compat.v1.train.Saver`: the variables of a session as checkpoints, by name."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.files import files
from runnel.core.op.context import state
from runnel.core.protos import messages as protos
from runnel.graph.functions.graph_variable import GraphVariable
from runnel.graph.session.default import get_default_graph
from runnel.graph.session.session import BaseSession
from runnel.train.files.bundle import index_path, write_bundle
from runnel.train.files.slice_tables import Slice, write_slices
from runnel.v1.variables.collections import GraphKeys, get_collection, global_variables
from .checkpoints import update_checkpoint_state
from .meta_graphs import (
    export_meta_graph,
    if_writable,
    import_collections,
    read_meta_graph,
    scoped_def,
)
from .saver_ops import can_make, make_saver_ops


class Saver:
    """Writes the variables of a session to checkpoints under their names, and reads them again.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
    ...     session.run(v.initializer)
    ...     saver = tf.compat.v1.train.Saver()
    ...     path = saver.save(session, path, global_step=3)
    ...     session.run(v.assign([0.0, 0.0]))
    ...     saver.restore(session, path)
    ...     session.run(v)
    array([0., 0.], dtype=float32)
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        for title, value in {"builder": builder, "sharded": sharded}.items():
            if value:
                raise NotImplementedError(f"Saver: `{title}` is not supported.")
        if write_version not in (protos.SaverDef.V1, protos.SaverDef.V2):
            raise RuntimeError(f"Saver: `write_version` must be 1 or 2, got {write_version}.")
        self.saver_def: Any = None
        self._version, self._name = write_version, name
        if saver_def is not None:
            self._take(saver_def)
            max_to_keep = saver_def.max_to_keep
            keep_checkpoint_every_n_hours = saver_def.keep_checkpoint_every_n_hours or 10000.0
        elif state.graph is None and var_list is None:
            raise RuntimeError("Saver: while ops run at once, give `var_list`.")
        self._given, self._allow_empty, self._reshape = var_list, allow_empty, reshape
        self._keep, self._pad, self._filename = max_to_keep, pad_step_number, filename
        self._relative = save_relative_paths
        self._hours = keep_checkpoint_every_n_hours
        self._next = time.time() + keep_checkpoint_every_n_hours * 3600
        self._last: list[tuple[str, float]] = []
        self._named: dict[str, Any] | None = None
        if not defer_build:
            self.build()

    def _take(self, saver_def: Any) -> None:
        """Save and restore by operations that the graph has already."""
        if not (saver_def.save_tensor_name and saver_def.restore_op_name):
            raise ValueError(f"Saver: the `saver_def` names no operations: {saver_def}")
        self.saver_def = protos.SaverDef.FromString(saver_def.SerializeToString())
        self._version = saver_def.version or protos.SaverDef.V1
        self._by_ops = True

    _by_ops = False

    def build(self) -> None:
        """Decide which variables are saved: those given, or all there are now."""
        if self._by_ops:
            self._named = {}
            return
        found = self._given
        if found is None:
            found = [*global_variables(), *get_collection(GraphKeys.SAVEABLE_OBJECTS)]
        if not isinstance(found, (Mapping, list, tuple, set)):
            raise TypeError(f"Saver: `var_list` must be a dict or a list, got {found!r}.")
        named = dict(found) if isinstance(found, Mapping) else _by_name(list(found))
        for name, variable in named.items():
            if isinstance(variable, tf.Tensor):
                raise TypeError(f"Saver: {name!r} must be a variable, got {variable!r}.")
        if not named and not self._allow_empty:
            raise ValueError("No variables to save")
        self._named = named
        if state.graph is not None and can_make(named):
            title = self._name or "save"
            made = make_saver_ops(get_default_graph(), title, named, self._filename, self._version)
            made.max_to_keep = self._keep or 0
            made.keep_checkpoint_every_n_hours = self._hours
            self.saver_def = made

    def as_saver_def(self) -> Any:
        """The message that names the operations of this saver."""
        if self.saver_def is None:
            raise ValueError("Saver: the variables are not those of a graph, which has no names.")
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The message that names the operations of this saver."""
        if export_scope is not None:
            raise NotImplementedError("Saver.to_proto: `export_scope` is not supported.")
        return self.as_saver_def()

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """The saver that uses the operations of a message, below a scope."""
        return Saver(saver_def=scoped_def(saver_def, import_scope))

    @property
    def last_checkpoints(self) -> list[str]:
        """The newest checkpoints that are there, the oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        self._last = [(path, 0.0) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[Any]) -> None:
        self._last = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Count checkpoints of an earlier run as the newest."""
        self._last = [
            (p, files.stat(index_path(p)).mtime_nsec / 1e9)
            for p in checkpoint_paths
            if files.exists(index_path(p))
        ]

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Write a checkpoint; its path, to be given to `restore`."""
        self._check(sess)
        prefix = os.fspath(save_path)
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(sess.run(global_step))
            prefix = f"{prefix}-{global_step:08d}" if self._pad else f"{prefix}-{global_step}"
        files.makedirs(os.path.dirname(prefix) or ".")
        self._write(sess, prefix)
        if write_meta_graph:
            with sess.graph.as_default(), if_writable("The meta graph"):
                self.export_meta_graph(f"{prefix}.{meta_graph_suffix}")
        if write_state:
            self._note(prefix, meta_graph_suffix, latest_filename)
        return prefix

    def _check(self, sess: Any) -> None:
        """Raise for what is no session, or one of another graph."""
        if not isinstance(sess, BaseSession):
            raise TypeError(f"Saver.save: `sess` must be a Session, got {sess!r}.")
        for name, variable in self._variables().items():
            if isinstance(variable, GraphVariable) and variable.graph is not sess.graph:
                raise TypeError(f"Saver.save: {name!r} is a variable of another graph.")

    def _write(self, sess: Any, prefix: str) -> None:
        """Write the values of the variables in a session."""
        if self._by_ops:
            sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix})
            return
        named = self._variables()
        values = sess.run(list(named.values())) if named else []
        tensors = {
            name: (np.asarray(v), var.dtype.base_dtype)
            for (name, var), v in zip(named.items(), values)
        }
        if self._version == protos.SaverDef.V2:
            write_bundle(prefix, tensors)
            return
        write_slices(
            prefix,
            {
                name: [Slice(value.shape, [(0, -1)] * value.ndim, value, dtype)]
                for name, (value, dtype) in tensors.items()
            },
        )

    def _variables(self) -> dict[str, Any]:
        if self._named is None:
            self.build()
        assert self._named is not None
        return self._named

    def _note(self, prefix: str, suffix: str, latest_filename: str | None) -> None:
        """Write which checkpoints there are, and remove those that are too many."""
        self._last = [*[each for each in self._last if each[0] != prefix], (prefix, time.time())]
        while self._keep and len(self._last) > self._keep:
            path, made = self._last.pop(0)
            if made > self._next:
                self._next += self._hours * 3600
                continue
            for old in [
                path,
                *files.glob(f"{path}.data-?????-of-?????"),
                index_path(path),
                f"{path}.{suffix}",
            ]:
                if files.exists(old):
                    files.remove(old)
        folder = os.path.dirname(prefix)
        every = [prefix, *self.last_checkpoints]
        if self._relative and os.path.isabs(prefix):
            every = [os.path.relpath(path, folder) for path in every]
        update_checkpoint_state(folder, every[0], every[1:], latest_filename)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The graph as a `MetaGraphDef`, written to a file if one is named."""
        return export_meta_graph(
            filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    def restore(self, sess: Any, save_path: str | None) -> None:
        """Give the variables of a session the values of a checkpoint."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        try:
            reader = tf.train.load_checkpoint(save_path)
        except tf.errors.NotFoundError as error:
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {save_path}"
            ) from error
        if self._by_ops:
            feeds = {self.saver_def.filename_tensor_name: save_path}
            sess.run(self.saver_def.restore_op_name, feeds)
            return
        values = {}
        for name, variable in self._variables().items():
            if not reader.has_tensor(name):
                raise tf.errors.NotFoundError(
                    None, None, f"Key {name} not found in checkpoint {save_path}."
                )
            values[name] = self._fitting(name, variable, reader.get_tensor(name))
        for name, variable in self._variables().items():
            if hasattr(variable, "load"):
                variable.load(values[name], sess)
            else:
                variable.assign(values[name])

    def _fitting(self, name: str, variable: Any, value: Any) -> Any:
        shape = getattr(value, "shape", ())
        if tf.as_dtype(value.dtype) != variable.dtype.base_dtype:
            raise tf.errors.InvalidArgumentError(
                None,
                None,
                f"The variable {name!r} has dtype {variable.dtype.name}, the checkpoint has "
                f"{value.dtype}.",
            )
        if variable.shape.is_compatible_with(shape):
            return value
        if self._reshape and variable.shape.num_elements() == value.size:
            return value.reshape(variable.shape.as_list())
        raise tf.errors.InvalidArgumentError(
            None,
            None,
            f"The variable {name!r} has shape {variable.shape}, the checkpoint has {shape}.",
        )


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Add a graph that a saver wrote to the default graph, and give the saver; None without one.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
    ...     session.run(v.initializer)
    ...     path = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.train.import_meta_graph(path + ".meta").restore(session, path)
    ...     session.run("v/Read/ReadVariableOp:0")
    array([1., 2.], dtype=float32)
    """
    if kwargs:
        raise NotImplementedError(f"import_meta_graph: {sorted(kwargs)} are not supported.")
    if state.graph is None:
        raise RuntimeError(
            "import_meta_graph: graphs are imported into graphs, not in eager mode. Use "
            "tf.Graph().as_default()."
        )
    meta = read_meta_graph(meta_graph_or_file)
    variables = import_collections(meta, clear_devices, import_scope)
    if meta.HasField("saver_def"):
        return Saver(saver_def=scoped_def(meta.saver_def, import_scope), name=import_scope)
    return Saver(variables) if variables else None


def _by_name(variables: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable in variables:
        name = re.sub(r":\d+$", "", variable.name)
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = variable
    return found
