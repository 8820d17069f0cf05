"""How good the first `k` of ranked classes are: precision, recall and average precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.v1.metrics.keeping import Answer, answer, check_graph, counter
from runnel.v1.variables.scopes import variable_scope

_NONE = -1  # stands for no label


def _rows(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and ranked classes as matrices of int64: a row for each example."""
    if isinstance(labels, tf.SparseTensor):
        labels = tf.sparse.to_dense(tf.sparse.reorder(labels), _NONE - 1, validate_indices=False)
        labels = tf.where(labels < 0, tf.cast(_NONE, labels.dtype), labels)
    labels, predictions = tf.cast(labels, tf.int64), tf.cast(predictions, tf.int64)
    if labels.shape.rank == predictions.shape.rank - 1:
        labels = tf.expand_dims(labels, -1)
    return (
        tf.reshape(labels, tf.stack([-1, tf.shape(labels)[-1]])),
        tf.reshape(predictions, tf.stack([-1, tf.shape(predictions)[-1]])),
    )


def _weighted(values: Any, weights: Any, like: Any) -> Any:
    """Numbers of examples times their weights, added up, as float64."""
    values = tf.cast(values, tf.float64)
    if weights is not None:
        shape = tf.shape(like)[:-1]
        full = tf.broadcast_to(tf.cast(weights, tf.float64), shape)
        values = values * tf.reshape(full, [-1])
    return tf.reduce_sum(values)


def _hits(labels: Any, ranked: Any) -> Any:
    """For each ranked class of an example, whether it is one of its labels."""
    return tf.reduce_any(tf.equal(tf.expand_dims(ranked, 2), tf.expand_dims(labels, 1)), 2)


def _distinct(labels: Any) -> Any:
    """Which labels of an example are there for the first time."""
    same = tf.equal(tf.expand_dims(labels, 2), tf.expand_dims(labels, 1))
    before = tf.linalg.band_part(tf.cast(same, tf.int32), -1, 0)
    return tf.logical_and(tf.equal(tf.reduce_sum(before, 2), 1), tf.not_equal(labels, _NONE))


def _counts(labels: Any, idx: Any, class_id: int | None) -> dict[str, Any]:
    """True and false positives and false negatives of each example."""
    labels, ranked = _rows(labels, idx)
    hits, kept = _hits(labels, ranked), _distinct(labels)
    found = _hits(ranked, labels)
    chosen: Any = tf.ones_like(hits)
    if class_id is not None:
        chosen = tf.equal(ranked, class_id)
        kept = tf.logical_and(kept, tf.equal(labels, class_id))
    both = tf.logical_and

    def number(flags: Any) -> Any:
        return tf.reduce_sum(tf.cast(flags, tf.float64), 1)

    return {
        "true_positive": number(both(hits, chosen)),
        "false_positive": number(both(tf.logical_not(hits), chosen)),
        "false_negative": number(both(kept, tf.logical_not(found))),
    }


def _kept(kind: str, counts: dict[str, Any], name: str, weights: Any, idx: Any) -> tuple[Any, Any]:
    with variable_scope(None, f"{kind}{name}"):
        variable = counter([], tf.float64, f"{kind}{name}")
        update = variable.assign_add(_weighted(counts[kind], weights, idx))
        return tf.identity(variable), tf.identity(update)


def _titled(base: str, k: Any, class_id: int | None) -> str:
    name = base if k is None else f"{base}_at_{k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _at_top(base: str, others: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(f"{base}_at_top_k")
        title = _titled(base, k, class_id)
        with variable_scope(name, title, (predictions_idx, labels, weights)):
            idx = tf.convert_to_tensor(predictions_idx)
            counts = _counts(labels, idx, class_id)
            suffix = title.removeprefix(base)
            right, add_right = _kept("true_positive", counts, suffix, weights, idx)
            wrong, add_wrong = _kept(others, counts, suffix, weights, idx)
            value = right / (right + wrong)
            update = add_right / (add_right + add_wrong)
            return answer(value, update, metrics_collections, updates_collections)

    metric.__doc__ = f"The {base} of classes that are ranked already."
    return metric


precision_at_top_k = _at_top("precision", "false_positive")
recall_at_top_k = _at_top("recall", "false_negative")


def _at(base: str, at_top: Callable[..., Answer]) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(f"{base}_at_k")
        title = _titled(base, k, class_id)
        with variable_scope(name, title, (predictions, labels, weights)):
            _, idx = tf.math.top_k(predictions, k)
            return at_top(
                labels, idx, k, class_id, weights, metrics_collections, updates_collections
            )

    metric.__doc__ = f"The {base} of the `k` classes with the largest predictions."
    return metric


precision_at_k = _at("precision", precision_at_top_k)
recall_at_k = _at("recall", recall_at_top_k)
sparse_precision_at_k = precision_at_k


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean of the precisions at each of the first `k` classes that is a label."""
    check_graph("average_precision_at_k")
    if k < 1:
        raise ValueError(f"average_precision_at_k: `k` must be positive, got {k}.")
    title = _titled("average_precision", k, None)
    with variable_scope(name, title, (predictions, labels, weights)):
        _, idx = tf.math.top_k(predictions, k)
        known, ranked = _rows(labels, idx)
        hits = tf.cast(_hits(known, ranked), tf.float64)
        places = tf.cast(tf.range(1, k + 1), tf.float64)
        precisions = tf.cumsum(hits, 1) / places
        relevant = tf.reduce_sum(tf.cast(tf.not_equal(known, _NONE), tf.float64), 1)
        each = tf.math.divide_no_nan(
            tf.reduce_sum(precisions * hits, 1), tf.minimum(relevant, tf.cast(k, tf.float64))
        )
        total, highest = counter([], tf.float64, "total"), counter([], tf.float64, "max")
        shape = tf.shape(idx)[:-1]
        if weights is None:
            most = tf.cast(tf.reduce_prod(shape), tf.float64)
        else:
            full = tf.broadcast_to(tf.cast(weights, tf.float64), shape)
            most = tf.reduce_sum(full)
        added = total.assign_add(_weighted(each, weights, idx))
        reached = highest.assign_add(most)
        value = tf.math.divide_no_nan(tf.identity(total), tf.identity(highest))
        update = tf.math.divide_no_nan(tf.identity(added), tf.identity(reached))
        return answer(value, update, metrics_collections, updates_collections)


sparse_average_precision_at_k = average_precision_at_k
