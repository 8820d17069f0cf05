"""From losses of examples to one number: weights, masks, sums."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.losses.ranks import match_ranks


class Reduction:
    """How the losses of the examples become one.

    >>> tf.keras.losses.Reduction.SUM
    'sum'
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All ways."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key: {key}. Expected keys are "{cls.all()}"')


_MEANS = (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE)


def get_mask(tensor: Any) -> Any:
    """The mask that a tensor carries."""
    return getattr(tensor, "_keras_mask", None)


def masked_weight(like: Any, sample_weight: Any, mask: Any) -> Any:
    """The weights, zero where the mask is."""
    if mask is None:
        return sample_weight
    mask = tf.cast(mask, like.dtype)
    if sample_weight is None:
        return mask
    mask, _, sample_weight = match_ranks(mask, None, tf.cast(sample_weight, mask.dtype))
    return sample_weight * mask


def valid_weight(losses: Any, sample_weight: Any, mask: Any, reduction: str) -> Any:
    """The weights under a mask; for a mean, so scaled that masked places do not count."""
    if mask is None:
        return sample_weight
    mask = tf.cast(mask, losses.dtype)
    if reduction in _MEANS:
        total = tf.cast(tf.size(mask), mask.dtype)
        mask *= tf.math.divide_no_nan(total, tf.reduce_sum(mask))
    return masked_weight(losses, sample_weight, mask)


def weighted_loss(losses: Any, sample_weight: Any = None, reduction: str = Reduction.AUTO) -> Any:
    """The losses times their weights, reduced."""
    Reduction.validate(reduction)
    kind = losses.dtype
    if not kind.is_floating:
        losses = tf.cast(losses, tf.float32)
    if sample_weight is not None:
        weight = tf.cast(sample_weight, losses.dtype)
        losses, _, weight = match_ranks(losses, None, weight)
        losses = losses * weight
    if reduction == Reduction.NONE:
        loss = losses
    elif reduction == Reduction.SUM:
        loss = tf.reduce_sum(losses)
    else:
        count = tf.cast(tf.size(losses), losses.dtype)
        loss = tf.math.divide_no_nan(tf.reduce_sum(losses), count)
    return loss if kind.is_floating else tf.cast(loss, kind)
