"""Counts of true and false positives and negatives, of labels that hold or not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import runnel as tf
from runnel.v1.metrics.keeping import (
    Answer,
    after,
    aligned,
    answer,
    check_graph,
    counter,
    metric,
    spread,
)
from runnel.v1.variables.scopes import variable_scope

Kind = tuple[bool, bool]
_KINDS: dict[str, Kind] = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}


def _count(kind: str, labels: Any, predictions: Any, weights: Any, name: str | None) -> Answer:
    """A counter of examples whose label and prediction are of a kind."""
    label, prediction = _KINDS[kind]
    with variable_scope(name, kind, (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights
        )
        wanted = tf.logical_and(tf.equal(labels, label), tf.equal(predictions, prediction))
        values = tf.cast(wanted, tf.float32)
        if weights is not None:
            values = values * spread(weights, values)
        count = counter([], tf.float32, "count")
        return tf.identity(count), tf.identity(count.assign_add(tf.reduce_sum(values)))


def _counting(kind: str) -> Callable[..., Answer]:
    doc = f"The number of {kind.replace('_', ' ')}, each times its weight."
    return metric(kind, doc, functools.partial(_count, kind))


true_positives = _counting("true_positives")
false_positives = _counting("false_positives")
true_negatives = _counting("true_negatives")
false_negatives = _counting("false_negatives")


def _share(title: str, others: str) -> Callable[..., Answer]:
    def measure(labels: Any, predictions: Any, weights: Any, name: str | None) -> Answer:
        with variable_scope(name, title, (predictions, labels, weights)):
            right, add_right = _count("true_positives", labels, predictions, weights, None)
            wrong, add_wrong = _count(others, labels, predictions, weights, None)
            value = tf.math.divide_no_nan(right, right + wrong)
            return value, tf.math.divide_no_nan(add_right, add_right + add_wrong)

    doc = f"True positives by true positives and {others.replace('_', ' ')}."
    return metric(title, doc, measure)


precision = _share("precision", "false_positives")
recall = _share("recall", "false_negatives")


def at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """By kind, the counts for each threshold, and operations that update them."""
    predictions, labels, weights = aligned(
        tf.cast(predictions, tf.float32), tf.cast(labels, tf.bool), weights
    )
    limits = tf.constant(list(thresholds), tf.float32)
    says = tf.expand_dims(tf.reshape(predictions, [-1]), 0) > tf.expand_dims(limits, 1)
    holds = tf.expand_dims(tf.reshape(labels, [-1]), 0)
    scale = None if weights is None else tf.reshape(spread(weights, predictions), [1, -1])
    values, updates = {}, {}
    for kind, (label, prediction) in _KINDS.items():
        seen = tf.logical_and(tf.equal(holds, label), tf.equal(says, prediction))
        numbers = tf.cast(seen, tf.float32)
        if scale is not None:
            numbers = numbers * scale
        count = counter([len(thresholds)], tf.float32, kind)
        more = tf.reduce_sum(numbers, 1)
        values[kind] = tf.identity(count)
        updates[kind] = tf.identity(count.assign_add(more))
    return values, updates


_TINY, _SMALL = 1e-7, 1e-6


def _metric_at_thresholds(
    title: str, scope: str, doc: str, measure: Callable[[dict[str, Any]], Any]
) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(title)
        with variable_scope(name, scope, (predictions, labels, weights)):
            both = at_thresholds(labels, predictions, thresholds, weights)
            value, update = [measure(counts) for counts in both]
            return answer(value, update, metrics_collections, updates_collections)

    metric.__doc__ = doc
    return metric


def _counting_at_thresholds(kind: str) -> Callable[..., Answer]:
    doc = f"The number of {kind.replace('_', ' ')} for each of several thresholds."
    return _metric_at_thresholds(f"{kind}_at_thresholds", kind, doc, lambda counts: counts[kind])


true_positives_at_thresholds = _counting_at_thresholds("true_positives")
false_positives_at_thresholds = _counting_at_thresholds("false_positives")
true_negatives_at_thresholds = _counting_at_thresholds("true_negatives")
false_negatives_at_thresholds = _counting_at_thresholds("false_negatives")


def _share_at_thresholds(title: str, others: str) -> Callable[..., Answer]:
    def measure(counts: dict[str, Any]) -> Any:
        right = counts["true_positives"]
        return right / (_TINY + right + counts[others])

    doc = f"True positives by those and {others.replace('_', ' ')}, by threshold."
    return _metric_at_thresholds(title, title, doc, measure)


precision_at_thresholds = _share_at_thresholds("precision_at_thresholds", "false_positives")
recall_at_thresholds = _share_at_thresholds("recall_at_thresholds", "false_negatives")


def _evenly(count: int) -> list[float]:
    """Thresholds between 0 and 1, one below and one above them."""
    inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - _TINY, *inner, 1.0 + _TINY]


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Answer:
    """The area under the curve of true and false positives, or of precision and recall."""
    check_graph("auc")
    if curve not in ("ROC", "PR"):
        raise ValueError(f"auc: `curve` is ROC or PR, got {curve!r}.")
    with variable_scope(name, "auc", (labels, predictions, weights)):
        limits = _evenly(num_thresholds) if thresholds is None else list(thresholds)
        values, updates = at_thresholds(labels, predictions, limits, weights)
        value = _area(values, curve, summation_method)
        update = after(list(updates.values()), lambda: _area(updates, curve, summation_method))
        return answer(value, update, metrics_collections, updates_collections)


def _area(counts: dict[str, Any], curve: str, method: str) -> Any:
    tp, fp = counts["true_positives"], counts["false_positives"]
    fn, tn = counts["false_negatives"], counts["true_negatives"]
    if method == "careful_interpolation":
        if curve != "PR":
            raise ValueError("auc: `careful_interpolation` is for the curve PR.")
        return _careful(tp, fp, fn)
    recall = (tp + _SMALL) / (tp + fn + _SMALL)
    x = fp / (fp + tn + _SMALL) if curve == "ROC" else recall
    y = recall if curve == "ROC" else (tp + _SMALL) / (tp + fp + _SMALL)
    width, left, right = x[:-1] - x[1:], y[:-1], y[1:]
    heights = {
        "trapezoidal": lambda: (left + right) / 2.0,
        "minoring": lambda: tf.minimum(left, right),
        "majoring": lambda: tf.maximum(left, right),
    }
    if method not in heights:
        raise ValueError(f"auc: invalid `summation_method` {method!r}.")
    return tf.reduce_sum(width * heights[method]())


def _careful(tp: Any, fp: Any, fn: Any) -> Any:
    """The area under precision and recall, between whose points true positives grow evenly."""
    gained, p = tp[:-1] - tp[1:], tp + fp
    slope = tf.math.divide_no_nan(gained, tf.maximum(p[:-1] - p[1:], 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = tf.logical_and(p[:-1] > 0, p[1:] > 0)
    quotient = tf.math.divide_no_nan(p[:-1], tf.maximum(p[1:], 0.0))
    grown = tf.where(both, quotient, tf.ones_like(p[1:]))
    parts = slope * (gained + intercept * tf.math.log(grown))
    return tf.reduce_sum(tf.math.divide_no_nan(parts, tf.maximum(tp[1:] + fn[1:], 0.0)))


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The part of positives that is found, at the threshold of a given specificity."""
    _check_part("sensitivity_at_specificity", specificity)
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        both = at_thresholds(labels, predictions, _evenly(num_thresholds), weights)

        def found(c: dict[str, Any]) -> Any:
            tn, fp = c["true_negatives"], c["false_positives"]
            place = tf.argmin(tf.abs(tn / (tn + fp + _TINY) - specificity), 0)
            tp, fn = c["true_positives"][place], c["false_negatives"][place]
            return tp / (tp + fn + _TINY)

        return _after_updates(both, found, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The part of negatives that is left out, at the threshold of a given sensitivity."""
    _check_part("specificity_at_sensitivity", sensitivity)
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        both = at_thresholds(labels, predictions, _evenly(num_thresholds), weights)

        def found(c: dict[str, Any]) -> Any:
            tp, fn = c["true_positives"], c["false_negatives"]
            distance = tf.abs(tp / (tp + fn + _TINY) - sensitivity)
            nearest = tf.cast(tf.equal(distance, tf.reduce_min(distance)), tf.int64)
            place = tf.argmax(tf.cumsum(nearest), 0)  # the last of several that are as near
            tn, fp = c["true_negatives"][place], c["false_positives"][place]
            return tn / (tn + fp + _TINY)

        return _after_updates(both, found, metrics_collections, updates_collections)


def _check_part(metric: str, value: float) -> None:
    check_graph(metric)
    if not 0 <= value <= 1:
        raise ValueError(f"{metric}: a number between 0 and 1 is wanted, got {value!r}.")


def _after_updates(both: Any, found: Callable[[Any], Any], values: Any, updates: Any) -> Answer:
    update = after(list(both[1].values()), lambda: found(both[1]))
    return answer(found(both[0]), update, values, updates)
