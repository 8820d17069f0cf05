"""Strings: cutting, replacing, decoding, hashing 100,000 of them."""

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


def job(title: str, prepare: Any, count: int = COUNT) -> None:
    """A job on `count` strings: `prepare(tf, x)` gives the tensor to read."""

    @benchmark(title)
    def start(tf: ModuleType) -> Call:
        x = sentences(tf, count)
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
