"""Strings cut into parts: at white space, at a separator, at every byte.

The ops give the parts of all strings as the values of a sparse matrix, one row for each string; the
functions make a ragged tensor of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import chain, repeat
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import no_gradient, op, raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.values.dtypes import string
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import byte_table, packed
from runnel.kernels.text.pieces import joined, pieces
from runnel.kernels.text.unmade import Unmade
from runnel.ops.strings.rows import as_tensor, each_row

Split = tuple[Array, Array]  # the parts of all strings, and how many each string has

Cut = Callable[[bytes, Array, Array], Array]  # what makes strings of the pieces of a text

BYTES = packed([bytes([n]) for n in range(256)])
_FEW_LINES = 64  # whose words are made as quickly as left unmade (benchmarks/mechanisms.py)
_FEW_PARTS = 3  # of a string; Python has cut so few before NumPy has looked which are the same
_SPACE = 32
_TAB, _CONTROLS = 9, 4  # a tab and the four bytes behind it are white space, too


def split_at_spaces(values: Sequence[bytes], cut: Cut = pieces) -> Split:
    """Each string cut at its white space, of which nothing is left."""
    text, begins = joined(values, b" ")
    data = np.frombuffer(text, np.uint8)
    inside = (data != _SPACE) & (data - np.uint8(_TAB) > _CONTROLS)
    edges = np.flatnonzero(np.diff(inside, prepend=False))  # a space is behind the last part
    starts, ends = edges.reshape(-1, 2).T.copy()
    return cut(text, starts, ends), np.diff(np.searchsorted(starts, begins), append=len(starts))


def _split_at(values: Sequence[bytes], separator: bytes) -> Split:
    """Each string cut at every `separator`."""
    text, begins = joined(values, separator)
    if text.count(separator) < _FEW_PARTS * len(values):
        return _split_each(values, separator, -1)
    data = np.frombuffer(text, np.uint8)
    marks = data == separator[0]
    for place, byte in enumerate(separator[1:], 1):
        marks[:-place] &= data[place:] == byte
    ends = np.flatnonzero(marks)
    counts = np.diff(np.searchsorted(ends, begins), append=len(ends))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + len(separator)
    return pieces(text, starts, ends), counts


def _split_each(values: Sequence[bytes], separator: bytes, most: int) -> Split:
    """Each string cut at `separator`, `most` times if that is not negative, by Python."""
    counts = np.fromiter(map(bytes.count, values, repeat(separator)), np.int64, len(values)) + 1
    parts = map(bytes.split, values, repeat(separator), repeat(most))
    if most >= 0:
        counts = np.minimum(counts, most + 1)
    return packed(list(chain.from_iterable(parts))), counts


def _overlaps(separator: bytes) -> bool:
    """Whether two separators can have a part in common."""
    return any(separator.startswith(separator[n:]) for n in range(1, len(separator)))


def _rows(parts: list[list[bytes]]) -> Split:
    counts = np.fromiter(map(len, parts), np.int64, len(parts))
    return packed(list(chain.from_iterable(parts))), counts


def _sparse(values: Array, counts: Array) -> tuple[Array, Array, Array]:
    """The parts as a sparse matrix."""
    total = int(counts.sum())
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    indices[:, 1] = np.arange(total) - np.repeat(first, counts)
    return indices, values, np.array([len(counts), counts.max(initial=0)], np.int64)


def _row(parts: list[bytes]) -> tuple[Array, Array, Array]:
    """The parts of a single string as a sparse matrix; pipelines split their lines one by one."""
    indices = np.zeros((len(parts), 2), np.int64)
    indices[:, 1] = np.arange(len(parts))
    return indices, packed(parts), np.array([1, len(parts)], np.int64)


def _split_shape(input: Spec, sep: Spec, **attrs: Any) -> list[Any]:
    if input.rank not in (None, 1):
        raise bad_shape("StringSplit", want="be a vector", input=input)
    if sep.rank not in (None, 0):
        raise bad_shape("StringSplit", want="be a scalar", delimiter=sep)
    return [(None, 2), (None,), (2,)]


def _check(input: Array, sep: Array, **attrs: Any) -> None:
    if input.ndim != 1:
        raise bad_shape("StringSplit", want="be a vector", input=input)
    if sep.ndim != 0:
        raise bad_shape("StringSplit", want="be a scalar", delimiter=sep)


@op(
    "StringSplitV2",
    "input: string, sep: string -> indices: int64, values: string, shape: int64",
    shape=_split_shape,
    check=_check,
)
def _split(xp: Namespace, input: Array, sep: Array, *, maxsplit: int = -1) -> Any:
    separator, values = sep.item(), input.tolist()
    if len(values) == 1 and maxsplit < 0:
        return _row(values[0].split(separator or None))
    if not separator and maxsplit < 0:
        return _sparse(*split_at_spaces(values))
    if separator and maxsplit < 0 and not _overlaps(separator):
        return _sparse(*_split_at(values, separator))
    if not separator:
        return _sparse(*_rows([_split_some(value, maxsplit) for value in values]))
    return _sparse(*_split_each(values, separator, maxsplit))


def _split_some(value: bytes, most: int) -> list[bytes]:
    """Cut `most` times at white space; what is left is a part, even if nothing is."""
    parts = value.split(None, most) if most else [value]
    return [*parts, b""] if most and len(parts) == most else parts


def _unmade(text: bytes, starts: Array, ends: Array) -> Array:
    if b"\0" in text:
        return pieces(text, starts, ends)
    return Unmade.of(text, starts, ends, pieces)


def _split_only(xp: Namespace, input: Array, sep: Array, *, maxsplit: int = -1) -> Any:
    """The same for those who do not read the parts."""
    if sep.item() or maxsplit >= 0 or len(input) <= _FEW_LINES:
        return _split.kernel(xp, input, sep, maxsplit=maxsplit)
    return _sparse(*split_at_spaces(input.tolist(), _unmade))


_split.unmade = copy(_split)
_split.unmade.kernel = _split_only


def _from_sparse(x: Any, indices: Any, values: Any, shape: Any) -> RaggedTensor:
    """The parts of the strings of a vector, as many rows as it has."""
    rows = shape[0] if x.shape.rank is None or x.shape[0] is None else x.shape[0]
    return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=rows, validate=False)


def split(
    input: TensorLike, sep: TensorLike | None = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Each string cut into a row of parts: at white space, or at each `sep`, `maxsplit` times.

    >>> tf.strings.split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    >>> tf.strings.split("a,,b", sep=",").numpy()
    array([b'a', b'', b'b'], dtype=object)
    """
    separator = "" if sep is None else sep

    def rows(x: Any) -> RaggedTensor:
        return _from_sparse(x, *raw_ops.StringSplitV2(x, separator, maxsplit=maxsplit))

    with name_scope(name or "StringSplit"):
        strings = as_tensor(input, string)
        if strings.shape.rank is None:
            return rows(strings)  # it must be a vector, as the op will see
        return each_row(strings, rows)


@op(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    shape=_split_shape,
    check=_check,
)
def _split_at_any(xp: Namespace, input: Array, delimiter: Array, *, skip_empty: bool = True) -> Any:
    """Cut at each of the bytes of `delimiter`; at every byte if it is empty."""
    separators, values = delimiter.item(), input.tolist()
    if not separators:
        table, starts = byte_table(values)
        return _sparse(BYTES[table], np.diff(starts))
    first = separators[:1]
    one = bytes.maketrans(separators, first * len(separators))
    parts = [value.translate(one).split(first) if value else [] for value in values]
    if skip_empty:
        parts = [[part for part in row if part] for row in parts]
    return _sparse(*_rows(parts))


no_gradient("StringSplit")


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """Each string cut into a row of its bytes.

    >>> tf.strings.bytes_split(["hi", "a"])
    <tf.RaggedTensor [[b'h', b'i'], [b'a']]>
    """
    with name_scope(name or "StringsByteSplit"):
        return each_row(
            as_tensor(as_tensor(input), string),
            lambda x: _from_sparse(x, *raw_ops.StringSplit(x, "", skip_empty=False)),
        )
