"""Neighbouring strings joined: `tf.strings.ngrams`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import op, raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.values.dtypes import int32, int64, string
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import attribute_bytes, for_all, packed
from runnel.kernels.text.dictionary_strings import gathered
from runnel.kernels.text.pieces import pieces
from runnel.ops.strings.rows import as_tensor


def _ngrams_shape(data: Spec, data_splits: Spec, **attrs: Any) -> list[Dims]:
    return [(None,), data_splits.dims]


def _check_splits(data: Array, data_splits: Array, **attrs: Any) -> None:
    if not len(data_splits):
        return
    size = data.size
    if data_splits[0] != 0 or data_splits[-1] != size or (np.diff(data_splits) < 0).any():
        want = f"go from 0 to {size}, the number of strings, and not decrease"
        raise bad_value("StringNGrams", want=want, data_splits=data_splits)
    if min(attrs["ngram_widths"], default=1) < 1:
        want = "be positive"
        raise bad_value("StringNGrams", want=want, ngram_widths=attrs["ngram_widths"])


@op(
    "StringNGrams",
    "data: string[1], data_splits: Tsplits[1] -> ngrams: string, ngrams_splits: Tsplits",
    Tsplits=frozenset({int32, int64}),
    shape=_ngrams_shape,
    check=_check_splits,
)
def _string_ngrams(
    xp: Namespace,
    data: Array,
    data_splits: Array,
    *,
    separator: str,
    ngram_widths: tuple,
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Array, Array]:
    glue, left, right = map(attribute_bytes, (separator, left_pad, right_pad))
    if not data.size:
        return packed([]), np.zeros_like(data_splits)  # not even padding is joined
    rows = _Rows(data.ravel(), data_splits.astype(np.int64))
    found = [_grams(rows.padded(left, right, _pad(pad_width, w)), w, glue) for w in ngram_widths]
    if preserve_short_sequences:
        found.append(_short_rows(rows, found, left, right, max(pad_width, 0), glue))
    numbers = np.concatenate([row for _, row in found])
    order = np.argsort(numbers, kind="stable")  # by row, and in a row by width
    splits = np.zeros(len(data_splits), data_splits.dtype)
    np.cumsum(np.bincount(numbers, minlength=len(rows.sizes)), out=splits[1:])
    return gathered([grams for grams, _ in found], order), splits


def _pad(pad_width: int, width: int) -> int:
    return width - 1 if pad_width < 0 else min(pad_width, width - 1)


class _Rows:
    """Rows of strings: the strings one after another, and how many each row has."""

    def __init__(self, values: Array, splits: Array) -> None:
        self.values, self.splits, self.sizes = values, splits, np.diff(splits)

    def joined(self, glue: bytes) -> tuple[bytes, Array, Array]:
        """All strings in one, where each begins, and where it ends."""
        lengths = for_all(lambda values: np.fromiter(map(len, values), np.int64), self.values)
        starts = np.cumsum(lengths + len(glue)) - lengths - len(glue)
        return glue.join([*self.values.tolist(), b" "]), starts, starts + lengths

    def padded(self, left: bytes, right: bytes, count: int) -> _Rows:
        """The rows with `count` strings more before and behind each."""
        if not count:
            return self
        splits = self.splits + 2 * count * np.arange(len(self.splits))
        values = np.full(int(splits[-1]), right, object)
        firsts = splits[:-1, None] + np.arange(count)
        values[firsts.ravel()] = left
        row = np.repeat(np.arange(len(self.sizes)), self.sizes)
        values[np.arange(len(row)) + (2 * row + 1) * count] = self.values
        return _Rows(values, splits)

    def chosen(self, rows: Array) -> _Rows:
        """Some of the rows."""
        splits = np.concatenate([[0], np.cumsum(self.sizes[rows])])
        within = np.arange(splits[-1]) - np.repeat(splits[:-1], self.sizes[rows])
        values = self.values[np.repeat(self.splits[:-1][rows], self.sizes[rows]) + within]
        return _Rows(values, splits)


def _grams(rows: _Rows, width: int, glue: bytes) -> tuple[Array, Array]:
    """Each `width` neighbours joined, and the number of the row they are in."""
    if width == 1:
        return rows.values, np.repeat(np.arange(len(rows.sizes)), rows.sizes)
    counts = np.maximum(rows.sizes - width + 1, 0)
    row = np.repeat(np.arange(len(counts)), counts)
    first = np.arange(len(row)) + np.repeat(rows.splits[:-1] - (np.cumsum(counts) - counts), counts)
    return _joined_runs(rows, first, first + width - 1, glue), row


def _joined_runs(rows: _Rows, first: Array, last: Array, glue: bytes) -> Array:
    """The strings from each first to its last, joined: pieces of all of them joined."""
    text, starts, ends = rows.joined(glue)
    return pieces(text, starts[first], ends[last])


def _short_rows(
    rows: _Rows,
    found: list[tuple[Array, Array]],
    left: bytes,
    right: bytes,
    count: int,
    glue: bytes,
) -> tuple[Array, Array]:
    """Rows that have no n-gram, though they have strings, joined as they are."""
    short = rows.sizes > 0
    for _, row in found:
        short[row] = False
    numbers = np.flatnonzero(short)
    kept = rows.chosen(numbers).padded(left, right, count)
    return _joined_runs(kept, kept.splits[:-1], kept.splits[1:] - 1, glue), numbers


def ngrams(
    data: TensorLike,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: str | tuple[str, str] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Each `ngram_width` neighbours along the last axis joined.

    `pad_values` are put before and after each row: as many as make every string the first and the
    last of an n-gram, or `padding_width`. A row too short for an n-gram has none, or itself if
    `preserve_short_sequences`.

    >>> tf.strings.ngrams(["a", "b", "c", "d"], 2).numpy()
    array([b'a b', b'b c', b'c d'], dtype=object)
    """
    widths = tuple(ngram_width) if isinstance(ngram_width, list | tuple) else (ngram_width,)
    options = {
        "separator": separator,
        "ngram_widths": widths,
        "preserve_short_sequences": preserve_short_sequences,
        **_padding(widths, pad_values, padding_width),
    }
    with name_scope(name or "StringNGrams"):
        return _ngrams(as_tensor(data, string), options)


def _padding(
    widths: Sequence[int], pad_values: Any, padding_width: int | None
) -> dict[str, int | str]:
    """The attributes that say what is put around each row."""
    if not all(isinstance(n, int) for n in (*widths, padding_width or 1)):
        raise TypeError(
            f"ngram_width and padding_width must be integers, got {widths} and {padding_width!r}."
        )
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0, got {widths}.")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0, got {padding_width}.")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    pair = (pad_values, pad_values) if isinstance(pad_values, str) else pad_values
    if pair is not None and not _are_texts(pair):
        raise TypeError(f"pad_values must be a string or a pair of strings, got {pad_values!r}.")
    left, right = pair[:2] if pair else ("", "")
    width = (padding_width or -1) if pair else 0
    return {"left_pad": left, "right_pad": right, "pad_width": width}


def _are_texts(pair: Any) -> bool:
    is_pair = isinstance(pair, tuple | list) and len(pair) > 1
    return is_pair and all(isinstance(p, str) for p in pair[:2])


def _ngrams(data: Any, options: dict[str, Any]) -> Any:
    if isinstance(data, RaggedTensor):
        if data.values.shape.rank != 1:
            return data.with_values(_ngrams(data.values, options))
        found, splits = raw_ops.StringNGrams(data.values, data.row_splits, **options)
        return RaggedTensor.from_row_splits(found, splits, validate=False)
    rank = data.shape.rank
    if rank is None:
        raise ValueError("Rank of `data` must be known.")
    if rank == 0:
        raise ValueError("`data` must have rank>0.")
    if rank == 1:
        rows = RaggedTensor.from_row_lengths(data, raw_ops.Shape(data, out_type="int64"))
        return _ngrams(rows, options).flat_values
    rows = RaggedTensor.from_tensor(data, ragged_rank=rank - 1)
    return _ngrams(rows, options).to_tensor()
