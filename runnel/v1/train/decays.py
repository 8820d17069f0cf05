"""Learning rates that follow from the number of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.values.types import TensorLike


def _progress(
    function: str, rate: TensorLike, global_step: Any, steps: Any, staircase: bool = False
) -> tuple[tf.Tensor, tf.Tensor]:
    """The rate as a tensor, and how often `steps` has passed."""
    if global_step is None:
        raise ValueError(f"{function}: `global_step` must be given.")
    start = tf.convert_to_tensor(rate, name="learning_rate")
    passed = tf.cast(global_step, start.dtype) / tf.cast(steps, start.dtype)
    return start, tf.floor(passed) if staircase else passed


def exponential_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`."""
    with tf.name_scope(name or "ExponentialDecay"):
        start, passed = _progress(
            "exponential_decay", learning_rate, global_step, decay_steps, staircase
        )
        return start * tf.pow(tf.cast(decay_rate, start.dtype), passed)  # type: ignore[no-any-return]


def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`."""
    with tf.name_scope(name or "NaturalExpDecay"):
        start, passed = _progress(
            "natural_exp_decay", learning_rate, global_step, decay_steps, staircase
        )
        return start * tf.exp(-tf.cast(decay_rate, start.dtype) * passed)  # type: ignore[no-any-return]


def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`."""
    with tf.name_scope(name or "InverseTimeDecay"):
        start, passed = _progress(
            "inverse_time_decay", learning_rate, global_step, decay_steps, staircase
        )
        return start / (1.0 + tf.cast(decay_rate, start.dtype) * passed)  # type: ignore[no-any-return]


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """From one rate to another by a power of the rest of the way; with `cycle`, again and again."""
    if global_step is None:
        raise ValueError("polynomial_decay: `global_step` must be given.")
    with tf.name_scope(name or "PolynomialDecay"):
        start = tf.convert_to_tensor(learning_rate, name="learning_rate")
        end, step = tf.cast(end_learning_rate, start.dtype), tf.cast(global_step, start.dtype)
        steps = tf.cast(decay_steps, start.dtype)
        if cycle:
            rounds = tf.where(
                tf.equal(step, 0), tf.cast(1.0, start.dtype), tf.math.ceil(step / decay_steps)
            )
            steps = steps * rounds
        else:
            step = tf.minimum(step, steps)
        return (start - end) * tf.pow(1 - step / steps, tf.cast(power, start.dtype)) + end  # type: ignore[no-any-return]


def cosine_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> tf.Tensor:
    """Along half a wave from the rate to `alpha` times the rate."""
    with tf.name_scope(name or "CosineDecay"):
        start = tf.convert_to_tensor(learning_rate, name="learning_rate")
        step = tf.minimum(tf.cast(global_step, start.dtype), tf.cast(decay_steps, start.dtype))
        passed = step / tf.cast(decay_steps, start.dtype)
        wave = 0.5 * (1.0 + tf.cos(tf.cast(math.pi, start.dtype) * passed))
        return start * ((1 - alpha) * wave + alpha)  # type: ignore[no-any-return]


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> tf.Tensor:
    """`values[0]` up to the first boundary, `values[1]` up to the second …, the last behind all."""
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"piecewise_constant: {len(values)} values need {len(values) - 1} boundaries, got "
            f"{len(boundaries)}."
        )
    with tf.name_scope(name or "PiecewiseConstant"):
        at = tf.convert_to_tensor(x)
        ends = [tf.convert_to_tensor(b, at.dtype) for b in boundaries]
        rates = [tf.convert_to_tensor(v) for v in values]
        tests = [
            (tf.less_equal(at, ends[0]), lambda: rates[0]),
            (tf.greater(at, ends[-1]), lambda: rates[-1]),
        ]
        for low, high, rate in zip(ends[:-1], ends[1:], rates[1:-1]):
            inside = tf.logical_and(tf.greater(at, low), tf.less_equal(at, high))
            tests.append((inside, lambda rate=rate: rate))  # type: ignore[misc]
        return tf.case(tests, default=lambda: rates[0], exclusive=True)  # type: ignore[no-any-return]


piecewise_constant_decay = piecewise_constant


def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> tf.Tensor:
    """A rate that falls along a cosine, and begins again, each time for longer."""
    with tf.name_scope(name or "SGDRDecay"):
        start, passed = _progress(
            "cosine_decay_restarts", learning_rate, global_step, first_decay_steps
        )
        dtype = start.dtype
        longer, lower, floor_ = tf.cast(t_mul, dtype), tf.cast(m_mul, dtype), tf.cast(alpha, dtype)

        def growing() -> tuple[tf.Tensor, tf.Tensor]:
            number = tf.floor(tf.math.log(1.0 - passed * (1.0 - longer)) / tf.math.log(longer))
            before = (1.0 - tf.pow(longer, number)) / (1.0 - longer)
            return number, (passed - before) / tf.pow(longer, number)

        def constant_() -> tuple[tf.Tensor, tf.Tensor]:
            number = tf.floor(passed)
            return number, passed - number

        number, part = tf.cond(tf.equal(longer, 1.0), constant_, growing)
        height = 0.5 * tf.pow(lower, number) * (1.0 + tf.cos(math.pi * part))
        return start * ((1 - floor_) * height + floor_)


def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> tf.Tensor:
    """A rate that falls along a line times a cosine."""
    with tf.name_scope(name or "LinearCosineDecay"):
        parts = _linear_cosine("linear_cosine_decay", learning_rate, global_step, decay_steps)
        start, line, done = parts
        wave = 0.5 * (1.0 + tf.cos(math.pi * 2.0 * tf.cast(num_periods, start.dtype) * done))
        return start * ((alpha + line) * wave + beta)


def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: Any,
    decay_steps: Any,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> tf.Tensor:
    """As `linear_cosine_decay`, with noise that gets less."""
    with tf.name_scope(name or "NoisyLinearCosineDecay"):
        parts = _linear_cosine("noisy_linear_cosine_decay", learning_rate, global_step, decay_steps)
        start, line, done = parts
        steps = tf.minimum(tf.cast(global_step, start.dtype), tf.cast(decay_steps, start.dtype))
        spread = tf.sqrt(
            initial_variance / tf.pow(1.0 + steps, tf.cast(variance_decay, start.dtype))
        )
        noise = tf.random.normal(line.shape, stddev=spread, dtype=start.dtype)
        wave = 0.5 * (1.0 + tf.cos(math.pi * 2.0 * tf.cast(num_periods, start.dtype) * done))
        return start * ((alpha + line + noise) * wave + beta)


def _linear_cosine(
    function: str, rate: TensorLike, global_step: Any, steps: Any
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The rate, what is left of the steps, and what is done of them."""
    start, passed = _progress(function, rate, global_step, steps)
    done = tf.minimum(passed, 1.0)
    return start, 1.0 - done, done
