"""Lines of comma separated values as columns: `tf.io.decode_csv`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.string_arrays import attribute_bytes, packed
from runnel.ops.string_numbers import parse_numbers

_TYPES = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string})


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


def _rows(records: Sequence[bytes], separator: bytes, quotes: bool) -> list[list[bytes]]:
    """The fields of all lines; where no line has anything special, without looking at each."""
    text = b"".join(records)
    if not any(byte in text for byte in (b"\n", b"\r", *[b'"'] * quotes)) and all(records):
        return [record.split(separator) for record in records]
    return [fields_of(record, separator, quotes) for record in records]


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
    host=True,
    shape=_csv_shape,
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
    rows = _rows(records.ravel().tolist(), separator, use_quote_delim)
    if select_cols:
        rows = [[row[c] for c in select_cols if c < len(row)] for row in rows]
    for number, row in enumerate(rows):
        if len(row) != len(record_defaults):
            want = f"have {len(record_defaults)} fields in line {number}"
            raise bad_value("DecodeCSV", want=want, records=row)
    missing = (b"", attribute_bytes(na_value))
    columns = zip(*rows, strict=True) if rows else [()] * len(record_defaults)
    found = zip(columns, record_defaults, strict=True)
    return [[_column(column, d, missing).reshape(records.shape) for column, d in found]]


def _column(column: Sequence[bytes], default: Array, missing: tuple[bytes, ...]) -> Array:
    given = [value not in missing for value in column]
    if not all(given) and not default.size:
        raise bad_value("DecodeCSV", want="be given: the column has no default", field="")
    if default.dtype == object:
        fill = default.item() if default.size else b""
        return packed([v if there else fill for v, there in zip(column, given, strict=True)])
    try:
        numbers = parse_numbers([v for v in column if v not in missing], default.dtype)
    except ValueError as error:
        want = f"be a number of dtype {default.dtype}"
        raise bad_value("DecodeCSV", want=want, field=error.args[0]) from None
    if all(given):
        return numbers
    result = np.full(len(column), default.item(), default.dtype)
    result[given] = numbers
    return result


no_gradient("DecodeCSV")


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
