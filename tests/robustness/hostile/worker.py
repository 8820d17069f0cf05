"""A process that reads hostile files, with limits of memory and time, and with canaries.

Nothing may open, make or remove a file in the folder `elsewhere`; the kernel reports it, whoever
does it (inotify). Nothing may be written outside the try's own folder, no process started, no
connection made: Python reports these (audit events).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import os
import resource
import shutil
import sys
import traceback
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import runnel as tf
from tests.robustness.children import Tell
from tests.robustness.hostile.format import Case, Format

SECRET = "canary-5f3a9c17"
_MEMORY = 1 << 30  # bytes beyond what the process has already
_WATCHED = 0x20 | 0x2 | 0x100 | 0x200 | 0x40 | 0x80  # opened, changed, made, removed, moved
_ALLOWED = (ValueError, TypeError, OSError, NotImplementedError, ImportError, tf.errors.OpError)
_STARTS = {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "os.fork"}
_STARTS |= {"socket.connect", "pickle.find_class", "ctypes.dlopen"}
# Events of which an argument is a path that is changed, and one the folder it is relative to.
_CHANGES = {"os.remove": (0, 1), "os.rmdir": (0, 1), "os.mkdir": (0, 2), "os.chmod": (0, 2)}
_CHANGES |= {"os.rename": (1, 3), "os.link": (1, 3), "os.symlink": (1, 2), "os.truncate": (0, 0)}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Canaries:
    """What a file did that none may do."""

    def __init__(self, elsewhere: str, own: str) -> None:
        self._own = (os.path.realpath(own) + os.sep, "/dev/null", "/proc/")
        self._elsewhere = elsewhere
        self.active = False
        self._seen: list[str] = []
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._watch = self._libc.inotify_init1(os.O_NONBLOCK)
        sys.addaudithook(self._heard)

    def place(self) -> None:
        """Make the folder elsewhere, if a file has removed it, and watch it."""
        os.makedirs(self._elsewhere, exist_ok=True)
        with open(os.path.join(self._elsewhere, "secret.txt"), "w") as file:
            file.writelines(f"{SECRET}-{number}\n" for number in range(50))
        path = self._elsewhere.encode()
        if self._libc.inotify_add_watch(self._watch, path, _WATCHED) < 0:
            raise OSError(ctypes.get_errno(), "inotify cannot watch the folder of canaries")

    def _heard(self, event: str, args: Any) -> None:
        if not self.active:
            return
        if event in _STARTS:
            self._seen.append(f"{event}: {args!r:.100}")
        elif event == "open" and isinstance(args[2], int) and args[2] & _WRITES:
            self._wrote(event, args[0])
        elif event in _CHANGES:
            place, folder = _CHANGES[event]
            self._wrote(event, args[place], args[folder] if folder else -1)

    def _wrote(self, event: str, path: Any, folder: int = -1) -> None:
        if isinstance(path, str | bytes):
            beside = f"/proc/self/fd/{folder}" if folder >= 0 else "."
            place = os.path.realpath(os.path.join(beside, os.fsdecode(path)))
            if not (place + os.sep).startswith(self._own):
                self._seen.append(f"{event}: {place}")

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self.reports()
        self.active = True
        try:
            yield
        finally:
            self.active = False

    def reports(self) -> list[str]:
        seen, self._seen = self._seen, []
        with contextlib.suppress(BlockingIOError):
            if os.read(self._watch, 1 << 16):
                seen.append("a file elsewhere was opened or changed")
        return seen


def work(tell: Tell, format: Format, good: str, own: str, seed: int, numbers: range) -> None:
    """Read the hostile files with these numbers, and tell of each what came of it."""
    elsewhere = os.path.join(own, "elsewhere")
    canaries = Canaries(elsewhere, os.path.join(own, "try"))
    _limit_memory()
    os.environ["TMPDIR"] = os.environ["HOME"] = os.path.join(own, "try")
    gc.freeze()
    warnings.simplefilter("ignore")
    sys.stdout = sys.stderr = io.StringIO()
    for number in numbers:
        case = Case(os.path.join(own, "try", str(number)), elsewhere)
        canaries.place()
        shutil.copytree(good, case.folder)
        try:
            how = prepare(format, case, seed, number)
        except Exception as error:
            tell(["end", number, ["unmade", f"the trial itself: {error!r} in {_place(error)}"]])
            continue
        tell(["begin", number, how])
        tell(["end", number, verdict(format, case, canaries)])
        shutil.rmtree(case.folder, ignore_errors=True)
        gc.collect()


def prepare(format: Format, case: Case, seed: int, number: int) -> str:
    """Make the hostile file with this number."""
    if number < len(format.exploits):
        format.exploits[number].make(case)
        return format.exploits[number].name
    return format.damage(case.folder, Random(f"{seed}/{format.name}/{number}"))


def verdict(format: Format, case: Case, canaries: Canaries) -> list[str]:
    """ "loaded" or "refused", and what is wrong with that, if anything is."""
    with canaries.watching():
        try:
            format.load(case.folder)
            name, text, found = "loaded", "", []
        except _ALLOWED as error:
            name, text, found = "refused", _texts(error), []
        except BaseException as error:
            place = _place(error)
            name, text = "foreign", _texts(error)
            found = [f"{type(error).__name__} in {place}: {str(error)[:150]}"]
    found += canaries.reports()
    if SECRET in text:
        found.append("an error shows what is in another file")
    return [name, *found]


def _texts(error: BaseException | None) -> str:
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def _place(error: BaseException) -> str:
    """The last line of ours that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}runnel{os.sep}" in frame.filename] or frames
    return f"{ours[-1].filename.rpartition('runnel' + os.sep)[2]}:{ours[-1].lineno}"


def _limit_memory() -> None:
    with open("/proc/self/status") as file:
        used = next(int(line.split()[1]) for line in file if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (used * 1024 + _MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
