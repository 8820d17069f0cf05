"""Ops on lookup tables: what makes, fills, reads and changes them."""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import no_gradient, op
from runnel.core.files import files
from runnel.core.state.tables import DenseTable, StaticTable, Table
from runnel.core.values.dtypes import FROM_NUMPY, DType
from runnel.core.values.errors import InvalidArgumentError, bad_dtype, bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.text.arrays import attribute_bytes, packed
from runnel.kernels.text.unmade import made
from runnel.ops.shapes import nothing, scalar
from runnel.ops.strings.numbers import parse_numbers

_shared: weakref.WeakValueDictionary[tuple[str, str], Any] = weakref.WeakValueDictionary()
_shared_lock = threading.Lock()
_NO_SHAPE = TensorShape(())


def shared(container: str, name: str, make: Callable[[], Any]) -> Any:
    """The resource that others know by a name, made if there is none; a new one without a name."""
    if not name:
        return make()
    with _shared_lock:
        found = _shared.get((container, name))
        if found is None:
            found = _shared[container, name] = make()
        return found


def _shared_table(
    op_name: str, container: str, name: str, make: Callable[[], Table], key: DType, value: DType
) -> Table:
    table: Table = shared(container, name, make)
    if (table.key_dtype, table.value_dtype) != (key, value):
        message = (
            f"{op_name}: the table {name!r} is from {table.key_dtype.name} to "
            f"{table.value_dtype.name}, not from {key.name} to {value.name}."
        )
        raise InvalidArgumentError(None, None, message)
    return table


@op("HashTableV2", "-> table_handle: resource", shape=scalar)
def _hash_table(
    xp: Namespace,
    *,
    key_dtype: DType,
    value_dtype: DType,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
) -> Table:
    make = lambda: StaticTable(key_dtype, value_dtype)  # noqa: E731
    return _shared_table("HashTableV2", container, shared_name, make, key_dtype, value_dtype)


@op("AnonymousHashTable", "-> table_handle: resource", shape=scalar)
def _anonymous_hash_table(xp: Namespace, *, key_dtype: DType, value_dtype: DType) -> Table:
    return StaticTable(key_dtype, value_dtype)


@op("MutableHashTableV2", "-> table_handle: resource", shape=scalar)
def _mutable_hash_table(
    xp: Namespace,
    *,
    key_dtype: DType,
    value_dtype: DType,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
) -> Table:
    make = lambda: Table(key_dtype, value_dtype)  # noqa: E731
    return _shared_table("MutableHashTableV2", container, shared_name, make, key_dtype, value_dtype)


@op("AnonymousMutableHashTable", "-> table_handle: resource", shape=scalar)
def _anonymous_mutable_hash_table(xp: Namespace, *, key_dtype: DType, value_dtype: DType) -> Table:
    return Table(key_dtype, value_dtype)


@op("MutableHashTableOfTensorsV2", "-> table_handle: resource", shape=scalar)
def _mutable_hash_table_of_tensors(
    xp: Namespace,
    *,
    key_dtype: DType,
    value_dtype: DType,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    value_shape: TensorShape = _NO_SHAPE,
) -> Table:
    name = "MutableHashTableOfTensorsV2"
    make = lambda: Table(key_dtype, value_dtype, _dims(name, value_shape))  # noqa: E731
    return _shared_table(name, container, shared_name, make, key_dtype, value_dtype)


@op("AnonymousMutableHashTableOfTensors", "-> table_handle: resource", shape=scalar)
def _anonymous_mutable_hash_table_of_tensors(
    xp: Namespace, *, key_dtype: DType, value_dtype: DType, value_shape: TensorShape = _NO_SHAPE
) -> Table:
    name = "AnonymousMutableHashTableOfTensors"
    return Table(key_dtype, value_dtype, _dims(name, value_shape))


def _dims(op_name: str, shape: TensorShape) -> tuple[int, ...]:
    if not shape.is_fully_defined():
        raise bad_value(op_name, want="be known", value_shape=shape)
    dims: Any = shape.as_list()
    return tuple(dims)


def _dense(
    op_name: str,
    empty: Array,
    deleted: Array,
    value_dtype: DType,
    shape: TensorShape,
    buckets: int,
    load: float,
) -> DenseTable:
    if buckets < 4 or buckets & (buckets - 1):
        raise bad_value(op_name, want="be a power of 2, at least 4", initial_num_buckets=buckets)
    if empty.shape != deleted.shape:
        want = f"have the shape {empty.shape} of `empty_key`"
        raise bad_shape(op_name, want=want, deleted_key=deleted)
    if np.array_equal(empty, deleted):
        raise bad_value(op_name, want="differ from `empty_key`", deleted_key=deleted)
    key_dtype = _dtype_of(empty)
    dims = _dims(op_name, shape)
    return DenseTable(value_dtype, dims, empty, deleted, key_dtype, buckets, load)


def _dtype_of(array: Array) -> DType:
    return FROM_NUMPY[array.dtype]


@op(
    "MutableDenseHashTableV2",
    "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource",
    shape=scalar,
)
def _mutable_dense_hash_table(
    xp: Namespace,
    empty_key: Array,
    deleted_key: Array,
    *,
    value_dtype: DType,
    container: str = "",
    shared_name: str = "",
    use_node_name_sharing: bool = False,
    value_shape: TensorShape = _NO_SHAPE,
    initial_num_buckets: int = 131072,
    max_load_factor: float = 0.8,
) -> Table:
    name = "MutableDenseHashTableV2"
    options = (value_dtype, value_shape, initial_num_buckets, max_load_factor)
    make = lambda: _dense(name, empty_key, deleted_key, *options)  # noqa: E731
    return _shared_table(name, container, shared_name, make, _dtype_of(empty_key), value_dtype)


@op(
    "AnonymousMutableDenseHashTable",
    "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource",
    shape=scalar,
)
def _anonymous_mutable_dense_hash_table(
    xp: Namespace,
    empty_key: Array,
    deleted_key: Array,
    *,
    value_dtype: DType,
    value_shape: TensorShape = _NO_SHAPE,
    initial_num_buckets: int = 131072,
    max_load_factor: float = 0.8,
) -> Table:
    name = "AnonymousMutableDenseHashTable"
    options = (value_dtype, value_shape, initial_num_buckets, max_load_factor)
    return _dense(name, empty_key, deleted_key, *options)


def _check_keys(op_name: str, table: Table, keys: Array) -> None:
    if keys.dtype != table.key_dtype.np_dtype:
        raise bad_dtype(op_name, want=f"be of dtype {table.key_dtype.name}", keys=keys)
    if not isinstance(table, DenseTable):
        return
    wanted = (*(keys.shape[:1] or (1,)), *table.key_shape)
    if keys.size != math.prod(wanted):
        raise bad_shape(op_name, want=f"have shape {wanted}", keys=keys)
    mark = table.reserved(keys)
    if mark is not None:
        raise bad_value(op_name, want=f"not hold the {mark} of the table", keys=keys)


def _check_values(op_name: str, table: Table, keys: Array, values: Array) -> None:
    if values.dtype != table.value_dtype.np_dtype:
        raise bad_dtype(op_name, want=f"be of dtype {table.value_dtype.name}", values=values)
    shape = table.shape_of_keys(keys) + table.value_shape
    if values.shape != shape:
        raise bad_shape(op_name, want=f"have the shape {shape}", values=values)


def _table_of(spec: Spec) -> Table | None:
    return spec.handle if isinstance(spec.handle, Table) else None


def _found_shape(table_handle: Spec, keys: Spec, default_value: Spec) -> Dims:
    table = _table_of(table_handle)
    if table is None or keys.dims is None:
        return None
    return (*keys.dims[: len(keys.dims) - len(table.key_shape)], *table.value_shape)


@op(
    "LookupTableFindV2",
    "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout",
    shape=_found_shape,
    takes_unmade=(1,),
)
def _find(xp: Namespace, table_handle: Table, keys: Array, default_value: Array) -> Array:
    name = "LookupTableFindV2"
    if not isinstance(table_handle, StaticTable):
        keys = made(keys)
    _check_keys(name, table_handle, keys)
    if default_value.dtype != table_handle.value_dtype.np_dtype:
        want = f"be of dtype {table_handle.value_dtype.name}"
        raise bad_dtype(name, want=want, default_value=default_value)
    for_each = table_handle.shape_of_keys(keys) + table_handle.value_shape
    if default_value.shape not in (table_handle.value_shape, for_each):
        want = f"have the shape {table_handle.value_shape} or {for_each}"
        raise bad_shape(name, want=want, default_value=default_value)
    return table_handle.find(keys, default_value)


@op("LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->", shape=nothing)
def _insert(xp: Namespace, table_handle: Table, keys: Array, values: Array) -> None:
    _check_keys("LookupTableInsertV2", table_handle, keys)
    _check_values("LookupTableInsertV2", table_handle, keys, values)
    table_handle.insert(keys, values)


@op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", shape=nothing)
def _remove(xp: Namespace, table_handle: Table, keys: Array) -> None:
    _check_keys("LookupTableRemoveV2", table_handle, keys)
    table_handle.remove(keys)


@op("LookupTableSizeV2", "table_handle: resource -> size: int64", shape=scalar)
def _size(xp: Namespace, table_handle: Table) -> Array:
    return np.array(len(table_handle), np.int64)


def _exported_shape(table_handle: Spec, **attrs: Any) -> list[Dims]:
    table = _table_of(table_handle)
    if table is None:
        return [None, None]
    if isinstance(table, DenseTable):
        return [(None, *(table.key_shape or (1,))), (None, *(table.value_shape or (1,)))]
    return [(None,), (None, *table.value_shape)]


@op(
    "LookupTableExportV2",
    "table_handle: resource -> keys: Tkeys, values: Tvalues",
    shape=_exported_shape,
)
def _export(
    xp: Namespace, table_handle: Table, *, Tkeys: DType, Tvalues: DType
) -> tuple[Array, Array]:
    for wanted, held in ((Tkeys, table_handle.key_dtype), (Tvalues, table_handle.value_dtype)):
        if wanted != held:
            raise bad_dtype("LookupTableExportV2", want=f"be {held.name}", dtype=wanted)
    return table_handle.export()


@op("LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->", shape=nothing)
def _import(xp: Namespace, table_handle: Table, keys: Array, values: Array) -> None:
    if not isinstance(table_handle, DenseTable):  # there are marks in what a dense one exports
        _check_keys("LookupTableImportV2", table_handle, keys)
        _check_values("LookupTableImportV2", table_handle, keys, values)
    table_handle.fill(keys, values)


@op("InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval ->", shape=nothing)
def _initialize(xp: Namespace, table_handle: Table, keys: Array, values: Array) -> None:
    _check_keys("InitializeTableV2", table_handle, keys)
    _check_values("InitializeTableV2", table_handle, keys, values)
    table_handle.fill(keys, values)


WHOLE_LINE, LINE_NUMBER = -2, -1


@op(
    "InitializeTableFromTextFileV2",
    "table_handle: resource, filename: string ->",
    shape=nothing,
    effects="reads files",
)
def _initialize_from_file(
    xp: Namespace,
    table_handle: Table,
    filename: Array,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int = -1,
    delimiter: str = "\t",
    offset: int = 0,
) -> None:
    name = "InitializeTableFromTextFileV2"
    if np.ndim(filename):
        raise bad_shape(name, want="be a scalar", filename=filename)
    if len(attribute_bytes(delimiter)) != 1:
        raise bad_value(name, want="be one character", delimiter=delimiter)
    if isinstance(table_handle, StaticTable) and table_handle.is_filled:
        return
    path = filename.item().decode("utf-8", "surrogateescape")
    lines = files.read_whole(path).replace(b"\r", b"").split(b"\n")
    lines = lines if lines[-1] else lines[:-1]
    if vocab_size >= 0 and len(lines) < vocab_size:
        raise bad_value(
            name, want=f"be at most {len(lines)}, the lines of the file", vocab_size=vocab_size
        )
    lines = lines if vocab_size < 0 else lines[:vocab_size]
    columns = [
        _column(path, lines, index, attribute_bytes(delimiter), dtype, offset)
        for index, dtype in (
            (key_index, table_handle.key_dtype),
            (value_index, table_handle.value_dtype),
        )
    ]
    table_handle.fill(*columns)


def _column(
    path: str, lines: list[bytes], index: int, delimiter: bytes, dtype: DType, first: int
) -> Array:
    """A column of a file of lines, or the lines, or their numbers from `first` on."""
    if index == LINE_NUMBER:
        return np.arange(first, first + len(lines)).astype(dtype.np_dtype)
    fields = lines if index == WHOLE_LINE else _fields(path, lines, index, delimiter)
    if dtype.name == "string":
        return packed(fields)
    try:
        return parse_numbers(fields, np.dtype(dtype.np_dtype))
    except ValueError as error:
        want = f"hold numbers of dtype {dtype.name} in the column {index}"
        raise _bad_line(path, fields.index(error.args[0]), want) from None


def _fields(path: str, lines: list[bytes], index: int, delimiter: bytes) -> list[bytes]:
    found = []
    for place, line in enumerate(lines):
        fields = line.split(delimiter)
        if index >= len(fields):
            raise _bad_line(path, place, f"have {index + 1} columns in each line")
        found.append(fields[index])
    return found


def _bad_line(path: str, place: int, want: str) -> Exception:
    """The error does not show the line: who sees it need not be allowed to read the file."""
    want = f"{want}, unlike line {place + 1} of this one"
    return bad_value("InitializeTableFromTextFileV2", want=want, filename=path)


for _name in (
    *("HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2"),
    *("MutableDenseHashTableV2", "InitializeTableV2", "InitializeTableFromTextFileV2"),
    *("LookupTableFindV2", "LookupTableInsertV2", "LookupTableSizeV2"),
):
    no_gradient(_name)
