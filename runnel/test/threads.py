"""What tests need of threads and streams: errors are raised in the test, and writes are seen."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any


class CheckedThread:
    """A thread whose error is raised by `join`; a test checks that it has been waited for."""

    def __init__(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
        self._target, self._args, self._kwargs = target, args or (), kwargs or {}
        self._error: BaseException | None = None
        self._joined = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, and fail with the error that it ended with."""
        self._joined = True
        self._thread.join()
        if self._error is not None:
            raise AssertionError(f"Error in checkedThread: {self._error}") from self._error

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fail if the thread runs still, or nobody has asked how it ended."""
        if not self._joined:
            state = "runs still" if self.is_alive() else "was never joined"
            raise AssertionError(f"A checkedThread {state}.")


class Captured:
    """What was written to a stream."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file: IO[bytes] | None = file
        self._text = ""

    def contents(self) -> str:
        if self._file is not None:
            self._file.seek(0)
            self._text = self._file.read().decode()
        return self._text

    def close(self) -> None:
        """Keep what was written, for the file goes."""
        self.contents()
        self._file = None


@contextmanager
def captured_writes(stream: IO[Any]) -> Iterator[Captured]:
    """Lead what is written to a stream, from C too, into a file that can be read."""
    stream.flush()
    number = stream.fileno()
    kept = os.dup(number)
    with tempfile.TemporaryFile() as file:
        captured = Captured(file)
        os.dup2(file.fileno(), number)
        try:
            yield captured
        finally:
            stream.flush()
            os.dup2(kept, number)
            os.close(kept)
            captured.close()
