"""A folder that takes the place of another all at once.

Linux can exchange two names in one step. Where that is not possible, the old folder is written to,
in the order that its writer thinks is best.
"""

from __future__ import annotations

import ctypes
import glob
import os
import shutil
import time
import uuid
from collections.abc import Callable
from contextlib import suppress

from runnel.core import files
from runnel.core.files import PathLike

_HERE = -100  # paths are relative to the working folder (AT_FDCWD)
_EXCHANGE = 2  # RENAME_EXCHANGE
_DAY = 24 * 60 * 60


def replace_folder(path: PathLike, fill: Callable[[str], None], last: str, dropped: str) -> None:
    """Let `fill` write a folder, which then is `path`; the old one is whole until that moment.

    Without a file called `last` the old folder does not count, and is filled itself. Files that the
    new folder lacks are taken over from the old one, but for those in the folder `dropped`.
    """
    folder = files.as_path(path)
    beside = _made_beside(folder, last)
    if beside is None:
        fill(folder)
        return
    real = os.path.realpath(folder)
    with files.os_errors(folder):
        try:
            fill(beside)
            _take_over(real, beside, dropped)
            shutil.copymode(real, beside)
            files.sync_folder(beside)
            exchanged = exchange(real, beside)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        files.sync_folder(os.path.dirname(real))
        if not exchanged:
            fill(folder)


def _made_beside(folder: str, last: str) -> str | None:
    """A new folder beside one that is not to be lost; None if there is none, or no way to do it."""
    real = os.path.realpath(folder)
    if files.scheme_of(folder) or not os.path.exists(os.path.join(real, last)):
        return None
    used = (os.path.realpath(os.getcwd()) + os.sep).startswith(real + os.sep)
    if used or os.path.ismount(real):  # whoever works in the folder would be left in the old one
        return None
    _remove_leftovers(real)
    beside = f"{real}.tmp-{uuid.uuid4().hex[:12]}"
    try:
        os.mkdir(beside)
    except OSError:
        return None
    return beside


def _remove_leftovers(real: str) -> None:
    """Remove what processes that were killed left beside a folder, a day ago or longer."""
    for path in glob.glob(f"{glob.escape(real)}.tmp-{'[0-9a-f]' * 12}"):
        with suppress(OSError):
            if time.time() - os.path.getmtime(path) > _DAY:
                shutil.rmtree(path, ignore_errors=True)


def exchange(one: str, other: str) -> bool:
    """Let two folders change their names in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return not rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)


def _take_over(old: str, new: str, dropped: str) -> None:
    """Give the new folder what it lacks of the old one; a file is the same file in both."""
    for folder, names, held in os.walk(old):
        inside = os.path.relpath(folder, old)
        if inside == ".":
            names[:] = [name for name in names if name != dropped]
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in names:
            if name not in links:
                os.makedirs(os.path.join(new, inside, name), exist_ok=True)
        for name in (*held, *links):
            _link(os.path.join(folder, name), os.path.join(new, inside, name))


def _link(source: str, target: str) -> None:
    if os.path.lexists(target) or ".tmp-" in os.path.basename(target):
        return  # the second is what a killed process left behind
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
