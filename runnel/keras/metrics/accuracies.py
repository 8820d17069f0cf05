"""How often the predictions are right."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.metrics.reductions import MeanMetricWrapper
from runnel.keras.metrics.weights import dense


def accuracy(y_true: Any, y_pred: Any) -> tf.Tensor:
    """One where labels and predictions are equal."""
    (y_true, y_pred), _ = dense([y_true, y_pred])
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    if y_true.dtype != y_pred.dtype:
        y_pred = tf.cast(y_pred, y_true.dtype)
    return tf.cast(tf.equal(y_true, y_pred), floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> tf.Tensor:
    """How often predictions on either side of a threshold are the labels.

    >>> tf.keras.metrics.binary_accuracy([[1.0], [0.0]], [[0.9], [0.6]]).numpy()
    array([1., 0.], dtype=float32)
    """
    return tf.reduce_mean(_binary_matches(y_true, y_pred, threshold), axis=-1)


def _binary_matches(y_true: Any, y_pred: Any, threshold: float = 0.5) -> tf.Tensor:
    """One where predictions on either side of a threshold are the labels."""
    y_pred = tf.convert_to_tensor(y_pred)
    above = tf.cast(y_pred > tf.cast(threshold, y_pred.dtype), y_pred.dtype)
    return tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), above), floatx())


def categorical_accuracy(y_true: Any, y_pred: Any) -> tf.Tensor:
    """Whether the likeliest class is the right one.

    >>> tf.keras.metrics.categorical_accuracy([[0, 1]], [[0.1, 0.9]]).numpy()
    array([1.], dtype=float32)
    """
    return sparse_categorical_accuracy(tf.argmax(y_true, axis=-1), y_pred)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> tf.Tensor:
    """Whether the likeliest class is the right one, which is given by its number.

    >>> tf.keras.metrics.sparse_categorical_accuracy([1], [[0.1, 0.9]]).numpy()
    array([1.], dtype=float32)
    """
    y_pred, y_true = tf.convert_to_tensor(y_pred), tf.convert_to_tensor(y_true)
    ranks = y_true.shape.rank, y_pred.shape.rank
    if None not in ranks and ranks[0] == ranks[1]:
        y_true = tf.squeeze(y_true, [-1])
    guess = tf.cast(tf.argmax(y_pred, axis=-1), y_true.dtype)
    return tf.cast(tf.equal(y_true, guess), floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> tf.Tensor:
    """Whether the right class is among the `k` likeliest.

    >>> tf.keras.metrics.top_k_categorical_accuracy([[0, 0, 1]], [[0.5, 0.2, 0.3]], k=2).numpy()
    array([1.], dtype=float32)
    """
    return sparse_top_k_categorical_accuracy(tf.argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> tf.Tensor:
    """Whether the right class, given by its number, is among the `k` likeliest.

    >>> tf.keras.metrics.sparse_top_k_categorical_accuracy([2], [[0.5, 0.2, 0.3]], k=2).numpy()
    array([1.], dtype=float32)
    """
    y_pred, y_true = tf.convert_to_tensor(y_pred), tf.convert_to_tensor(y_true)
    shape = tf.shape(y_true)
    y_pred = tf.reshape(y_pred, [-1, tf.shape(y_pred)[-1]])
    y_true = tf.reshape(y_true, [-1])
    found = tf.nn.in_top_k(
        predictions=tf.cast(y_pred, tf.float32), targets=tf.cast(y_true, tf.int32), k=k
    )
    return tf.reshape(tf.cast(found, floatx()), shape)


class Accuracy(MeanMetricWrapper):
    """How often labels and predictions are equal.

    >>> float(tf.keras.metrics.Accuracy()([1, 2], [1, 3]))
    0.5
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype=dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often predictions on either side of a threshold are the labels.

    Args:
        dtype: the dtype of the state and the result.
        threshold: from where on a prediction counts as 1.

    >>> float(tf.keras.metrics.BinaryAccuracy()([[1.0], [0.0]], [[0.9], [0.6]]))
    0.5
    """

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(_binary_matches, name, dtype=dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the likeliest class is the right one.

    >>> float(tf.keras.metrics.CategoricalAccuracy()([[0, 1]], [[0.1, 0.9]]))
    1.0
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype=dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the likeliest class is the right one, which is given by its number.

    Args:
        dtype: the dtype of the state and the result.

    >>> float(tf.keras.metrics.SparseCategoricalAccuracy()([[1]], [[0.1, 0.9]]))
    1.0
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype=dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the right class is among the `k` likeliest.

    >>> metric = tf.keras.metrics.TopKCategoricalAccuracy(k=2)
    >>> float(metric([[0, 0, 1]], [[0.5, 0.2, 0.3]]))
    1.0
    """

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the right class, given by its number, is among the `k` likeliest.

    >>> metric = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=2)
    >>> float(metric([2], [[0.5, 0.2, 0.3]]))
    1.0
    """

    def __init__(
        self, k: int = 5, name: str | None = "sparse_top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)
