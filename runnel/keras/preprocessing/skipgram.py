"""Pairs of words for learning word vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

import runnel as tf


def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> np.ndarray:
    """How probably each word is kept, frequent ones less, if their frequencies follow Zipf's law.

    >>> tf.keras.preprocessing.sequence.make_sampling_table(3).round(4)
    array([0.0032, 0.0032, 0.0055])
    """
    tf.__internal__.arguments.check_room("make_sampling_table", (size,), 8)
    rank = np.maximum(np.arange(size), 1)
    # An approximation of the harmonic number, as in word2vec.
    inverse_frequency = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    frequency = sampling_factor * inverse_frequency
    return np.minimum(1.0, frequency / np.sqrt(frequency))


def skipgrams(
    sequence: Sequence[int],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Pairs of words that stand near each other (label 1) and of random ones (label 0).

    >>> couples, labels = tf.keras.preprocessing.sequence.skipgrams(
    ...     [1, 2], 5, negative_samples=0, shuffle=False)
    >>> couples, labels
    ([[1, 2], [2, 1]], [1, 1])
    """
    near = _neighbours(sequence, window_size, sampling_table)
    yes, no = ([0, 1], [1, 0]) if categorical else (1, 0)
    labels: list[Any] = [yes for _ in near]
    couples = list(near)
    if negative_samples > 0:
        count = int(len(near) * negative_samples)
        words = [word for word, _ in near]
        random.shuffle(words)
        top = int(vocabulary_size - 1)
        couples += [[words[i % len(words)], random.randint(1, top)] for i in range(count)]
        labels += [no] * count
    if shuffle:
        seed = random.randint(0, 10_000_000) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


def _neighbours(sequence: Sequence[int], window_size: int, table: Any) -> list[list[int]]:
    """Each word with each other one in its window; 0 is no word."""
    couples = []
    for i, word in enumerate(sequence):
        if not word or (table is not None and table[word] < random.random()):
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
    return couples
