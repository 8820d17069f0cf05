"""Files and folders on local paths and, through fsspec, under any other scheme.

Errors of the operating system become classes of `tf.errors`. `writing` is how everything that must
not be lost is written: to a temporary file that takes its name when it is whole.
"""

from __future__ import annotations

import errno
import functools
import glob as local_glob
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeAlias

from runnel.core.files import leftovers
from runnel.core.values import errors
from runnel.core.values.errors import OpError

PathLike: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_OURS = {"ram": "memory"}  # schemes that TensorFlow has and fsspec calls otherwise
_CLASSES: dict[int, type[OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.EXDEV: errors.UnimplementedError,
}


@contextmanager
def os_errors(path: str) -> Iterator[None]:
    """Errors of the operating system, and of fsspec's file systems, as classes of `tf.errors`."""
    try:
        yield
    except OSError as error:
        number = error.errno if error.errno is not None else _number_of(error)
        kind = _CLASSES.get(number, errors.UnknownError)
        text = error.strerror or str(error) or type(error).__name__
        raise kind(None, None, f"{error.filename or path}; {text}") from error  # type: ignore[call-arg]


def _number_of(error: OSError) -> int:
    """The number of an error that was raised without one."""
    kinds = {FileNotFoundError: errno.ENOENT, FileExistsError: errno.EEXIST}
    kinds |= {IsADirectoryError: errno.EISDIR, NotADirectoryError: errno.ENOTDIR}
    kinds |= {PermissionError: errno.EACCES}
    return kinds.get(type(error), -1)


def as_path(path: PathLike) -> str:
    """A path as a string, without `file://`."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return os.fsdecode(path).removeprefix("file://")


def clean(path: str) -> str:
    """A local path without doubled slashes, `..`, and a slash at its end."""
    return os.path.normpath(path) if path else path


def scheme_of(path: str) -> str:
    """The scheme of a path, empty for a local one."""
    match = _SCHEME.match(path)
    return match.group(1) if match else ""


def file_system(path: str) -> tuple[Any, str]:
    """The fsspec file system of a path with a scheme, and the path inside it."""
    scheme = scheme_of(path)
    try:
        import fsspec

        system, inner = fsspec.core.url_to_fs(f"{_OURS.get(scheme, scheme)}{path[len(scheme) :]}")
        return system, str(inner)
    except ValueError as error:
        message = f"File system scheme '{scheme}' not implemented (file: '{path}')"
        raise errors.UnimplementedError(None, None, f"{message}: {error}") from error
    except ImportError as error:
        message = f"File system scheme '{scheme}' needs a package that is not installed: {error}"
        raise errors.UnimplementedError(None, None, message) from error


def open_binary(path: str, mode: str) -> IO[bytes]:
    """An open file: mode `rb`, `wb`, `ab`, or one with `+` for a local file."""
    with os_errors(path):
        if not scheme_of(path):
            return open(clean(path), mode)
        system, inner = file_system(path)
        if "+" in mode:
            message = f"{path} cannot be opened with mode {mode!r}; only local files can."
            raise errors.UnimplementedError(None, None, message)
        return system.open(inner, mode)  # type: ignore[no-any-return]


@contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """A file to be written, which takes its name when it is whole and safely on the disk.

    What killed processes left in the same folder is removed then.
    """
    path = as_path(path)
    if scheme_of(path):
        with os_errors(path), open_binary(path, "wb") as file:
            yield file
        return
    path = clean(path)
    temporary = leftovers.temporary(path)
    with os_errors(path):
        try:
            with open(temporary, "w+b", buffering=0) as file:
                yield file
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.remove(temporary)
            raise
        sync_folder(os.path.dirname(path))
    leftovers.sweep(os.path.dirname(path))


def sync_folder(path: str) -> None:
    """See to it that the names in a local folder are on the disk."""
    with suppress(OSError):  # some systems cannot open folders, or sync them
        descriptor = os.open(path or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_whole(path: PathLike, content: bytes) -> None:
    """Write a file, all or nothing."""
    with writing(path) as file:
        write_all(file, content)


def write_all(file: IO[bytes], content: Any) -> None:
    """Write all of a buffer; an unbuffered file may take it piece by piece."""
    rest = memoryview(content).cast("B") if len(content) else memoryview(b"")
    while rest:
        rest = rest[file.write(rest) :]


def read_whole(path: PathLike) -> bytes:
    path = as_path(path)
    with os_errors(path), open_binary(path, "rb") as file:
        return file.read()


def join(path: Any, *paths: Any) -> Any:
    """Paths joined by `/`; an absolute one forgets those before it.

    >>> tf.io.gfile.join("models", "first")
    'models/first'
    """
    joined = os.path.join(path, *paths)
    return joined.replace(b"\\", b"/") if isinstance(joined, bytes) else joined.replace("\\", "/")


def _both(local: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: `local` for local paths, the decorated function for a file system of fsspec."""

    def decorate(remote: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(remote)
        def call(path: PathLike) -> Any:
            text = as_path(path)
            with os_errors(text):
                return remote(*file_system(text)) if scheme_of(text) else local(clean(text))

        del call.__wrapped__  # whose parameters are not the caller's
        return call

    return decorate


@_both(os.path.exists)
def exists(system: Any, path: str) -> bool:
    """Whether there is a file or folder `path`.

    >>> tf.io.gfile.exists("/no/such/file")
    False
    """
    return bool(system.exists(path))


@_both(os.path.isdir)
def isdir(system: Any, path: str) -> bool:
    """Whether there is a folder.

    >>> tf.io.gfile.isdir("/")
    True
    """
    return bool(system.isdir(path))


def _list_local(path: str) -> list[str]:
    if not os.path.isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    return os.listdir(path)


@_both(_list_local)
def listdir(system: Any, path: str) -> list[str]:
    """The names in a folder, in no order.

    >>> tf.io.gfile.makedirs("ram://listed/inner")
    >>> tf.io.gfile.listdir("ram://listed")
    ['inner']
    """
    if not system.isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    return [entry.rstrip("/").rpartition("/")[2] for entry in system.ls(path, detail=False)]


def _mkdir_local(path: str) -> None:
    if not os.path.isdir(path):
        os.mkdir(path)


@_both(_mkdir_local)
def mkdir(system: Any, path: str) -> None:
    """Make a folder in one that exists; nothing happens if it is there.

    >>> tf.io.gfile.mkdir("ram://made")
    >>> tf.io.gfile.isdir("ram://made")
    True
    """
    if not system.isdir(path):
        system.mkdir(path, create_parents=False)


def _makedirs_local(path: str) -> None:
    if os.path.exists(path) and not os.path.isdir(path):
        raise errors.FailedPreconditionError(None, None, f"{path} is not a directory")
    os.makedirs(path, exist_ok=True)


@_both(_makedirs_local)
def makedirs(system: Any, path: str) -> None:
    """Make the folder `path` and those around it; nothing happens if it is there.

    >>> tf.io.gfile.makedirs("ram://some/where")
    >>> tf.io.gfile.isdir("ram://some/where")
    True
    """
    system.makedirs(path, exist_ok=True)


def _remove_local(path: str) -> None:
    if os.path.isdir(path):
        raise errors.FailedPreconditionError(None, None, f"{path}; Is a directory")
    os.remove(path)


@_both(_remove_local)
def remove(system: Any, path: str) -> None:
    """Remove a file.

    >>> with tf.io.gfile.GFile("ram://gone.txt", "w") as file:
    ...     file.write("x")
    >>> tf.io.gfile.remove("ram://gone.txt")
    >>> tf.io.gfile.exists("ram://gone.txt")
    False
    """
    system.rm_file(path)


def _remove_tree_local(path: str) -> None:
    if not os.path.isdir(path):
        _remove_local(path)
        return
    shutil.rmtree(path)


@_both(_remove_tree_local)
def rmtree(system: Any, path: str) -> None:
    """Remove a folder and all in it.

    >>> tf.io.gfile.makedirs("ram://tree/branch")
    >>> tf.io.gfile.rmtree("ram://tree")
    >>> tf.io.gfile.exists("ram://tree")
    False
    """
    if not system.exists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    system.rm(path, recursive=True)


class FileStatistics:
    """The length of a file in bytes, when it was changed, and whether it is a folder."""

    __slots__ = ("is_directory", "length", "mtime_nsec")

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory


def _stat_local(path: str) -> FileStatistics:
    found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


@_both(_stat_local)
def stat(system: Any, path: str) -> FileStatistics:
    """What is known of a file: `length`, `mtime_nsec`, `is_directory`.

    >>> tf.io.gfile.stat("/").is_directory
    True
    """
    found = system.info(path)
    changed = 0
    with suppress(NotImplementedError):
        changed = int(system.modified(path).timestamp() * 1e9)
    return FileStatistics(int(found.get("size") or 0), changed, found["type"] == "directory")


def _glob_local(pattern: str) -> list[str]:
    if not any(c in pattern for c in "*?["):
        return [pattern] if os.path.exists(clean(pattern)) else []
    return sorted(local_glob.glob(re.sub(r"\*\*+", "*", pattern), include_hidden=True))


def _glob(pattern: PathLike) -> list[str]:
    text = as_path(pattern)
    with os_errors(text):
        return _glob_remote(text) if scheme_of(text) else _glob_local(text)


def _glob_remote(pattern: str) -> list[str]:
    system, inner = file_system(pattern)
    found = system.glob(re.sub(r"\*\*+", "*", inner))
    return sorted(str(system.unstrip_protocol(path)) for path in found)


def glob(pattern: Any) -> list[str]:
    """The paths that fit a pattern, or one of several.

    `*` stands for any characters but `/`, `?` for one, `[ab]` for one of several.

    Args:
        pattern: a pattern such as `data/*.txt`, or a list of some.

    >>> tf.io.gfile.glob("/no/such/folder/*.txt")
    []
    """
    patterns = [pattern] if isinstance(pattern, str | bytes | os.PathLike) else pattern
    return [path for each in patterns for path in _glob(each)]


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Copy a file; AlreadyExistsError if there is one already, unless `overwrite`."""
    source, target = as_path(src), as_path(dst)
    if not overwrite and exists(target):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {target}")
    if isdir(source):
        raise errors.InvalidArgumentError(None, None, f"{source} is a directory.")
    with (
        os_errors(source),
        open_binary(source, "rb") as reading,
        open_binary(target, "wb") as written,
    ):
        shutil.copyfileobj(reading, written, 1 << 20)


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Give a file or folder another name; AlreadyExistsError if it is taken, unless `overwrite`."""
    source, target = as_path(src), as_path(dst)
    if not overwrite and exists(target):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {target}")
    with os_errors(source):
        if not scheme_of(source) and not scheme_of(target):
            os.replace(clean(source), clean(target))
            return
        if scheme_of(source) != scheme_of(target):
            message = f"{source} and {target} are on different file systems; copy, then remove."
            raise errors.UnimplementedError(None, None, message)
        system, inner = file_system(source)
        system.mv(inner, file_system(target)[1], recursive=isdir(source))


def walk(
    top: PathLike, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder under `top`, with the names of the folders and of the files in it."""
    path = as_path(top)
    try:
        names = sorted(listdir(path))
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(path, name))]
    entry = (path, folders, [name for name in names if name not in set(folders)])
    if topdown:
        yield entry
    for name in folders:
        yield from walk(join(path, name), topdown, onerror)
    if not topdown:
        yield entry


def get_registered_schemes() -> list[str]:
    """The schemes that paths may begin with."""
    import fsspec

    return sorted({*fsspec.available_protocols(), *_OURS, "file", ""})
