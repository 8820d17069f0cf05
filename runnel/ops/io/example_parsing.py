"""The ops that parse batches of `Example` and `SequenceExample`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.dtypes import DType, float32, int64, string
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.records import example_wire as wire
from runnel.kernels.records.example_batches import Batch, column

_KINDS = {float32: wire.FLOAT, int64: wire.INT64, string: wire.BYTES}


def _error(number: int, key: bytes, what: str) -> InvalidArgumentError:
    name = key.decode(errors="replace")
    return InvalidArgumentError(None, None, f"Example {number}, key: {name}. {what}.")


def _wrong_kind(number: int, key: bytes, dtype: DType, kind: int) -> InvalidArgumentError:
    what = f"Data types don't match. Expected type: {dtype.name}, got {wire.NAMES[kind]}"
    return _error(number, key, what)


def _malformed(number: int | str, error: Exception) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Could not parse example input, {number}: {error}.")


class _Row:
    """One record: its bytes, and the places of its features."""

    __slots__ = ("data", "fields", "lists", "number")

    def __init__(self, data: bytes, number: int, fields: Any, lists: Any = None) -> None:
        self.data, self.number, self.fields, self.lists = data, number, fields, lists

    def values(self, key: bytes, dtype: DType) -> Any | None:
        """The values of a feature as a vector, None if it is missing."""
        field = self.fields.get(key)
        return None if field is None else self.read(field, key, dtype)

    def read(self, field: wire.Field, key: bytes, dtype: DType) -> Any:
        if field[0] != _KINDS[dtype]:
            raise _wrong_kind(self.number, key, dtype, field[0])
        try:
            return wire.values(self.data, field)
        except wire.Malformed as error:
            raise _error(self.number, key, f"Could not parse the values: {error}") from None


class _Column(NamedTuple):
    """A feature of all records: how many values each has, all values, and who lacks it.

    `lengths` is a number if all have as many, and `missing` is None if no record lacks it.
    """

    lengths: Any
    values: Any
    missing: Any


class _Rows:
    """Records that were read one by one."""

    def __init__(self, rows: list[_Row]) -> None:
        self.rows = rows
        self.count = len(rows)

    def read(self, key: bytes, dtype: DType) -> _Column:
        parts = [row.values(key, dtype) for row in self.rows]
        there = [part for part in parts if part is not None]
        lengths = np.array([0 if part is None else len(part) for part in parts], np.int64)
        joined = np.concatenate(there) if there else np.zeros(0, dtype.np_dtype)
        return _Column(lengths, joined, np.array([part is None for part in parts], bool))


class _Batch:
    """Records that are read side by side."""

    def __init__(self, records: list[bytes]) -> None:
        self.count = len(records)
        try:
            self._batch = Batch(records)
        except wire.Malformed as error:
            raise _malformed(*str(error).split(": ", 1)) from None  # type: ignore[arg-type]

    def read(self, key: bytes, dtype: DType) -> _Column:
        field, kind = self._batch.field(key), _KINDS[dtype]
        missing = None
        if field.kind != kind:
            missing = field.kinds == 0
            wrong = (field.kinds != kind) & ~missing
            if wrong.any():
                number = int(np.argmax(wrong))
                raise _wrong_kind(number, key, dtype, int(field.kinds[number]))
        try:
            return _Column(*column(self._batch, field, kind), missing)
        except wire.Malformed:
            raise self._which(field, key) from None

    def _which(self, field: Any, key: bytes) -> Exception:
        """The error of the first record whose values cannot be read."""
        places = zip(field.kinds.tolist(), field.starts.tolist(), field.stops.tolist())
        for number, place in enumerate(places):
            try:
                if place[0]:
                    wire.values(self._batch.data, place)
            except wire.Malformed as error:
                return _error(number, key, f"Could not parse the values: {error}")
        raise AssertionError("All values can be read.")


_Records = _Rows | _Batch


def _rows(serialized: Array, parse: Callable[[bytes], Any]) -> list[_Row]:
    rows = []
    texts = serialized.ravel().tolist()
    for number, data in enumerate(texts):
        try:
            found = parse(data)
        except wire.Malformed as error:
            raise _malformed(f"number {number}", error) from None
        rows.append(
            _Row(data, number, *found) if type(found) is tuple else _Row(data, number, found)
        )
    return rows


def _keys(keys: Array) -> list[bytes]:
    return keys.tolist()  # type: ignore[no-any-return]


def _single_sparse(row: _Row, key: bytes, dtype: DType) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a feature of one record."""
    found = row.values(key, dtype)
    values = np.zeros(0, dtype.np_dtype) if found is None else found
    count = len(values)
    return np.arange(count, dtype=np.int64)[:, None], values, np.array([count], np.int64)


def _single_dense(row: _Row, key: bytes, dtype: DType, shape: Any, default: Array) -> Any:
    dims = _dims(shape)
    values = row.values(key, dtype)
    if dims and dims[0] is None:
        values = np.zeros(0, dtype.np_dtype) if values is None else values
        _check_stride(row.number, key, dtype, len(values), dims)
        return values.reshape(-1, *dims[1:])
    if values is None:
        if default.shape != dims:
            raise _required(row.number, key, dtype)
        return default
    if len(values) != math.prod(dims):
        raise _unexpected(row.number, key, dtype, len(values), dims)
    return values if len(dims) == 1 else values.reshape(dims)


def _single_ragged(row: _Row, key: bytes, dtype: DType, splits: DType) -> tuple[Any, Any]:
    values = row.values(key, dtype)
    count = 0 if values is None else len(values)
    found = np.zeros(0, dtype.np_dtype) if values is None else values
    return found, np.array([0, count], splits.np_dtype)


def _dims(shape: Any) -> tuple[Any, ...]:
    return getattr(shape, "_dims", shape)  # type: ignore[no-any-return]  # or just its dimensions


def _required(number: int, key: bytes, dtype: DType) -> InvalidArgumentError:
    what = f"Feature (data type: {dtype.name}) is required but could not be found"
    return _error(number, key, what)


def _unexpected(
    number: int, key: bytes, dtype: DType, count: int, dims: tuple[Any, ...]
) -> InvalidArgumentError:
    what = f"Number of {dtype.name} values != expected. Values size: {count} but output shape:"
    return _error(number, key, f"{what} {dims}")


def _check_stride(number: int, key: bytes, dtype: DType, count: int, dims: tuple[Any, ...]) -> None:
    if count % math.prod(dims[1:]):
        what = f"Number of {dtype.name} values is not a multiple of stride length."
        raise _error(number, key, f"{what} Saw {count} values but output shape is: {dims}")


def _sparse(records: _Records, key: bytes, dtype: DType) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a feature with any number of values."""
    lengths, values = _read(records, key, dtype)
    shape = np.array([records.count, lengths.max(initial=0)], np.int64)
    return np.stack(_places(lengths), 1), values, shape


def _read(records: _Records, key: bytes, dtype: DType) -> tuple[Any, Any]:
    """How many values each record has, and all the values."""
    lengths, values, _ = records.read(key, dtype)
    return (np.full(records.count, lengths) if type(lengths) is int else lengths), values


def _places(lengths: Any) -> tuple[Any, Any]:
    """The row, and the place in it, of each value of rows of some lengths."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    return rows, np.arange(len(rows)) - np.repeat(starts, lengths)


def _dense(records: _Records, key: bytes, dtype: DType, shape: Any, default: Array) -> Any:
    """A feature of one shape; one whose first size is not known is padded with the default."""
    dims = _dims(shape)
    if dims and dims[0] is None:
        return _variable(records, key, dtype, dims, default)
    lengths, values, missing = records.read(key, dtype)
    size, some = math.prod(dims), missing is not None and missing.any()
    if some and default.shape != dims:
        raise _required(int(np.argmax(missing)), key, dtype)
    if type(lengths) is not int or lengths != size:
        wrong = np.broadcast_to(lengths, records.count) != size
        wrong = wrong & ~missing if some else wrong
        if wrong.any():
            number = int(np.argmax(wrong))
            count = int(np.broadcast_to(lengths, records.count)[number])
            raise _unexpected(number, key, dtype, count, dims)
    if not some:
        return values.reshape(records.count, *dims)
    made = np.empty((records.count, *dims), dtype.np_dtype)
    made[missing] = default
    made[~missing] = values.reshape(-1, *dims)
    return made


def _variable(
    records: _Records, key: bytes, dtype: DType, dims: tuple[Any, ...], default: Array
) -> Any:
    lengths, values = _read(records, key, dtype)
    inner = dims[1:]
    step = math.prod(inner)
    if (lengths % step).any():
        number = int(np.argmax(lengths % step != 0))
        _check_stride(number, key, dtype, int(lengths[number]), dims)
    steps = lengths // step
    filler = default.ravel()[0] if default.size else (b"" if dtype is string else 0)
    made = np.empty((records.count, int(steps.max(initial=0)), *inner), dtype.np_dtype)
    made[...] = filler
    made[_places(steps)] = values.reshape(-1, *inner)
    return made


def _ragged(records: _Records, key: bytes, dtype: DType, splits: DType) -> tuple[Any, Any]:
    lengths, values = _read(records, key, dtype)
    return values, _splits(lengths, splits)


def _splits(lengths: Any, dtype: DType) -> Any:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.np_dtype)


def _example_shape(
    serialized: Spec,
    names: Spec,
    sparse_keys: Spec,
    dense_keys: Spec,
    ragged_keys: Spec,
    dense_defaults: list[Spec],
    *,
    num_sparse: int,
    sparse_types: tuple[DType, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
) -> list[list[Dims]]:
    rank = None if serialized.dims is None else len(serialized.dims)
    batch = serialized.dims or ()
    places: Dims = (None, None) if rank is None else (None, rank + 1)
    dense = [_dense_dims(batch, shape, rank) for shape in dense_shapes]
    splits: Dims = None if rank is None else (0,) if rank == 0 else _plus_one(batch[0])
    return [
        [places] * num_sparse,
        [(None,)] * num_sparse,
        [(None,) if rank is None else (rank + 1,)] * num_sparse,
        dense,
        [(None,)] * len(ragged_value_types),
        [splits] * len(ragged_value_types),
    ]


def _dense_dims(batch: Sequence[int | None], shape: Any, rank: int | None) -> Dims:
    dims = _dims(shape)
    return None if rank is None or dims is None else (*batch, *dims)


def _plus_one(size: int | None) -> Dims:
    return (None,) if size is None else (size + 1,)


def _all_dense(operation: Any) -> bool:
    """Whether all features have a fixed shape, and records have no names."""
    attrs = operation.attrs
    if attrs["num_sparse"] or attrs["ragged_value_types"]:
        return False
    fixed = all(TensorShape(shape).is_fully_defined() for shape in attrs["dense_shapes"])
    return fixed and operation.inputs[1].shape.num_elements() == 0


@op(
    "ParseExampleV2",
    "serialized: string[0-1], names: string[0-1], sparse_keys: string, dense_keys: string, "
    "ragged_keys: string, dense_defaults: *Tdense -> sparse_indices: num_sparse*int64, "
    "sparse_values: *sparse_types, sparse_shapes: num_sparse*int64, dense_values: *Tdense, "
    "ragged_values: *ragged_value_types, ragged_row_splits: *ragged_split_types",
    shape=_example_shape,
    rows=_all_dense,
)
def _parse_example(
    xp: Namespace,
    serialized: Array,
    names: Array,
    sparse_keys: Array,
    dense_keys: Array,
    ragged_keys: Array,
    dense_defaults: list[Array],
    *,
    num_sparse: int,
    sparse_types: tuple[DType, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
) -> list[list[Any]]:
    wanted = (
        (_keys(sparse_keys), sparse_types),
        (_keys(dense_keys), [_dtype_of(d) for d in dense_defaults], dense_shapes, dense_defaults),
        (_keys(ragged_keys), ragged_value_types, ragged_split_types),
    )
    if np.ndim(serialized) == 0:
        found = _parse_single(_rows(serialized, wire.example)[0], *wanted)
        found[-1] = [np.zeros(0, splits.dtype) for splits in found[-1]]
        return found
    return _parse_batch(_Batch(serialized.tolist()), *wanted)


def _parse_single(row: _Row, sparse: Any, dense: Any, ragged: Any) -> list[list[Any]]:
    """The outputs for the features of one record."""
    places, values, shapes = _columns([_single_sparse(row, *item) for item in zip(*sparse)], 3)
    whole = [_single_dense(row, *item) for item in zip(*dense)]
    cut = [_single_ragged(row, *item) for item in zip(*ragged)]
    return [places, values, shapes, whole, *_columns(cut, 2)]


def _parse_batch(records: _Records, sparse: Any, dense: Any, ragged: Any) -> list[list[Any]]:
    """The outputs for the features of a batch."""
    places, values, shapes = _columns([_sparse(records, *item) for item in zip(*sparse)], 3)
    whole = [_dense(records, *item) for item in zip(*dense)]
    cut = [_ragged(records, *item) for item in zip(*ragged)]
    return [places, values, shapes, whole, *_columns(cut, 2)]


def _dtype_of(default: Array) -> DType:
    return string if default.dtype == object else int64 if default.dtype == np.int64 else float32


def _list_values(row: _Row, key: bytes, dtype: DType) -> list[Any] | None:
    """The values of each feature of a list, None if it is missing."""
    fields = row.lists.get(key)
    if fields is None:
        return None
    empty = np.zeros(0, dtype.np_dtype)
    return [empty if f is None else row.read(f, key, dtype) for f in fields]


def _list_sparse(rows: list[_Row], key: bytes, dtype: DType, single: bool) -> tuple[Any, Any, Any]:
    """Indices, values and shape: the record, unless there is but one, the step and the place."""
    found = [_list_values(row, key, dtype) or [] for row in rows]
    steps = [values for row in found for values in row]
    counts = np.array([len(row) for row in found], np.int64)
    lengths = np.array([len(values) for values in steps], np.int64)
    which, place = _places(lengths)
    record, step = _places(counts)
    indices = [record[which], step[which], place]
    shape = [len(rows), counts.max(initial=0), lengths.max(initial=0)]
    values = np.concatenate(steps) if steps else np.zeros(0, dtype.np_dtype)
    first = 1 if single else 0
    return np.stack(indices[first:], 1), values, np.array(shape[first:], np.int64)


def _list_dense(
    rows: list[_Row], key: bytes, dtype: DType, shape: Any, optional: bool, single: bool
) -> tuple[Any, Any]:
    dims = _dims(shape)
    size = math.prod(dims)
    found = []
    for row in rows:
        steps = _list_values(row, key, dtype)
        if steps is None:
            if not optional:
                raise _error(
                    row.number,
                    key,
                    "The feature list is required but could not be found. Did you mean to "
                    "include it in feature_list_dense_missing_assumed_empty",
                )
            steps = []
        for number, values in enumerate(steps):
            if len(values) != size:
                raise _error(
                    row.number,
                    key,
                    f"Number of {dtype.name} values != expected at index {number}. Values "
                    f"size: {len(values)} but output shape: {dims}",
                )
        joined = np.concatenate(steps) if steps else np.zeros(0, dtype.np_dtype)
        found.append(joined.reshape(len(steps), *dims))
    lengths = np.array([len(v) for v in found], np.int64)
    if single:
        return found[0], lengths[0]
    made = np.empty((len(rows), int(lengths.max(initial=0)), *dims), dtype.np_dtype)
    made[...] = b"" if dtype is string else 0
    for i, values in enumerate(found):
        made[i, : len(values)] = values
    return made, lengths


def _list_ragged(rows: list[_Row], key: bytes, dtype: DType, splits: DType) -> tuple[Any, Any, Any]:
    found = [_list_values(row, key, dtype) or [] for row in rows]
    steps = [values for row in found for values in row]
    joined = np.concatenate(steps) if steps else np.zeros(0, dtype.np_dtype)
    outer = _splits([len(row) for row in found], splits)
    return joined, outer, _splits([len(values) for values in steps], splits)


def _sequence_shape(serialized: Spec, *inputs: Any, **attrs: Any) -> list[list[Dims]]:
    rank = None if serialized.dims is None else len(serialized.dims)
    batch = serialized.dims or ()
    wide = None if rank is None else rank + 1
    sparse, lists = attrs["Ncontext_sparse"], attrs["Nfeature_list_sparse"]
    ragged, list_ragged = (
        attrs["context_ragged_value_types"],
        attrs["feature_list_ragged_value_types"],
    )
    list_dense = [
        _dense_dims((*batch, None), shape, rank) for shape in attrs["feature_list_dense_shapes"]
    ]
    return [
        [(None, wide)] * sparse,
        [(None,)] * sparse,
        [(wide,)] * sparse,
        [_dense_dims(batch, s, rank) for s in attrs["context_dense_shapes"]],
        [(None,)] * len(ragged),
        [(None,)] * len(ragged),
        [(None, None if wide is None else wide + 1)] * lists,
        [(None,)] * lists,
        [(None if wide is None else wide + 1,)] * lists,
        list_dense,
        [None if rank is None else batch] * attrs["Nfeature_list_dense"],
        [(None,)] * len(list_ragged),
        [(None,)] * len(list_ragged),
        [(None,)] * len(list_ragged),
    ]


@op(
    "ParseSequenceExampleV2",
    "serialized: string[0-1], debug_name: string[0-1], context_sparse_keys: string, "
    "context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, "
    "feature_list_dense_keys: string, feature_list_ragged_keys: string, "
    "feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: *Tcontext_dense -> "
    "context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: "
    "*context_sparse_types, context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: "
    "*Tcontext_dense, context_ragged_values: *context_ragged_value_types, "
    "context_ragged_row_splits: *context_ragged_split_types, feature_list_sparse_indices: "
    "Nfeature_list_sparse*int64, feature_list_sparse_values: *feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse*int64, feature_list_dense_values: "
    "*feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense*int64, "
    "feature_list_ragged_values: *feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: *feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: *feature_list_ragged_split_types",
    shape=_sequence_shape,
)
def _parse_sequence_example(
    xp: Namespace,
    serialized: Array,
    debug_name: Array,
    context_sparse_keys: Array,
    context_dense_keys: Array,
    context_ragged_keys: Array,
    feature_list_sparse_keys: Array,
    feature_list_dense_keys: Array,
    feature_list_ragged_keys: Array,
    feature_list_dense_missing_assumed_empty: Array,
    context_dense_defaults: list[Array],
    *,
    Ncontext_sparse: int = 0,
    context_sparse_types: tuple[DType, ...] = (),
    context_ragged_value_types: tuple[DType, ...] = (),
    context_ragged_split_types: tuple[DType, ...] = (),
    context_dense_shapes: tuple[TensorShape, ...] = (),
    Nfeature_list_sparse: int = 0,
    Nfeature_list_dense: int = 0,
    feature_list_dense_types: tuple[DType, ...] = (),
    feature_list_sparse_types: tuple[DType, ...] = (),
    feature_list_ragged_value_types: tuple[DType, ...] = (),
    feature_list_ragged_split_types: tuple[DType, ...] = (),
    feature_list_dense_shapes: tuple[TensorShape, ...] = (),
) -> list[list[Any]]:
    single = np.ndim(serialized) == 0
    rows = _rows(serialized, wire.sequence_example)
    wanted = (
        (_keys(context_sparse_keys), context_sparse_types),
        (
            _keys(context_dense_keys),
            [_dtype_of(default) for default in context_dense_defaults],
            context_dense_shapes,
            context_dense_defaults,
        ),
        (_keys(context_ragged_keys), context_ragged_value_types, context_ragged_split_types),
    )
    context = _parse_single(rows[0], *wanted) if single else _parse_batch(_Rows(rows), *wanted)
    sparse = [
        _list_sparse(rows, key, dtype, single)
        for key, dtype in zip(_keys(feature_list_sparse_keys), feature_list_sparse_types)
    ]
    dense = [
        _list_dense(rows, *item, single)
        for item in zip(
            _keys(feature_list_dense_keys),
            feature_list_dense_types,
            feature_list_dense_shapes,
            np.ravel(feature_list_dense_missing_assumed_empty).tolist(),
        )
    ]
    ragged = [
        _list_ragged(rows, *item)
        for item in zip(
            _keys(feature_list_ragged_keys),
            feature_list_ragged_value_types,
            feature_list_ragged_split_types,
        )
    ]
    return [*context, *_columns(sparse, 3), *_columns(dense, 2), *_columns(ragged, 3)]


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]
