"""The best share that any threshold reaches while another share is large enough."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.confusion import KINDS, Counter, even_thresholds

_SHARES = {
    "precision": ("true_positives", "false_positives"),
    "recall": ("true_positives", "false_negatives"),
    "sensitivity": ("true_positives", "false_negatives"),
    "specificity": ("true_negatives", "false_positives"),
}


class BestUnderConstraint(Metric):
    """The largest `_wanted` at a threshold where `_bounded` is at least `value`."""

    _wanted = ""
    _bounded = ""

    def __init__(
        self,
        value: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if value < 0 or value > 1:
            raise ValueError(
                f"Argument `{self._bounded}` must be in the range [0, 1]. "
                f"Received: {self._bounded}={value}"
            )
        if num_thresholds <= 0:
            raise ValueError(
                "Argument `num_thresholds` must be an integer > 0. "
                f"Received: num_thresholds={num_thresholds}"
            )
        self.value, self.class_id, self.num_thresholds = value, class_id, num_thresholds
        setattr(self, self._bounded, value)
        several = num_thresholds > 1
        self.thresholds = even_thresholds(num_thresholds) if several else [0.5]
        self._counter = Counter(self.thresholds, several, class_id=class_id)
        for kind in KINDS:
            setattr(self, kind, self.add_weight(kind, (num_thresholds,), initializer="zeros"))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        variables = {kind: getattr(self, kind) for kind in KINDS}
        self._counter.add(variables, y_true, y_pred, sample_weight)

    def result(self) -> tf.Tensor:
        wanted, bounded = self._share(self._wanted), self._share(self._bounded)
        allowed = bounded >= tf.cast(self.value, bounded.dtype)
        lowest = tf.fill(tf.shape(wanted), tf.constant(wanted.dtype.min, wanted.dtype))
        best = tf.reduce_max(tf.where(allowed, wanted, lowest))
        return tf.where(tf.reduce_any(allowed), best, tf.zeros_like(best))

    def _share(self, kind: str) -> Any:
        right, wrong = (getattr(self, name) for name in _SHARES[kind])
        return tf.math.divide_no_nan(right, right + wrong)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
            self._bounded: self.value,
        }


class SensitivityAtSpecificity(BestUnderConstraint):
    """The best share of the positives found, where enough of the negatives are.

    >>> metric = tf.keras.metrics.SensitivityAtSpecificity(0.5)
    >>> float(metric([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8]))
    0.5
    """

    _wanted, _bounded = "sensitivity", "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)


class SpecificityAtSensitivity(BestUnderConstraint):
    """The best share of the negatives found, where enough of the positives are.

    >>> metric = tf.keras.metrics.SpecificityAtSensitivity(0.5)
    >>> round(float(metric([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])), 4)
    0.6667
    """

    _wanted, _bounded = "specificity", "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)


class PrecisionAtRecall(BestUnderConstraint):
    """The best precision where the recall is large enough.

    >>> metric = tf.keras.metrics.PrecisionAtRecall(0.5)
    >>> float(metric([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8]))
    0.5
    """

    _wanted, _bounded = "precision", "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)


class RecallAtPrecision(BestUnderConstraint):
    """The best recall where the precision is large enough.

    >>> metric = tf.keras.metrics.RecallAtPrecision(0.8)
    >>> float(metric([0, 0, 1, 1], [0, 0.5, 0.3, 0.9]))
    0.5
    """

    _wanted, _bounded = "recall", "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)
