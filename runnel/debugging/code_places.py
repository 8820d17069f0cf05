"""Where a program stands, as the debugger's files say it: ids of lines, and the text of files."""

from __future__ import annotations

import linecache
import os
import platform
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from runnel.core.files.debug_events import DebugEventsWriter
from runnel.core.protos import messages
from runnel.core.settings.user_code import function_name

_PACKAGE = str(Path(__file__).parent.parent)
Line = tuple[str, int, str]  # file, line and function


def new_id() -> str:
    """A name that nothing else has."""
    return str(uuid.uuid4())


class CodePlaces:
    """Writes each line of a user's program once, with its whole file, and gives it an id."""

    def __init__(self, writer: DebugEventsWriter) -> None:
        self._writer = writer
        self._host = platform.node()
        self._files: dict[str, int] = {}
        self._lines: dict[Line, str] = {}
        self._lock = threading.Lock()

    def here(self, origin: Line | None = None) -> Any:
        """The user's lines that are being run, and `origin` as the innermost if it is given."""
        lines = list(_user_lines(sys._getframe(1)))[::-1]
        if origin is not None and origin[:2] not in [line[:2] for line in lines]:
            lines.append(origin)
        with self._lock:
            ids = [self._line_id(line) for line in lines]
        return messages.CodeLocation(host_name=self._host, stack_frame_ids=ids)

    def _line_id(self, line: Line) -> str:
        if line not in self._lines:
            file, number, function = line
            place = messages.GraphDebugInfo.FileLineCol(
                file_index=self._file_index(file), line=number, func=function
            )
            self._lines[line] = new_id()
            frame = messages.StackFrameWithId(id=self._lines[line], file_line_col=place)
            self._writer.WriteStackFrameWithId(frame)
        return self._lines[line]

    def _file_index(self, file: str) -> int:
        if file not in self._files:
            self._files[file] = len(self._files)
            text = [line.rstrip("\n") for line in linecache.getlines(file)]
            path = os.path.abspath(file)
            source = messages.SourceFile(file_path=path, host_name=self._host, lines=text)
            self._writer.WriteSourceFile(source)
        return self._files[file]


def _user_lines(frame: FrameType | None) -> Iterator[Line]:
    """The lines outside Runnel, innermost first."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            yield frame.f_code.co_filename, frame.f_lineno, function_name(frame)
        frame = frame.f_back
