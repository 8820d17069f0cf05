"""`tf.compat.v1.losses`: losses with weights, which a collection of the graph adds up."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.values.types import TensorLike
from runnel.v1.variables.collections import GraphKeys, add_to_collection, get_collection


class Reduction:
    """How the losses of examples become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """The ways there are."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS
_LOSSES = GraphKeys.LOSSES


def add_loss(loss: tf.Tensor, loss_collection: str | None = _LOSSES) -> None:
    """Add a loss to a collection."""
    if loss_collection is not None:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = _LOSSES) -> list[tf.Tensor]:
    """The losses of a collection."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[tf.Tensor]:
    """The losses that the regularizers of variables have made."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> tf.Tensor:
    """The sum of the losses of regularizers; zero if there are none."""
    found = get_regularization_losses(scope)
    return tf.add_n(found, name=name) if found else tf.constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> tf.Tensor:
    """The sum of all losses."""
    found = get_losses(scope)
    if add_regularization_losses:
        found = [*found, *get_regularization_losses(scope)]
    return tf.add_n(found, name=name)


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """Losses times weights, made one number as `reduction` says, in a collection.

    >>> losses = tf.constant([1.0, 2.0, 4.0])
    >>> float(tf.compat.v1.losses.compute_weighted_loss(losses, [1.0, 0.0, 1.0]))
    2.5
    """
    Reduction.validate(reduction)
    with tf.name_scope(scope or "weighted_loss"):
        loss = tf.convert_to_tensor(losses)
        weights = tf.convert_to_tensor(weights)
        _check_weights(weights, loss)
        dtype = loss.dtype
        weights = tf.cast(weights, tf.float32)
        weighted = tf.cast(loss, tf.float32) * weights
        if reduction != Reduction.NONE:
            total = tf.reduce_sum(weighted)
            if reduction == Reduction.MEAN:
                total = tf.math.divide_no_nan(
                    total, tf.reduce_sum(tf.ones_like(weighted) * weights)
                )
            elif reduction == _BY_WEIGHTS:
                total = tf.math.divide_no_nan(total, _present(weighted, weights))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                total = tf.math.divide_no_nan(total, tf.cast(tf.size(weighted), tf.float32))
            weighted = total
        found = tf.cast(weighted, dtype)
        add_loss(found, loss_collection)
        return found  # type: ignore[no-any-return]


def _check_weights(weights: tf.Tensor, losses: tf.Tensor) -> None:
    """Weights are one number, or have 1 or the same length in every dimension."""
    ours, theirs = weights.shape.rank, losses.shape.rank
    if not ours or theirs is None or ours is None:
        return
    fits = ours == theirs and all(
        w in (1, None, n) or n is None for w, n in zip(weights.shape, losses.shape)
    )
    if not fits:
        raise ValueError(
            f"weights of shape {weights.shape} do not fit values of shape {losses.shape}."
        )


def _present(losses: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """How many losses have a weight that is not zero."""
    counted = tf.where(tf.equal(weights, 0.0), tf.constant(0.0), tf.constant(1.0))
    return tf.reduce_sum(counted * tf.ones_like(losses))  # type: ignore[no-any-return]


def _given(**arguments: Any) -> None:
    """Raise for an argument that is None."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"`{name}` must not be None.")


def _pair(a: TensorLike, b: TensorLike) -> tuple[tf.Tensor, tf.Tensor]:
    """Predictions and labels as floats of one shape."""
    _given(predictions=a, labels=b)
    first, second = tf.cast(a, tf.float32), tf.cast(b, tf.float32)
    first.shape.assert_is_compatible_with(second.shape)
    return first, second


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The absolute differences of predictions and labels."""
    with tf.name_scope(scope or "absolute_difference"):
        found, wanted = _pair(predictions, labels)
        return compute_weighted_loss(
            tf.abs(found - wanted), weights, None, loss_collection, reduction
        )


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The squares of the differences of predictions and labels."""
    with tf.name_scope(scope or "mean_squared_error"):
        found, wanted = _pair(predictions, labels)
        return compute_weighted_loss(
            tf.square(found - wanted), weights, None, loss_collection, reduction
        )


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """Squares of small differences, and large ones as they are."""
    with tf.name_scope(scope or "huber_loss"):
        found, wanted = _pair(predictions, labels)
        error = tf.abs(found - wanted)
        small = tf.minimum(error, delta)
        losses = 0.5 * small * small + delta * (error - small)
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The logarithms of the probabilities that were predicted for what was the case."""
    with tf.name_scope(scope or "log_loss"):
        found, wanted = _pair(predictions, labels)
        losses = -wanted * tf.math.log(found + epsilon) - (1 - wanted) * tf.math.log(
            1 - found + epsilon
        )
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """How far logits are from lying beyond 1 on the side of labels that are 0 or 1."""
    with tf.name_scope(scope or "hinge_loss"):
        found, wanted = _pair(logits, labels)
        losses = tf.nn.relu(1.0 - (2.0 * wanted - 1.0) * found)
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
    dim: int | None = None,
) -> tf.Tensor:
    """One minus the products of unit vectors."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("cosine_distance: You must specify argument `axis`.")
    with tf.name_scope(scope or "cosine_distance_loss"):
        found, wanted = _pair(predictions, labels)
        losses = 1 - tf.reduce_sum(found * wanted, axis, True)
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The cross entropies of labels that are each 0 or 1."""
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with tf.name_scope(scope or "sigmoid_cross_entropy_loss"):
        found = tf.convert_to_tensor(logits)
        wanted = tf.cast(multi_class_labels, found.dtype)
        if label_smoothing > 0:
            wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(wanted, found)
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The cross entropies of one class of several."""
    _given(onehot_labels=onehot_labels, logits=logits)
    with tf.name_scope(scope or "softmax_cross_entropy_loss"):
        found = tf.convert_to_tensor(logits)
        wanted = tf.cast(onehot_labels, found.dtype)
        if label_smoothing > 0:
            classes = tf.cast(wanted.shape[1], found.dtype)
            wanted = wanted * (1.0 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(wanted, found)
        return compute_weighted_loss(losses, weights, None, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> tf.Tensor:
    """The cross entropies of one class of several, given by its number."""
    _given(labels=labels, logits=logits)
    with tf.name_scope(scope or "sparse_softmax_cross_entropy_loss"):
        found, wanted, factors = _matched(logits, labels, weights)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, found)
        return compute_weighted_loss(losses, factors, None, loss_collection, reduction)


def _matched(logits: TensorLike, labels: TensorLike, weights: TensorLike) -> tuple[Any, Any, Any]:
    """Labels and weights without a last dimension of length 1 that they have too many."""
    found, wanted, factors = map(tf.convert_to_tensor, (logits, labels, weights))
    rank = found.shape.rank
    if rank is not None and wanted.shape.rank == rank:
        wanted = tf.squeeze(wanted, [-1])
    if rank is not None and factors.shape.rank == rank and rank > 0:
        factors = tf.squeeze(factors, [-1])
    return found, wanted, factors


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
) -> tf.Tensor:
    """The squared differences between the errors of all pairs of elements: means, added up."""
    _given(labels=labels, predictions=predictions)
    with tf.name_scope(scope or "mean_pairwise_squared_error"):
        weights = tf.convert_to_tensor(weights, tf.float32)
        delta = tf.cast(predictions, tf.float32) - tf.cast(labels, tf.float32)
        axes = list(range(1, delta.shape.rank))  # type: ignore[arg-type]
        count = tf.cast(tf.size(delta[0]), tf.float32) + 0.0 * tf.reduce_sum(
            delta, axes, keepdims=True
        )
        if weights.shape.rank and weights.shape.rank != delta.shape.rank:
            weights = tf.reshape(weights, [-1] + [1] * len(axes))
        present = tf.where(tf.equal(weights, 0.0), tf.zeros_like(count), count)
        squares = tf.reduce_sum(tf.square(delta), axes, keepdims=True)
        first = 2.0 * tf.math.divide_no_nan(squares, tf.maximum(present - 1.0, 0.0))
        total = tf.square(tf.reduce_sum(delta, axes, keepdims=True))
        second = 2.0 * tf.math.divide_no_nan(total, tf.maximum(present * (present - 1.0), 0.0))
        chosen = tf.reduce_sum((first - second) * weights)
        loss = tf.where(tf.reduce_sum(present) > 0, chosen, 0.0)
        add_loss(loss, loss_collection)
        return loss
