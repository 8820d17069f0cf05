"""How far predicted numbers are from the true ones, beyond the means of losses."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.losses.ranks import match_ranks, squeezed_alike
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.columns import check_two_axes
from runnel.keras.metrics.reductions import Mean, MeanMetricWrapper
from runnel.keras.metrics.weights import broadcast_weights, dense


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> tf.Tensor:
    """The cosine of the angle between labels and predictions; the loss so named is its negative.

    >>> from runnel.keras.metrics.regression import cosine_similarity
    >>> cosine_similarity([[1.0, 0.0]], [[2.0, 0.0]]).numpy()
    array([1.], dtype=float32)
    """
    y_true = tf.math.l2_normalize(y_true, axis=axis)
    return tf.reduce_sum(y_true * tf.math.l2_normalize(y_pred, axis=axis), axis=axis)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between labels and predictions.

    >>> float(tf.keras.metrics.CosineSimilarity()([[1.0, 0.0]], [[2.0, 0.0]]))
    1.0
    """

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(cosine_similarity, name, dtype=dtype, axis=axis)


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences.

    >>> float(tf.keras.metrics.RootMeanSquaredError()([[0.0, 0.0]], [[2.0, 2.0]]))
    2.0
    """

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype=dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        (y_pred, y_true), sample_weight = dense([y_pred, y_true], sample_weight)
        y_pred, y_true, _ = match_ranks(y_pred, y_true)
        return super().update_state(tf.math.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> tf.Tensor:
        return tf.sqrt(super().result())


class MeanRelativeError(Mean):
    """The mean of absolute differences, divided by `normalizer`.

    >>> metric = tf.keras.metrics.MeanRelativeError(normalizer=[1.0, 2.0])
    >>> float(metric([1.0, 2.0], [2.0, 4.0]))
    1.0
    """

    def __init__(self, normalizer: Any, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.normalizer = tf.cast(normalizer, self._dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        (y_pred, y_true), sample_weight = dense([y_pred, y_true], sample_weight)
        y_pred, y_true, _ = match_ranks(y_pred, y_true)
        y_pred, normalizer = squeezed_alike(y_pred, self.normalizer)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        errors = tf.math.divide_no_nan(tf.abs(y_true - y_pred), normalizer)
        return super().update_state(errors, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "normalizer": self.normalizer.numpy()}


_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


class R2Score(Metric):
    """How much of the variance of the labels the predictions explain: one if all.

    >>> metric = tf.keras.metrics.R2Score()
    >>> round(float(metric([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])), 4)
    0.5714
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if class_aggregation not in _AGGREGATIONS:
            raise ValueError(
                "Invalid value for argument `class_aggregation`. Expected one of "
                f"{_AGGREGATIONS}. Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}"
            )
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_weight("num_samples", dtype="int32", initializer="zeros")
        self.built = False

    def build(self, y_true_shape: Any, y_pred_shape: Any) -> None:  # type: ignore[override]
        check_two_axes("R2Score", y_true_shape, y_pred_shape)
        shape = (y_pred_shape[-1],)
        self.squared_sum = self.add_weight("squared_sum", shape=shape, initializer="zeros")
        self.sum = self.add_weight("sum", shape=shape, initializer="zeros")
        self.total_mse = self.add_weight("residual", shape=shape, initializer="zeros")
        self.count = self.add_weight("count", shape=shape, initializer="zeros")
        self.built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true = tf.convert_to_tensor(y_true, dtype=self._dtype)
        y_pred = tf.convert_to_tensor(y_pred, dtype=self._dtype)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        weight = tf.cast(1 if sample_weight is None else sample_weight, self._dtype)
        if weight.shape.rank == 1:
            weight = tf.expand_dims(weight, axis=1)
        weight = broadcast_weights(weight, y_true)
        self.sum.assign_add(tf.reduce_sum(y_true * weight, axis=0))
        self.squared_sum.assign_add(tf.reduce_sum(y_true * y_true * weight, axis=0))
        errors = tf.math.squared_difference(y_true, y_pred)
        self.total_mse.assign_add(tf.reduce_sum(errors * weight, axis=0))
        self.count.assign_add(tf.reduce_sum(weight, axis=0))
        self.num_samples.assign_add(tf.size(y_true))

    def result(self) -> tf.Tensor:
        variance = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / variance
        scores = tf.where(tf.math.is_inf(scores), tf.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = tf.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = tf.reduce_sum(variance * scores) / tf.reduce_sum(variance)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, scores: Any) -> Any:
        """The scores, lowered by what so many regressors explain by chance."""
        free = self.num_samples - 1 - self.num_regressors
        if tf.executing_eagerly() and free <= 0:
            why = "Division by zero" if free == 0 else "More independent predictors than datapoints"
            warnings.warn(
                f"{why} in adjusted R2 score. Falling back to standard R2 score.", stacklevel=3
            )
        ratio = tf.cast(self.num_samples - 1, scores.dtype) / tf.cast(free, scores.dtype)
        return tf.where(free > 0, 1 - (1 - scores) * ratio, scores)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_aggregation": self.class_aggregation,
            "num_regressors": self.num_regressors,
        }
