"""`make_csv_dataset`: batches of columns by name, whose names and dtypes the files tell."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.data.dataset.dataset import AUTOTUNE, Dataset
from runnel.data.files.csv import CsvDataset
from runnel.data.files.csv_rows import CsvRows
from runnel.data.run.structure import raw


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
    chosen = _chosen(select_columns, column_names)
    if column_defaults is None:
        body = _body(paths, quick, header, len(column_names))
        rows = itertools.islice(body, num_rows_for_inference)
        column_defaults = _infer(rows, chosen, na_value)
    columns = _Columns([column_names[i] for i in chosen], list(column_defaults), label_name)
    columns.check()

    def read(path: Any) -> Dataset:
        rows: Dataset = CsvDataset(
            path,
            columns.defaults,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=chosen if select_columns is not None else None,
        )
        return rows.ignore_errors() if ignore_errors else rows

    dataset = Dataset.from_tensor_slices([path.encode() for path in paths])
    if shuffle:
        dataset = dataset.shuffle(len(paths), shuffle_seed)
    reads = num_parallel_reads or 1
    dataset = read(dataset) if reads == 1 else _interleaved(dataset, read, reads, sloppy)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs) if num_epochs != 1 else dataset
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(columns.labelled)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


@dataclass
class _Columns:
    """The columns that are read, and which of them is the label."""

    names: list[str]
    defaults: list[Any]
    label: str | None

    def check(self) -> None:
        if len(self.defaults) != len(self.names):
            raise ValueError(
                f"make_csv_dataset: there must be {len(self.names)} defaults, got "
                f"{len(self.defaults)}."
            )
        if self.label is not None and self.label not in self.names:
            raise ValueError(f"make_csv_dataset: the label {self.label!r} is no column.")

    def labelled(self, *columns: Tensor) -> Any:
        """The columns by name; the label, if there is one, beside them."""
        features = collections.OrderedDict(zip(self.names, columns))
        if self.label is None:
            return features
        label = features.pop(self.label)
        return features, label


def _interleaved(names: Dataset, read: Any, reads: int, sloppy: bool) -> Dataset:
    return names.interleave(
        read,
        cycle_length=1 if reads == AUTOTUNE else reads,
        num_parallel_calls=reads,
        deterministic=not sloppy,
    )


def _matching(pattern: Any) -> list[str]:
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    found = raw_ops.MatchingFiles(convert_to_tensor([str(p) for p in patterns]))
    paths = [name.decode() for name in raw(found).tolist()]
    if not paths:
        raise ValueError(f"make_csv_dataset: no files match {pattern!r}.")
    return paths


def _header(paths: Sequence[str], quick: dict[str, Any], encoding: str) -> list[str]:
    headers = [next(CsvRows(path, **quick), []) for path in paths]
    for path, names in zip(paths, headers):
        if not names:
            raise ValueError(f"make_csv_dataset: {path} is empty, and has no header.")
        if names != headers[0]:
            raise ValueError(f"make_csv_dataset: {path} has another header than {paths[0]}.")
    return [name.encode("latin-1").decode(encoding) for name in headers[0]]


def _chosen(select: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    if len(set(names)) != len(names):
        raise ValueError("make_csv_dataset: the names of the columns must differ.")
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


def _infer(rows: Iterable[list[str]], chosen: Sequence[int], missing: str) -> list[Any]:
    """The defaults of columns by what stands in some rows: the narrowest dtype that fits."""
    found: list[DType | None] = [None] * len(chosen)
    for row in rows:
        for i, place in enumerate(chosen):
            found[i] = _wider(found[i], _narrowest(row[place], missing))
    return [_empty(kind or dtypes.string) for kind in found]


def _body(
    paths: Sequence[str], quick: dict[str, Any], header: bool, width: int
) -> Iterator[list[str]]:
    """The rows of all files but their headers."""
    for path in paths:
        for row in itertools.islice(CsvRows(path, **quick), int(header), None):
            if len(row) != width:
                raise ValueError(
                    f"make_csv_dataset: a row of {path} has {len(row)} fields, of {width} columns."
                )
            yield row


_ORDER = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]


def _wider(a: DType | None, b: DType | None) -> DType | None:
    if a is None or b is None:
        return a or b
    return max(a, b, key=_ORDER.index)


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
