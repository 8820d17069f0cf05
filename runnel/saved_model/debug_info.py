"""`debug/saved_model_debug_info.pb`: which lines of a program made the operations of a model."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from runnel.core import files
from runnel.core.errors import DataLossError
from runnel.saved_model.constants import DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB

_SCHEMA = """
message GraphDebugInfo
  files: [string] = 1
  traces: {string: GraphDebugInfo.StackTrace} = 2
  frames_by_id: {fixed64: GraphDebugInfo.FileLineCol} = 4
  name_to_trace_id: {string: fixed64} = 5
  traces_by_id: {fixed64: GraphDebugInfo.StackTrace} = 6

message GraphDebugInfo.FileLineCol
  file_index: int32 = 1
  line: int32 = 2
  col: int32 = 3
  func: string = 4
  code: string = 5

message GraphDebugInfo.StackTrace
  file_line_cols: [GraphDebugInfo.FileLineCol] = 1
  frame_id: [fixed64] = 2
"""
Frame = tuple[str, int, str]  # a file, a line in it, the function that the line is in


@functools.cache
def _message() -> Any:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    from runnel.core.protos import schema

    pool = DescriptorPool()
    for file in schema.known_files():
        pool.AddSerializedFile(file)
    pool.AddSerializedFile(schema.file_of("debug_info.proto", _SCHEMA).SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName(f"{schema.PACKAGE}.GraphDebugInfo"))


def _path(folder: str) -> str:
    return str(files.join(folder, DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB))


def write_debug_info(folder: str, lines: Iterable[tuple[str, Frame]]) -> None:
    """Write where operations, named `operation@function`, come from."""
    proto = _message()()
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
        return _message()()
    try:
        return _message().FromString(files.read_whole(path))
    except DecodeError as error:
        raise DataLossError(None, None, f"Cannot parse {path}: {error}") from error
