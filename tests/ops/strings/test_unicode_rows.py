"""Laws of decoding and encoding: what goes round comes back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

TEXTS = st.lists(st.text(max_size=8), min_size=1, max_size=4)
BYTES = st.lists(st.binary(max_size=8), min_size=1, max_size=4)
ENCODINGS = st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE"])


@settings(max_examples=100, deadline=None)
@given(texts=TEXTS, encoding=ENCODINGS)
def test_code_points_encoded_again_are_the_strings(texts: list[str], encoding: str) -> None:
    values = [text.encode(encoding) for text in texts]
    points = tf.strings.unicode_decode(values, encoding, errors="strict")
    assert points.to_list() == [[ord(c) for c in text] for text in texts]
    assert tf.strings.unicode_encode(points, encoding).numpy().tolist() == values


@settings(max_examples=100, deadline=None)
@given(texts=TEXTS)
def test_characters_joined_are_the_strings_and_offsets_point_at_them(texts: list[str]) -> None:
    values = [text.encode() for text in texts]
    letters, offsets = tf.strings.unicode_split_with_offsets(values, "UTF-8")
    assert [b"".join(row) for row in letters.to_list()] == values
    for value, row, places in zip(values, letters.to_list(), offsets.to_list(), strict=True):
        assert all(value[p:].startswith(letter) for letter, p in zip(row, places, strict=True))


@settings(max_examples=200, deadline=None)
@given(values=BYTES)
def test_any_bytes_are_replaced_as_python_replaces_them(values: list[bytes]) -> None:
    wanted = [value.decode("utf-8", "replace") for value in values]
    points = tf.strings.unicode_decode(values, "UTF-8")
    assert points.to_list() == [[ord(c) for c in text] for text in wanted]
    kept = tf.strings.unicode_transcode(values, "UTF-8", "UTF-8", errors="ignore")
    assert kept.numpy().tolist() == [v.decode("utf-8", "ignore").encode() for v in values]


def test_strict_names_the_string_that_is_wrong() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"valid UTF-8, got b'\\xff'"):
        tf.strings.unicode_decode(["fine", b"\xff"], "UTF-8", errors="strict")


def test_a_character_cut_in_two_by_strings_is_no_character() -> None:
    points = tf.strings.unicode_decode([b"\xc3", b"\xa9"], "UTF-8")
    assert points.to_list() == [[0xFFFD], [0xFFFD]]


def test_a_traced_function_decodes_batches_of_any_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def lengths(x: tf.Tensor) -> tf.Tensor:
        return tf.strings.unicode_decode(x, "UTF-8").row_lengths()

    assert lengths(tf.constant(["aé", "", "😀"])).numpy().tolist() == [2, 0, 1]
    assert lengths(tf.constant(["abc"])).numpy().tolist() == [3]
