"""A folder that takes the place of another all at once.

Linux can exchange two names in one step. Where that is not possible, the new content is written to
a folder inside the old one, and counts from the moment on at which it is marked as whole: whoever
reads asks `content_folder` where the content is. Only then is it put into its place, file by file,
and the folder inside removed, the mark first. A process that is killed at any moment leaves the old
content or the new one, and the next that writes finishes what it had begun.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from runnel.core.files import files, leftovers
from runnel.core.files.files import PathLike

_HERE = -100  # paths are relative to the working folder (AT_FDCWD)
_EXCHANGE = 2  # RENAME_EXCHANGE
_INSIDE = ".runnel-replacement"  # the folder inside
_MARK = "whole"  # a file in it


def content_folder(path: PathLike) -> str:
    """Where the content of a folder is: in it, or in the one inside that is to take its place."""
    folder: str = files.as_path(path)
    inside: str = files.join(folder, _INSIDE)
    return inside if files.exists(files.join(inside, _MARK)) else folder


def replace_folder(path: PathLike, fill: Callable[[str], None], last: str, dropped: str) -> None:
    """Let `fill` write a folder, which then is `path`; the old one is whole until that moment.

    Files that the new folder lacks are taken over from the old one, but for those in the folder
    `dropped`. A remote folder without a file called `last` does not count, and is filled itself.
    """
    folder = files.as_path(path)
    if _is_part(folder):
        return fill(folder)
    is_remote = bool(files.scheme_of(folder))
    if is_remote and not files.exists(files.join(folder, last)):
        _remove_inside(folder)
        fill(folder)
        return
    with _present(folder):
        if not _replaced_at_once(folder, fill, dropped):
            _replace_from_inside(folder, fill, dropped)
    if not is_remote:
        leftovers.sweep(os.path.dirname(os.path.realpath(folder)))


def _is_part(folder: str) -> bool:
    """Whether a folder is about to take the place of another, in which case it is seen then."""
    name = os.path.basename(folder)
    return name == _INSIDE or leftovers.is_temporary(name)


@contextmanager
def _present(folder: str) -> Iterator[None]:
    """While there is a folder, if need be an empty one, which an error does not leave behind."""
    is_new = not files.exists(folder)
    files.makedirs(files.join(folder, ""))  # which raises if it is a file
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # it is not empty any more
                os.rmdir(folder)
        raise


def _replaced_at_once(folder: str, fill: Callable[[str], None], dropped: str) -> bool:
    """Replace a folder by one that is written beside it; False where that cannot be done."""
    beside = _made_beside(folder)
    if beside is None:
        return False
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
    return exchanged


def _replace_from_inside(folder: str, fill: Callable[[str], None], dropped: str) -> None:
    """Replace the content of a folder by that of one inside it."""
    _put_in_place(folder, dropped)
    inside = files.join(folder, _INSIDE)
    files.makedirs(inside)
    try:
        fill(inside)
        files.write_whole(files.join(inside, _MARK), b"")
    except BaseException:
        if content_folder(folder) == folder:
            _remove_inside(folder)
        raise
    _put_in_place(folder, dropped)


def _put_in_place(folder: str, dropped: str) -> None:
    """Put content that waits inside a folder, and is whole, where it belongs; remove the rest."""
    inside = content_folder(folder)
    if inside != folder:
        for place, names, held in files.walk(inside):
            target = files.join(folder, os.path.relpath(place, inside))
            for name in names:
                files.makedirs(files.join(target, name))
            for name in held:
                if place != inside or name != _MARK:
                    _put(files.join(place, name), files.join(target, name))
        for path in files.glob(files.join(folder, dropped, "*")):
            if not files.exists(files.join(inside, dropped, os.path.basename(path))):
                files.remove(path)
        files.remove(files.join(inside, _MARK))
    _remove_inside(folder)


def _put(source: str, target: str) -> None:
    """Give a file a second name, in place of what has it; a copy where that cannot be done."""
    try:
        if files.scheme_of(target):
            raise OSError
        give_name(source, target)
    except OSError:
        with files.open_binary(source, "rb") as old, files.writing(target) as new:
            shutil.copyfileobj(old, new, 1 << 20)


def give_name(source: str, target: str) -> None:
    """Give a local file a second name at once, in place of what has it."""
    temporary = leftovers.temporary(target)
    os.link(source, temporary)
    try:
        os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):  # it is there still if the two were one file already
            os.remove(temporary)


def _remove_inside(folder: str) -> None:
    inside = files.join(folder, _INSIDE)
    if files.exists(inside):
        files.rmtree(inside)


def _made_beside(folder: str) -> str | None:
    """A new folder beside another; None if there is no way to let them change their names."""
    real = os.path.realpath(folder)
    if files.scheme_of(folder):
        return None
    used = (os.path.realpath(os.getcwd()) + os.sep).startswith(real + os.sep)
    if used or os.path.ismount(real):  # whoever works in the folder would be left in the old one
        return None
    beside = leftovers.temporary(real)
    try:
        os.mkdir(beside)
    except OSError:
        return None
    return beside


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
            names[:] = [name for name in names if name not in (dropped, _INSIDE)]
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in names:
            if name not in links:
                os.makedirs(os.path.join(new, inside, name), exist_ok=True)
        for name in (*held, *links):
            _link(os.path.join(folder, name), os.path.join(new, inside, name))


def _link(source: str, target: str) -> None:
    if os.path.lexists(target) or leftovers.is_temporary(os.path.basename(target)):
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
