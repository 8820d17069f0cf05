"""Counts of true and false positives and negatives, of labels that hold or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.tensor.convert import constant
from runnel.core.values.dtypes import bool as new_bool
from runnel.core.values.dtypes import float32, int64
from runnel.ops.array.constants import ones_like
from runnel.ops.array.identity import identity
from runnel.ops.array.selecting import where
from runnel.ops.array.shaping import expand_dims, reshape
from runnel.ops.math.arithmetic import abs as new_abs
from runnel.ops.math.arithmetic import maximum, minimum
from runnel.ops.math.casting import cast
from runnel.ops.math.comparison import equal
from runnel.ops.math.division import divide_no_nan
from runnel.ops.math.logical import logical_and
from runnel.ops.math.powers import log
from runnel.ops.reduce.argmax import argmax, argmin
from runnel.ops.reduce.cumulative import cumsum
from runnel.ops.reduce.reductions import reduce_min, reduce_sum
from runnel.v1.metrics.keeping import Answer, after, aligned, answer, check_graph, counter, spread
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
            cast(predictions, new_bool), cast(labels, new_bool), weights
        )
        wanted = logical_and(equal(labels, label), equal(predictions, prediction))
        values = cast(wanted, float32)
        if weights is not None:
            values = values * spread(weights, values)
        count = counter([], float32, "count")
        return identity(count), identity(count.assign_add(reduce_sum(values)))


def _counting(kind: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(kind)
        found = _count(kind, labels, predictions, weights, name)
        return answer(*found, metrics_collections, updates_collections)

    metric.__doc__ = f"The number of {kind.replace('_', ' ')}, each times its weight."
    return metric


true_positives = _counting("true_positives")
false_positives = _counting("false_positives")
true_negatives = _counting("true_negatives")
false_negatives = _counting("false_negatives")


def _share(default: str, others: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(default)
        with variable_scope(name, default, (predictions, labels, weights)):
            right, add_right = _count("true_positives", labels, predictions, weights, None)
            wrong, add_wrong = _count(others, labels, predictions, weights, None)
            value = divide_no_nan(right, right + wrong)
            update = divide_no_nan(add_right, add_right + add_wrong)
            return answer(value, update, metrics_collections, updates_collections)

    metric.__doc__ = f"True positives by true positives and {others.replace('_', ' ')}."
    return metric


precision = _share("precision", "false_positives")
recall = _share("recall", "false_negatives")


def at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """By kind, the counts for each threshold, and operations that update them."""
    predictions, labels, weights = aligned(
        cast(predictions, float32), cast(labels, new_bool), weights
    )
    limits = constant(list(thresholds), float32)
    says = expand_dims(reshape(predictions, [-1]), 0) > expand_dims(limits, 1)
    holds = expand_dims(reshape(labels, [-1]), 0)
    scale = None if weights is None else reshape(spread(weights, predictions), [1, -1])
    values, updates = {}, {}
    for kind, (label, prediction) in _KINDS.items():
        seen = logical_and(equal(holds, label), equal(says, prediction))
        numbers = cast(seen, float32)
        if scale is not None:
            numbers = numbers * scale
        count = counter([len(thresholds)], float32, kind)
        more = reduce_sum(numbers, 1)
        values[kind] = identity(count)
        updates[kind] = identity(count.assign_add(more))
    return values, updates


def _counting_at_thresholds(kind: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(f"{kind}_at_thresholds")
        with variable_scope(name, kind, (predictions, labels, weights)):
            values, updates = at_thresholds(labels, predictions, thresholds, weights)
            return answer(values[kind], updates[kind], metrics_collections, updates_collections)

    metric.__doc__ = f"The number of {kind.replace('_', ' ')} for each of several thresholds."
    return metric


true_positives_at_thresholds = _counting_at_thresholds("true_positives")
false_positives_at_thresholds = _counting_at_thresholds("false_positives")
true_negatives_at_thresholds = _counting_at_thresholds("true_negatives")
false_negatives_at_thresholds = _counting_at_thresholds("false_negatives")

_TINY, _SMALL = 1e-7, 1e-6


def _share_at_thresholds(default: str, others: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(default)
        with variable_scope(name, default, (predictions, labels, weights)):
            both = at_thresholds(labels, predictions, thresholds, weights)
            value, update = [
                c["true_positives"] / (_TINY + c["true_positives"] + c[others]) for c in both
            ]
            return answer(value, update, metrics_collections, updates_collections)

    metric.__doc__ = f"True positives by those and {others.replace('_', ' ')}, by threshold."
    return metric


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
        "minoring": lambda: minimum(left, right),
        "majoring": lambda: maximum(left, right),
    }
    if method not in heights:
        raise ValueError(f"auc: invalid `summation_method` {method!r}.")
    return reduce_sum(width * heights[method]())


def _careful(tp: Any, fp: Any, fn: Any) -> Any:
    """The area under precision and recall, between whose points true positives grow evenly."""
    gained, p = tp[:-1] - tp[1:], tp + fp
    slope = divide_no_nan(gained, maximum(p[:-1] - p[1:], 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = logical_and(p[:-1] > 0, p[1:] > 0)
    quotient = divide_no_nan(p[:-1], maximum(p[1:], 0.0))
    grown = where(both, quotient, ones_like(p[1:]))
    parts = slope * (gained + intercept * log(grown))
    return reduce_sum(divide_no_nan(parts, maximum(tp[1:] + fn[1:], 0.0)))


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
            place = argmin(new_abs(tn / (tn + fp + _TINY) - specificity), 0)
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
            distance = new_abs(tp / (tp + fn + _TINY) - sensitivity)
            nearest = cast(equal(distance, reduce_min(distance)), int64)
            place = argmax(cumsum(nearest), 0)  # the last of several that are as near
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
