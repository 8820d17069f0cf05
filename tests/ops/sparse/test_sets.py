"""Sets against Python's own."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

rows = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=3)


@given(rows, st.randoms())
@settings(max_examples=50, deadline=None)
def test_operations_are_pythons(a: list[list[int]], random: object) -> None:
    b = [[random.randrange(10) for _ in row] for row in a]  # type: ignore[attr-defined]
    pairs = [
        (tf.sets.union, set.union),
        (tf.sets.intersection, set.intersection),
        (tf.sets.difference, set.difference),
    ]
    for ours, pythons in pairs:
        found = ours(a, b)
        got: list[list[int]] = [[] for _ in a]
        for (row, _), value in zip(found.indices.numpy(), found.values.numpy(), strict=True):
            got[row].append(int(value))
        want = [sorted(pythons(set(x), set(y))) for x, y in zip(a, b, strict=True)]
        assert got == want
        assert tf.sets.size(found).numpy().tolist() == [len(row) for row in want]
