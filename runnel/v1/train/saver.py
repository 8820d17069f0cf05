"""`tf.compat.v1.train.Saver`: the variables of a session as checkpoints, by name."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.op.context import state
from runnel.core.protos import messages as protos
from runnel.core.values.errors import InvalidArgumentError, NotFoundError
from runnel.graph.session.default import get_default_graph
from runnel.train.files.bundle import index_path, write_bundle
from runnel.train.files.checkpoint_state import write_state
from runnel.train.reader import load_checkpoint
from runnel.v1.variables.collections import GraphKeys, get_collection, global_variables


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
        for title, value in {
            "saver_def": saver_def,
            "builder": builder,
            "sharded": sharded,
        }.items():
            if value:
                raise NotImplementedError(f"Saver: `{title}` is not supported.")
        if write_version != 2:
            raise NotImplementedError("Saver: checkpoints are written in the second format only.")
        if state.graph is None and var_list is None:
            raise RuntimeError("Saver: while ops run at once, give `var_list`.")
        self._given, self._allow_empty, self._reshape = var_list, allow_empty, reshape
        self._keep, self._pad, self._filename = max_to_keep, pad_step_number, filename
        self._hours = keep_checkpoint_every_n_hours
        self._next = time.time() + keep_checkpoint_every_n_hours * 3600
        self._last: list[tuple[str, float]] = []
        self._named: dict[str, Any] | None = None
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Decide which variables are saved: those given, or all there are now."""
        found = self._given
        if found is None:
            found = [*global_variables(), *get_collection(GraphKeys.SAVEABLE_OBJECTS)]
        named = dict(found) if isinstance(found, Mapping) else _by_name(found)
        if not named and not self._allow_empty:
            raise ValueError("No variables to save")
        self._named = named

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
        prefix = os.fspath(save_path)
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(sess.run(global_step))
            prefix = f"{prefix}-{global_step:08d}" if self._pad else f"{prefix}-{global_step}"
        named = self._variables()
        values = sess.run(list(named.values())) if named else []
        tensors = {
            name: (np.asarray(v), var.dtype) for (name, var), v in zip(named.items(), values)
        }
        if not files.isdir(os.path.dirname(prefix) or "."):
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        write_bundle(prefix, tensors)
        if write_meta_graph:
            self.export_meta_graph(f"{prefix}.{meta_graph_suffix}")
        if write_state:
            self._note(prefix, meta_graph_suffix, latest_filename)
        return prefix

    def _variables(self) -> dict[str, Any]:
        if self._named is None:
            self.build()
        assert self._named is not None
        return self._named

    def _note(self, prefix: str, suffix: str, latest_filename: str | None) -> None:
        """Write which checkpoints there are, and remove those that are too many."""
        if latest_filename not in (None, "checkpoint"):
            raise NotImplementedError("Saver.save: `latest_filename` is 'checkpoint' always.")
        self._last = [*[each for each in self._last if each[0] != prefix], (prefix, time.time())]
        while self._keep and len(self._last) > self._keep:
            path, made = self._last.pop(0)
            if made > self._next:
                self._next += self._hours * 3600
                continue
            for old in [
                *files.glob(f"{path}.data-?????-of-?????"),
                index_path(path),
                f"{path}.{suffix}",
            ]:
                if files.exists(old):
                    files.remove(old)
        folder = os.path.dirname(prefix)
        write_state(folder, prefix, self.last_checkpoints)

    def export_meta_graph(self, filename: str | None = None, **options: Any) -> Any:
        """The graph as a `MetaGraphDef`, written to a file if one is named."""
        if options:
            raise NotImplementedError(
                f"Saver.export_meta_graph: {sorted(options)} are not supported."
            )
        graph = get_default_graph()
        meta = protos.MetaGraphDef(graph_def=graph.as_graph_def(add_shapes=True))
        meta.meta_info_def.tensorflow_version = "2.21.0"
        if filename is not None:
            files.write_whole(filename, meta.SerializeToString())
        return meta

    def restore(self, sess: Any, save_path: str | None) -> None:
        """Give the variables of a session the values of a checkpoint."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        try:
            reader = load_checkpoint(save_path)
        except NotFoundError as error:
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {save_path}"
            ) from error
        values = {}
        for name, variable in self._variables().items():
            if not reader.has_tensor(name):
                raise NotFoundError(None, None, f"Key {name} not found in checkpoint {save_path}.")
            values[name] = self._fitting(name, variable, reader.get_tensor(name))
        for name, variable in self._variables().items():
            if hasattr(variable, "load"):
                variable.load(values[name], sess)
            else:
                variable.assign(values[name])

    def _fitting(self, name: str, variable: Any, value: Any) -> Any:
        shape = getattr(value, "shape", ())
        if variable.shape.is_compatible_with(shape):
            return value
        if self._reshape and variable.shape.num_elements() == value.size:
            return value.reshape(variable.shape.as_list())
        raise InvalidArgumentError(
            None,
            None,
            f"The variable {name!r} has shape {variable.shape}, the checkpoint has {shape}.",
        )


def _by_name(variables: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable in variables:
        name = re.sub(r":\d+$", "", variable.name)
        if found.setdefault(name, variable) is not variable:
            raise ValueError(f"At least two variables have the same name: {name}")
    return found
