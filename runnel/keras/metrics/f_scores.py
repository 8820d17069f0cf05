"""F-scores: precision and recall in one number, for each class."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.columns import check_two_axes

_STATE = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")


class FBetaScore(Metric):
    """The harmonic mean of precision and recall, in which recall counts `beta` times as much.

    >>> metric = tf.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
    >>> metric([[1, 1], [1, 0]], [[0.2, 0.6], [0.6, 0.6]]).numpy().round(4)
    array([0.5556, 0.8333], dtype=float32)
    """

    true_positives: Any
    false_positives: Any
    false_negatives: Any
    intermediate_weights: Any

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', "
                f"'weighted'}}. Received: average={average}"
            )
        if not isinstance(beta, float) or beta <= 0.0:
            raise ValueError(
                "Invalid `beta` argument value. It should be a Python float > 0. "
                f"Received: beta={beta} of type '{type(beta)}'"
            )
        if threshold is not None and not (isinstance(threshold, float) and 0 < threshold <= 1):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float with "
                f"0 < threshold <= 1. Received: threshold={threshold} of type '{type(threshold)}'"
            )
        self.average, self.beta, self.threshold = average, beta, threshold
        self.axis = None if average == "micro" else 0
        self.built = False

    def build(self, y_true_shape: Any, y_pred_shape: Any) -> None:  # type: ignore[override]
        check_two_axes(type(self).__name__, y_true_shape, y_pred_shape)
        shape = () if self.average == "micro" else (y_pred_shape[-1],)
        for name in _STATE:
            setattr(self, name, self.add_weight(name, shape=shape, initializer="zeros"))
        self.built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true = tf.convert_to_tensor(y_true, dtype=self._dtype)
        y_pred = tf.convert_to_tensor(y_pred, dtype=self._dtype)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        chosen = tf.cast(self._chosen(y_pred), self._dtype)
        counts = (chosen * y_true, chosen * (1 - y_true), (1 - chosen) * y_true, y_true)
        weight = None if sample_weight is None else self._columns(sample_weight)
        for name, count in zip(_STATE, counts, strict=True):
            count = count if weight is None else count * weight
            getattr(self, name).assign_add(tf.reduce_sum(count, axis=self.axis))

    def _chosen(self, y_pred: Any) -> Any:
        """Which classes are predicted: those above the threshold, or the likeliest."""
        if self.threshold is not None:
            return y_pred > tf.cast(self.threshold, self._dtype)
        # A row of zeros predicts nothing.
        return (y_pred >= tf.reduce_max(y_pred, axis=-1, keepdims=True)) & (tf.abs(y_pred) > 1e-9)

    def _columns(self, sample_weight: Any) -> Any:
        weight = tf.cast(sample_weight, self._dtype)
        return weight if weight.shape.rank == 2 else tf.expand_dims(weight, 1)

    def result(self) -> tf.Tensor:
        divide = tf.math.divide_no_nan
        precision = divide(self.true_positives, self.true_positives + self.false_positives)
        recall = divide(self.true_positives, self.true_positives + self.false_negatives)
        square = self.beta**2
        score = divide(precision * recall, square * precision + recall) * (1 + square)
        if self.average == "weighted":
            total = tf.reduce_sum(self.intermediate_weights)
            return tf.reduce_sum(score * divide(self.intermediate_weights, total))
        return score if self.average is None else tf.reduce_mean(score)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "average": self.average,
            "beta": self.beta,
            "threshold": self.threshold,
        }


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall.

    >>> metric = tf.keras.metrics.F1Score(threshold=0.5)
    >>> metric([[1, 1], [1, 0]], [[0.2, 0.6], [0.6, 0.6]]).numpy().round(4)
    array([0.6667, 0.6667], dtype=float32)
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["beta"]
        return config
