"""A dataset of the rows that a query to a database gives."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError, UnknownError
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.dataset import Dataset
from runnel.data.nodes.node import Node, Run, Stage, State, Values
from runnel.data.run.structure import Structure, boxed

_KINDS = frozenset(
    [dtypes.string, dtypes.bool, dtypes.float64, dtypes.uint8, dtypes.uint16]
    + [dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64]
)


class Sql(Node):
    """The rows of a query."""

    kind = "SqlDataset"

    def __init__(self, source: str, query: str, kinds: tuple[DType, ...], *, single: bool) -> None:
        specs = tuple(TensorSpec([], kind) for kind in kinds)
        super().__init__((), Structure(specs[0] if single else specs))
        self.source, self.query = source, query

    def make(self, run: Run) -> Stage:
        return _Sql(self)


class _Sql(Stage):
    def __init__(self, node: Sql) -> None:
        self._node = node
        self._rows: Any = None
        self._count = 0
        self._readers = [_reader(kind) for kind in node.structure.dtypes]

    def _row(self) -> Any:
        import sqlite3

        try:
            if self._rows is None:
                self._rows = self._start(sqlite3.connect)
            return next(self._rows)
        except sqlite3.Error as error:
            message = f"SqlDataset: {error}, for the query {self._node.query!r}."
            raise UnknownError(None, None, message) from error

    def _start(self, connect: Callable[..., Any]) -> Any:
        # Opened by the thread that asks first; any may ask next, or let go of the stage.
        source = f"file:{self._node.source}?mode=ro"
        connection = connect(source, uri=True, check_same_thread=False)
        weakref.finalize(self, connection.close)
        connection.text_factory = bytes
        return connection.execute(self._node.query)

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        row = self._row()
        if len(row) != len(self._readers):
            raise InvalidArgumentError(
                None,
                None,
                f"SqlDataset: the query gives {len(row)} columns, output_types has "
                f"{len(self._readers)}.",
            )
        self._count += 1
        return [read(value) for read, value in zip(self._readers, row)]

    def save(self) -> State:
        return self._count

    def restore(self, state: State) -> None:
        for _ in range(state):
            next(self)


def _reader(kind: DType) -> Callable[[Any], Any]:
    if kind is dtypes.string:
        return lambda value: boxed(_text(value))
    if kind is dtypes.bool:
        return lambda value: kind.np_dtype.type(bool(_number(value)))
    if kind.is_floating:
        return lambda value: kind.np_dtype.type(_number(value))
    return lambda value: np.int64(int(_number(value))).astype(kind.np_dtype)  # as C would


_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def _number(value: Any) -> Any:
    """A value as SQLite makes a number of it: of a text, what stands at its beginning."""
    if isinstance(value, bytes):
        found = _NUMBER.match(value)
        value = float(found.group()) if found else 0
    return 0 if value is None else value


def _text(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


class SqlDataset(Dataset):
    """A dataset of the rows that a query to an SQLite database gives, as tuples of scalars.

    >>> import sqlite3, tempfile
    >>> path = tempfile.mkdtemp() + "/a.db"
    >>> with sqlite3.connect(path) as connection:
    ...     _ = connection.execute("CREATE TABLE t (name TEXT, age INTEGER)")
    ...     _ = connection.execute("INSERT INTO t VALUES ('Ada', 36)")
    >>> connection.close()
    >>> rows = tf.data.experimental.SqlDataset(
    ...     "sqlite", path, "SELECT name, age FROM t", (tf.string, tf.int32)
    ... )
    >>> list(rows.as_numpy_iterator())
    [(b'Ada', np.int32(36))]
    """

    _shown = "SqlDatasetV2"

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any):
        texts = [_plain(v) for v in (driver_name, data_source_name, query)]
        if texts[0] != "sqlite":
            message = f"SqlDataset: the only driver is 'sqlite', got {texts[0]!r}."
            raise InvalidArgumentError(None, None, message)
        single = not isinstance(output_types, tuple | list)
        kinds = tuple(as_dtype(kind) for kind in ([output_types] if single else output_types))
        for kind in kinds:
            if kind not in _KINDS:
                message = f"SqlDataset: a column cannot be {kind.name}."
                raise InvalidArgumentError(None, None, message)
        super().__init__(Sql(texts[1], texts[2], kinds, single=single))


def _plain(value: Any) -> str:
    found = convert_to_tensor(value, dtype=dtypes.string)
    if found.shape.rank != 0 or not isinstance(found, EagerTensor):
        raise ValueError(f"SqlDataset takes strings whose values are known, got {value!r}.")
    return bytes(found.numpy()).decode()
