"""Labels, predictions and weights with a last axis of one dropped or added, so that they fit."""

from __future__ import annotations

from typing import Any

import runnel as tf


def squeezed_alike(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Both without a last dimension of one that only one of them has."""
    mine, other = labels.shape.rank, predictions.shape.rank
    if mine is None or other is None:
        gap = tf.rank(predictions) - tf.rank(labels)
        return _squeezed_if(labels, gap == -1), _squeezed_if(predictions, gap == 1)
    if other - mine == 1 and predictions.shape[-1] in (1, None):
        predictions = tf.squeeze(predictions, [-1])
    elif mine - other == 1 and labels.shape[-1] in (1, None):
        labels = tf.squeeze(labels, [-1])
    return labels, predictions


def match_ranks(y_pred: Any, y_true: Any = None, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights with a last dimension of one dropped or added to fit."""
    given = y_pred
    if y_true is not None and not _are_classes(y_true, y_pred):
        y_true, y_pred = squeezed_alike(y_true, y_pred)
    if sample_weight is None or sample_weight.shape.rank == 0:
        return y_pred, y_true, sample_weight
    return y_pred, y_true, _fitted(sample_weight, given)


def _are_classes(y_true: Any, y_pred: Any) -> bool:
    """Whether labels have an axis less than predictions because they are numbers of classes."""
    mine, other = y_true.shape.rank, y_pred.shape.rank
    return None not in (mine, other) and other - mine == 1 and y_pred.shape[-1] != 1


def _fitted(weight: Any, values: Any) -> Any:
    """Weights with as many axes as values, if it is one that is missing or too many."""
    mine, other = weight.shape.rank, values.shape.rank
    if mine is None or other is None:
        gap = tf.rank(values) - tf.rank(weight)
        weight = _squeezed_if(weight, gap == -1)
        added = tf.cast((gap == 1) & (tf.rank(weight) > 0), tf.int32)
        return tf.reshape(weight, tf.concat([tf.shape(weight), tf.ones([added], tf.int32)], 0))
    if mine - other == 1:
        return tf.squeeze(weight, [-1])
    return tf.expand_dims(weight, -1) if other - mine == 1 else weight


def _squeezed_if(x: Any, wanted: Any) -> Any:
    """Without a last dimension of one, if that is wanted; for ranks known only when it runs."""
    shape = tf.shape(x)
    is_one = tf.equal(tf.reduce_max(shape[-1:]), 1)
    return tf.reshape(x, shape[: tf.rank(x) - tf.cast(wanted & is_one, tf.int32)])
