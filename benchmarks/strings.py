"""Strings: cutting, replacing, decoding, hashing, looking up 100,000 of them."""

from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark

COUNT, WORDS = 100_000, 6


def sentences(tf: ModuleType, count: int = COUNT) -> Any:
    """Strings of six words of two to eight letters."""
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, (5000, 8), dtype=np.uint8)
    words = [row[:size].tobytes() for row, size in zip(letters, rng.integers(2, 9, 5000))]
    chosen = rng.integers(0, 5000, (count, WORDS))
    return tf.constant([b" ".join([words[i] for i in row]) for row in chosen.tolist()])


def words(tf: ModuleType) -> Any:
    """The words of some sentences, each many times."""
    return tf.constant(tf.strings.split(sentences(tf, COUNT // WORDS)).values.numpy().tolist())


def numbers(tf: ModuleType) -> Any:
    """Strings that hold numbers with a decimal point."""
    rng = np.random.default_rng(0)
    return tf.constant([b"%.3f" % number for number in rng.uniform(-1000, 1000, COUNT).tolist()])


def job(title: str, prepare: Any, count: int = COUNT, data: Any = None) -> None:
    """A job on `count` strings: `prepare(tf, x)` gives the tensor to read."""

    @benchmark(title)
    def start(tf: ModuleType) -> Call:
        x = data(tf) if data else sentences(tf, count)
        return lambda: prepare(tf, x)


job("100k strings: split", lambda tf, x: tf.strings.split(x).values)
job("100k strings: split at a space", lambda tf, x: tf.strings.split(x, sep=" ").values)
job("10k strings: split", lambda tf, x: tf.strings.split(x).values, 10_000)
job("10 strings: split", lambda tf, x: tf.strings.split(x).values, 10)
job("100k strings: replace letters", lambda tf, x: tf.strings.regex_replace(x, "[aeiou]", "#"))
job("100k strings: replace spaces", lambda tf, x: tf.strings.regex_replace(x, r"\s+", "_"))
job("10k strings: replace spaces", lambda tf, x: tf.strings.regex_replace(x, r"\s+", "_"), 10_000)
job("10 strings: replace spaces", lambda tf, x: tf.strings.regex_replace(x, r"\s+", "_"), 10)
job("100k strings: replace tags", lambda tf, x: tf.strings.regex_replace(x, "<[^>]+>", ""))
job("100k strings: swap words", lambda tf, x: tf.strings.regex_replace(x, r"(\w+) (\w+)", r"\2 \1"))
job("100k strings: match", lambda tf, x: tf.strings.regex_full_match(x, "[a-m].*"))
job("100k strings: lower", lambda tf, x: tf.strings.lower(x))
job("100k strings: length", lambda tf, x: tf.strings.length(x, unit="UTF8_CHAR"))
job("100k strings: join", lambda tf, x: tf.strings.join([x, x], " "))
job("100k strings: code points", lambda tf, x: tf.strings.unicode_decode(x, "UTF-8").values)
job("100k strings: characters", lambda tf, x: tf.strings.unicode_split(x, "UTF-8").values)
job("100k strings: hash buckets", lambda tf, x: tf.strings.to_hash_bucket_fast(x, 1000))
job(
    "100k strings: strong hash buckets",
    lambda tf, x: tf.strings.to_hash_bucket_strong(x, 9, [1, 2]),
)
job("100k words: hash buckets", lambda tf, x: tf.strings.to_hash_bucket_fast(x, 1000), data=words)
job("100k words: match", lambda tf, x: tf.strings.regex_full_match(x, r"[a-z]+"), data=words)
job("100k words: unique", lambda tf, x: tf.unique(x)[1], data=words)
job("100k strings: length in bytes", lambda tf, x: tf.strings.length(x))
job("100k strings: strip", lambda tf, x: tf.strings.strip(x))
job("100k strings: substr", lambda tf, x: tf.strings.substr(x, 1, 3))
job("100k strings: split once", lambda tf, x: tf.strings.split(x, " ", maxsplit=1).values)
job(
    "100k strings: replace the first",
    lambda tf, x: tf.strings.regex_replace(x, "[aeiou]", "#", False),
)
job(
    "100k strings: spaces around letters",
    lambda tf, x: tf.strings.regex_replace(x, "([aeiou])", r" \1 "),
)
job("100k strings: other letters", lambda tf, x: tf.strings.regex_replace(x, "[^ a-m.?!,¿]", ""))
job("100k strings: trim by a pattern", lambda tf, x: tf.strings.regex_replace(x, r"^\s+|\s+$", ""))
job("100k strings: to numbers", lambda tf, x: tf.strings.to_number(x), data=numbers)
job(
    "100k numbers: to strings",
    lambda tf, x: tf.strings.as_string(x),
    data=lambda tf: tf.range(COUNT),
)
job(
    "100k numbers: decimals to strings",
    lambda tf, x: tf.strings.as_string(x, precision=2),
    data=lambda tf: tf.constant(np.random.default_rng(0).uniform(-1000, 1000, COUNT), tf.float32),
)
job("100k strings: upper", lambda tf, x: tf.strings.upper(x))
job("100k strings: old hash buckets", lambda tf, x: tf.strings.to_hash_bucket(x, 1000))
job("100k strings: format", lambda tf, x: tf.strings.format("{}", x, summarize=-1))
job("100k strings: bytes", lambda tf, x: tf.strings.bytes_split(x).values)
job(
    "100k words: match alternatives",
    lambda tf, x: tf.strings.regex_full_match(x, "a.*|b.*|.*z"),
    data=words,
)
job(
    "100k strings: match alternatives",
    lambda tf, x: tf.strings.regex_full_match(x, "(foo|bar|[a-d]+) .*"),
)
job("100k words: bigrams", lambda tf, x: tf.strings.ngrams(x, 2), data=words)


def known_words(tf: ModuleType) -> tuple[Any, Any, Any]:
    """Words, half of those among them, and their numbers."""
    x = words(tf)
    known = tf.unique(x)[0][::2]
    return x, known, tf.range(tf.size(known), dtype=tf.int64)


@benchmark("100k words: lookup")
def lookup(tf: ModuleType) -> Call:
    x, known, numbers = known_words(tf)
    init = tf.lookup.KeyValueTensorInitializer(known, numbers)
    table = tf.lookup.StaticHashTable(init, -1)
    return lambda: table.lookup(x)


@benchmark("100k words: lookup in a vocabulary")
def lookup_vocabulary(tf: ModuleType) -> Call:
    x, known, numbers = known_words(tf)
    init = tf.lookup.KeyValueTensorInitializer(known, numbers)
    table = tf.lookup.StaticVocabularyTable(init, 8)
    return lambda: table.lookup(x)


@benchmark("100k words: lookup in a table that changes")
def lookup_changing(tf: ModuleType) -> Call:
    x, known, numbers = known_words(tf)
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(known, numbers)
    return lambda: table.lookup(x)
