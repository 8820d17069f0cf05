"""How many predictions are true or false positives or negatives, and shares of them."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.confusion import NOT_CHOSEN, Counter, are_even, threshold_list


class ConfusionCount(Metric):
    """One of the four counts, at each threshold."""

    _counted = ""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = threshold_list(thresholds)
        self._counter = Counter(self.thresholds, are_even(self.thresholds))
        self.accumulator = self.add_weight(
            "accumulator", shape=(len(self.thresholds),), initializer="zeros"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        self._counter.add({self._counted: self.accumulator}, y_true, y_pred, sample_weight)

    def result(self) -> tf.Tensor:
        return _for_one(tf.convert_to_tensor(self.accumulator), self.thresholds)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds}


def _for_one(result: Any, thresholds: Any) -> Any:
    return result[0] if len(thresholds) == 1 else result


class TruePositives(ConfusionCount):
    """How many labels of one were predicted to be one.

    >>> float(tf.keras.metrics.TruePositives()([0, 1, 1], [1, 0, 1]))
    1.0
    """

    _counted = "true_positives"


class TrueNegatives(ConfusionCount):
    """How many labels of zero were predicted to be zero.

    >>> float(tf.keras.metrics.TrueNegatives()([0, 0, 1], [1, 0, 0]))
    1.0
    """

    _counted = "true_negatives"


class FalsePositives(ConfusionCount):
    """How many labels of zero were predicted to be one.

    >>> float(tf.keras.metrics.FalsePositives()([0, 0, 1], [1, 1, 0]))
    2.0
    """

    _counted = "false_positives"


class FalseNegatives(ConfusionCount):
    """How many labels of one were predicted to be zero.

    >>> float(tf.keras.metrics.FalseNegatives(thresholds=0.7)([0, 1, 1], [0.9, 0.6, 0.8]))
    1.0
    """

    _counted = "false_negatives"


class TruePositiveShare(Metric):
    """True positives among themselves and one more of the four counts."""

    _others = ""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k, self.class_id = top_k, class_id
        self.thresholds = threshold_list(thresholds, 0.5 if top_k is None else NOT_CHOSEN)
        self._counter = Counter(
            self.thresholds, are_even(self.thresholds), top_k=top_k, class_id=class_id
        )
        shape = (len(self.thresholds),)
        self.true_positives = self.add_weight("true_positives", shape=shape, initializer="zeros")
        others = self.add_weight(self._others, shape=shape, initializer="zeros")
        setattr(self, self._others, others)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        variables = {
            "true_positives": self.true_positives,
            self._others: getattr(self, self._others),
        }
        self._counter.add(variables, y_true, y_pred, sample_weight)

    def result(self) -> tf.Tensor:
        total = self.true_positives + getattr(self, self._others)
        return _for_one(tf.math.divide_no_nan(self.true_positives, total), self.thresholds)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


class Precision(TruePositiveShare):
    """How many of the predictions of one are right.

    >>> metric = tf.keras.metrics.Precision()
    >>> float(metric([0, 1, 1, 1], [1, 0, 1, 0]))
    0.5
    """

    _others = "false_positives"


class Recall(TruePositiveShare):
    """How many of the labels of one were predicted.

    >>> metric = tf.keras.metrics.Recall()
    >>> round(float(metric([0, 1, 1, 1], [1, 0, 1, 0])), 4)
    0.3333
    """

    _others = "false_negatives"
