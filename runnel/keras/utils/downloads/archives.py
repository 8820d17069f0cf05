"""Unpacking downloaded archives without leaving their folder.

Nothing is left to what `tarfile` and `zipfile` think is safe, which differs between versions of
Python: all members are looked at before the first is written, and written by ourselves.
"""

from __future__ import annotations

import functools
import gzip
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_LONGEST = 255  # bytes of a name in the file systems there are
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
)
_PLACES = (FileExistsError, IsADirectoryError, NotADirectoryError)


@dataclass
class _Member:
    """A file (`open` gives its content), a link (`target` is its text) or else a folder."""

    parts: tuple[str, ...]
    open: Callable[[], Any] | None = None
    target: str | None = None
    executable: bool = False


def extract_archive(file: str, folder: str, formats: str | Iterable[str] | None = "auto") -> bool:
    """Unpack a tar or zip file into `folder`; False if it is neither.

    With a member that would be written outside of the folder, a link that leads out of it or a
    device, it raises a ValueError and writes nothing.
    """
    if formats is None:
        return False
    wanted = ("tar", "zip") if formats == "auto" else formats
    for kind in [wanted] if isinstance(wanted, str) else wanted:
        if kind not in _FORMATS:
            raise ValueError(f"`archive_format` must be 'auto', 'tar' or 'zip', got {kind!r}.")
        matches, opened, members = _FORMATS[kind]
        with _explained(file):
            if not matches(file):
                continue
            with opened(file) as archive:
                found = list(members(archive))
                _check(found)
                _write(found, os.path.realpath(folder))
                return True
    return False


@contextmanager
def _explained(file: str) -> Iterator[None]:
    try:
        yield
    except (*_DAMAGE, *_PLACES, IndexError, RuntimeError, ValueError) as error:
        raise ValueError(f"The archive {file} cannot be unpacked: {error}") from error


def _tar_members(archive: tarfile.TarFile) -> Iterator[_Member]:
    for member in archive:
        parts = _parts(member.name)
        if member.isdir():
            yield _Member(parts)
        elif member.issym():
            yield _Member(parts, target=member.linkname)
        elif member.isreg() or member.islnk():  # a hard link becomes a copy
            _parts(member.linkname)
            content = _tar_content(archive, member)
            yield _Member(parts, open=content, executable=bool(member.mode & stat.S_IXUSR))
        else:
            raise ValueError(f"{member.name!r} is neither a file nor a folder")


def _tar_content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], Any]:
    def opened() -> Any:
        try:
            found = archive.extractfile(member)
        except (KeyError, RecursionError):
            found = None
        if found is None:
            raise ValueError(f"{member.name!r} is a link to a file that is not there")
        return found

    return opened


def _zip_members(archive: zipfile.ZipFile) -> Iterator[_Member]:
    for member in archive.infolist():
        parts, mode = _parts(member.filename), member.external_attr >> 16
        kind = stat.S_IFMT(mode)
        if member.is_dir():
            yield _Member(parts)
        elif kind == stat.S_IFLNK:
            yield _Member(parts, target=archive.read(member).decode("utf-8", "surrogateescape"))
        elif kind in (0, stat.S_IFREG):
            content = functools.partial(archive.open, member)
            yield _Member(parts, open=content, executable=bool(mode & stat.S_IXUSR))
        else:
            raise ValueError(f"{member.filename!r} is neither a file nor a folder")


def _parts(name: str) -> tuple[str, ...]:
    """The names along the path of a member, which must stay inside of the folder."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    drive = os.path.splitdrive(name)[0]
    if drive or name.startswith(("/", "\\")) or ".." in parts or "\0" in name:
        raise ValueError(f"{name!r} would be written outside of the folder")
    if any(len(os.fsencode(part)) > _LONGEST for part in parts):
        raise ValueError(f"{name[:40]!r}… is too long for the name of a file")
    return tuple(parts)


def _check(members: list[_Member]) -> None:
    """Refuse links that lead out of the folder, and members that lie behind a link."""
    links = {member.parts for member in members if member.target is not None}
    for member in members:
        path = "/".join(member.parts)
        if _goes_through(links, member.parts):
            raise ValueError(f"{path!r} lies behind a link")
        if member.target is not None and not _stays_inside(member, links):
            raise ValueError(f"{path!r} is a link to {member.target!r}, outside of the folder")


def _goes_through(links: set[tuple[str, ...]], parts: tuple[str, ...]) -> bool:
    return any(parts[:length] in links for length in range(1, len(parts)))


def _stays_inside(link: _Member, links: set[tuple[str, ...]]) -> bool:
    """Whether a link goes up no further than to the folder, and then down past no other link."""
    target = (link.target or "/").replace("\\", "/")
    steps = [step for step in target.split("/") if step not in ("", ".")]
    up = next((place for place, step in enumerate(steps) if step != ".."), len(steps))
    here = link.parts[:-1]
    if target.startswith("/") or "\0" in target or ".." in steps[up:] or up > len(here):
        return False
    reached = (*here[: len(here) - up], *steps[up:])
    return not _goes_through(links, reached)


def _write(members: list[_Member], folder: str) -> None:
    """Write folders and files, then links; nothing goes through links that were there before."""
    for member in sorted(members, key=lambda member: member.target is not None):
        path = os.path.join(folder, *member.parts)
        inner = path if member.open is None and member.target is None else os.path.dirname(path)
        if os.path.commonpath([folder, os.path.realpath(inner)]) != folder:
            raise ValueError(f"{inner} is a link that leads out of {folder}")
        os.makedirs(inner, exist_ok=True)
        if inner == path:
            continue
        if os.path.lexists(path) and not os.path.isdir(path):
            os.remove(path)  # a link too, rather than what it leads to
        if member.target is not None:
            os.symlink(member.target, path)
            continue
        assert member.open is not None
        with member.open() as source, open(path, "xb") as file:
            shutil.copyfileobj(source, file)
        if member.executable:
            os.chmod(path, os.stat(path).st_mode | 0o111)


_FORMATS: dict[str, tuple[Any, Any, Any]] = {
    "tar": (tarfile.is_tarfile, tarfile.open, _tar_members),
    "zip": (zipfile.is_zipfile, zipfile.ZipFile, _zip_members),
}
