"""Counts of true and false, positive and negative predictions at thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.losses.ranks import match_ranks
from runnel.keras.metrics.weights import broadcast_weights, dense

KINDS = ("true_positives", "true_negatives", "false_positives", "false_negatives")
NOT_CHOSEN = -1e10  # the score of classes that are not among the `top_k`


def threshold_list(thresholds: Any, default: float = 0.5) -> list[float]:
    """Thresholds as a list: one, several, or the default."""
    if thresholds is None:
        return [default]
    found = list(thresholds) if isinstance(thresholds, list | tuple) else [thresholds]
    bad = [t for t in found if t is None or t < 0 or t > 1]
    if bad:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {bad}")
    return found


_BYTES = 32  # of a number in a list


def even_thresholds(count: int) -> list[float]:
    """So many thresholds from zero to one; an error if memory cannot hold as many."""
    tf.broadcast_to(0.0, [count, _BYTES // 4])  # which takes no memory itself
    return [0.0, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0]


def are_even(thresholds: Sequence[float]) -> bool:
    """Whether the thresholds are `0, 1/n, 2/n, … 1`, so that each value's place can be computed."""
    count = len(thresholds)
    return count >= 3 and np.allclose(thresholds, np.linspace(0, 1, count), atol=epsilon())


class Counter:
    """Adds the counts of a batch to variables named as in `KINDS`.

    `even` thresholds need one pass over the values; others one for each threshold.
    """

    def __init__(
        self,
        thresholds: Sequence[float],
        even: bool,
        *,
        top_k: int | None = None,
        class_id: int | None = None,
        multi_label: bool = False,
    ) -> None:
        self.thresholds, self.even = thresholds, even
        self.top_k, self.class_id, self.multi_label = top_k, class_id, multi_label

    def add(
        self,
        variables: Mapping[str, Any],
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        label_weights: Any = None,
    ) -> None:
        kind = next(iter(variables.values())).dtype
        y_true, y_pred = tf.cast(y_true, kind), tf.cast(y_pred, kind)
        if not self.multi_label:
            (y_pred, y_true), sample_weight = dense([y_pred, y_true], sample_weight)
        if sample_weight is not None:
            sample_weight = tf.cast(sample_weight, kind)
        y_pred, y_true, sample_weight = match_ranks(y_pred, y_true, sample_weight)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        y_true, y_pred = self._chosen(y_true, y_pred)
        weight = _weights(y_pred, sample_weight, label_weights)
        if not self.multi_label:
            y_true, y_pred, weight = (tf.reshape(x, [-1]) for x in (y_true, y_pred, weight))
        counts = (_by_place if self.even else _by_comparing)(
            tf.cast(y_true, tf.bool), y_pred, weight, self.thresholds
        )
        for name, variable in variables.items():
            variable.assign_add(counts[name])

    def _chosen(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        """Scores of the `top_k` classes only; labels and scores of one class only."""
        if self.top_k is not None:
            y_pred = _only_top(y_pred, self.top_k)
        if self.class_id is not None:
            y_true, y_pred = (x[..., self.class_id, tf.newaxis] for x in (y_true, y_pred))
        return y_true, y_pred


def _only_top(scores: Any, k: int) -> Any:
    places = tf.math.top_k(scores, k, sorted=False).indices
    chosen = tf.reduce_sum(tf.one_hot(places, tf.shape(scores)[-1], dtype=scores.dtype), axis=-2)
    return scores * chosen + NOT_CHOSEN * (1 - chosen)


def _weights(y_pred: Any, sample_weight: Any, label_weights: Any) -> Any:
    weight = tf.ones_like(y_pred)
    if sample_weight is not None:
        weight = broadcast_weights(sample_weight, y_pred)
    if label_weights is not None:
        labels = tf.cast(label_weights, y_pred.dtype)
        weight = weight * broadcast_weights(labels[tf.newaxis], y_pred)
    return weight


def _by_comparing(is_true: Any, y_pred: Any, weight: Any, thresholds: Any) -> dict[str, Any]:
    """Counts by comparing each value with each threshold."""
    bounds = tf.constant(thresholds, y_pred.dtype)
    bounds = tf.reshape(bounds, [-1] + [1] * y_pred.shape.rank)
    above = y_pred[tf.newaxis] > bounds
    none = tf.zeros_like(weight)
    true, false = tf.where(is_true, weight, none), tf.where(is_true, none, weight)

    def total(weight: Any, counted: Any) -> Any:
        return tf.reduce_sum(tf.where(counted, weight[tf.newaxis], none[tf.newaxis]), axis=1)

    below = tf.logical_not(above)
    return {
        "true_positives": total(true, above),
        "true_negatives": total(false, below),
        "false_positives": total(false, above),
        "false_negatives": total(true, below),
    }


def _by_place(is_true: Any, y_pred: Any, weight: Any, thresholds: Any) -> dict[str, Any]:
    """Counts at even thresholds, from a histogram of the values.

    A value lies above as many thresholds as its place says, so the positives at a threshold are
    those in the places behind it.
    """
    count = len(thresholds)
    places = tf.math.ceil(tf.clip_by_value(y_pred, 0.0, 1.0) * (count - 1))
    if thresholds[0] < 0 or thresholds[-1] > 1:  # zero lies above the first threshold, too
        places = tf.maximum(places, 1.0)
    places = tf.where(tf.math.is_nan(places), tf.zeros_like(places), places)  # above none
    places = tf.cast(places, tf.int32)
    sums = _histograms(is_true, places, weight, count + 1)
    behind = tf.cumsum(sums, axis=1, reverse=True)
    true, false = behind[0], behind[1]
    return {
        "true_positives": true[1:],
        "true_negatives": false[:1] - false[1:],
        "false_positives": false[1:],
        "false_negatives": true[:1] - true[1:],
    }


def _histograms(is_true: Any, places: Any, weight: Any, size: int) -> Any:
    """Weights by place, of true and of false labels: `[2, size]`, or `[2, size, labels]`."""
    kind = tf.cast(tf.logical_not(is_true), tf.int32)
    if places.shape.rank == 1:
        flat = tf.math.unsorted_segment_sum(weight, kind * size + places, 2 * size)
        return tf.reshape(flat, [2, size])
    labels = places.shape[1]
    ids = (kind * size + places) * labels + tf.range(labels)
    flat = tf.math.unsorted_segment_sum(weight, ids, 2 * size * labels)
    return tf.reshape(flat, [2, size, labels])
