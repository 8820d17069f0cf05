"""Strings laid out end to end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runnel as tf
from runnel.kernels.text.flat_text import MANY, FlatText, flat_text

MANY_STRINGS = [b"%d" % number for number in range(MANY)]


@given(st.lists(st.binary(max_size=12)))
def test_every_string_is_found_again(values) -> None:
    text = FlatText.of(values)
    assert [text.one(i) for i in range(len(text))] == values
    assert text.has_zeros == any(0 in value for value in values)
    assert text.sizes.tolist() == [len(value) for value in values]


def test_the_layout_of_an_array_is_kept() -> None:
    x = np.array(MANY_STRINGS, object)
    first = flat_text(x)
    assert flat_text(x) is first
    assert flat_text(x.copy()) is not first


@pytest.mark.parametrize("odd", [b"", b"\0", b"a\0", "äö".encode(), b"x" * 300, b"\xff\xfe"])
def test_many_strings_are_treated_as_each_is(odd) -> None:
    values = [*MANY_STRINGS * 20, odd]
    x, few = tf.constant(values), tf.constant([odd])
    known = tf.lookup.KeyValueTensorInitializer([odd, b"7"], tf.constant([1, 2], tf.int64))
    table = tf.lookup.StaticHashTable(known, -1)
    for fn in (
        tf.strings.length,
        lambda s: tf.strings.length(s, unit="UTF8_CHAR"),
        lambda s: tf.strings.to_hash_bucket_fast(s, 1000),
        lambda s: tf.strings.to_hash_bucket(s, 1000),
        lambda s: tf.strings.to_hash_bucket_strong(s, 1000, [5, 6]),
        lambda s: tf.strings.regex_full_match(s, r"[0-9]+"),
        lambda s: tf.strings.regex_full_match(s, r"x*|.*5.*"),
        lambda s: tf.strings.substr(s, 0, 2),
        lambda s: tf.strings.substr(s, 0, 1, unit="UTF8_CHAR"),
        table.lookup,
    ):
        assert fn(x).numpy()[-1] == fn(few).numpy()[0]
        assert fn(x).numpy()[7] == fn(tf.constant([b"7"])).numpy()[0]
        assert fn(tf.reshape(x, [3, -1])).shape == (3, len(values) // 3)


def test_a_part_outside_one_of_many_strings_is_an_error() -> None:
    x = tf.constant([*MANY_STRINGS, b""])
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos"):
        tf.strings.substr(x, 1, 1)


def test_a_changed_table_is_read_anew() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    x = tf.constant(MANY_STRINGS * 20)
    table.insert(MANY_STRINGS, tf.range(MANY, dtype=tf.int64))
    assert table.lookup(x).numpy()[5] == 5
    table.insert([b"5"], tf.constant([50], tf.int64))
    table.remove([b"6"])
    assert table.lookup(x).numpy()[4:7].tolist() == [4, 50, -1]
