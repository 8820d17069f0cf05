"""Neighbouring strings joined: `tf.strings.ngrams`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.dtypes import int32, int64, string
from runnel.core.errors import bad_value
from runnel.core.op import op
from runnel.core.ragged_tensor import RaggedTensor
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.scopes import name_scope
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.string_arrays import attribute_bytes, packed
from runnel.ops.string_rows import as_tensor


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
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    Tsplits=frozenset({int32, int64}),
    host=True,
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
    values, places = data.ravel().tolist(), data_splits.tolist()
    found: list[bytes] = []
    splits = [0] * len(places)
    for i in range(len(places) - 1):
        row = values[places[i] : places[i + 1]]
        for width in ngram_widths:
            pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            padded = [left] * pad + row + [right] * pad
            found.extend(glue.join(padded[k : k + width]) for k in range(len(padded) - width + 1))
        if preserve_short_sequences and row and len(found) == splits[i]:
            pad = max(pad_width, 0)
            found.append(glue.join([left] * pad + row + [right] * pad))
        splits[i + 1] = len(found)
    return packed(found), np.array(splits, data_splits.dtype)


no_gradient("StringNGrams")


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
