"""The ops that parse batches of `Example` and `SequenceExample`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.dtypes import DType, float32, int64, string
from runnel.core.errors import InvalidArgumentError
from runnel.core.op import op
from runnel.core.registry import no_gradient
from runnel.core.types import Array, Dims, Namespace, Spec
from runnel.ops import example_wire as wire

_KINDS = {float32: wire.FLOAT, int64: wire.INT64, string: wire.BYTES}


class _Row:
    """One record: its bytes, its features, and how errors name it."""

    __slots__ = ("data", "fields", "lists", "number")

    def __init__(self, data: bytes, number: int, fields: Any, lists: Any = None) -> None:
        self.data, self.number, self.fields, self.lists = data, number, fields, lists

    def values(self, key: bytes, dtype: DType) -> Any | None:
        """The values of a feature as a vector, None if it is missing."""
        field = self.fields.get(key)
        return None if field is None else self.read(field, key, dtype)

    def read(self, field: wire.Field, key: bytes, dtype: DType) -> Any:
        if field[0] != _KINDS[dtype]:
            raise self.error(
                key,
                f"Data types don't match. Expected type: {dtype.name}, got {wire.NAMES[field[0]]}",
            )
        try:
            return wire.values(self.data, field)
        except wire.Malformed as error:
            raise self.error(key, f"Could not parse the values: {error}") from None

    def error(self, key: bytes, what: str) -> InvalidArgumentError:
        name = key.decode(errors="replace")
        return InvalidArgumentError(None, None, f"Example {self.number}, key: {name}. {what}.")


def _rows(serialized: Array, parse: Callable[[bytes], Any]) -> list[_Row]:
    rows = []
    texts = serialized.ravel().tolist()
    for number, data in enumerate(texts):
        try:
            found = parse(data)
        except wire.Malformed as error:
            message = f"Could not parse example input, number {number}: {error}."
            raise InvalidArgumentError(None, None, message) from None
        rows.append(
            _Row(data, number, *found) if type(found) is tuple else _Row(data, number, found)
        )
    return rows


def _keys(keys: Array) -> list[bytes]:
    return keys.tolist()  # type: ignore[no-any-return]


def _sparse(rows: list[_Row], key: bytes, dtype: DType, single: bool) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a feature with any number of values."""
    empty = np.zeros(0, dtype.np_dtype)
    parts = [row.values(key, dtype) for row in rows]
    found = [empty if part is None else part for part in parts]
    if single:
        count = len(found[0])
        return np.arange(count)[:, None], found[0], np.array([count], np.int64)
    return (*_sparse_rows(found, dtype), _shape(found))


def _shape(found: Sequence[Any]) -> Any:
    return np.array([len(found), max([len(v) for v in found], default=0)], np.int64)


def _sparse_rows(found: Sequence[Any], dtype: DType) -> tuple[Any, Any]:
    lengths = [len(part) for part in found]
    first = np.repeat(np.arange(len(found)), lengths)
    second = np.concatenate([np.arange(n) for n in lengths]) if lengths else np.zeros(0, np.int64)
    indices = np.stack([first, second], 1).astype(np.int64).reshape(-1, 2)
    return indices, np.concatenate(found) if found else np.zeros(0, dtype.np_dtype)


def _dense(
    rows: list[_Row], key: bytes, dtype: DType, shape: Any, default: Array, single: bool
) -> Any:
    """A feature of one shape; one whose first size is not known is padded with the default."""
    dims = getattr(shape, "_dims", shape)  # a shape, or just its dimensions
    if dims and dims[0] is None:
        return _variable(rows, key, dtype, dims, default, single)
    wanted = math.prod(dims)
    found = []
    for row in rows:
        values = row.values(key, dtype)
        if values is None:
            if default.shape != dims:
                raise row.error(
                    key, f"Feature (data type: {dtype.name}) is required but could not be found"
                )
            values = default.ravel()
        elif len(values) != wanted:
            raise row.error(
                key,
                f"Number of {dtype.name} values != expected. Values size: {len(values)} but "
                f"output shape: {dims}",
            )
        found.append(values)
    if single:
        return found[0] if len(dims) == 1 else found[0].reshape(dims)
    joined = np.concatenate(found) if found else np.zeros(0, dtype.np_dtype)
    return joined.reshape(len(rows), *dims)


def _variable(
    rows: list[_Row], key: bytes, dtype: DType, dims: tuple[Any, ...], default: Array, single: bool
) -> Any:
    inner = dims[1:]
    step = math.prod(inner)
    found = []
    for row in rows:
        values = row.values(key, dtype)
        values = np.zeros(0, dtype.np_dtype) if values is None else values
        if len(values) % step:
            raise row.error(
                key,
                f"Number of {dtype.name} values is not a multiple of stride length. Saw "
                f"{len(values)} values but output shape is: {dims}",
            )
        found.append(values.reshape(-1, *inner))
    if single:
        return found[0]
    longest = max([len(v) for v in found], default=0)
    filler = default.ravel()[0] if default.size else (b"" if dtype is string else 0)
    made = np.empty((len(rows), longest, *inner), dtype.np_dtype)
    made[...] = filler
    for i, values in enumerate(found):
        made[i, : len(values)] = values
    return made


def _ragged(rows: list[_Row], key: bytes, dtype: DType, splits: DType) -> tuple[Any, Any]:
    found = [row.values(key, dtype) for row in rows]
    lengths = [0 if values is None else len(values) for values in found]
    there = [values for values in found if values is not None]
    joined = np.concatenate(there) if there else np.zeros(0, dtype.np_dtype)
    return joined, _splits(lengths, splits)


def _splits(lengths: Sequence[int], dtype: DType) -> Any:
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
    dense_shapes: tuple[Any, ...],
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
    dims = getattr(shape, "_dims", shape)
    return None if rank is None or dims is None else (*batch, *dims)


def _plus_one(size: int | None) -> Dims:
    return (None,) if size is None else (size + 1,)


@op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, "
    "ragged_keys: string, dense_defaults: *Tdense -> sparse_indices: num_sparse*int64, "
    "sparse_values: *sparse_types, sparse_shapes: num_sparse*int64, dense_values: *Tdense, "
    "ragged_values: *ragged_value_types, ragged_row_splits: *ragged_split_types",
    host=True,
    shape=_example_shape,
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
    dense_shapes: tuple[Any, ...],
) -> list[list[Any]]:
    single = np.ndim(serialized) == 0
    rows = _rows(serialized, wire.example)
    sparse = [_sparse(rows, k, t, single) for k, t in zip(_keys(sparse_keys), sparse_types)]
    dense = [
        _dense(rows, key, _dtype_of(default), shape, default, single)
        for key, default, shape in zip(_keys(dense_keys), dense_defaults, dense_shapes)
    ]
    ragged = [
        _ragged(rows, *item)
        for item in zip(_keys(ragged_keys), ragged_value_types, ragged_split_types)
    ]
    splits = [np.zeros(0, s.dtype) if single else s for _, s in ragged]
    return [
        [s[0].astype(np.int64, copy=False) for s in sparse],
        [s[1] for s in sparse],
        [s[2] for s in sparse],
        dense,
        [values for values, _ in ragged],
        splits,
    ]


def _dtype_of(default: Array) -> DType:
    return string if default.dtype == object else int64 if default.dtype == np.int64 else float32


no_gradient("ParseExampleV2")


def _list_values(row: _Row, key: bytes, dtype: DType) -> list[Any] | None:
    """The values of each feature of a list, None if it is missing."""
    fields = row.lists.get(key)
    if fields is None:
        return None
    empty = np.zeros(0, dtype.np_dtype)
    return [empty if f is None else row.read(f, key, dtype) for f in fields]


def _list_sparse(rows: list[_Row], key: bytes, dtype: DType, single: bool) -> tuple[Any, Any, Any]:
    found = [_list_values(row, key, dtype) or [] for row in rows]
    if single:
        indices, values = _sparse_rows(found[0], dtype)
        return indices, values, _shape(found[0])
    indices, parts = [], []
    for i, steps in enumerate(found):
        places, values = _sparse_rows(steps, dtype)
        indices.append(np.concatenate([np.full((len(places), 1), i), places], 1))
        parts.append(values)
    widest = max([len(v) for steps in found for v in steps], default=0)
    longest = max([len(steps) for steps in found], default=0)
    shape = np.array([len(rows), longest, widest], np.int64)
    return np.concatenate(indices).astype(np.int64), np.concatenate(parts), shape


def _list_dense(
    rows: list[_Row], key: bytes, dtype: DType, shape: Any, optional: bool, single: bool
) -> tuple[Any, Any]:
    dims = getattr(shape, "_dims", shape)
    size = math.prod(dims)
    found = []
    for row in rows:
        steps = _list_values(row, key, dtype)
        if steps is None:
            if not optional:
                raise row.error(
                    key,
                    "The feature list is required but could not be found. Did you mean to "
                    "include it in feature_list_dense_missing_assumed_empty",
                )
            steps = []
        for number, values in enumerate(steps):
            if len(values) != size:
                raise row.error(
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
    "serialized: string, debug_name: string, context_sparse_keys: string, "
    "context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, "
    "feature_list_dense_keys: string, feature_list_ragged_keys: string, "
    "feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: *Tcontext_dense -> "
    "context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: *context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: *Tcontext_dense, "
    "context_ragged_values: *context_ragged_value_types, "
    "context_ragged_row_splits: *context_ragged_split_types, "
    "feature_list_sparse_indices: Nfeature_list_sparse*int64, "
    "feature_list_sparse_values: *feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse*int64, "
    "feature_list_dense_values: *feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense*int64, "
    "feature_list_ragged_values: *feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: *feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: *feature_list_ragged_split_types",
    host=True,
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
    context_dense_shapes: tuple[Any, ...] = (),
    Nfeature_list_sparse: int = 0,
    Nfeature_list_dense: int = 0,
    feature_list_dense_types: tuple[DType, ...] = (),
    feature_list_sparse_types: tuple[DType, ...] = (),
    feature_list_ragged_value_types: tuple[DType, ...] = (),
    feature_list_ragged_split_types: tuple[DType, ...] = (),
    feature_list_dense_shapes: tuple[Any, ...] = (),
) -> list[list[Any]]:
    single = np.ndim(serialized) == 0
    rows = _rows(serialized, wire.sequence_example)
    context = _parse_context(
        rows,
        single,
        (_keys(context_sparse_keys), context_sparse_types),
        (_keys(context_dense_keys), context_dense_defaults, context_dense_shapes),
        (_keys(context_ragged_keys), context_ragged_value_types, context_ragged_split_types),
    )
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


def _parse_context(
    rows: list[_Row], single: bool, sparse: Any, dense: Any, ragged: Any
) -> list[list[Any]]:
    found = [_sparse(rows, key, dtype, single) for key, dtype in zip(*sparse)]
    whole = [_dense(rows, k, _dtype_of(d), s, d, single) for k, d, s in zip(*dense)]
    cut = [_ragged(rows, *item) for item in zip(*ragged)]
    places, values, shapes = _columns(found, 3)
    places = [p.astype(np.int64, copy=False) for p in places]
    return [places, values, shapes, whole, *_columns(cut, 2)]


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]


no_gradient("ParseSequenceExampleV2")
