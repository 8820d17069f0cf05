"""Normalising batches."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.backend.tensors import ndim


@symbolic
def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 0.001
) -> Any:
    """A batch scaled to mean `beta` and deviation `gamma`, and the mean and variance it had.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> normed, mean, var = tf.keras.backend.normalize_batch_in_training(x, None, None, [0], 0.0)
    >>> normed.numpy().ravel(), mean.numpy(), var.numpy()
    (array([-1.,  1.], dtype=float32), array([2.], dtype=float32), array([1.], dtype=float32))
    """
    axes = list(reduction_axes)
    if ndim(x) == 4 and axes == [0, 1, 2]:
        return _fused(x, gamma, beta, epsilon)
    mean, variance = tf.nn.moments(x, axes)
    if sorted(axes) == list(range(ndim(x) - 1)):
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon), mean, variance
    sizes = tf.shape(x)
    wide = tf.stack([1 if axis in axes else sizes[axis] for axis in range(ndim(x))])
    scale, shift = (None if v is None else tf.reshape(v, wide) for v in (gamma, beta))
    normed = tf.nn.batch_normalization(
        x, tf.reshape(mean, wide), tf.reshape(variance, wide), shift, scale, epsilon
    )
    return normed, mean, variance


def _fused(x: Any, gamma: Any, beta: Any, epsilon: float) -> Any:
    """For images, whose variance is then that of all such images, guessed from these."""
    channels = x.shape[-1]
    return tuple(
        tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=tf.ones([channels], x.dtype) if gamma is None else gamma,
            offset=tf.zeros([channels], x.dtype) if beta is None else beta,
            mean=[],
            variance=[],
            epsilon=_least(epsilon),
            is_training=True,
        )[:3]
    )


def _least(epsilon: float) -> float:
    """The op that TensorFlow uses here takes no smaller one."""
    return max(epsilon, 1.001e-5)


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 0.001
) -> Any:
    """A batch less `mean`, divided by the deviation, times `gamma` and plus `beta`.

    >>> tf.keras.backend.batch_normalization(
    ...     tf.constant([3.0]), tf.constant([1.0]), tf.constant([4.0]), None, None, epsilon=0.0
    ... ).numpy()
    array([1.], dtype=float32)
    """
    if ndim(x) != 4 or axis not in (3, -1):
        return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)
    mean, var = tf.reshape(mean, [-1]), tf.reshape(var, [-1])
    beta = tf.zeros_like(mean) if beta is None else tf.reshape(beta, [-1])
    gamma = tf.ones_like(mean) if gamma is None else tf.reshape(gamma, [-1])
    return tf.nn.batch_normalization(x, mean, var, beta, gamma, _least(epsilon))
