"""`tf.compat.v1.gfile`: files under the names of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator

from runnel.core.files import files
from runnel.core.files.files import PathLike


def Copy(oldpath: PathLike, newpath: PathLike, overwrite: bool = False) -> None:
    """Copy a file."""
    files.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname: PathLike) -> None:
    """Delete a folder and what is in it."""
    files.rmtree(dirname)


def Exists(filename: PathLike) -> bool:
    """Whether there is such a file or folder."""
    return files.exists(filename)  # type: ignore[no-any-return]


def Glob(filename: PathLike | list[PathLike]) -> list[str]:
    """The paths that match a pattern, or one of several."""
    return files.glob(filename)


def IsDirectory(dirname: PathLike) -> bool:
    """Whether a path is a folder."""
    return files.isdir(dirname)  # type: ignore[no-any-return]


def ListDirectory(dirname: PathLike) -> list[str]:
    """The names in a folder."""
    return files.listdir(dirname)  # type: ignore[no-any-return]


def MakeDirs(dirname: PathLike) -> None:
    """Make a folder and those above it."""
    files.makedirs(dirname)


def MkDir(dirname: PathLike) -> None:
    """Make a folder in one that is there."""
    files.mkdir(dirname)


def Remove(filename: PathLike) -> None:
    """Delete a file."""
    files.remove(filename)


def Rename(oldname: PathLike, newname: PathLike, overwrite: bool = False) -> None:
    """Give a file or a folder another path."""
    files.rename(oldname, newname, overwrite)


def Stat(filename: PathLike) -> files.FileStatistics:
    """The size and the times of a file."""
    return files.stat(filename)  # type: ignore[no-any-return]


def Walk(top: PathLike, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder under `top`, with the names of the folders and of the files in it."""
    return files.walk(top, in_order)
