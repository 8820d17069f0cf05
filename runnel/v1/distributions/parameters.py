"""Checks of parameters, logits beside probabilities, and the integral of the normal density."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.v1.ops.arrays import name_scope
from runnel.v1.ops.assertions import (
    assert_equal,
    assert_less_equal,
    assert_near,
    assert_non_negative,
)


def after(checks: Sequence[Any], value: tf.Tensor) -> tf.Tensor:
    """`value`, once the checks have passed."""
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(value)


def another_seed(seed: int | None, salt: str) -> int | None:
    """A seed that follows from another one."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def both(
    kind: str, logits: Any, probs: Any, name: str, *, classes: bool, validate: bool
) -> tuple[tf.Tensor, tf.Tensor]:
    """Logits and probabilities, of which one was given."""
    with name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError(f"{kind}: give `probs` or `logits`, not both.")
        if probs is None:
            logits = _floats(kind, logits, "logits")
            if classes and validate:
                logits = several(logits)
            of_logits = tf.nn.softmax if classes else tf.sigmoid
            return logits, of_logits(logits, name="probs")
        probs = _floats(kind, probs, "probs")
        if validate:
            probs = _valid(probs, classes=classes)
        with tf.name_scope("logits"):
            logs = tf.math.log(probs)
            return (logs if classes else logs - tf.math.log1p(-1.0 * probs)), probs


def _floats(kind: str, value: Any, name: str) -> tf.Tensor:
    tensor = tf.convert_to_tensor(value, name=name)
    if not tensor.dtype.is_floating:
        raise TypeError(f"{kind}: `{name}` must be floats, got {tensor.dtype.name}.")
    return tensor


def _valid(probs: tf.Tensor, *, classes: bool) -> tf.Tensor:
    with tf.name_scope("validate_probs"):
        one = tf.constant(1.0, probs.dtype)
        checks = [assert_non_negative(probs)]
        if classes:
            probs = several(probs)
            checks.append(assert_near(tf.reduce_sum(probs, -1), one, message="Not a sum of 1."))
        else:
            checks.append(assert_less_equal(probs, one, message="A probability is above 1."))
        return after(checks, probs)


def several(parameter: tf.Tensor) -> tf.Tensor:
    """A parameter with at least two classes along its last dimension."""
    if parameter.shape.rank == 0:
        raise ValueError("A categorical distribution needs a vector, got a number.")
    if parameter.shape.rank is not None and (parameter.shape[-1] or 2) < 2:
        raise ValueError(f"A categorical distribution needs two events, got {parameter.shape}.")
    return parameter


def whole_counts(counts: tf.Tensor) -> tf.Tensor:
    """Counts that are neither negative nor broken."""
    checks = [assert_non_negative(counts, message="A count is negative.")]
    if not counts.dtype.is_integer:
        rounded = tf.cast(tf.cast(counts, tf.int64), counts.dtype)
        checks.append(assert_equal(counts, rounded, message="A count is no whole number."))
    return after(checks, counts)


def nan(shape: Any, dtype: tf.DType) -> tf.Tensor:
    return tf.fill(shape, tf.constant(math.nan, dtype))


def normal_cdf(x: tf.Tensor) -> tf.Tensor:
    """The integral of the standard normal density up to `x`."""
    scaled = x * tf.constant(math.sqrt(0.5), x.dtype)
    return 0.5 * tf.where(
        tf.abs(scaled) < math.sqrt(0.5),
        1.0 + tf.math.erf(scaled),
        tf.where(scaled > 0.0, 2.0 - tf.math.erfc(tf.abs(scaled)), tf.math.erfc(tf.abs(scaled))),
    )


def log_normal_cdf(x: tf.Tensor) -> tf.Tensor:
    """Its logarithm: far below zero by a series, since the integral itself is lost there."""
    low, high = (-20.0, 8.0) if x.dtype == tf.float64 else (-10.0, 5.0)
    below = tf.minimum(x, low)
    square = tf.square(below)
    series = 1.0 - 1.0 / square + 3.0 / square**2 - 15.0 / square**3
    tail = -0.5 * square - tf.math.log(-below) - 0.5 * math.log(2.0 * math.pi)
    middle = tf.math.log(normal_cdf(tf.maximum(x, low)))
    return tf.where(
        x > high, -normal_cdf(-x), tf.where(x > low, middle, tail + tf.math.log(series))
    )
