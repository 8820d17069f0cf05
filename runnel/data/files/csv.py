"""The rows of CSV files: `CsvDataset`."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.op import context
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError, OpError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.dataset import Dataset
from runnel.data.files.csv_rows import CsvRows
from runnel.data.files.readers import names_dataset
from runnel.data.nodes.node import Node, Run, Stage, State, Values, located
from runnel.data.run.structure import Structure, raw, row
from runnel.kernels.text.arrays import attribute_bytes, packed
from runnel.ops.io.csv import table_of
from runnel.ops.strings.numbers import parse_numbers

_KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)
_AHEAD = 256  # rows that are read at a time


class Csv(Node):
    """The rows of CSV files as tuples of scalars."""

    kind = "CsvDataset"
    derived = frozenset(["empty_or_default", "missing"])

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

    @functools.cached_property
    def missing(self) -> bytes:
        """What stands for nothing in a field."""
        return attribute_bytes(self.settings["na"])

    @functools.cached_property
    def empty_or_default(self) -> list[Any]:
        """For each column an array with its default, or without any."""
        pairs = zip(self.defaults, self.structure.dtypes, strict=True)
        return [np.asarray([] if d is None else d, kind.np_dtype) for d, kind in pairs]

    def make(self, run: Run) -> Stage:
        return _Csv(self, run.build(self.input))


class _Csv(Stage):
    """Reads many rows at a time. If they fail together, they are taken one by one."""

    blocks = True

    def __init__(self, node: Csv, names: Any) -> None:
        self._node, self._names = node, names
        self._rows: CsvRows | None = None
        self._path: str | None = None
        self._place = 0  # rows of this file that have been given
        self._ahead: list[Any] = []  # rows read and not given, or the error of one, in reverse
        self._made: Values = []  # columns of rows read and not given
        self._left = 0  # rows of them

    def __next__(self) -> Values:
        place = self._claim(1).start
        return [row(column, place) for column in self._made]

    def block(self, count: int) -> Values:
        rows = self._claim(count)
        return [column[rows] for column in self._made]

    def _claim(self, count: int) -> slice:
        """The next rows of the columns that are made, at least one and at most `count`."""
        while not self._left:
            self._fill(max(count, _AHEAD))
        start, rows = len(self._made[0]) - self._left, min(count, self._left)
        self._left -= rows
        self._place += rows
        self.made += rows
        return slice(start, start + rows)

    def _fill(self, count: int) -> None:
        """Make the columns of some rows, or of one of those that failed together."""
        if self._ahead:
            self._made = self._single(self._ahead.pop())
        else:
            if self._rows is None:
                self._start(np.asarray(next(self._names)[0]).item().decode(), 0)
            lines, found = self._read(count)
            try:
                self._made = self._table(lines) if lines else self._columns(found)
            except Exception as error:  # which row was it?
                let_through(error)
                self._ahead = (self._split(lines) if lines else found)[::-1]
                return
        self._left = len(self._made[0]) if self._made else 0

    def _read(self, count: int) -> tuple[bytes, list[Any]]:
        """The next lines, or if they are unusual, rows; none of both at the end of the file.

        An error is the last of them.
        """
        found: list[Any] = []
        assert self._rows is not None
        try:
            lines = self._rows.block()
            if lines:
                return lines, []
            found.extend(itertools.islice(self._rows, count))
        except InvalidArgumentError as error:
            found.append(error)
        except OpError as error:  # the file cannot be read on
            found.append(error)
            self._rows = None
        if not found:
            self._rows = None
        return b"", found

    def _split(self, lines: bytes) -> list[list[str]]:
        texts = lines.decode("latin-1").split("\n")[:-1]
        return [text.split(self._node.settings["delim"]) for text in texts]

    def _table(self, lines: bytes) -> Values:
        """The columns of lines that are a row each."""
        settings = self._node.settings
        chosen, defaults = settings["select"] or (), self._node.empty_or_default
        table = table_of(lines, lines.count(b"\n"), settings["delim"].encode("latin-1"))
        if table is None or not table.has(len(defaults), chosen):
            return self._columns(self._split(lines))
        places, missing = chosen or range(len(defaults)), self._node.missing
        return [table.column(p, d, missing) for p, d in zip(places, defaults, strict=True)]

    def _single(self, found: Any) -> Values:
        try:
            if isinstance(found, OpError):
                raise found
            return self._columns([found])
        except OpError as error:
            self._place += 1
            self.made += 1
            raise located(error, self._node, self.made - 1) from error

    def _columns(self, rows: list[list[str]]) -> Values:
        if not rows:
            return []
        chosen, wanted = self._node.settings["select"], len(self._node.defaults)
        sizes = set(map(len, rows))
        if chosen is None and sizes != {wanted}:
            raise _invalid(f"Expect {wanted} fields but have {max(sizes)} in record")
        if chosen and min(sizes) <= chosen[-1]:
            raise _invalid(f"Expect at least {chosen[-1] + 1} fields but have {min(sizes)}")
        columns = list(zip(*rows))
        return [self._column(i, columns[c]) for i, c in enumerate(chosen or range(wanted))]

    def _column(self, i: int, column: Sequence[str]) -> Any:
        missing, dtype = self._node.missing.decode("latin-1"), self._node.structure.dtypes[i]
        given = [field != "" and field != missing for field in column]
        texts = [field.encode("latin-1") for field in itertools.compress(column, given)]
        try:
            values = (
                packed(texts)
                if dtype is dtypes.string
                else parse_numbers(texts, np.dtype(dtype.np_dtype))
            )
        except ValueError as error:
            text = error.args[0].decode("latin-1")
            raise _invalid(f"Field {i} in record is not a valid {dtype.name}: {text}") from None
        if len(texts) == len(column):
            return values
        default = self._node.defaults[i]
        if default is None:
            raise _invalid(f"Field {i} is required but missing in record")
        result = np.full(len(column), default.item(), dtype.np_dtype)
        result[given] = values
        return result

    def _start(self, path: str, skip: int) -> None:
        settings = self._node.settings
        self._rows = CsvRows(path, settings["compression"], settings["delim"], settings["quotes"])
        self._path, self._place = path, skip
        if settings["header"] and not skip:
            self._rows.skip_header()
        else:
            self._rows.skip(skip + bool(settings["header"]))

    def save(self) -> State:
        path = None if self._rows is None else self._path
        return [path, self._place, self.made, self._names.save()]

    def restore(self, state: State) -> None:
        path, place, count, names = state
        self._names.restore(names)
        if path is not None:
            self._start(path, place)
        self.made = count


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"{message}.")


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
        if not isinstance(field_delim, str) or len(attribute_bytes(field_delim)) != 1:
            message = f"CsvDataset: `field_delim` must be one character, got {field_delim!r}."
            raise InvalidArgumentError(None, None, message)
        if exclude_cols is not None:
            total = len(record_defaults) + len(exclude_cols)
            select_cols = [i for i in range(total) if i not in exclude_cols]
        if select_cols is not None and list(select_cols) != sorted(set(select_cols)):
            raise InvalidArgumentError(None, None, "CsvDataset: `select_cols` must be increasing.")
        if select_cols is not None and len(select_cols) != len(record_defaults):
            message = f"CsvDataset: {len(select_cols)} columns for {len(record_defaults)} defaults."
            raise InvalidArgumentError(None, None, message)
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
        node = Csv(names_dataset(filenames)._node, kinds, [value for _, value in columns], settings)
        super().__init__(node)


def _default(value: Any) -> tuple[DType, Any]:
    """The dtype of a column, and its default or None."""
    if isinstance(value, DType | type) or (not isinstance(value, Tensor) and value in _KINDS):
        kind = dtypes.string if value is str else as_dtype(value)  # TensorFlow takes 3 for int32
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
