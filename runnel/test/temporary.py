"""Files and folders that a test makes, and that go with it."""

from __future__ import annotations

import itertools
import os
import tempfile
import unittest
from typing import IO, Any


class TemporaryFile:
    """A file with short ways to read and write it."""

    def __init__(self, path: str) -> None:
        self.full_path = path

    def __fspath__(self) -> str:
        return self.full_path

    def open_text(
        self, mode: str = "rt", encoding: str = "utf8", errors: str = "strict"
    ) -> IO[Any]:
        """The file opened for text."""
        return open(self.full_path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = "rb") -> IO[Any]:
        """The file opened for bytes."""
        return open(self.full_path, mode)

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        with self.open_text("rt", encoding, errors) as file:
            return str(file.read())

    def read_bytes(self) -> bytes:
        with self.open_bytes() as file:
            return bytes(file.read())

    def write_text(
        self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict"
    ) -> None:
        with self.open_text(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        with self.open_bytes(mode) as file:
            file.write(data)


class TemporaryFolder:
    """A folder that makes files and folders inside of it."""

    def __init__(self, path: str) -> None:
        self.full_path = path
        self._numbers = itertools.count()

    @classmethod
    def made(cls, case: unittest.TestCase, name: str | None) -> TemporaryFolder:
        """A new one, removed after a test."""
        outside = tempfile.TemporaryDirectory()
        case.addCleanup(outside.cleanup)
        path = os.path.join(outside.name, name or "folder")
        os.makedirs(path)
        return cls(path)

    def __fspath__(self) -> str:
        return self.full_path

    def create_file(
        self,
        file_path: str | None = None,
        content: Any = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
    ) -> TemporaryFile:
        """A new file, empty or with a text or bytes in it."""
        path = os.path.join(self.full_path, file_path or f"file{next(self._numbers)}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = TemporaryFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content, mode if "b" in mode else f"{mode}b")
        else:
            file.write_text(content or "", mode, encoding, errors)
        return file

    def mkdir(self, dir_path: str | None = None) -> TemporaryFolder:
        """A new folder inside."""
        path = os.path.join(self.full_path, dir_path or f"folder{next(self._numbers)}")
        os.makedirs(path)
        return TemporaryFolder(path)
