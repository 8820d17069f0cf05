"""`tf.keras.metrics.AUC`: the area under a curve drawn by thresholds."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.confusion import KINDS, Counter, are_even, even_thresholds


class AUCCurve(Enum):
    """Which curve: false against true positive rate, precision against recall, or their gains."""

    ROC = "ROC"
    PR = "PR"
    PR_GAIN = "PR_GAIN"


class AUCSummationMethod(Enum):
    """How the area between two thresholds is taken."""

    INTERPOLATION = "interpolation"
    MAJORING = "majoring"
    MINORING = "minoring"


_CURVES = {
    **dict.fromkeys(("roc", "ROC"), AUCCurve.ROC),
    **dict.fromkeys(("pr", "PR"), AUCCurve.PR),
    **dict.fromkeys(("pr_gain", "prgain", "PR_GAIN", "PRGAIN"), AUCCurve.PR_GAIN),
}
_METHODS = {
    spelled: method
    for method in AUCSummationMethod
    for spelled in (method.value, method.value.capitalize())
}


def _member(value: Any, names: dict[str, Any], what: str) -> Any:
    if isinstance(value, AUCCurve | AUCSummationMethod):
        return value
    if value not in names:
        expected = sorted({member.value for member in names.values()})
        raise ValueError(f'Invalid {what} value: "{value}". Expected values are {expected}')
    return names[value]


class AUC(Metric):
    """The area under the ROC curve, or under the curve of precision and recall.

    >>> metric = tf.keras.metrics.AUC(num_thresholds=3)
    >>> float(metric([0, 0, 1, 1], [0, 0.5, 0.3, 0.9]))
    0.75
    """

    true_positives: Any
    true_negatives: Any
    false_positives: Any
    false_negatives: Any

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Any = "ROC",
        summation_method: Any = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.curve = _member(curve, _CURVES, "AUC curve")
        self.summation_method = _member(summation_method, _METHODS, "AUC summation method")
        self.multi_label, self.num_labels = multi_label, num_labels
        self._from_logits = from_logits
        self._init_from_thresholds = thresholds is not None
        self.num_thresholds = num_thresholds if thresholds is None else len(thresholds) + 2
        self._counter = Counter(*self._bounds(thresholds), multi_label=multi_label)
        self._thresholds = np.array(self._counter.thresholds)
        self.label_weights: Any = None
        if label_weights is not None:
            self.label_weights = tf.constant(label_weights, dtype=self._dtype)
            tf.debugging.assert_non_negative(
                self.label_weights, message="All values of `label_weights` must be non-negative."
            )
        if num_labels and not multi_label:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        self._built = False
        if not multi_label or num_labels:
            self._build(tf.TensorShape([None, num_labels]))

    def _bounds(self, given: Any) -> tuple[list[float], bool]:
        """The thresholds, with one below zero and one above one, and whether they are even."""
        if given is None and self.num_thresholds <= 1:
            raise ValueError(
                "Argument `num_thresholds` must be an integer > 1. "
                f"Received: num_thresholds={self.num_thresholds}"
            )
        full = even_thresholds(self.num_thresholds) if given is None else [0.0, *sorted(given), 1.0]
        even = given is None or are_even(full)
        return [0.0 - epsilon(), *full[1:-1], 1.0 + epsilon()], even

    def _build(self, shape: tf.TensorShape) -> None:
        if self.multi_label and shape.rank != 2:
            raise ValueError(
                "`y_pred` must have rank 2 when `multi_label=True`. "
                f"Found rank {shape.rank}. Full shape received for `y_pred`: {shape}"
            )
        labels = (shape[1],) if self.multi_label else ()
        if self.multi_label:
            self._note_build_shape(shape)
        for kind in KINDS:
            dims = (self.num_thresholds, *labels)
            setattr(self, kind, self.add_weight(kind, shape=dims, initializer="zeros"))
        self._built = True

    @property
    def thresholds(self) -> list[float]:
        """The thresholds, of which the first is below zero and the last above one."""
        return list(self._thresholds)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        if not isinstance(y_pred, tf.RaggedTensor):
            y_pred = tf.convert_to_tensor(y_pred)
        if not isinstance(y_true, tf.RaggedTensor):
            y_true = tf.convert_to_tensor(y_true)
        if not self._built:
            self._build(y_pred.shape)
        if self.multi_label or self.label_weights is not None:
            self._check_labels(y_true)
        if self._from_logits:
            y_pred = tf.sigmoid(y_pred)
        self._counter.add(
            {kind: getattr(self, kind) for kind in KINDS},
            y_true,
            y_pred,
            sample_weight,
            None if self.multi_label else self.label_weights,
        )

    def _check_labels(self, y_true: Any) -> None:
        shapes: list[Any] = [(y_true, ("N", "L"))]
        if self.multi_label:
            shapes += [(getattr(self, kind), ("T", "L")) for kind in KINDS]
        if self.label_weights is not None:
            shapes += [(self.label_weights, ("L",))]
        tf.debugging.assert_shapes(shapes, message="Number of labels is not consistent.")

    def result(self) -> tf.Tensor:
        interpolates = self.summation_method is AUCSummationMethod.INTERPOLATION
        if self.curve is AUCCurve.PR and interpolates:
            return self.interpolate_pr_auc()
        x, y = self._curve_points()
        first, second = y[:-1], y[1:]
        if interpolates:
            heights = (first + second) / 2.0
        elif self.summation_method is AUCSummationMethod.MINORING:
            heights = tf.minimum(first, second)
        else:
            heights = tf.maximum(first, second)
        return self._total((x[:-1] - x[1:]) * heights)

    def _curve_points(self) -> tuple[Any, Any]:
        """For each threshold, the place on the horizontal axis and the height of the curve."""
        divide = tf.math.divide_no_nan
        tp, tn, fp, fn = (tf.convert_to_tensor(getattr(self, kind)) for kind in KINDS)
        if self.curve is AUCCurve.ROC:
            return divide(fp, fp + tn), divide(tp, tp + fn)
        if self.curve is AUCCurve.PR:
            return divide(tp, tp + fn), divide(tp, tp + fp)
        odds = divide(tp + fn, fp + tn)
        recall = 1.0 - odds * divide(fn, tp)
        precision = 1.0 - odds * divide(fp, tp)
        found = tf.not_equal(tp, 0)  # where nothing is, recall gains nothing and precision all
        zeros, ones = tf.zeros_like(tp), tf.ones_like(tp)
        return tf.maximum(tf.where(found, recall, zeros), zeros), tf.where(found, precision, ones)

    def interpolate_pr_auc(self) -> Any:
        """The area under precision and recall, with counts that grow evenly between thresholds.

        Precision itself is no straight line there (Davis and Goadrich, 2006).
        """
        divide = tf.math.divide_no_nan
        tp = tf.convert_to_tensor(self.true_positives)
        positives = tp + self.false_positives
        more, less = positives[:-1], positives[1:]
        gained = tp[:-1] - tp[1:]
        slope = divide(gained, tf.maximum(more - less, 0))
        intercept = tp[1:] - slope * less
        growth = tf.where(
            (more > 0) & (less > 0), divide(more, tf.maximum(less, 0)), tf.ones_like(less)
        )
        area = slope * (gained + intercept * tf.math.log(growth))
        return self._total(divide(area, tf.maximum(tp[1:] + self.false_negatives[1:], 0)))

    def _total(self, areas: Any) -> Any:
        """The sum of the areas between thresholds; of several labels, the weighted mean."""
        total = tf.reduce_sum(areas, axis=0)
        if not self.multi_label:
            return total
        if self.label_weights is None:
            return tf.reduce_mean(total)
        weight = self.label_weights
        return tf.math.divide_no_nan(tf.reduce_sum(total * weight), tf.reduce_sum(weight))

    def reset_state(self) -> None:
        if self._built:
            super().reset_state()

    def get_config(self) -> dict[str, Any]:
        weights = None if self.label_weights is None else self.label_weights.numpy()
        config = {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve.value,
            "summation_method": self.summation_method.value,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": weights,
            "from_logits": self._from_logits,
        }
        if self._init_from_thresholds:
            config["thresholds"] = self.thresholds[1:-1]
        return config
