"""`tf.keras.datasets.imdb`: 50,000 reviews of films as word numbers, good or bad."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .fetching import arrays, stored_file
from .word_lists import as_objects, checked_num_words, common_words, marked, short_enough, shuffled

_HASH = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
_INDEX_HASH = "bfafd718b763782e994055a2d397834f"


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int | None = 3,
    cache_dir: Any = None,
    **kwargs: Any,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, each review a list of word numbers."""
    num_words = checked_num_words(num_words, kwargs)
    file = stored_file(path, "imdb.npz", _HASH, cache_dir)
    x_train, y_train, x_test, y_test = arrays(file, "x_train", "y_train", "x_test", "y_test")
    rng = np.random.RandomState(seed)
    parts = []
    for xs, ys in (shuffled(rng, x_train, y_train), shuffled(rng, x_test, y_test)):
        lists = marked(xs, start_char, index_from)
        if maxlen:
            lists, ys = short_enough(lists, ys, maxlen)
            if not lists:
                raise ValueError(f"No review has fewer than maxlen={maxlen} words.")
        parts.append((lists, ys))
    (train, y_train), (test, y_test) = parts
    lists = common_words(train + test, num_words, skip_top, oov_char)
    labels = np.concatenate([y_train, y_test])
    cut = len(train)
    return (as_objects(lists[:cut]), labels[:cut]), (as_objects(lists[cut:]), labels[cut:])


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The number of each word, without the `index_from` that `load_data` adds."""
    with open(stored_file(path, "imdb_word_index.json", _INDEX_HASH)) as file:
        index: dict[str, int] = json.load(file)
    return index
