"""What the data sets of texts share: texts as lists of word numbers."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

Lists = list[list[int]]


def checked_num_words(num_words: int | None, kwargs: dict[str, Any]) -> int | None:
    """`num_words`, or its old name among the further arguments."""
    if "nb_words" in kwargs:
        logging.getLogger("absl").warning("`nb_words` of `load_data` is now `num_words`.")
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
    return num_words


def shuffled(rng: np.random.RandomState, xs: np.ndarray, ys: np.ndarray) -> tuple[Any, Any]:
    """Both in the same new order."""
    order = np.arange(len(xs))
    rng.shuffle(order)
    return xs[order], ys[order]


def marked(xs: Any, start_char: int | None, index_from: int | None) -> Lists:
    """Word numbers moved up by `index_from`, after a mark for the start."""
    if start_char is not None:
        return [[start_char] + [word + (index_from or 0) for word in x] for x in xs]
    return [[word + index_from for word in x] for x in xs] if index_from else list(xs)


def short_enough(xs: Lists, ys: Any, maxlen: int) -> tuple[Lists, list[Any]]:
    """Those with fewer than `maxlen` words."""
    kept = [(x, y) for x, y in zip(xs, ys) if len(x) < maxlen]
    return [x for x, _ in kept], [y for _, y in kept]


def common_words(xs: Lists, num_words: int | None, skip_top: int, oov_char: int | None) -> Lists:
    """The words from rank `skip_top` to `num_words`; the others are `oov_char`, or left out."""
    end = num_words or max(max(x) for x in xs)
    if oov_char is None:
        return [[word for word in x if skip_top <= word < end] for x in xs]
    return [[word if skip_top <= word < end else oov_char for word in x] for x in xs]


def as_objects(xs: Lists) -> np.ndarray:
    """An array of lists, as Keras returns it (of numbers, if all have one length)."""
    return np.array(xs, dtype="object")
