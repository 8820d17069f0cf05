"""N-grams compared with joining each row's neighbours by hand."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

ROWS = st.lists(st.lists(st.sampled_from(["a", "bb", "", "ccc"]), max_size=5), max_size=4)
PADS = st.sampled_from([None, "_", ("<", ">>")])


def by_hand(row: list[str], widths: list[int], pads: Any, size: int | None, short: bool) -> list:
    left, right = pads if isinstance(pads, tuple) else (pads, pads)
    found = []
    for width in widths:
        count = 0 if pads is None else width - 1 if size is None else min(size, width - 1)
        padded = [left] * count + row + [right] * count
        found += ["-".join(padded[i : i + width]) for i in range(len(padded) - width + 1)]
    if short and row and not found:
        count = size or 0
        found = ["-".join([left] * count + row + [right] * count)]
    return [gram.encode() for gram in found]


@settings(max_examples=150, deadline=None)
@given(
    rows=ROWS,
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    pads=PADS,
    size=st.none() | st.integers(1, 3),
    short=st.booleans(),
)
def test_each_row_gives_its_own_neighbours(
    rows: list[list[str]], widths: list[int], pads: Any, size: int | None, short: bool
) -> None:
    size = None if pads is None else size
    if not any(rows):
        rows = [*rows, ["a"]]  # without a single string TensorFlow joins not even padding
    data = tf.ragged.constant(rows, dtype=tf.string, ragged_rank=1)
    found = tf.strings.ngrams(data, widths, "-", pads, size, short)
    assert found.to_list() == [by_hand(row, widths, pads, size, short) for row in rows]
