"""Where in the user's program we are."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parent.parent.parent)


def user_line() -> str:
    """The line that is running now of the code outside Runnel, as `file:line`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "<unknown>"
