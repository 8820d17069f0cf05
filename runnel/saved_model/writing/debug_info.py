"""`debug/saved_model_debug_info.pb`: which lines of a program made the operations of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.values.errors import DataLossError
from runnel.saved_model.constants import DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB

Frame = tuple[str, int, str]  # a file, a line in it, the function that the line is in


def _path(folder: str) -> str:
    return str(files.join(folder, DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB))


def write_debug_info(folder: str, lines: Iterable[tuple[str, Frame]]) -> None:
    """Write where operations, named `operation@function`, come from."""
    proto = messages.GraphDebugInfo()
    numbers: dict[Frame, int] = {}
    names: dict[str, int] = {}
    for name, frame in lines:
        if frame not in numbers:
            number = numbers[frame] = len(numbers)
            file, line, function = frame
            held = proto.frames_by_id[number]
            held.file_index = names.setdefault(file, len(names))
            held.line, held.func = line, function
            proto.traces_by_id[number].frame_id.append(number)
        proto.name_to_trace_id[name] = numbers[frame]
    proto.files.extend(names)
    files.makedirs(files.join(folder, DEBUG_DIRECTORY))
    files.write_whole(_path(folder), proto.SerializeToString(deterministic=True))


def read_debug_info(folder: str) -> Any:
    """What a model says of its operations; an empty message if it says nothing."""
    from google.protobuf.message import DecodeError

    path = _path(folder)
    if not files.exists(path):
        return messages.GraphDebugInfo()
    try:
        return messages.GraphDebugInfo.FromString(files.read_whole(path))
    except DecodeError as error:
        raise DataLossError(None, None, f"Cannot parse {path}: {error}") from error
