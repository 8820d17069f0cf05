"""Texts cut into pieces that are made once each, and ops that look at each once."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.kernels.text import pieces
from runnel.kernels.text.dictionary_strings import Repeated, repeated
from runnel.ops.strings import split

WORDS = st.sampled_from([b"", b"a", b"bb", b"seven77", b"eighteig", b"nine nine", b"x" * 16])
LONG = st.sampled_from([b"y" * 17, b"y" * 16 + b"z", b"\xc3\xa9t\xc3\xa9", b"zero\0", b"zero"])
TEXTS = st.lists(st.lists(WORDS | LONG, max_size=9).map(b" ".join), max_size=8)
SEPARATORS = st.sampled_from([b" ", b"a", b"nin", b"77", b"e n"])


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_PIECES_TO_COMPARE", 3)


@settings(max_examples=200, deadline=None)
@given(texts=TEXTS)
def test_words_are_those_of_each_text(texts: list[bytes]) -> None:
    words, counts = split.split_at_spaces(texts)
    assert words.tolist() == [word for text in texts for word in text.split()]
    assert counts.tolist() == [len(text.split()) for text in texts]


@settings(max_examples=200, deadline=None)
@given(texts=TEXTS, separator=SEPARATORS, most=st.integers(-1, 3))
def test_a_separator_cuts_as_often_as_it_may(
    texts: list[bytes], separator: bytes, most: int
) -> None:
    texts = [b"one", *texts]
    found = tf.strings.split(tf.constant(texts, tf.string), separator, maxsplit=most)
    assert found.to_list() == [text.split(separator, most) for text in texts]


def test_separators_that_overlap_with_themselves_cut_from_the_left() -> None:
    found = tf.strings.split(tf.constant(["a-", "-b---c"]), "--")
    assert found.to_list() == [[b"a-"], [b"-b", b"-c"]]


def words_twice() -> Any:
    return tf.strings.split(tf.constant([b"The cat", b"the Cat the Cat", b"the  Bird the cat"]))


@pytest.mark.parametrize(
    "function",
    [
        tf.strings.lower,
        tf.strings.length,
        lambda x: tf.strings.regex_replace(x, "[aeiou]", "_"),
        lambda x: tf.strings.regex_full_match(x, "[a-z]+"),
        lambda x: tf.strings.to_hash_bucket_fast(x, 7),
        lambda x: tf.strings.substr(x, 1, 2),
        lambda x: tf.equal(x, "the"),
        lambda x: x + "!",
        lambda x: tf.strings.join([x, x]),
        lambda x: x[2:],
        lambda x: tf.reverse(x, [0]),
        lambda x: tf.gather(x, [3, 1]),
        lambda x: tf.unique(x)[1],
    ],
)
def test_ops_do_with_repeated_words_what_they_do_with_any(function: Callable[[Any], Any]) -> None:
    words = words_twice().values
    assert repeated(words._value) is not None
    plain = tf.constant(words.numpy().tolist())
    assert function(words).numpy().tolist() == function(plain).numpy().tolist()


def test_a_table_finds_repeated_words() -> None:
    keys = tf.constant(["the", "Cat"])
    init = tf.lookup.KeyValueTensorInitializer(keys, tf.constant([5, 6]))
    rows = tf.lookup.StaticHashTable(init, -1).lookup(words_twice())
    assert rows.to_list() == [[-1, -1], [5, 6, 5, 6], [5, -1, 5, -1]]


def test_what_is_cut_from_repeated_words_is_like_any_array() -> None:
    words = Repeated.of(np.array([b"a", b"b"], object), np.array([1, 0, 1]))
    assert repeated(words[1:]) is None and words[1:].tolist() == [b"a", b"b"]
    assert type(pickle.loads(pickle.dumps(words))) is np.ndarray
    assert type(tf.constant(words).numpy()) is np.ndarray
    assert np.add.reduce(words) == b"bab"


VOCABULARIES = st.lists(WORDS | LONG, unique=True, max_size=8)


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, vocabulary=VOCABULARIES)
def test_a_function_finds_the_words_it_does_not_make(
    texts: list[bytes], vocabulary: list[bytes]
) -> None:
    keys = tf.constant(vocabulary, tf.string)
    init = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(vocabulary)))
    table = tf.lookup.StaticHashTable(init, -1)

    @tf.function
    def found(x: tf.Tensor) -> Any:
        words = tf.strings.split(x)
        empty = tf.equal(words.values, "")
        return table.lookup(words), empty

    texts = [b"a b"] * (split._FEW_LINES + 1) + texts
    rows, empty = found(tf.constant(texts, tf.string))
    want = [text.split() for text in texts]
    numbers = {word: number for number, word in enumerate(vocabulary)}
    assert rows.to_list() == [[numbers.get(word, -1) for word in row] for row in want]
    assert not empty.numpy().any()


def test_words_that_somebody_reads_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "_FEW_LINES", 1)
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    table.insert(["a", "bb"], [1, 2])

    @tf.function
    def read(x: tf.Tensor) -> Any:
        words = tf.strings.split(x).values
        return table.lookup(words), tf.equal(words, "bb"), tf.equal("bb", words), words

    @tf.function
    def counted(x: tf.Tensor) -> Any:
        words = tf.strings.split(x).values
        return (
            table.lookup(words),
            tf.equal(words, "bb"),
            tf.equal(words, tf.constant(["", "bb", "c"])),
        )

    lines = tf.constant(["a bb", "c"])
    numbers, same, other, words = read(lines)
    assert words.numpy().tolist() == [b"a", b"bb", b"c"]
    assert numbers.numpy().tolist() == [1, 2, 0]
    assert same.numpy().tolist() == other.numpy().tolist() == [False, True, False]
    numbers, same, pairs = counted(lines)
    assert numbers.numpy().tolist() == [1, 2, 0]
    assert same.numpy().tolist() == [False, True, False]
    assert pairs.numpy().tolist() == [False, True, True]


def test_the_plan_leaves_words_unmade_only_where_no_one_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    monkeypatch.setattr(split, "_FEW_LINES", 1)
    monkeypatch.setattr(split, "pieces", lambda *args: made.append(1) or np.array([]))
    init = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1]))
    table = tf.lookup.StaticHashTable(init, -1)
    find = tf.function(lambda x: table.lookup(tf.strings.split(x)).values)
    assert find(tf.constant(["a bb", "c"])).numpy().tolist() == [1, -1, -1]
    assert not made
