"""Temporary names that say who writes, so that what a killed process left behind can be removed.

A name tells the machine, the process and when that was started: `model.h5.tmp-4f1c…-1a2b-9c3d-…`.
Whoever has saved something removes from the same folder what bears the name of a process of this
machine that is no more. What a living process writes, or another machine, is left alone.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import secrets
import shutil
import socket
from contextlib import suppress

_TEMPORARY = re.compile(r".*\.tmp-([0-9a-f]{12})-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]{8}", re.DOTALL)
_LONGEST = (
    190  # bytes of a name that are kept, so that the rest has room in the 255 of most systems
)


def temporary(path: str) -> str:
    """A new name beside a path, for what is to take its place."""
    folder, name = os.path.split(path)
    kept = os.fsencode(name)[:_LONGEST].decode(errors="ignore")
    pid = os.getpid()
    suffix = f"{_machine()}-{pid:x}-{_started(pid):x}-{secrets.token_hex(4)}"
    return os.path.join(folder, f"{kept}.tmp-{suffix}")


def is_temporary(name: str) -> bool:
    return _TEMPORARY.fullmatch(name) is not None


def sweep(folder: str) -> None:
    """Remove from a local folder the temporary files and folders whose writers are gone."""
    with suppress(OSError):
        for name in os.listdir(folder or "."):
            if ".tmp-" in name and is_left_over(name):
                path = os.path.join(folder, name)
                with suppress(OSError):
                    if os.path.isdir(path) and not os.path.islink(path):
                        shutil.rmtree(path)
                    else:
                        os.remove(path)


def is_left_over(name: str) -> bool:
    """Whether a name is a temporary one of a process of this machine that is no more."""
    found = _TEMPORARY.fullmatch(name)
    if found is None or found[1] != _machine():
        return False
    return not _is_running(int(found[2], 16), int(found[3], 16))


@functools.cache
def _machine() -> str:
    """What tells apart the places in which the numbers of processes mean different ones."""
    marks = [socket.gethostname()]
    with suppress(OSError), open("/etc/machine-id") as file:
        marks.append(file.read())
    with suppress(OSError):
        marks.append(os.readlink("/proc/self/ns/pid"))  # containers count their own
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()[:12]


def _is_running(pid: int, started: int) -> bool:
    """Whether a process runs; a later one with the same number is another."""
    if os.name != "posix":  # where a signal 0 is not a question
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is somebody else's
    state, since = _status(pid)
    return state not in ("Z", "X") and (since == started or not since or not started)


def _started(pid: int) -> int:
    return _status(pid)[1]


def _status(pid: int) -> tuple[str, int]:
    """The state of a process and the moment of its start; empty and 0 where nobody tells."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # its own name may have any characters
        return fields[0].decode(), int(fields[19])
    except (OSError, IndexError, ValueError):
        return "", 0
