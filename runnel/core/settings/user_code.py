"""Where in the user's program we are."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parents[2])


def user_place() -> tuple[str, int, str]:
    """Where the code outside Runnel stands that is running now: file, line and function."""
    frame = _outside(sys._getframe(2))
    if frame is None:
        return "<unknown>", 0, "<unknown>"
    return frame.f_code.co_filename, frame.f_lineno, function_name(frame)


def user_line() -> str:
    """The line that is running now of the code outside Runnel, as `file:line`."""
    frame = _outside(sys._getframe(1))
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "<unknown>"


def function_name(frame: FrameType) -> str:
    """The user's function: AutoGraph makes functions of its own of branches and bodies in it."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code.co_name.startswith("ag__"):
        outer = _outside(outer.f_back)
    return frame.f_code.co_name if outer is None else outer.f_code.co_name


def _outside(frame: FrameType | None) -> FrameType | None:
    """A frame, or the nearest around it that is none of Runnel's."""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame
