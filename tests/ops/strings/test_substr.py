"""Parts of strings, and their lengths, compared with what Python says of each string."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

TEXTS = st.lists(st.text("aé😀 \0", min_size=2, max_size=6), min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(texts=TEXTS, start=st.integers(-2, 2), size=st.integers(0, 7), each=st.booleans())
def test_a_part_is_a_slice(texts: list[str], start: int, size: int, each: bool) -> None:
    count = len(texts)
    place, length = ([start] * count, [size] * count) if each else (start, size)
    for unit, values in (("BYTE", [t.encode() for t in texts]), ("UTF8_CHAR", texts)):
        found = tf.strings.substr([t.encode() for t in texts], place, length, unit=unit)
        first = [start % len(v) if start < 0 else start for v in values]
        want = [v[a : a + size] for v, a in zip(values, first, strict=True)]
        encoded = [w if isinstance(w, bytes) else w.encode() for w in want]
        assert found.numpy().tolist() == encoded


@settings(max_examples=100, deadline=None)
@given(texts=TEXTS)
def test_lengths_are_those_of_bytes_or_letters(texts: list[str]) -> None:
    values = [t.encode() for t in texts]
    assert tf.strings.length(values).numpy().tolist() == [len(v) for v in values]
    assert tf.strings.length(values, "UTF8_CHAR").numpy().tolist() == [len(t) for t in texts]


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.binary(max_size=5) | st.text("aÄΣ İ\0", max_size=5).map(str.encode)))
def test_letters_change_case_as_in_each_text_alone(values: list[bytes]) -> None:
    found = tf.strings.lower(tf.constant(values, tf.string), encoding="utf-8")
    want = [v.decode("utf-8", "replace").lower().encode() for v in values]
    assert found.numpy().tolist() == want


@pytest.mark.parametrize("texts", ["hello", ["é", "aé"], ["ab"] * 300])
def test_letters_counted_from_the_end_need_a_length(texts: object) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Substr: `len`.*not be negative"):
        tf.strings.substr(texts, -1, -1, unit="UTF8_CHAR")
    assert tf.strings.substr(texts, 0, -1, unit="UTF8_CHAR").numpy() is not None
