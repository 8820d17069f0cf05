"""What fills a lookup table: two tensors, or a file."""

from __future__ import annotations

import threading
from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.settings.arguments import whole
from runnel.core.settings.scopes import init_scope
from runnel.core.state.assets import Asset
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import DType, as_dtype, int64
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.resources.lookup_tables import LINE_NUMBER, WHOLE_LINE

_counter = 0
_counter_lock = threading.Lock()


def next_number() -> int:
    """A number that nothing else has, for the names of tables."""
    global _counter
    with _counter_lock:
        _counter += 1
        return _counter


class TableInitializerBase(Trackable):
    """What fills a table."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Fill `table`."""
        raise NotImplementedError(f"{type(self).__name__} has no initialize.")

    @property
    def _shared_name(self) -> str:
        return f"hash_table_{next_number()}"

    def _check(self, table: Any) -> None:
        if (table.key_dtype, table.value_dtype) != (self._key_dtype, self._value_dtype):
            raise TypeError(
                f"Invalid dtypes: the table is from {table.key_dtype} to {table.value_dtype}, the "
                f"initializer from {self._key_dtype} to {self._value_dtype}."
            )


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with `keys` and the `values` beside them.

    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(init, default_value=-1).lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike = None,
        value_dtype: DTypeLike = None,
        name: str | None = None,
    ) -> None:
        self._keys = _outside(keys, key_dtype)
        self._values = _outside(values, value_dtype)
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Fill `table`."""
        self._check(table)
        return raw_ops.LookupTableImportV2(table.resource_handle, self._keys, self._values)


def _outside(value: TensorLike, dtype: DTypeLike) -> Tensor:
    """A tensor that does not belong to the function being traced, if there is one."""
    known = constant_value(value) if isinstance(value, Tensor) else None
    with init_scope():
        return convert_to_tensor(value if known is None else known, dtype=dtype)


class TextFileIndex:
    """What a column of a file can be beside its number: the whole line, or the line's number."""

    WHOLE_LINE = WHOLE_LINE
    LINE_NUMBER = LINE_NUMBER


class TextFileInitializer(TableInitializerBase):
    """Fills a table from the lines of a file.

    `key_index` and `value_index` say which columns (cut at `delimiter`) are keys and values, or
    are `TextFileIndex.WHOLE_LINE` or `TextFileIndex.LINE_NUMBER`; line numbers that are values
    begin with `value_index_offset`. `vocab_size` is how many lines are read, all if None.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("one\\ntwo\\n")
    >>> init = tf.lookup.TextFileInitializer(
    ...     str(path), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
    ...     tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    >>> tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["two", "ten"])).numpy()
    array([ 1, -1])
    """

    def __init__(
        self,
        filename: TensorLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        key_dtype, value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        _check_column("key", key_index, key_dtype)
        _check_column("value", value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        super().__init__(key_dtype, value_dtype)
        given = {"key_index": key_index, "value_index": value_index}
        given["vocab_size"] = -1 if vocab_size is None else vocab_size
        *columns, self._vocab_size = [
            whole("TextFileInitializer", name, number) for name, number in given.items()
        ]
        self._columns = tuple(columns)
        self._delimiter = delimiter
        self._offset = value_index_offset
        self._name = name or "text_file_init"
        with init_scope():
            self._filename = self._track_trackable(Asset(filename), "_filename")

    @property
    def _shared_name(self) -> str:
        size = [] if self._vocab_size < 0 else [self._vocab_size]
        parts = [
            self._filename.file,
            *size,
            *self._columns,
            *([self._offset] if self._offset else []),
        ]
        return "_".join(["hash_table", *map(str, parts)])

    def initialize(self, table: Any) -> Any:
        """Fill `table`."""
        self._check(table)
        return raw_ops.InitializeTableFromTextFileV2(
            table.resource_handle,
            self._filename.asset_path,
            key_index=self._columns[0],
            value_index=self._columns[1],
            vocab_size=self._vocab_size,
            delimiter=self._delimiter,
            offset=self._offset,
        )


def _check_column(what: str, index: int, dtype: DType) -> None:
    if index < WHOLE_LINE:
        raise ValueError(f"`{what}_index` should be >= {WHOLE_LINE}, received: {index}.")
    if index == LINE_NUMBER and dtype != int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 for `{what}_index` {LINE_NUMBER}, received: {dtype}"
        )
    if index == WHOLE_LINE and dtype.is_floating:
        raise ValueError(
            f"`{what}_dtype` must not be a float for `{what}_index` {WHOLE_LINE}, received: {dtype}"
        )
