"""Lines of comma separated values as columns: `tf.io.decode_csv`."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import attribute_bytes, packed, placed_strings
from runnel.ops.strings.numbers import parse_numbers, placed_numbers

_TYPES = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string})
_LINES_FOR_PYTHON = 8  # lines, up to which it is quicker to look at one by one
_LINES_AT_A_TIME = (
    1 << 13
)  # lines that are read at a time, so that arrays of them stay in the cache


def _fault(record: bytes, what: str) -> Exception:
    return bad_value("DecodeCSV", want=what, records=record)


def fields_of(record: bytes, separator: bytes, quotes: bool) -> list[bytes]:
    """The fields of a line; within quotes a separator is a character as any other.

    >>> fields_of(b'1,"a, b",', b",", True)
    [b'1', b'a, b', b'']
    """
    if b"\n" not in record and b"\r" not in record and not (quotes and b'"' in record):
        return record.split(separator) if record else []
    found: list[bytes] = []
    place = 0
    while place < len(record):
        if record[place : place + 1] in (b"\n", b"\r"):
            place += 1
            continue
        read = _quoted if quotes and record[place : place + 1] == b'"' else _plain
        field, place = read(record, place, separator, quotes)
        found.append(field)
    return [*found, b""] if record.endswith(separator) else found


def _rows(records: Sequence[bytes], separator: bytes, quotes: bool) -> Iterator[list[bytes]]:
    """The fields of all lines. Python's reader takes quotes for what they are if a field begins
    with them; where they stay in a field, it is looked at again."""
    text = b"".join(records)
    if not quotes or b'"' not in text or b"\n" in text or b"\r" in text or b"\0" in text:
        return (fields_of(record, separator, quotes) for record in records)
    lines = (record.decode("latin-1") for record in records)
    rows = csv.reader(lines, delimiter=separator.decode("latin-1"), strict=True)
    try:
        return _checked(list(rows), records, separator)
    except csv.Error:  # which says less than the other way
        return (fields_of(record, separator, quotes) for record in records)


def _checked(
    rows: list[list[str]], records: Sequence[bytes], separator: bytes
) -> Iterator[list[bytes]]:
    for row, record in zip(rows, records, strict=True):
        if any('"' in field for field in row):
            yield fields_of(record, separator, quotes=True)
        else:
            yield [field.encode("latin-1") for field in row]


def _plain(record: bytes, start: int, separator: bytes, quotes: bool) -> tuple[bytes, int]:
    end = record.find(separator, start)
    end = len(record) if end < 0 else end
    field = record[start:end]
    if b"\n" in field or b"\r" in field or (quotes and b'"' in field):
        raise _fault(record, "have quotes and line ends within quoted fields only")
    return field, end + 1


def _quoted(record: bytes, start: int, separator: bytes, quotes: bool) -> tuple[bytes, int]:
    place = start + 1
    while True:
        end = record.find(b'"', place)
        if end < 0:
            raise _fault(record, "close the quotes that it opens")
        after = record[end + 1 : end + 2]
        if after in (b"", separator):
            return record[start + 1 : end].replace(b'""', b'"'), end + 2
        if after != b'"':
            raise _fault(record, "double a quote within a quoted field")
        place = end + 2


def _csv_shape(records: Spec, record_defaults: list[Spec], **attrs: Any) -> list[list[Dims]]:
    for default in record_defaults:
        if default.rank not in (None, 0, 1) or (default.dims and (default.dims[0] or 0) > 1):
            raise bad_shape("DecodeCSV", want="hold one value or none", record_defaults=default)
    return [[records.dims for _ in record_defaults]]


@op(
    "DecodeCSV",
    "records: string, record_defaults: *OUT_TYPE -> output: *OUT_TYPE",
    OUT_TYPE=_TYPES,
    shape=_csv_shape,
    rows=True,
)
def _decode_csv(
    xp: Namespace,
    records: Array,
    record_defaults: list[Array],
    *,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: tuple = (),
) -> list[list[Array]]:
    separator = attribute_bytes(field_delim)
    if len(separator) != 1:
        raise bad_value("DecodeCSV", want="be one character", field_delim=field_delim)
    if any(default.ndim > 1 or default.size > 1 for default in record_defaults):
        raise bad_value("DecodeCSV", want="hold one value or none each", record_defaults="more")
    lines, missing = records.ravel().tolist(), attribute_bytes(na_value)
    layout = _Layout(separator, use_quote_delim, missing, select_cols, record_defaults)
    starts = range(0, len(lines), _LINES_AT_A_TIME) or [0]
    parts = [layout.columns(lines[start : start + _LINES_AT_A_TIME], start) for start in starts]
    columns = parts[0] if len(parts) == 1 else [np.concatenate(c) for c in zip(*parts, strict=True)]
    return [[column.reshape(records.shape) for column in columns]]


class _Layout(NamedTuple):
    """How lines are to be read."""

    separator: bytes
    quotes: bool
    missing: bytes
    chosen: Sequence[int]
    defaults: list[Array]

    def columns(self, lines: Sequence[bytes], first: int) -> list[Array]:
        """The columns of some lines, the first of which has this number."""
        wanted = len(self.defaults)
        table = (
            _table(lines, self.separator, self.quotes) if len(lines) > _LINES_FOR_PYTHON else None
        )
        if table is not None and table.has(wanted, self.chosen):
            places = zip(self.chosen or range(wanted), self.defaults, strict=True)
            return [table.column(place, default, self.missing) for place, default in places]
        rows = _selected(_rows(lines, self.separator, self.quotes), wanted, self.chosen, first)
        columns: Any = zip(*rows, strict=True) if rows else [()] * wanted
        pairs = zip(columns, self.defaults, strict=True)
        return [_column(column, default, self.missing) for column, default in pairs]


def _selected(
    rows: Iterable[list[bytes]], wanted: int, chosen: Sequence[int], first: int
) -> list[list[bytes]]:
    if chosen:
        rows = ([row[c] for c in chosen if c < len(row)] for row in rows)
    found = list(rows)
    for number, row in enumerate(found, first):
        if len(row) != wanted:
            raise bad_value("DecodeCSV", want=f"have {wanted} fields in line {number}", records=row)
    return found


def _column(column: Sequence[bytes], default: Array, missing: bytes) -> Array:
    there = [value for value in column if value and value != missing]
    if len(there) == len(column):
        return _values(there, default.dtype)
    given = [bool(value) and value != missing for value in column]
    return _completed(_values(there, default.dtype), np.array(given), default)


def _values(texts: Sequence[bytes], dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "O":
        return packed(texts)
    try:
        return parse_numbers(texts, dtype)
    except ValueError as error:
        want = f"be a number of dtype {dtype}"
        raise bad_value("DecodeCSV", want=want, field=error.args[0]) from None


def _completed(values: Array, given: Array, default: Array) -> Array:
    """The values where they are given, and the default elsewhere."""
    if not default.size:
        raise bad_value("DecodeCSV", want="be given: the column has no default", field="")
    result = np.full(len(given), default.item(), default.dtype)
    result[given] = values
    return result


class Table(NamedTuple):
    """Lines of as many fields each, one after another, and where each field ends."""

    text: bytes
    stops: Array

    def has(self, wanted: int, chosen: Sequence[int]) -> bool:
        width = self.stops.shape[1]
        return chosen[-1] < width if chosen else width == wanted

    def column(self, place: int, default: Array, missing: bytes) -> Array:
        stops = self.stops[:, place].copy()
        starts = self.stops[:, place - 1] + 1
        if place == 0:
            starts[1:], starts[0] = starts[:-1].copy(), 0
        given = starts < stops
        if missing:
            given &= ~_holds(self.text, starts, stops, missing)
        if given.all():
            return self._values(starts, stops, default.dtype)
        values = self._values(starts[given], stops[given], default.dtype)
        return _completed(values, given, default)

    def _values(self, starts: Array, stops: Array, dtype: np.dtype[Any]) -> Array:
        read = placed_strings if dtype.kind == "O" else placed_numbers
        found = read(self.text, starts, stops, dtype)
        if found is not None:
            return found
        text = self.text
        return _values([text[a:b] for a, b in zip(starts.tolist(), stops.tolist())], dtype)


def _table(records: Sequence[bytes], separator: bytes, quotes: bool) -> Table | None:
    """The places of all fields, or None where lines are of different lengths or unusual."""
    text = b"\n".join([*records, b""])
    if b"\r" in text or (quotes and b'"' in text):
        return None
    table = table_of(text, len(records), separator)
    if table is not None and table.stops.shape[1] == 1 and b"" in records:
        return None  # an empty line has no field
    return table


def table_of(text: bytes, count: int, separator: bytes) -> Table | None:
    """The places of the fields in `count` lines; None where they have not as many fields each.

    >>> table_of(b"1,a\\n2,b\\n", 2, b",").stops
    array([[1, 3],
           [5, 7]])
    """
    data = np.frombuffer(text, np.uint8)
    ends = data == ord("\n")
    stops = np.flatnonzero(ends | (data == ord(separator)))
    if len(stops) % count or np.count_nonzero(ends) != count:
        return None
    table = Table(text, stops.reshape(count, -1))
    return table if ends[table.stops[:, -1]].all() else None


def _holds(text: bytes, starts: Array, stops: Array, word: bytes) -> Array:
    """Whether it is this word that stands in each place."""
    same = stops - starts == len(word)
    windows = np.ndarray((len(text), len(word)), np.uint8, text + word, strides=(1, 1))
    same[same] = (windows[starts[same]] == np.frombuffer(word, np.uint8)).all(1)
    return same


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Lines of comma separated values as one tensor for each column.

    `record_defaults` holds what stands for an empty field of each column, and so its dtype; an
    empty list means that the field must be there.

    >>> tf.io.decode_csv(["1,a", ",b"], [[7], ["?"]])[0].numpy()
    array([1, 7], dtype=int32)
    """
    if isinstance(record_defaults, np.ndarray | Tensor):
        record_defaults = list(record_defaults)
    if not isinstance(record_defaults, list | tuple):
        raise TypeError(
            f"tf.io.decode_csv: record_defaults must be a list, got {record_defaults!r}."
        )
    chosen = list(select_cols or ())
    if not all(isinstance(column, int) for column in chosen):
        raise TypeError(f"tf.io.decode_csv: select_cols must be integers, got {select_cols!r}.")
    if any(column < 0 for column in chosen):
        raise ValueError(f"tf.io.decode_csv: select_cols must not be negative, got {chosen}.")
    if any(a >= b for a, b in pairwise(chosen)):
        raise ValueError(f"tf.io.decode_csv: select_cols must increase, got {chosen}.")
    if select_cols is not None and len(chosen) != len(record_defaults):
        raise ValueError(
            f"tf.io.decode_csv: {len(chosen)} select_cols for {len(record_defaults)} "
            "record_defaults."
        )
    if not len(record_defaults):
        raise InvalidArgumentError(None, None, "tf.io.decode_csv needs one record default or more.")
    return raw_ops.DecodeCSV(  # type: ignore[no-any-return]
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=chosen,
        name=name,
    )
