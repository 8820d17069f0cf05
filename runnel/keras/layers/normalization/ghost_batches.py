"""Normalization by parts of a batch: `BatchNormalization(virtual_batch_size=...)`.

Hoffer, Hubara and Soudry, "Train longer, generalize better" (ghost batch normalization).
"""

from __future__ import annotations

from typing import Any

import runnel as tf
from .batch_renormalization import composed, correction


def check(layer: Any, axes: list[int]) -> None:
    """Refuse what parts of a batch do not go with."""
    size = layer.virtual_batch_size
    if size is None:
        return
    if size <= 0:
        raise ValueError(
            "`virtual_batch_size` must be a positive integer that divides the size of the batch. "
            f"Received: virtual_batch_size={size}"
        )
    if 0 in axes:
        raise ValueError(
            f"With `virtual_batch_size`, axis 0 is the batch and not normalised. Received: {axes}"
        )
    if layer.adjustment is not None:
        raise ValueError("With `virtual_batch_size`, `adjustment` cannot be given.")


def weight_shape(sizes: dict[int, int], rank: int) -> list[int]:
    """Weights have an axis for each of the inputs, and one for the parts."""
    return [1, 1, *[sizes.get(i, 1) for i in range(1, rank)]]


def by_moving(layer: Any, values: Any) -> Any:
    """Normalised by the moving statistics."""
    mean, variance = layer.moving_mean, layer.moving_variance
    return _normalized(layer, tf.expand_dims(values, 1), mean, variance, layer.gamma, layer.beta)


def by_batch(layer: Any, values: Any, mask: Any) -> Any:
    """Each part normalised by itself; the moving statistics get what the parts have on average."""
    parts = _split(values, layer.virtual_batch_size)
    mean, variance = _moments(layer, parts, mask)
    usual = [tf.reduce_mean(t, axis=1, keepdims=True) for t in (mean, variance)]
    scale, offset = layer.gamma, layer.beta
    if layer.renorm:
        scale, offset = composed(correction(layer, *usual), (scale, offset))
    else:
        layer._update(layer.moving_mean, usual[0])
        layer._update(layer.moving_variance, usual[1])
    return _normalized(layer, parts, mean, variance, scale, offset)


def _split(values: Any, size: int) -> Any:
    """One more axis: `size` samples of each part, then the parts."""
    return tf.reshape(values, tf.concat([[size, -1], tf.shape(values)[1:]], axis=0))


def _moments(layer: Any, parts: Any, mask: Any) -> Any:
    """The statistics of every part, with all axes kept."""
    normalised = [a + 1 for a in layer.axis]
    reduced = [i for i in range(len(parts.shape)) if i != 1 and i not in normalised]
    if mask is None:
        return tf.nn.moments(parts, reduced, keepdims=True)
    weights = tf.cast(_split(mask, layer.virtual_batch_size), parts.dtype)
    for _ in range(len(parts.shape) - len(weights.shape)):
        weights = tf.expand_dims(weights, -1)
    weights = tf.broadcast_to(weights, tf.shape(parts))
    return tf.nn.weighted_moments(parts, reduced, weights, keepdims=True)


def _normalized(layer: Any, parts: Any, mean: Any, variance: Any, scale: Any, offset: Any) -> Any:
    found = tf.nn.batch_normalization(parts, mean, variance, offset, scale, layer.epsilon)
    return tf.reshape(found, tf.concat([[-1], tf.shape(parts)[2:]], axis=0))
