"""Ragged tensors as text, for `tf.strings.format` and `tf.print`."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor, count_of
from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes, nest
from runnel.ops.array.selecting import where
from runnel.ops.math.comparison import greater
from runnel.ops.strings import formatting
from runnel.ops.strings.join import join, reduce_join
from runnel.ops.strings.numbers import as_string
from runnel.ops.strings.regex import regex_replace


def ragged_text(ragged: RaggedTensor, summarize: int = -1) -> Tensor:
    """The rows as a scalar string; `summarize` elements at both ends of each, -1 for all.

    >>> ragged_text(tf.ragged.constant([[1, 2, 3, 4, 5], []]), summarize=1).numpy()
    b'[[1, ..., 5], []]'
    """
    flat = ragged.flat_values
    if flat.dtype is dtypes.string:
        words = join(["'", regex_replace(flat, r"(['\\])", r"\\\1"), "'"])
    else:
        words = as_string(flat)
    rows: Any = ragged.with_flat_values(words)
    while rows.shape.rank > 1:
        rows = _without_innermost(rows, summarize)
    return _row_texts(RaggedTensor.from_row_lengths(rows, [count_of(rows)]), summarize)[0]  # type: ignore[no-any-return]


def _without_innermost(rows: Any, summarize: int) -> Any:
    """Strings with one dimension less, each the text of a row."""
    if isinstance(rows, Tensor):
        rows = RaggedTensor.from_tensor(rows)
    if rows.values.shape.rank == 1:
        return _row_texts(rows, summarize)
    return rows.with_values(_without_innermost(rows.values, summarize))


def _row_texts(rows: RaggedTensor, summarize: int) -> Tensor:
    whole = reduce_join(rows, axis=-1, separator=", ")
    if summarize >= 0:
        ends = [rows[:, :summarize], rows[:, -summarize:] if summarize else rows[:, :0]]
        head, tail = (reduce_join(end, axis=-1, separator=", ") for end in ends)
        is_long = greater(rows.row_lengths(), 2 * summarize)
        whole = where(is_long, join([head, ", ..., ", tail]), whole)
    return join(["[", whole, "]"])


def _format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Each ragged input goes in as its text."""
    items = nest.flatten(list(inputs) if isinstance(inputs, list | tuple) else [inputs])
    texts = [
        ragged_text(item, summarize) if isinstance(item, RaggedTensor) else _text(item, summarize)
        for item in items
    ]
    parts = template.split(placeholder)
    if len(parts) != len(items) + 1:
        raise ValueError(
            f"tf.strings.format: `template` has {len(parts) - 1} placeholders for {len(items)} "
            "inputs."
        )
    pieces = [part for pair in zip(parts, [*texts, ""], strict=True) for part in pair]
    return join(pieces)


def _text(item: Any, summarize: int) -> Tensor:
    return raw_ops.StringFormat(  # type: ignore[no-any-return]
        [item], template="{}", placeholder="{}", summarize=summarize
    )


def _has_ragged(inputs: Any) -> bool:
    return any(isinstance(item, RaggedTensor) for item in nest.flatten(inputs))


dispatch.add_target(formatting.format, _format, [{"inputs": _has_ragged}])
