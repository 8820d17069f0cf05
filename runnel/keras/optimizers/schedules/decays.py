"""Learning rates that fall."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.optimizers.schedules.base import LearningRateSchedule


class _Config(LearningRateSchedule):
    """A schedule whose arguments are its attributes."""

    _arguments: tuple[str, ...]

    def get_config(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._arguments}


class _ByPeriods(_Config):
    """A schedule that follows how many times `decay_steps` have passed."""

    _arguments = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name

    def __call__(self, step: Any) -> tf.Tensor:
        rate = tf.convert_to_tensor(self.initial_learning_rate)
        periods = tf.cast(step, rate.dtype) / tf.cast(self.decay_steps, rate.dtype)
        if self.staircase:
            periods = tf.floor(periods)
        return self._fallen(rate, tf.cast(self.decay_rate, rate.dtype), periods)

    def _fallen(self, rate: Any, decay_rate: Any, periods: Any) -> tf.Tensor:
        raise NotImplementedError


class ExponentialDecay(_ByPeriods):
    """A rate multiplied by `decay_rate` for every `decay_steps`.

    Args:
        initial_learning_rate: the rate at the beginning.
        decay_steps: after how many steps it has been multiplied by `decay_rate`.
        decay_rate: the factor.
        staircase: whether the rate falls in steps.

    >>> schedule = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    >>> float(schedule(10))
    0.5
    """

    def _fallen(self, rate: Any, decay_rate: Any, periods: Any) -> tf.Tensor:
        return rate * tf.pow(decay_rate, periods)


class InverseTimeDecay(_ByPeriods):
    """A rate divided by one plus `decay_rate` for every `decay_steps`.

    >>> schedule = tf.keras.optimizers.schedules.InverseTimeDecay(1.0, 10, 1.0)
    >>> float(schedule(10))
    0.5
    """

    def _fallen(self, rate: Any, decay_rate: Any, periods: Any) -> tf.Tensor:
        return rate / (1 + decay_rate * periods)


class PolynomialDecay(_Config):
    """A rate that falls along a power from one value to another.

    >>> schedule = tf.keras.optimizers.schedules.PolynomialDecay(1.0, 10, 0.0)
    >>> float(schedule(5))
    0.5
    """

    _arguments = (
        "initial_learning_rate",
        "decay_steps",
        "end_learning_rate",
        "power",
        "cycle",
        "name",
    )

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name

    def __call__(self, step: Any) -> tf.Tensor:
        rate = tf.convert_to_tensor(self.initial_learning_rate)
        last = tf.cast(self.end_learning_rate, rate.dtype)
        now, period = tf.cast(step, rate.dtype), tf.cast(self.decay_steps, rate.dtype)
        if self.cycle:
            rounds = tf.where(tf.equal(now, 0), tf.ones_like(now), tf.math.ceil(now / period))
            period = period * rounds
        else:
            now = tf.minimum(now, period)
        left = tf.pow(1 - now / period, tf.cast(self.power, rate.dtype))
        return (rate - last) * left + last


class PiecewiseConstantDecay(_Config):
    """A rate that is constant between given steps.

    >>> schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([5], [1.0, 0.1])
    >>> float(schedule(5)), round(float(schedule(6)), 3)
    (1.0, 0.1)
    """

    _arguments = ("boundaries", "values", "name")

    def __init__(self, boundaries: Any, values: Any, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> tf.Tensor:
        step = tf.convert_to_tensor(step)
        values = tf.stack([tf.convert_to_tensor(v) for v in self.values])
        passed = [tf.cast(step > tf.cast(b, step.dtype), tf.int32) for b in self.boundaries]
        return tf.gather(values, tf.add_n(passed)) if passed else values[0]


class CosineDecay(_Config):
    """A rate that falls along a cosine, after a rise if asked for.

    >>> schedule = tf.keras.optimizers.schedules.CosineDecay(1.0, 10)
    >>> round(float(schedule(5)), 3)
    0.5
    """

    _arguments = (
        "initial_learning_rate",
        "decay_steps",
        "alpha",
        "name",
        "warmup_target",
        "warmup_steps",
    )

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: Any = 0.0,
        name: str | None = None,
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.name = alpha, name
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: Any) -> tf.Tensor:
        first = tf.convert_to_tensor(self.initial_learning_rate)
        now, period = tf.cast(step, first.dtype), tf.cast(self.decay_steps, first.dtype)
        if self.warmup_target is None:
            return self._cosine(tf.minimum(now, period), period, first)
        target = tf.cast(self.warmup_target, first.dtype)
        warm = tf.cast(self.warmup_steps, first.dtype)
        now = tf.minimum(now, period + warm)
        rising = (target - first) * (now / warm) + first
        return tf.where(now < warm, rising, self._cosine(now - warm, period, target))

    def _cosine(self, now: Any, period: Any, start: Any) -> Any:
        wave = 0.5 * (1.0 + tf.cos(tf.constant(math.pi, start.dtype) * (now / period)))
        alpha = tf.cast(self.alpha, start.dtype)
        return start * ((1 - alpha) * wave + alpha)


class CosineDecayRestarts(_Config):
    """A cosine that begins again, longer and lower each time.

    >>> schedule = tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, 10)
    >>> round(float(schedule(10)), 3)
    1.0
    """

    _arguments = ("initial_learning_rate", "first_decay_steps", "t_mul", "m_mul", "alpha", "name")

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.first_decay_steps = (
            initial_learning_rate,
            first_decay_steps,
        )
        self._t_mul, self._m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    @property
    def t_mul(self) -> Any:
        return self._t_mul

    @property
    def m_mul(self) -> Any:
        return self._m_mul

    def __call__(self, step: Any) -> tf.Tensor:
        first = tf.convert_to_tensor(self.initial_learning_rate)
        kind = first.dtype
        done = tf.cast(step, kind) / tf.cast(self.first_decay_steps, kind)
        longer, lower = tf.cast(self._t_mul, kind), tf.cast(self._m_mul, kind)
        if self._t_mul == 1.0:
            restarts = tf.floor(done)
            part = done - restarts
        else:
            grown = tf.math.log(1.0 - done * (1.0 - longer)) / tf.math.log(longer)
            restarts = tf.floor(grown)
            before = (1.0 - tf.pow(longer, restarts)) / (1.0 - longer)
            part = (done - before) / tf.pow(longer, restarts)
        wave = 0.5 * tf.pow(lower, restarts) * (1.0 + tf.cos(tf.constant(math.pi, kind) * part))
        alpha = tf.cast(self.alpha, kind)
        return first * ((1 - alpha) * wave + alpha)
