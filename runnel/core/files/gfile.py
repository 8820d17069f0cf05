"""`tf.io.gfile.GFile`: a file that is opened when it is first used."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import IO, Any

from runnel.core.files.files import PathLike, as_path, open_binary, os_errors, stat
from runnel.core.values import errors

_MODES = frozenset({"r", "w", "a", "r+", "w+", "a+"})


class GFile:
    """A file on a local path or under a scheme such as `gs://`, read and written by bytes.

    Without `b` in the mode, what is read comes as text.

    Args:
        mode: "r", "w", "a", "r+", "w+", "a+", with "b" for bytes.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "notes.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> tf.io.gfile.GFile(path).readlines()
    ['one\\n', 'two\\n']
    """

    _file: IO[bytes] | None = None

    def __init__(self, name: PathLike, mode: str = "r") -> None:
        if not isinstance(mode, str):
            raise TypeError(f"`mode` must be a string, such as 'r', got {mode!r}.")
        plain = mode.replace("b", "")
        if plain not in _MODES:
            kinds = " or ".join(repr(m) for m in ("r", "w", "a", "r+", "w+", "a+"))
            raise errors.InvalidArgumentError(None, None, f"mode is not {kinds}")
        self._name = name
        self._path = as_path(name)
        self._mode = mode
        self._plain = plain
        self._binary = "b" in mode

    @property
    def name(self) -> Any:
        return self._name

    @property
    def mode(self) -> str:
        return self._mode

    def _opened(self, want: str) -> IO[bytes]:
        """The open file, to be read from (`r`) or written to (`w`)."""
        if want == "r" and self._plain in ("w", "a"):
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if want == "w" and self._plain == "r":
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._file is None:
            self._file = open_binary(self._path, self._plain[0] + "b" + self._plain[1:])
        return self._file

    def _result(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """The length of the file in bytes."""
        if self._file is not None and self._plain != "r":
            self.flush()
        return int(stat(self._path).length)

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that are left."""
        with os_errors(self._path):
            return self._result(self._opened("r").read(n))

    def readline(self) -> Any:
        """The next line with its end, empty at the end of the file."""
        with os_errors(self._path):
            return self._result(self._opened("r").readline())

    def readlines(self) -> list[Any]:
        return list(self)

    def write(self, file_content: Any) -> None:
        if not isinstance(file_content, str | bytes | bytearray | memoryview):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with os_errors(self._path):
            self._opened("w").write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place: counted from the start, from where one is (1) or from the end (2)."""
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            message = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise errors.InvalidArgumentError(None, None, message)
        file = self._opened("r")
        base = (0, file.tell(), self.size())[whence] if whence else 0
        if base + offset < 0:
            message = f"Seeking to a negative position: {base + offset}"
            raise errors.InvalidArgumentError(None, None, message)
        with os_errors(self._path):
            file.seek(base + offset)

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._opened("w" if self._plain in ("w", "a") else "r").tell()

    def flush(self) -> None:
        if self._file is not None and self._plain != "r":
            with os_errors(self._path):
                self._file.flush()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with os_errors(self._path):
                file.close()

    def next(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self) -> Iterator[Any]:
        return self

    def __enter__(self) -> GFile:
        if self._plain[0] in "wa":
            self._opened("w")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
