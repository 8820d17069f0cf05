"""Where in the user's program we are."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType

_PACKAGE = str(Path(__file__).parents[2])
# Where what users did not write themselves is.
_INSTALLED = tuple({_PACKAGE, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib"))})


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


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of Runnel's."""
    return frame.f_code.co_filename.startswith(_PACKAGE)


def user_level() -> int:
    """The `stacklevel` by which the caller warns about the code outside Runnel that is running."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def name_of(value: object) -> str | None:
    """What the user's code that is running now calls a value: `file:line` follows its name."""
    frame = _outside(sys._getframe(1))
    if frame is None:
        return None
    for names in (frame.f_locals, frame.f_globals):
        for name, held in names.items():
            if held is value:
                return f"`{name}` at {frame.f_code.co_filename}:{frame.f_lineno}"
    return None


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


@contextmanager
def telling_line() -> Iterator[None]:
    """While a function is traced: errors have the user's line in their message, for short logs.

    Once, however many functions are being traced. One whose message is not a text alone gets a
    note.
    """
    try:
        yield
    except Exception as error:
        _tell_line(error)
        raise


def _tell_line(error: Exception) -> None:
    if getattr(error, "_line_told", False):
        return
    place = _last_of_user(error.__traceback__)
    if place is None:
        return
    frame, number, name = place
    code = frame.f_code
    source = linecache.getline(code.co_filename, number, frame.f_globals).strip()
    line = f'  File "{code.co_filename}", line {number}, in {name}'
    told = f"{line}\n    {source}" if source else line
    message = error.args[0] if error.args else None
    if isinstance(message, str) and str(error) == message:
        error.args = (f"{message}\n{told}", *error.args[1:])
    elif isinstance(error, KeyError) and type(message) is str:
        error.args = (_Key(message, told), *error.args[1:])
    else:
        error.add_note(told)
    error._line_told = True  # type: ignore[attr-defined]


class _Key(str):
    """A key that was not found: the same text, which an error shows with a line below it."""

    told: str

    def __new__(cls, key: str, told: str) -> _Key:
        made = super().__new__(cls, key)
        made.told = told
        return made

    def __repr__(self) -> str:
        return f"{str.__repr__(self)}\n{self.told}"


def _last_of_user(trace: TracebackType | None) -> tuple[FrameType, int, str] | None:
    """The innermost frame of a stack that is neither of a library nor of Python's own.

    Its line and function come with it, of which AutoGraph may have made several.
    """
    found, function = None, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_INSTALLED):
            function = function if code.co_name.startswith("ag__") else code.co_name
            found = trace.tb_frame, trace.tb_lineno, function
        trace = trace.tb_next
    return found
