"""`tf.keras.datasets.reuters`: 11,228 newswires as word numbers, in 46 topics."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .fetching import arrays, stored_file
from .word_lists import as_objects, checked_num_words, common_words, marked, short_enough, shuffled

_HASH = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
_INDEX_HASH = "4d44cc38712099c9e383dc6e5f11a921"
_TOPICS = """
    cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves ship
    cotton carcass crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin
    strategic-metal livestock retail ipi iron-steel rubber heat jobs lei bop zinc orange pet-chem
    dlr gas silver wpi hog lead
"""


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int | None = 3,
    cache_dir: Any = None,
    **kwargs: Any,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, each newswire a list of word numbers."""
    num_words = checked_num_words(num_words, kwargs)
    xs, labels = arrays(stored_file(path, "reuters.npz", _HASH, cache_dir), "x", "y")
    xs, labels = shuffled(np.random.RandomState(seed), xs, labels)
    lists = marked(xs, start_char, index_from)
    kept: Any = labels
    if maxlen:
        lists, kept = short_enough(lists, labels, maxlen)
    lists = common_words(lists, num_words, skip_top, oov_char)
    cut = int(len(lists) * (1 - test_split))
    train = as_objects(lists[:cut]), np.array(kept[:cut])
    return train, (as_objects(lists[cut:]), np.array(kept[cut:]))


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """The number of each word, without the `index_from` that `load_data` adds."""
    with open(stored_file(path, "reuters_word_index.json", _INDEX_HASH)) as file:
        index: dict[str, int] = json.load(file)
    return index


def get_label_names() -> tuple[str, ...]:
    """The topics, in the order of their numbers.

    >>> tf.keras.datasets.reuters.get_label_names()[:2]
    ('cocoa', 'grain')
    """
    return tuple(_TOPICS.split())
