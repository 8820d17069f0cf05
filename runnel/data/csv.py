"""Datasets of CSV files: `CsvDataset` and `make_csv_dataset`."""

from __future__ import annotations

import collections
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core import context, dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import DType, as_dtype
from runnel.core.errors import InvalidArgumentError
from runnel.core.raw import raw_ops
from runnel.core.tensor import Tensor
from runnel.core.tfrecord import Stream
from runnel.core.type_spec import TensorSpec
from runnel.data.dataset import AUTOTUNE, Dataset
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
    reader = csv.reader(lines, delimiter=delimiter, **plain)
    try:
        yield from reader
    except csv.Error as error:
        message = f"{path}, line {reader.line_num}: {error}."
        raise InvalidArgumentError(None, None, message) from error


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
        self._rows = (row for row in rows if row)
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
            raise ValueError("CsvDataset: give `select_cols` or `exclude_cols`, not both.")
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
    if isinstance(value, DType) or value in (float, int, str) or isinstance(value, type):
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
        raise TypeError(f"CsvDataset: columns are {names}, got {kind.name}.")
    return kind, found


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """A dataset of batches of columns by name, read from CSV files.

    The names come from the first line, and the dtypes from the first rows, unless they are given.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.csv"
    >>> tf.io.write_file(path, "x,y\\n1,0.5\\n2,1.5\\n")
    >>> dataset = tf.data.experimental.make_csv_dataset(
    ...     path, 2, label_name="y", num_epochs=1, shuffle=False
    ... )
    >>> features, label = next(iter(dataset))
    >>> features["x"].numpy(), label.numpy()
    (array([1, 2], dtype=int32), array([0.5, 1.5], dtype=float32))
    """
    paths = _matching(file_pattern)
    quick = {
        "compression": compression_type or "",
        "delimiter": field_delim,
        "quotes": use_quote_delim,
    }
    if column_names is None:
        if not header:
            raise ValueError("make_csv_dataset: give `column_names`, or a header.")
        column_names = _header(paths, quick, encoding)
    if len(set(column_names)) != len(column_names):
        raise ValueError("make_csv_dataset: the names of the columns must differ.")
    chosen = _chosen(select_columns, column_names)
    if column_defaults is None:
        limit = num_rows_for_inference
        column_defaults = _infer(paths, quick, chosen, na_value, header, limit)
    if len(column_defaults) != len(chosen):
        raise ValueError(
            f"make_csv_dataset: there must be {len(chosen)} defaults, got {len(column_defaults)}."
        )
    names = [column_names[i] for i in chosen]
    if label_name is not None and label_name not in names:
        raise ValueError(f"make_csv_dataset: the label {label_name!r} is no column.")
    defaults = list(column_defaults)

    def read(path: Any) -> Dataset:
        rows: Dataset = CsvDataset(
            path,
            defaults,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=chosen if select_columns is not None else None,
        )
        return rows.ignore_errors() if ignore_errors else rows

    def labelled(*columns: Tensor) -> Any:
        features = collections.OrderedDict(zip(names, columns))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = Dataset.from_tensor_slices([path.encode() for path in paths])
    if shuffle:
        dataset = dataset.shuffle(len(paths), shuffle_seed)
    reads = num_parallel_reads or 1
    dataset = dataset.interleave(
        read,
        cycle_length=1 if reads == AUTOTUNE else reads,
        num_parallel_calls=reads if reads != 1 else None,
        deterministic=not sloppy,
    )
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs) if num_epochs != 1 else dataset
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(labelled)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _matching(pattern: Any) -> list[str]:
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    found = raw_ops.MatchingFiles(convert_to_tensor([str(p) for p in patterns]))
    paths = [name.decode() for name in raw(found).tolist()]
    if not paths:
        raise ValueError(f"make_csv_dataset: no files match {pattern!r}.")
    return paths


def _header(paths: Sequence[str], quick: dict[str, Any], encoding: str) -> list[str]:
    headers = [next(rows_of(path, **quick), []) for path in paths]
    for path, names in zip(paths, headers):
        if names != headers[0]:
            raise ValueError(f"make_csv_dataset: {path} has another header than {paths[0]}.")
    return [name.encode("latin-1").decode(encoding) for name in headers[0]]


def _chosen(select: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    if select is None:
        return list(range(len(names)))
    places = []
    for column in select:
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"make_csv_dataset: there is no column {column!r}.")
            column = list(names).index(column)
        if not 0 <= column < len(names):
            raise ValueError(f"make_csv_dataset: there is no column {column}.")
        places.append(column)
    if len(set(places)) != len(places):
        raise ValueError("make_csv_dataset: a column is selected twice.")
    return sorted(places)


def _infer(
    paths: Sequence[str],
    quick: dict[str, Any],
    chosen: Sequence[int],
    missing: str,
    header: bool,
    limit: int | None,
) -> list[Any]:
    """The defaults of columns by what stands in the first rows: the narrowest dtype that fits."""
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]
    found: list[DType | None] = [None] * len(chosen)
    seen = 0
    for path in paths:
        for number, row in enumerate(rows_of(path, **quick)):
            if (number == 0 and header) or not row:
                continue
            if limit is not None and seen >= limit:
                break
            seen += 1
            for i, place in enumerate(chosen):
                kind = _narrowest(row[place], missing) if place < len(row) else None
                if kind is not None and (
                    found[i] is None or order.index(kind) > order.index(found[i])  # type: ignore[arg-type]
                ):
                    found[i] = kind
    return [_empty(kind or dtypes.string) for kind in found]


def _empty(kind: DType) -> Any:
    """The default of a column that may be empty."""
    if kind is dtypes.string:
        return convert_to_tensor([""])
    return convert_to_tensor(np.zeros(1, kind.np_dtype))


def _narrowest(field: str, missing: str) -> DType | None:
    if field in ("", missing):
        return None
    try:
        number = int(field)
    except ValueError:
        pass
    else:
        if abs(number) < 2**31:
            return dtypes.int32
        return dtypes.int64 if abs(number) < 2**63 else dtypes.float32
    try:
        value = float(field)
    except ValueError:
        return dtypes.string
    return dtypes.float32 if abs(value) < 3.4e38 or value != value else dtypes.float64
