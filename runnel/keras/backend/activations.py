"""Activations as functions of tensors, dropout, normalising and choosing the best."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """`x` above `threshold`, `alpha * (x - threshold)` below, at most `max_value`.

    >>> tf.keras.backend.relu(tf.constant([-1.0, 2.0]), max_value=1.0).numpy()
    array([0., 1.], dtype=float32)
    """
    return activations.relu(x, alpha=alpha, max_value=max_value, threshold=threshold)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    >>> tf.keras.backend.elu(tf.constant([0.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """
    return activations.elu(x, alpha)


def softmax(x: Any, axis: Any = -1) -> Any:
    """Positive numbers that sum to one along `axis`, in proportion to `exp(x)`.

    >>> tf.keras.backend.softmax(tf.constant([[0.0, 0.0]])).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """
    return activations.softmax(x, axis)


def softplus(x: Any) -> Any:
    """`log(1 + exp(x))`.

    >>> tf.keras.backend.softplus(tf.constant(0.0)).numpy()
    np.float32(0.6931472)
    """
    return tf.math.softplus(x)


def softsign(x: Any) -> Any:
    """`x / (1 + |x|)`.

    >>> tf.keras.backend.softsign(tf.constant(1.0)).numpy()
    np.float32(0.5)
    """
    return tf.nn.softsign(x)


def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`.

    >>> tf.keras.backend.sigmoid(tf.constant(0.0)).numpy()
    np.float32(0.5)
    """
    return activations.sigmoid(x)


def hard_sigmoid(x: Any) -> Any:
    """`0.2 * x + 0.5`, between 0 and 1.

    >>> tf.keras.backend.hard_sigmoid(tf.constant([0.0, 9.0])).numpy()
    array([0.5, 1. ], dtype=float32)
    """
    return activations.hard_sigmoid(x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent.

    >>> tf.keras.backend.tanh(tf.constant(0.0)).numpy()
    np.float32(0.0)
    """
    return tf.tanh(x)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: int | None = None) -> Any:
    """Zeros at `level` of the places, the others scaled up to keep the sum.

    >>> tf.keras.backend.dropout(tf.ones([2]), 0.0).numpy()
    array([1., 1.], dtype=float32)
    """
    seed = int(np.random.randint(10**7)) if seed is None else seed
    return tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def l2_normalize(x: Any, axis: Any = None) -> Any:
    """`x` divided by its length along `axis`.

    >>> tf.keras.backend.l2_normalize(tf.constant([3.0, 4.0])).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    return tf.math.l2_normalize(x, axis=axis)


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether the true class is among the `k` best of each example.

    >>> tf.keras.backend.in_top_k(tf.constant([[0.1, 0.9]]), [1], 1).numpy()
    array([ True])
    """
    return tf.math.in_top_k(targets, predictions, k)
