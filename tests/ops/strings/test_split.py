"""Laws of cutting strings and joining them again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

LETTERS = st.lists(st.sampled_from([b"a", b" ", b",", b"\t", b"\xff", b"--"]), max_size=8)
VALUES = st.lists(LETTERS.map(b"".join), max_size=5)
SEPARATORS = st.sampled_from([b",", b"a", b"--", b" ", b",a"])


@settings(max_examples=200, deadline=None)
@given(values=VALUES, separator=SEPARATORS)
def test_parts_joined_by_their_separator_are_the_string(
    values: list[bytes], separator: bytes
) -> None:
    rows = tf.strings.split(tf.constant(values, tf.string), sep=separator).to_list()
    assert [separator.join(row) for row in rows] == values


@settings(max_examples=200, deadline=None)
@given(values=VALUES)
def test_white_space_separates_as_in_python(values: list[bytes]) -> None:
    rows = tf.strings.split(tf.constant(values, tf.string)).to_list()
    assert rows == [value.split() for value in values]
    letters = tf.strings.bytes_split(tf.constant(values, tf.string)).to_list()
    assert [b"".join(row) for row in letters] == values


def test_a_traced_function_splits_strings_of_any_shape() -> None:
    @tf.function
    def words(x: tf.Tensor) -> tf.RaggedTensor:
        return tf.strings.split(x)

    assert words(tf.constant(["a b", ""])).to_list() == [[b"a", b"b"], []]
    assert words(tf.constant([["a"], ["b c"]])).to_list() == [[[b"a"]], [[b"b", b"c"]]]
    assert words(tf.constant("a b")).numpy().tolist() == [b"a", b"b"]


def test_only_a_known_rank_can_be_cut_into_bytes() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.string)])
    def letters(x: tf.Tensor) -> tf.RaggedTensor:
        return tf.strings.bytes_split(x)

    with pytest.raises(ValueError, match="rank"):
        letters(tf.constant(["a b"]))
