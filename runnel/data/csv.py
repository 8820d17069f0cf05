"""The rows of CSV files: `CsvDataset`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core import context, dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import DType, as_dtype
from runnel.core.errors import InvalidArgumentError
from runnel.core.tfrecord import Stream
from runnel.core.type_spec import TensorSpec
from runnel.data.dataset import Dataset
from runnel.data.node import Node, Run, Stage, State, Values, located
from runnel.data.readers import _names
from runnel.data.structure import Structure, boxed, raw

_KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class _Lines(io.RawIOBase):
    """A stream as the file object that Python's `csv` reads, one character per byte."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read()
        if len(piece) > len(buffer):
            self._stream._rest = piece[len(buffer) :]
            piece = piece[: len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)


def rows_of(
    path: str, compression: str = "", delimiter: str = ",", quotes: bool = True
) -> Iterator[list[str]]:
    """The rows of a CSV file; characters stand for bytes."""
    lines = io.TextIOWrapper(
        io.BufferedReader(_Lines(Stream(path, compression)), 1 << 16), "latin-1", newline=""
    )
    plain: Any = {"quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE, "strict": True}
    read: list[str] = []  # the lines of a row
    reader = csv.reader(_noted(lines, read) if quotes else lines, delimiter=delimiter, **plain)
    try:
        for row in reader:
            if quotes and any('"' in field for field in row):
                _check_quotes("".join(read), delimiter)
            read.clear()
            yield row or [""]  # an empty line is a row of one empty field
    except csv.Error as error:
        message = f"{path}, line {reader.line_num}: {error}."
        raise InvalidArgumentError(None, None, message) from error


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


class Csv(Node):
    """The rows of CSV files as tuples of scalars."""

    kind = "CsvDataset"

    def __init__(
        self,
        names: Node,
        dtypes_: Sequence[DType],
        defaults: Sequence[Any],
        settings: dict[str, Any],
    ) -> None:
        super().__init__([names], Structure(tuple(TensorSpec([], d) for d in dtypes_)))
        self.defaults = tuple(defaults)
        self.settings = settings

    def make(self, run: Run) -> Stage:
        return _Csv(self, run.build(self.input))


class _Csv(Stage):
    def __init__(self, node: Csv, names: Any) -> None:
        self._node, self._names = node, names
        self._rows: Any = None
        self._path: str | None = None
        self._place = 0  # rows of this file that have been read
        self._count = 0
        pairs = zip(node.structure.dtypes, node.defaults)
        self._columns = [_converter(i, d, v) for i, (d, v) in enumerate(pairs)]

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        while True:
            if self._rows is None:
                self._start(np.asarray(next(self._names)[0]).item().decode(), 0)
            try:
                row = next(self._rows)
            except StopIteration:
                self._rows = None
                continue
            self._place += 1
            self._count += 1
            try:
                return self._converted(row)
            except InvalidArgumentError as error:
                raise located(error, self._node, self._count - 1) from error

    def _start(self, path: str, skip: int) -> None:
        settings = self._node.settings
        rows = rows_of(path, settings["compression"], settings["delim"], settings["quotes"])
        self._rows = rows
        self._path, self._place = path, skip
        for _ in range(skip + bool(settings["header"])):
            next(self._rows, None)

    def _converted(self, row: list[str]) -> Values:
        chosen = self._node.settings["select"]
        if chosen is not None:
            if chosen and chosen[-1] >= len(row):
                raise _invalid(f"Expect at least {chosen[-1] + 1} fields but have {len(row)}")
            row = [row[i] for i in chosen]
        elif len(row) != len(self._columns):
            raise _invalid(f"Expect {len(self._columns)} fields but have {len(row)} in record")
        missing = self._node.settings["na"]
        return [
            convert("" if field == missing else field) for convert, field in zip(self._columns, row)
        ]

    def save(self) -> State:
        path = None if self._rows is None else self._path
        return [path, self._place, self._count, self._names.save()]

    def restore(self, state: State) -> None:
        path, place, count, names = state
        self._names.restore(names)
        if path is not None:
            self._start(path, place)
        self._count = count


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"{message}.")


def _converter(i: int, dtype: DType, default: Any) -> Callable[[str], Any]:
    kind = dtype.np_dtype.type

    def convert(field: str) -> Any:
        if not field:
            if default is None:
                raise _invalid(f"Field {i} is required but missing in record")
            return default
        if dtype is dtypes.string:
            return boxed(field.encode("latin-1"))
        try:
            return kind(int(field) if dtype.is_integer else float(field))
        except (ValueError, OverflowError):
            raise _invalid(f"Field {i} in record is not a valid {dtype.name}: {field}") from None

    return convert


class CsvDataset(Dataset):
    """A dataset of the rows of CSV files, as tuples of scalars.

    `record_defaults` has for each column its dtype, if it must be there, or a default.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.csv"
    >>> tf.io.write_file(path, "1,a,0.5\\n2,,1.5\\n")
    >>> rows = tf.data.experimental.CsvDataset(path, [tf.int32, "none", tf.float32])
    >>> list(rows.as_numpy_iterator())
    [(np.int32(1), b'a', np.float32(0.5)), (np.int32(2), b'none', np.float32(1.5))]
    """

    _shown = "CsvDatasetV2"

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: str | None = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            message = "CsvDataset: give `select_cols` or `exclude_cols`, not both."
            raise InvalidArgumentError(None, None, message)
        if len(field_delim) != 1:
            message = f"CsvDataset: `field_delim` must be one character, got {field_delim!r}."
            raise InvalidArgumentError(None, None, message)
        if exclude_cols is not None:
            total = len(record_defaults) + len(exclude_cols)
            select_cols = [i for i in range(total) if i not in exclude_cols]
        if select_cols is not None and list(select_cols) != sorted(set(select_cols)):
            raise InvalidArgumentError(None, None, "CsvDataset: `select_cols` must be increasing.")
        columns = [_default(value) for value in record_defaults]
        settings = {
            "compression": compression_type or "",
            "header": header,
            "delim": field_delim,
            "quotes": use_quote_delim,
            "na": na_value,
            "select": None if select_cols is None else list(select_cols),
        }
        kinds = [kind for kind, _ in columns]
        node = Csv(_names(filenames)._node, kinds, [value for _, value in columns], settings)
        super().__init__(node)


def _default(value: Any) -> tuple[DType, Any]:
    """The dtype of a column, and its default or None."""
    if isinstance(value, DType | type):
        kind = dtypes.string if value is str else as_dtype(value)
        found: Any = None
    else:
        with context.building(None):
            tensor = convert_to_tensor(value)
        kind = tensor.dtype
        array = raw(tensor)
        found = None if array.size == 0 else array.reshape(-1)[:1].reshape(())
    if kind not in _KINDS:
        names = ", ".join(k.name for k in _KINDS)
        raise ValueError(f"CsvDataset: columns are {names}, got {kind.name}.")
    return kind, found
