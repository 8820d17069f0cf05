"""Losses of margins: labels of minus one and one."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.losses.base import LossFunctionWrapper
from runnel.keras.losses.reduction import Reduction
from runnel.keras.losses.symbolic import as_tensor


def _signs(y_true: tf.Tensor) -> tf.Tensor:
    """Labels of zero and one as minus one and one; others as they are."""
    binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0), tf.equal(y_true, 1)))
    return tf.where(binary, 2.0 * y_true - 1.0, y_true)


def hinge(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of `max(1 - y_true * y_pred, 0)`.

    >>> tf.keras.losses.hinge([[1.0]], [[0.25]]).numpy()
    array([0.75], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = _signs(tf.cast(y_true, y_pred.dtype))
    return tf.reduce_mean(tf.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


def squared_hinge(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of the square of `max(1 - y_true * y_pred, 0)`.

    >>> tf.keras.losses.squared_hinge([[1.0]], [[0.5]]).numpy()
    array([0.25], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = _signs(tf.cast(y_true, y_pred.dtype))
    return tf.reduce_mean(tf.square(tf.maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> tf.Tensor:
    """By how much the best wrong class comes within one of the right one.

    >>> tf.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([1.], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return tf.maximum(wrong - right + 1.0, 0.0)


class Hinge(LossFunctionWrapper):
    """The mean of `max(1 - y_true * y_pred, 0)`.

    >>> float(tf.keras.losses.Hinge()([[1.0]], [[0.25]]))
    0.75
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "hinge") -> None:
        super().__init__(hinge, reduction, name)


class SquaredHinge(LossFunctionWrapper):
    """The mean of the square of `max(1 - y_true * y_pred, 0)`.

    >>> float(tf.keras.losses.SquaredHinge()([[1.0]], [[0.5]]))
    0.25
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "squared_hinge") -> None:
        super().__init__(squared_hinge, reduction, name)


class CategoricalHinge(LossFunctionWrapper):
    """By how much the best wrong class comes within one of the right one.

    >>> float(tf.keras.losses.CategoricalHinge()([[0.0, 1.0]], [[0.5, 0.5]]))
    1.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "categorical_hinge"
    ) -> None:
        super().__init__(categorical_hinge, reduction, name)
