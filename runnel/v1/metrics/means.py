"""Means over batches: of values, of errors, of what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.v1.variables.scopes import variable_scope
from .keeping import Answer, after, aligned, answer, check_graph, counter, metric, ratio, spread


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
        values = tf.cast(values, tf.float32)
        total, count = counter([], tf.float32, "total"), counter([], tf.float32, "count")
        if weights is None:
            number = tf.cast(tf.size(values), tf.float32)
        else:
            values, _, weights = aligned(values, values, weights)
            weights = spread(weights, values)
            values, number = values * weights, tf.reduce_sum(weights)
        return _kept(
            total, count, tf.reduce_sum(values), number, metrics_collections, updates_collections
        )


def _kept(total: Any, count: Any, more: Any, number: Any, values: Any, updates: Any) -> Answer:
    added = total.assign_add(more)
    counted = after([more], lambda: count.assign_add(number))
    value = ratio(total, count)
    update = tf.math.divide_no_nan(
        added, tf.maximum(counted, tf.zeros_like(counted)), name="update_op"
    )
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
        values = tf.cast(values, tf.float32)
        total = counter(values.shape, tf.float32, "total_tensor")
        count = counter(values.shape, tf.float32, "count_tensor")
        number = tf.ones_like(values)
        if weights is not None:
            values, _, weights = aligned(values, values, weights)
            number = spread(weights, values)
            values = values * number
        return _kept(total, count, values, number, metrics_collections, updates_collections)


def _accuracy(labels: Any, predictions: Any, weights: Any, name: str | None) -> Answer:
    predictions, labels, weights = aligned(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = tf.cast(predictions, labels.dtype)
    right = tf.cast(tf.equal(predictions, labels), tf.float32)
    return mean(right, weights, None, None, name or "accuracy")


accuracy = metric("accuracy", "How often the predictions are the labels.", _accuracy)


def _error(title: str, doc: str, error: Callable[[Any, Any], Any]) -> Callable[..., Answer]:
    def measure(labels: Any, predictions: Any, weights: Any, name: str | None) -> Answer:
        predictions, labels, weights = aligned(predictions, labels, weights)
        values = error(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32))
        return mean(values, weights, None, None, name or title)

    return metric(title, doc, measure)


mean_absolute_error = _error(
    "mean_absolute_error",
    "The mean of the distances of predictions and labels.",
    lambda x, y: tf.abs(x - y),
)
mean_squared_error = _error(
    "mean_squared_error",
    "The mean of the squared distances of predictions and labels.",
    tf.math.squared_difference,
)


def _root(labels: Any, predictions: Any, weights: Any, name: str | None) -> Answer:
    name = name or "root_mean_squared_error"
    value, update = mean_squared_error(labels, predictions, weights, None, None, name)
    return tf.sqrt(value), tf.sqrt(update)


root_mean_squared_error = metric(
    "root_mean_squared_error",
    "The root of the mean of the squared distances of predictions and labels.",
    _root,
)


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
    labels = tf.cast(labels, predictions.dtype)
    errors = tf.math.divide_no_nan(tf.abs(labels - predictions), normalizer)
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
    products = tf.reduce_sum(predictions * labels, [dim], keepdims=True)
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
    below = tf.cast(tf.less(values, threshold), tf.float32)
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
        matrix = counter([num_classes, num_classes], tf.float64, "total_confusion_matrix")
        labels, predictions = (
            tf.reshape(tf.cast(x, tf.int64), [-1]) for x in (labels, predictions)
        )
        weights = None if weights is None else tf.reshape(weights, [-1])
        more = tf.math.confusion_matrix(labels, predictions, num_classes, weights, tf.float64)
        update = matrix.assign_add(more)
        whole = tf.convert_to_tensor(matrix)
        right = tf.cast(tf.linalg.diag_part(whole), tf.float32)
        union = tf.cast(tf.reduce_sum(whole, 0) + tf.reduce_sum(whole, 1), tf.float32) - right
        valid = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), tf.float32))
        parts = tf.math.divide_no_nan(right, union)
        value = tf.where(valid > 0, tf.reduce_sum(parts) / tf.maximum(valid, 1.0), 0.0)
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
        labels, predictions = tf.cast(labels, tf.int64), tf.cast(predictions, tf.int64)
        predictions, labels, weights = aligned(predictions, labels, weights)
        labels, predictions = tf.reshape(labels, [-1]), tf.reshape(predictions, [-1])
        total, count = (
            counter([num_classes], tf.float32, "total"),
            counter([num_classes], tf.float32, "count"),
        )
        ones = tf.ones([tf.size(labels)], tf.float32)
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is not None:
            flat = tf.reshape(tf.cast(weights, tf.float32), [-1])
            ones, right = ones * flat, right * flat
        seen = count.assign_add(tf.math.unsorted_segment_sum(ones, labels, num_classes))
        found = total.assign_add(tf.math.unsorted_segment_sum(right, labels, num_classes))
        value = tf.reduce_mean(tf.math.divide_no_nan(total, count))
        update = tf.math.divide_no_nan(found, seen)
        return answer(value, update, metrics_collections, updates_collections)
