"""Batch renormalization: what a batch differs by from the moving statistics is put right again.

Ioffe, "Batch Renormalization: Towards Reducing Minibatch Dependence in Batch-Normalized Models".
"""

from __future__ import annotations

from typing import Any

import runnel as tf


def add_statistics(layer: Any, shape: Any) -> None:
    """The moving statistics that `BatchNormalization(renorm=True)` keeps besides the usual ones."""

    def root(*args: Any, **kwargs: Any) -> Any:
        return tf.sqrt(layer.moving_variance_initializer(*args, **kwargs))

    starts = {
        "moving_stddev": root,
        "renorm_mean": layer.moving_mean_initializer,
        "renorm_stddev": root,
    }
    for name, initializer in starts.items():
        made = layer.add_weight(
            name,
            shape=shape,
            dtype=layer._param_dtype,
            initializer=initializer,
            trainable=False,
            experimental_autocast=False,
        )
        setattr(layer, name, made)


def correction(layer: Any, mean: Any, variance: Any) -> tuple[Any, Any]:
    """The factor and the shift that go before `gamma` and `beta`; updates the statistics."""
    deviation = tf.sqrt(variance + layer.epsilon)
    usual = tf.maximum(layer.renorm_stddev, tf.sqrt(tf.cast(layer.epsilon, variance.dtype)))
    factor = deviation / usual
    shift = (mean - layer.renorm_mean) / usual
    limits = layer.renorm_clipping
    factor = tf.maximum(factor, limits["rmin"]) if "rmin" in limits else factor
    factor = tf.minimum(factor, limits["rmax"]) if "rmax" in limits else factor
    if "dmax" in limits:
        shift = tf.clip_by_value(shift, -limits["dmax"], limits["dmax"])
    layer._update(layer.renorm_mean, mean, layer.renorm_momentum)
    layer._update(layer.renorm_stddev, deviation, layer.renorm_momentum)
    layer._update(layer.moving_mean, mean)
    layer._update(layer.moving_stddev, deviation)
    moving = tf.square(layer.moving_stddev) - layer.epsilon
    layer.moving_variance.assign(tf.nn.relu(moving))  # rounding may have made it negative
    return tf.stop_gradient(factor), tf.stop_gradient(shift)


def composed(first: Any, second: Any) -> tuple[Any, Any]:
    """The scale and offset of one change of values after another; None is no change."""
    (scale, offset), (next_scale, next_offset) = first, second
    if next_scale is not None:
        scale, offset = scale * next_scale, offset * next_scale
    return scale, offset if next_offset is None else offset + next_offset
