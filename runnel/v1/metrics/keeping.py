"""What all metrics have: local variables that add up, a value, and an operation that updates it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.values.types import DTypeLike
from runnel.v1.variables.collections import GraphKeys, add_to_collections
from runnel.v1.variables.variable import make_variable

Answer = tuple[Any, Any]


def check_graph(name: str) -> None:
    """RuntimeError while ops run at once, for a metric is part of a graph."""
    if state.graph is None:
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def counter(shape: Any, dtype: DTypeLike, name: str) -> Any:
    """A variable that begins with zeros, is not trained, and not saved."""
    return make_variable(
        lambda: tf.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
    )


def answer(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> Answer:
    """Both parts of a metric, which are put into collections, too."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def metric(title: str, doc: str, measure: Callable[..., Answer]) -> Callable[..., Answer]:
    """A metric of labels and predictions: `measure` has its value and its update."""

    def of_labels(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(title)
        found = measure(labels, predictions, weights, name)
        return answer(*found, metrics_collections, updates_collections)

    of_labels.__doc__ = doc
    return of_labels


def aligned(predictions: Any, labels: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights without a last dimension of 1 that only some have."""
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    rank, other = predictions.shape.rank, labels.shape.rank
    if rank is not None and other is not None:
        if rank - other == 1 and predictions.shape[-1] in (1, None):
            predictions = tf.squeeze(predictions, [-1])
        elif other - rank == 1 and labels.shape[-1] in (1, None):
            labels = tf.squeeze(labels, [-1])
    predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    rank, other = predictions.shape.rank, weights.shape.rank
    if rank is not None and other:
        if other - rank == 1:
            weights = tf.squeeze(weights, [-1])
        elif rank - other == 1:
            weights = tf.expand_dims(weights, [-1])
    return predictions, labels, weights


def spread(weights: Any, values: Any) -> Any:
    """Weights, one for each of the values."""
    weights = tf.cast(weights, values.dtype)
    known = weights.shape.as_list() if weights.shape.rank is not None else None
    dims = values.shape.as_list() if values.shape.rank is not None else None
    if (
        known
        and dims
        and (
            len(known) != len(dims)
            or any(None not in (a, b) and a not in (1, b) for a, b in zip(known, dims, strict=True))
        )
    ):
        raise ValueError(f"weights of shape {known} cannot be broadcast to values of {dims}.")
    return weights * tf.ones_like(values)


def ratio(total: Any, count: Any) -> Any:
    """A quotient, and zero where nothing was counted."""
    return tf.math.divide_no_nan(total, tf.maximum(count, tf.zeros_like(count)), name="value")


def after(operations: Sequence[Any], make: Callable[[], Any]) -> Any:
    """What is computed once some operations are done."""
    with tf.control_dependencies(operations):
        return make()
