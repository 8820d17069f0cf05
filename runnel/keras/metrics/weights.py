"""Ragged inputs and weights, brought into the shape of the values they belong to."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.losses.ranks import match_ranks


def dense(values: list[Any], sample_weight: Any = None) -> tuple[list[Any], Any]:
    """Ragged tensors with the same rows as columns of their values; dense ones as they are."""
    ragged = [isinstance(value, tf.RaggedTensor) for value in values]
    weighs_rows = isinstance(sample_weight, tf.RaggedTensor)
    if not any(ragged) and not weighs_rows:
        return values, sample_weight
    if not all(ragged) or not (sample_weight is None or weighs_rows):
        raise TypeError(
            "Either all of labels, predictions and weights are ragged or none is, got "
            f"{[type(x).__name__ for x in (*values, sample_weight) if x is not None]}."
        )
    others = [*values[1:], sample_weight] if weighs_rows else values[1:]
    for other in others:
        _check_rows(values[0], other)
    columns = [tf.expand_dims(value.flat_values, -1) for value in values]
    return columns, tf.expand_dims(sample_weight.flat_values, -1) if weighs_rows else None


def _check_rows(first: Any, other: Any) -> None:
    mine, theirs = first.nested_row_splits, other.nested_row_splits
    if len(mine) != len(theirs):
        raise ValueError(
            "Ragged inputs must have identical rows, got "
            f"{len(mine)} and {len(theirs)} ragged dimensions."
        )
    for a, b in zip(mine, theirs, strict=True):
        tf.debugging.assert_equal(a, b, message="Ragged inputs must have identical rows.")


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights in the shape of the values: a scalar, or of the same rank with dimensions of one."""
    rank, other = weights.shape.rank, values.shape.rank
    if rank and other is not None:
        pairs = zip(weights.shape, values.shape, strict=False)
        if rank != other or any(a not in (1, b) and None not in (a, b) for a, b in pairs):
            raise ValueError(
                "weights can not be broadcast to values: weights of shape "
                f"{weights.shape}, values of shape {values.shape}."
            )
    if weights.shape.is_fully_defined() and weights.shape == values.shape:
        return weights
    return weights * tf.ones_like(values)


def weighted(values: Any, sample_weight: Any, combine: Any) -> tuple[Any, Any]:
    """Values times their weights, and the weights in the shape of the values.

    Where the weights have fewer axes, the values are reduced by `combine` along the others.
    """
    weight = tf.cast(sample_weight, values.dtype)
    values, _, weight = match_ranks(values, None, weight)
    try:
        weight = broadcast_weights(weight, values)
    except ValueError:
        values = combine(values, axis=list(range(weight.shape.rank, values.shape.rank)))
    return values * weight, weight
