"""Texts as lists of words and of numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    input_text: str, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """The words of a text, without the characters in `filters`.

    >>> tf.keras.preprocessing.text.text_to_word_sequence("Hello, world!")
    ['hello', 'world']
    """
    text = input_text.lower() if lower else input_text
    blanks: dict[str, str | int | None] = dict.fromkeys(filters, split)
    text = text.translate(str.maketrans(blanks))
    return [word for word in text.split(split) if word]


def one_hot(
    input_text: str,
    n: int,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """Each word as a number from 1 to `n - 1`, by Python's `hash`.

    >>> len(tf.keras.preprocessing.text.one_hot("a b c", 10))
    3
    """
    return hashing_trick(
        input_text, n, hash, filters=filters, lower=lower, split=split, analyzer=analyzer
    )


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """Each word as a number from 1 to `n - 1`, by a hash ("md5" is the same in every process).

    >>> tf.keras.preprocessing.text.hashing_trick("the cat", 10, "md5")
    [6, 3]
    """
    if hash_function == "md5":
        hash_function = _md5
    hashed = hash if hash_function is None else hash_function
    words = analyzer(text) if analyzer else text_to_word_sequence(text, filters, lower, split)
    return [hashed(word) % (n - 1) + 1 for word in words]


def _md5(word: str) -> int:
    return int(hashlib.md5(word.encode()).hexdigest(), 16)
