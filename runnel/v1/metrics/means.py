"""Means over batches: of values, of errors, of what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.dtypes import float32, float64, int64
from runnel.ops.array.constants import ones as new_ones
from runnel.ops.array.constants import ones_like, zeros_like
from runnel.ops.array.diagonals import diag_part
from runnel.ops.array.selecting import where
from runnel.ops.array.shaping import reshape, size
from runnel.ops.math.arithmetic import abs as new_abs
from runnel.ops.math.arithmetic import maximum, squared_difference
from runnel.ops.math.casting import cast
from runnel.ops.math.comparison import equal, less, not_equal
from runnel.ops.math.division import divide_no_nan
from runnel.ops.math.powers import sqrt
from runnel.ops.reduce.counting import confusion_matrix
from runnel.ops.reduce.reductions import reduce_mean, reduce_sum
from runnel.ops.reduce.unsorted_segments import unsorted_segment_sum
from runnel.v1.metrics.keeping import (
    Answer,
    after,
    aligned,
    answer,
    check_graph,
    counter,
    ratio,
    spread,
)
from runnel.v1.variables.scopes import variable_scope


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The weighted mean of all values so far, and an operation that adds those of a batch.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     value, update = tf.compat.v1.metrics.mean(x)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     _ = session.run(update, {x: [1.0, 2.0]}), session.run(update, {x: [6.0]})
    ...     float(session.run(value))
    3.0
    """
    check_graph("mean")
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, float32)
        total, count = counter([], float32, "total"), counter([], float32, "count")
        if weights is None:
            number = cast(size(values), float32)
        else:
            values, _, weights = aligned(values, values, weights)
            weights = spread(weights, values)
            values, number = values * weights, reduce_sum(weights)
        return _kept(
            total, count, reduce_sum(values), number, metrics_collections, updates_collections
        )


def _kept(total: Any, count: Any, more: Any, number: Any, values: Any, updates: Any) -> Answer:
    added = total.assign_add(more)
    counted = after([more], lambda: count.assign_add(number))
    value = ratio(total, count)
    update = divide_no_nan(added, maximum(counted, zeros_like(counted)), name="update_op")
    return answer(value, update, values, updates)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean of tensors, element by element."""
    check_graph("mean_tensor")
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, float32)
        total = counter(values.shape, float32, "total_tensor")
        count = counter(values.shape, float32, "count_tensor")
        number = ones_like(values)
        if weights is not None:
            values, _, weights = aligned(values, values, weights)
            number = spread(weights, values)
            values = values * number
        return _kept(total, count, values, number, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """How often the predictions are the labels."""
    check_graph("accuracy")
    predictions, labels, weights = aligned(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    right = cast(equal(predictions, labels), float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def _error(name: str, default: str, error: Callable[[Any, Any], Any]) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(default)
        predictions, labels, weights = aligned(predictions, labels, weights)
        values = error(cast(predictions, float32), cast(labels, float32))
        return mean(values, weights, metrics_collections, updates_collections, name or default)

    metric.__doc__ = name
    return metric


mean_absolute_error = _error(
    "The mean of the distances of predictions and labels.",
    "mean_absolute_error",
    lambda x, y: new_abs(x - y),
)
mean_squared_error = _error(
    "The mean of the squared distances of predictions and labels.",
    "mean_squared_error",
    squared_difference,
)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The root of the mean of the squared distances of predictions and labels."""
    check_graph("root_mean_squared_error")
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    return answer(sqrt(value), sqrt(update), metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean of the distances of predictions and labels, each divided by a normalizer."""
    check_graph("mean_relative_error")
    predictions, labels, weights = aligned(predictions, labels, weights)
    predictions, normalizer, _ = aligned(predictions, normalizer)
    labels = cast(labels, predictions.dtype)
    errors = divide_no_nan(new_abs(labels - predictions), normalizer)
    return mean(
        errors, weights, metrics_collections, updates_collections, name or "mean_relative_error"
    )


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """1 less the mean of the products of predictions and labels, which are of length 1."""
    check_graph("mean_cosine_distance")
    predictions, labels, weights = aligned(predictions, labels, weights)
    products = reduce_sum(predictions * labels, [dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return answer(1.0 - value, 1.0 - update, metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The part of the values that is less than a threshold."""
    check_graph("percentage_below")
    below = cast(less(values, threshold), float32)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean over classes of intersection by union of what is predicted and what is labelled."""
    check_graph("mean_iou")
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        matrix = counter([num_classes, num_classes], float64, "total_confusion_matrix")
        labels, predictions = (reshape(cast(x, int64), [-1]) for x in (labels, predictions))
        weights = None if weights is None else reshape(weights, [-1])
        more = confusion_matrix(labels, predictions, num_classes, weights, float64)
        update = matrix.assign_add(more)
        whole = convert_to_tensor(matrix)
        right = cast(diag_part(whole), float32)
        union = cast(reduce_sum(whole, 0) + reduce_sum(whole, 1), float32) - right
        valid = reduce_sum(cast(not_equal(union, 0), float32))
        parts = divide_no_nan(right, union)
        value = where(valid > 0, reduce_sum(parts) / maximum(valid, 1.0), 0.0)
        return answer(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean over classes of how often their examples are recognized."""
    check_graph("mean_per_class_accuracy")
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels, predictions = cast(labels, int64), cast(predictions, int64)
        predictions, labels, weights = aligned(predictions, labels, weights)
        labels, predictions = reshape(labels, [-1]), reshape(predictions, [-1])
        total, count = (
            counter([num_classes], float32, "total"),
            counter([num_classes], float32, "count"),
        )
        ones = new_ones([size(labels)], float32)
        right = cast(equal(predictions, labels), float32)
        if weights is not None:
            flat = reshape(cast(weights, float32), [-1])
            ones, right = ones * flat, right * flat
        seen = count.assign_add(unsorted_segment_sum(ones, labels, num_classes))
        found = total.assign_add(unsorted_segment_sum(right, labels, num_classes))
        value = reduce_mean(divide_no_nan(total, count))
        update = divide_no_nan(found, seen)
        return answer(value, update, metrics_collections, updates_collections)
