"""Losses of numbers."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon, floatx
from runnel.keras.losses.base import LossFunctionWrapper
from runnel.keras.losses.ragged import mean_of_rows
from runnel.keras.losses.reduction import Reduction
from runnel.keras.losses.symbolic import as_tensor


def _pair(y_true: Any, y_pred: Any) -> tuple[tf.Tensor, tf.Tensor]:
    y_pred = as_tensor(y_pred)
    return tf.cast(y_true, y_pred.dtype), y_pred


@mean_of_rows
def mean_squared_error(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of squared differences along the last axis.

    >>> tf.keras.losses.mean_squared_error([[0.0, 0.0]], [[1.0, 3.0]]).numpy()
    array([5.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.math.squared_difference(y_pred, y_true), axis=-1)


@mean_of_rows
def mean_absolute_error(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of absolute differences along the last axis.

    >>> tf.keras.losses.mean_absolute_error([[0.0, 0.0]], [[1.0, 3.0]]).numpy()
    array([2.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_pred - y_true), axis=-1)


@mean_of_rows
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of absolute differences in percent of the labels.

    >>> tf.keras.losses.mean_absolute_percentage_error([[2.0]], [[1.0]]).numpy()
    array([50.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    scale = tf.maximum(tf.abs(y_true), epsilon())
    return 100.0 * tf.reduce_mean(tf.abs((y_true - y_pred) / scale), axis=-1)


@mean_of_rows
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of squared differences of `log(1 + x)`.

    >>> tf.keras.losses.mean_squared_logarithmic_error([[0.0]], [[0.0]]).numpy()
    array([0.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    first = tf.math.log(tf.maximum(y_pred, epsilon()) + 1.0)
    second = tf.math.log(tf.maximum(y_true, epsilon()) + 1.0)
    return tf.reduce_mean(tf.math.squared_difference(first, second), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> tf.Tensor:
    """Squared differences up to `delta`, absolute ones beyond it.

    >>> tf.keras.losses.huber([[0.0]], [[3.0]]).numpy()
    array([2.5], dtype=float32)
    """
    y_true, y_pred = tf.cast(y_true, floatx()), tf.cast(y_pred, floatx())
    gap = tf.abs(y_pred - y_true)
    bound = tf.cast(delta, gap.dtype)
    losses = tf.where(gap <= bound, 0.5 * tf.square(gap), bound * gap - 0.5 * tf.square(bound))
    return tf.reduce_mean(losses, axis=-1)


def log_cosh(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of `log(cosh(x))` of the differences.

    >>> tf.keras.losses.log_cosh([[0.0]], [[0.0]]).numpy()
    array([0.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    gap = y_pred - y_true
    value = gap + tf.math.softplus(-2.0 * gap) - tf.cast(tf.math.log(2.0), gap.dtype)
    return tf.reduce_mean(value, axis=-1)


def poisson(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The mean of `y_pred - y_true * log(y_pred)`.

    >>> tf.keras.losses.poisson([[0.0]], [[1.0]]).numpy()
    array([1.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(y_pred - y_true * tf.math.log(y_pred + epsilon()), axis=-1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> tf.Tensor:
    """Minus the cosine of the angle between labels and predictions.

    >>> tf.keras.losses.cosine_similarity([[1.0, 0.0]], [[2.0, 0.0]]).numpy()
    array([-1.], dtype=float32)
    """
    y_true = tf.math.l2_normalize(as_tensor(y_true), axis=axis)
    y_pred = tf.math.l2_normalize(as_tensor(y_pred), axis=axis)
    return -tf.reduce_sum(y_true * y_pred, axis=axis)


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared differences.

    Args:
        reduction: how the losses of a batch become one number: "auto", "sum", "sum_over_batch_size"
            or "none".

    >>> float(tf.keras.losses.MeanSquaredError()([[0.0, 0.0]], [[1.0, 3.0]]))
    5.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_squared_error"
    ) -> None:
        super().__init__(mean_squared_error, reduction, name)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of absolute differences.

    >>> float(tf.keras.losses.MeanAbsoluteError()([[0.0, 0.0]], [[1.0, 3.0]]))
    2.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_absolute_error"
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of absolute differences in percent of the labels.

    >>> float(tf.keras.losses.MeanAbsolutePercentageError()([[2.0]], [[1.0]]))
    50.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_absolute_percentage_error"
    ) -> None:
        super().__init__(mean_absolute_percentage_error, reduction, name)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared differences of `log(1 + x)`.

    >>> float(tf.keras.losses.MeanSquaredLogarithmicError()([[0.0]], [[0.0]]))
    0.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_squared_logarithmic_error"
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, reduction, name)


class Huber(LossFunctionWrapper):
    """Squared differences up to `delta`, absolute ones beyond it.

    >>> float(tf.keras.losses.Huber()([[0.0]], [[3.0]]))
    2.5
    """

    def __init__(
        self, delta: float = 1.0, reduction: str = Reduction.AUTO, name: str | None = "huber_loss"
    ) -> None:
        super().__init__(huber, reduction, name, delta=delta)


class LogCosh(LossFunctionWrapper):
    """The mean of `log(cosh(x))` of the differences.

    >>> float(tf.keras.losses.LogCosh()([[0.0]], [[0.0]]))
    0.0
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "log_cosh") -> None:
        super().__init__(log_cosh, reduction, name)


class Poisson(LossFunctionWrapper):
    """The mean of `y_pred - y_true * log(y_pred)`.

    >>> float(tf.keras.losses.Poisson()([[0.0]], [[1.0]]))
    1.0
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "poisson") -> None:
        super().__init__(poisson, reduction, name)


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between labels and predictions.

    >>> float(tf.keras.losses.CosineSimilarity()([[1.0, 0.0]], [[2.0, 0.0]]))
    -1.0
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "cosine_similarity",
    ) -> None:
        super().__init__(cosine_similarity, reduction, name, axis=axis)
