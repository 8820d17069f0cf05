"""The file named `checkpoint`: which checkpoints a folder has, and which is the latest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.shared import once_for_all
from runnel.core.protos import messages
from runnel.core.settings.logging import warning
from runnel.core.values.errors import DataLossError, OpError


def write_state(
    folder: str,
    latest: str,
    paths: Sequence[str],
    timestamps: Sequence[float] = (),
    preserved: float | None = None,
) -> None:
    """Write the file; paths inside the folder are kept relative to it."""
    proto = messages.CheckpointState(model_checkpoint_path=_relative(latest, folder))
    proto.all_model_checkpoint_paths.extend(_relative(path, folder) for path in paths)
    proto.all_model_checkpoint_timestamps.extend(timestamps)
    if preserved is not None:
        proto.last_preserved_timestamp = preserved
    write_message(folder, proto)


def write_message(folder: str, proto: Any, name: str | None = None) -> None:
    """Write the file as a message has it."""
    from google.protobuf import text_format

    text = text_format.MessageToString(proto)
    path = files.join(folder, name or "checkpoint")
    once_for_all(path, lambda: files.write_whole(path, text.encode()))


def _relative(path: str, folder: str) -> str:
    if files.scheme_of(path):
        return path.removeprefix(folder.rstrip("/") + "/")
    if os.path.isabs(path) and os.path.isabs(folder or "."):
        return os.path.relpath(path, folder)
    return os.path.relpath(path, folder or ".")


def get_checkpoint_state(checkpoint_dir: PathLike, latest_filename: str | None = None) -> Any:
    """What the folder's file `checkpoint` says, None without one.

    >>> tf.train.get_checkpoint_state("/no/such/folder") is None
    True
    """
    folder = files.as_path(checkpoint_dir)
    path = files.join(folder, latest_filename or "checkpoint")
    if not files.exists(path) or files.isdir(path):
        return None
    try:
        proto = _parsed(path)
    except OpError as error:
        warning(f"{type(error).__name__}: {error}\n{path}: Checkpoint ignored")
        return None
    proto.model_checkpoint_path = _absolute(proto.model_checkpoint_path, folder)
    every = [_absolute(each, folder) for each in proto.all_model_checkpoint_paths]
    del proto.all_model_checkpoint_paths[:]
    proto.all_model_checkpoint_paths.extend(every)
    return proto


def _parsed(path: str) -> Any:
    from google.protobuf import text_format

    proto = messages.CheckpointState()
    try:
        text_format.Merge(files.read_whole(path).decode(), proto)
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise DataLossError(None, None, f"{path} is damaged: {error}") from None
    if not proto.model_checkpoint_path:
        raise DataLossError(None, None, f"Invalid checkpoint state loaded from {path}")
    return proto


def _absolute(path: str, folder: str) -> str:
    return path if files.scheme_of(path) or os.path.isabs(path) else files.join(folder, path)


def latest_checkpoint(checkpoint_dir: PathLike, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint in a folder, None if there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the file in it that names the latest; None is `checkpoint`.

    >>> tf.train.latest_checkpoint("/no/such/folder") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path: str = state.model_checkpoint_path
    if not files.exists(f"{path}.index") and not files.glob(path):  # a file is of the first kind
        warning(f"Couldn't match files for checkpoint {path}")
        return None
    return path
