"""The rows of a CSV file: lines without quotes many at a time, and the rest one by one."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from runnel.core.files.tfrecord import Stream
from runnel.core.values.errors import InvalidArgumentError
from runnel.ops.io.csv import fields_of

_TOO_LONG = "field larger than field limit"  # an error of Python's, whose limit is the process's


class _Lines(io.RawIOBase):
    """A stream as the file object that Python's `csv` reads, one character per byte."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read()
        if len(piece) > len(buffer):
            self._stream.put_back(piece[len(buffer) :])
            piece = piece[: len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)


class CsvRows:
    """The rows of a file, one by one; characters stand for bytes.

    After one that is an error the next can be read. `block` gives as many lines as are at hand,
    for those who can read them faster; it is over when rows have been asked for.
    """

    def __init__(
        self, path: str, compression: str = "", delimiter: str = ",", quotes: bool = True
    ) -> None:
        self._path, self._delimiter, self._quotes = path, delimiter, quotes
        self._stream = Stream(path, compression)
        self._begun = b""  # a line of which the end has not been read
        self._plain = True  # whether all lines before were such
        self._read: list[str] = []  # the lines of a row
        lines = io.TextIOWrapper(
            io.BufferedReader(_Lines(self._stream), 1 << 16), "latin-1", newline=""
        )
        self._lines = _noted(lines, self._read)
        quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
        self._reader = csv.reader(self._lines, delimiter=delimiter, quoting=quoting, strict=True)

    def block(self) -> bytes:
        """Whole lines that are a row each, without quotes; none if others come next."""
        if not self._plain:
            return b""
        text = self._begun + self._stream.read()
        end = text.rfind(b"\n") + 1
        lines, self._begun = text[:end], text[end:]
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n")
        if not lines or b"\r" in lines or (self._quotes and b'"' in lines):
            self._begun = text
            self._end_blocks()
            return b""
        return lines

    def _end_blocks(self) -> None:
        self._plain = False
        self._stream.put_back(self._begun)

    def skip_header(self) -> None:
        """Leave out the first row, which must be there."""
        if lines := self.block():
            self._begun = lines.split(b"\n", 1)[1] + self._begun
        elif next(self, None) is None:
            raise InvalidArgumentError(None, None, f"{self._path} is empty: it has no header.")

    def skip(self, count: int) -> None:
        """Leave out rows, with errors or without."""
        while count and (lines := self.block()):
            *left_out, rest = lines.split(b"\n", count)
            self._begun = rest + self._begun
            count -= len(left_out)
        for _ in range(count):
            with contextlib.suppress(InvalidArgumentError):
                next(self, None)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        if self._plain:
            self._end_blocks()
        self._read.clear()
        try:
            row = self._row()
            if self._quotes and any('"' in field for field in row):
                _check_quotes("".join(self._read), self._delimiter)
        except csv.Error as error:
            message = f"{self._path}, line {self._reader.line_num}: {error}."
            raise InvalidArgumentError(None, None, message) from error
        return row or [""]  # an empty line is a row of one empty field

    def _row(self) -> list[str]:
        try:
            return next(self._reader)
        except csv.Error as error:
            if not str(error).startswith(_TOO_LONG):
                raise
        marks = sum(line.count('"') for line in self._read) if self._quotes else 0
        while marks % 2:
            line = next(self._lines, None)
            if line is None:
                raise csv.Error("unexpected end of data")
            marks += line.count('"')
        whole = "".join(self._read).rstrip("\r\n").encode("latin-1")
        fields = fields_of(whole, self._delimiter.encode("latin-1"), self._quotes)
        return [field.decode("latin-1") for field in fields]


def _noted(lines: Iterable[str], read: list[str]) -> Iterator[str]:
    """The lines, which are noted on the way."""
    for line in lines:
        read.append(line)
        yield line


def _check_quotes(text: str, delimiter: str) -> None:
    """Complain of quotes in a field that does not stand in quotes, which Python lets pass."""
    mark = re.escape(delimiter)
    field = rf'(?:"(?:[^"]|"")*"|[^"{mark}]*)'
    if not re.fullmatch(rf"{field}(?:{mark}{field})*\r?\n?", text):
        raise csv.Error("a field without quotes around it has quotes inside")
