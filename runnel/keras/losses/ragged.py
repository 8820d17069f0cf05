"""Losses of ragged labels and predictions: one for each row of the innermost axis."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import runnel as tf

Loss = Callable[..., Any]


def mean_of_rows(fn: Loss) -> Loss:
    """A loss that is a mean along the last axis, so that rows of any length have one."""

    @functools.wraps(fn)
    def called(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        pair = _pair(y_true, y_pred)
        if pair is None:
            return fn(y_true, _dense(y_pred), *args, **kwargs)
        y_true, y_pred = pair
        if y_pred.flat_values.shape.rank > 1:
            return _with_values(y_pred, fn(y_true.flat_values, y_pred.flat_values, *args, **kwargs))
        columns = (tf.expand_dims(x.flat_values, -1) for x in pair)
        return tf.reduce_mean(_with_values(y_pred, fn(*columns, *args, **kwargs)), axis=-1)

    return called


def whole_rows(fn: Loss) -> Loss:
    """A loss of distributions over classes: rows of classes are filled up with what cannot be."""

    @functools.wraps(fn)
    def called(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        pair = _pair(y_true, y_pred)
        if pair is None:
            return fn(y_true, _dense(y_pred), *args, **kwargs)
        y_true, y_pred = pair
        if y_pred.flat_values.shape.rank > 1:
            return _with_values(y_true, fn(y_true.flat_values, y_pred.flat_values, *args, **kwargs))
        impossible = y_pred.dtype.min if kwargs.get("from_logits") else 0
        scores = _innermost(y_pred).to_tensor(impossible)
        labels = y_true.flat_values
        if y_true.ragged_rank == y_pred.ragged_rank:
            labels = _innermost(y_true).to_tensor()
        return _nested(y_pred.nested_row_splits[:-1], fn(labels, scores, *args, **kwargs))

    return called


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any] | None:
    """Both, if both are ragged and have the same rows."""
    if not (isinstance(y_pred, tf.RaggedTensor) and isinstance(y_true, tf.RaggedTensor)):
        return None
    mine, theirs = y_true.nested_row_splits, y_pred.nested_row_splits
    if len(theirs) - len(mine) not in (0, 1):
        raise ValueError(
            "Labels and predictions must have the same ragged rows, got "
            f"{len(mine)} and {len(theirs)} ragged dimensions."
        )
    for a, b in zip(mine, theirs, strict=False):
        tf.debugging.assert_equal(a, b, message="Labels and predictions have different rows.")
    return y_true, y_pred


def _dense(y_pred: Any) -> Any:
    return y_pred.to_tensor() if isinstance(y_pred, tf.RaggedTensor) else y_pred


def _with_values(like: Any, values: Any) -> Any:
    return like.with_flat_values(values)


def _innermost(ragged: Any) -> Any:
    """The rows of the innermost axis, without those around them."""
    return tf.RaggedTensor.from_row_splits(ragged.flat_values, ragged.nested_row_splits[-1])


def _nested(splits: Any, values: Any) -> Any:
    return tf.RaggedTensor.from_nested_row_splits(values, splits) if splits else values
