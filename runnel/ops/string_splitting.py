"""Strings cut into parts: at white space, at a separator, at every byte.

The ops give the parts of all strings as the values of a sparse matrix, one row for each string; the
functions make a ragged tensor of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from runnel.core.dtypes import string
from runnel.core.errors import bad_shape
from runnel.core.op import op
from runnel.core.ragged_tensor import RaggedTensor
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.scopes import name_scope
from runnel.core.types import Array, Namespace, Spec, TensorLike
from runnel.ops.string_arrays import byte_table, packed
from runnel.ops.string_rows import as_tensor, each_row

Split = tuple[list[bytes], Array]  # the parts of all strings, and how many each string has

SPACES = np.zeros(256, bool)
SPACES[list(b" \t\n\v\f\r")] = True
BYTES = packed([bytes([n]) for n in range(256)])


def split_at_spaces(values: Sequence[bytes]) -> Split:
    """Each string cut at its white space, of which nothing is left."""
    joined, starts = _joined(values, b" ")
    space = SPACES.take(np.frombuffer(joined, np.uint8))
    begins = ~space
    begins[1:] &= space[:-1]
    return joined.split(), _counts(begins, starts)


def _joined(values: Sequence[bytes], separator: bytes) -> tuple[bytes, Array]:
    """All strings with a byte behind each, and the places where they begin."""
    lengths = np.fromiter(map(len, values), np.int64, len(values)) + 1
    return separator.join([*values, b""]), np.cumsum(lengths) - lengths


def _counts(marks: Array, starts: Array) -> Array:
    """How many marks there are from each start to the next."""
    if not len(starts):
        return np.zeros(0, np.int64)
    return np.add.reduceat(marks.view(np.uint8), starts, dtype=np.int64)


def _split_at_byte(values: Sequence[bytes], separator: bytes) -> Split:
    """Each string cut at every `separator`, one byte."""
    joined, starts = _joined(values, separator)
    marks = np.frombuffer(joined, np.uint8) == separator[0]
    parts = joined.split(separator)
    parts.pop()  # behind the last separator, which is ours
    return parts, _counts(marks, starts)


def _rows(parts: list[list[bytes]]) -> Split:
    counts = np.fromiter(map(len, parts), np.int64, len(parts))
    return list(chain.from_iterable(parts)), counts


def _sparse(values: list[bytes] | Array, counts: Array) -> tuple[Array, Array, Array]:
    """The parts as a sparse matrix."""
    total = int(counts.sum())
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    indices[:, 1] = np.arange(total) - np.repeat(first, counts)
    shape = np.array([len(counts), counts.max(initial=0)], np.int64)
    return indices, values if isinstance(values, np.ndarray) else packed(values), shape


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
    host=True,
    shape=_split_shape,
    check=_check,
)
def _split(xp: Namespace, input: Array, sep: Array, *, maxsplit: int = -1) -> Any:
    separator, values = sep.item(), input.tolist()
    if len(values) == 1 and maxsplit < 0:
        return _row(values[0].split(separator or None))
    if not separator and maxsplit < 0:
        return _sparse(*split_at_spaces(values))
    if len(separator) == 1 and maxsplit < 0:
        return _sparse(*_split_at_byte(values, separator))
    if not separator:
        return _sparse(*_rows([_split_some(value, maxsplit) for value in values]))
    return _sparse(*_rows([value.split(separator, maxsplit) for value in values]))


def _split_some(value: bytes, most: int) -> list[bytes]:
    """Cut `most` times at white space; what is left is a part, even if nothing is."""
    parts = value.split(None, most) if most else [value]
    return [*parts, b""] if most and len(parts) == most else parts


no_gradient("StringSplitV2")


def _from_sparse(indices: Any, values: Any, shape: Any) -> RaggedTensor:
    return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)


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
    with name_scope(name or "StringSplit"):
        return each_row(
            as_tensor(input, string),
            lambda x: _from_sparse(*raw_ops.StringSplitV2(x, separator, maxsplit=maxsplit)),
        )


@op(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    host=True,
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
            lambda x: _from_sparse(*raw_ops.StringSplit(x, "", skip_empty=False)),
        )
