"""Embeddings for a changed vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import initializers


def warmstart_embedding_matrix(
    base_vocabulary: Any,
    new_vocabulary: Any,
    base_embeddings: Any,
    new_embeddings_initializer: Any = "uniform",
) -> tf.Tensor:
    """The embeddings of a new vocabulary: those of known words kept, the others initialized.

    >>> tf.keras.utils.warmstart_embedding_matrix(
    ...     ["a", "b"], ["b", "c"], np.array([[1.0], [2.0]]), "zeros").numpy()
    array([[2.],
           [0.]])
    """
    old, new = _words(base_vocabulary), _words(new_vocabulary)
    initializer = initializers.get(new_embeddings_initializer)
    shape = (len(new), base_embeddings.shape[1])
    fresh = initializer(shape=shape, dtype=base_embeddings.dtype)
    places = {word: i for i, word in enumerate(old)}
    kept = [(i, places[word]) for i, word in enumerate(new) if word in places]
    if not kept:
        return tf.convert_to_tensor(fresh)
    targets = np.array([[i] for i, _ in kept], dtype="int32")
    rows = tf.gather(base_embeddings, [place for _, place in kept])
    return tf.tensor_scatter_nd_update(fresh, targets, rows)


def _words(vocabulary: Any) -> list[Any]:
    if tf.is_tensor(vocabulary):
        return _decoded(vocabulary.numpy())
    if isinstance(vocabulary, np.ndarray):
        return _decoded(vocabulary)
    if isinstance(vocabulary, str):
        if not tf.io.gfile.exists(vocabulary):
            raise ValueError(f"Vocabulary file {vocabulary} does not exist.")
        with tf.io.gfile.GFile(vocabulary, "r") as file:
            return [line.rstrip("\n") for line in file]
    if not isinstance(vocabulary, list | tuple):
        raise ValueError(
            "A vocabulary is a list, a tuple, an array, a tensor or the path of a file with one "
            f"word a line, got {vocabulary!r}."
        )
    if not vocabulary:
        raise ValueError("The vocabulary is empty.")
    return list(vocabulary)


def _decoded(values: np.ndarray) -> list[Any]:
    return [word.decode() if isinstance(word, bytes) else word for word in values.tolist()]
