"""Checkpoints by path: which there are, and variables that begin with what they hold."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.files import files
from runnel.core.protos import messages
from runnel.train.files.bundle import index_path
from runnel.train.files.checkpoint_state import write_message
from runnel.v1.train.from_checkpoint import init_from_checkpoint
from runnel.v1.variables.collections import trainable_variables


def NewCheckpointReader(filepattern: Any) -> Any:
    """A reader of a checkpoint, by its prefix."""
    return tf.train.load_checkpoint(filepattern)


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of that prefix."""
    path = os.fspath(checkpoint_prefix)
    return bool(files.glob(index_path(path)) or files.glob(path))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """When checkpoints were written, in seconds, of those that are there."""
    found = []
    for prefix in map(os.fspath, checkpoint_prefixes):
        for path in (index_path(prefix), prefix):
            if files.exists(path):
                found.append(files.stat(path).mtime_nsec / 1e9)
                break
    return found


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Remove the files of a checkpoint."""
    path = os.fspath(checkpoint_prefix)
    names = [f"{path}.{meta_graph_suffix}"]
    if checkpoint_format_version == 2:
        names += [index_path(path), *files.glob(f"{path}.data-?????-of-?????")]
    else:
        names.append(path)
    for name in names:
        if files.exists(name):
            files.remove(name)


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """What the file `checkpoint` of a folder says, as a message."""
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    times = list(all_model_checkpoint_timestamps or [])
    if all_model_checkpoint_timestamps and len(times) != len(paths):
        raise ValueError(
            f"There must be a timestamp for each path, got the paths {paths} and the times {times}."
        )

    def inside(path: str) -> str:
        if os.path.isabs(path) or os.path.isabs(save_dir):
            return path
        return os.path.relpath(path, save_dir)

    return messages.CheckpointState(
        model_checkpoint_path=inside(model_checkpoint_path),
        all_model_checkpoint_paths=[inside(p) for p in paths],
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp or 0.0,
    )


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write which checkpoints a folder has."""
    update_checkpoint_state_internal(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state_internal(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """The same; absolute paths can be written relative to the folder."""

    def written(path: str) -> str:
        inside = save_relative_paths and os.path.isabs(path)
        return os.path.relpath(path, save_dir) if inside else path

    state = generate_checkpoint_state_proto(
        save_dir,
        written(model_checkpoint_path),
        [written(path) for path in all_model_checkpoint_paths or ()],
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    write_message(save_dir, state, latest_filename)


class Checkpoint(tf.train.Checkpoint):
    """Objects as checkpoints; in a graph, by the default session."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)


def _prefix(path: Any) -> str:
    path = os.fspath(path)
    if files.isdir(path):
        found = tf.train.latest_checkpoint(path)
        if found is None:
            raise ValueError(
                f"There is no checkpoint in the folder {path}, or none that its list names."
            )
        return found
    return path


class VocabInfo(NamedTuple):
    """How the rows of a table of one vocabulary become those of another."""

    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None,
    var_name_to_prev_var_name: Any = None,
) -> None:
    """Let variables begin with values of a checkpoint: those whose names match."""
    if var_name_to_vocab_info:
        raise NotImplementedError("warm_start: `var_name_to_vocab_info` is not supported.")
    renamed = var_name_to_prev_var_name or {}
    path = _prefix(ckpt_to_initialize_from)
    for variable in _chosen(vars_to_warm_start):
        name = re.sub(r":\d+$", "", variable.name)
        init_from_checkpoint(path, {renamed.get(name, name): variable})


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return [v for v in trainable_variables() if re.match(wanted, v.name)]
    if all(isinstance(w, str) for w in wanted):
        return [v for v in trainable_variables() if any(re.match(w, v.name) for w in wanted)]
    return list(wanted)
