"""Numbers on the whole line: `Normal`, `Laplace`, `Uniform`, `StudentT`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from runnel.v1.distributions.divergence import RegisterKL
from runnel.v1.distributions.parameters import (
    after,
    another_seed,
    log_normal_cdf,
    nan,
    normal_cdf,
)
from runnel.v1.ops.arrays import name_scope
from runnel.v1.ops.assertions import assert_less, assert_positive


class Numbers(Distribution):
    """Distributions of single numbers, whose parameters broadcast against each other."""

    _given: tuple[str, ...] = ()

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, tf.Tensor]:  # type: ignore[override]
        return dict.fromkeys(cls._given, tf.convert_to_tensor(sample_shape, tf.int32))

    def _values(self) -> list[tf.Tensor]:
        return [getattr(self, name) for name in self._given]

    def _batch_shape(self) -> tf.TensorShape:
        shape = tf.TensorShape([])
        for value in self._values():
            shape = tf.broadcast_static_shape(shape, value.shape)
        return shape

    def _batch_shape_tensor(self) -> tf.Tensor:
        shape, *more = map(tf.shape, self._values())
        for other in more:
            shape = tf.broadcast_dynamic_shape(shape, other)
        return shape

    def _event_shape(self) -> list[int]:
        return []

    def _event_shape_tensor(self) -> tf.Tensor:
        return tf.constant([], tf.int32)

    def _drawn_shape(self, n: Any) -> tf.Tensor:
        return tf.concat([[n], self.batch_shape_tensor()], 0)


def same_floats(kind: str, *values: tf.Tensor) -> None:
    """TypeError unless all are floats of one dtype."""
    found = {value.dtype for value in values}
    if len(found) > 1 or not values[0].dtype.is_floating:
        names = ", ".join(value.dtype.name for value in values)
        raise ValueError(f"{kind}: the parameters must be floats of one dtype, got {names}.")


class Normal(Numbers):
    """The normal distribution.

    >>> tf.compat.v1.distributions.Normal(0.0, 2.0).log_prob([0.0, 2.0]).numpy().round(4)
    array([-1.6121, -2.1121], dtype=float32)
    """

    loc: tf.Tensor
    scale: tf.Tensor

    _given = ("loc", "scale")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            with tf.control_dependencies([assert_positive(scale)] if validate_args else []):
                self.loc = tf.identity(loc, name="loc")
                self.scale = tf.identity(scale, name="scale")
            same_floats("Normal", self.loc, self.scale)
        super().__init__(
            self.scale.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.loc, self.scale],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        drawn = tf.random.normal(self._drawn_shape(n), dtype=self.dtype, seed=seed)
        return drawn * self.scale + self.loc

    def _standard(self, x: tf.Tensor) -> tf.Tensor:
        with tf.name_scope("standardize"):
            return (x - self.loc) / self.scale

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        unscaled = -0.5 * tf.square(self._standard(x))
        return unscaled - (0.5 * math.log(2.0 * math.pi) + tf.math.log(self.scale))

    def _log_cdf(self, x: tf.Tensor) -> tf.Tensor:
        return log_normal_cdf(self._standard(x))

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        return normal_cdf(self._standard(x))

    def _log_survival_function(self, x: tf.Tensor) -> tf.Tensor:
        return log_normal_cdf(-self._standard(x))

    def _survival_function(self, x: tf.Tensor) -> tf.Tensor:
        return normal_cdf(-self._standard(x))

    def _entropy(self) -> tf.Tensor:
        scale = self.scale * tf.ones_like(self.loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + tf.math.log(scale)

    def _mean(self) -> tf.Tensor:
        return self.loc * tf.ones_like(self.scale)

    _mode = _mean

    def _stddev(self) -> tf.Tensor:
        return self.scale * tf.ones_like(self.loc)

    def _quantile(self, p: tf.Tensor) -> tf.Tensor:
        return tf.math.ndtri(p) * self.scale + self.loc


@RegisterKL(Normal, Normal)
def _kl_of_normals(a: Normal, b: Normal, name: str | None = None) -> tf.Tensor:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        square = tf.square(b.scale)
        ratio = tf.square(a.scale) / square
        apart = tf.math.squared_difference(a.loc, b.loc) / (2.0 * square)
        return apart + 0.5 * (ratio - 1.0 - tf.math.log(ratio))


class Laplace(Numbers):
    """Two exponential distributions back to back."""

    loc: tf.Tensor
    scale: tf.Tensor

    _given = ("loc", "scale")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            with tf.control_dependencies([assert_positive(scale)] if validate_args else []):
                self.loc = tf.identity(loc, name="loc")
                self.scale = tf.identity(scale, name="scale")
            same_floats("Laplace", self.loc, self.scale)
        super().__init__(
            self.loc.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.loc, self.scale],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        # Above -1, which would be infinitely far.
        lowest = np.nextafter(self.dtype.as_numpy_dtype(-1.0), self.dtype.as_numpy_dtype(0.0))
        drawn = tf.random.uniform(self._drawn_shape(n), lowest, 1.0, self.dtype, seed)
        return self.loc - self.scale * tf.sign(drawn) * tf.math.log1p(-tf.abs(drawn))

    def _standard(self, x: tf.Tensor) -> tf.Tensor:
        return (x - self.loc) / self.scale

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        return -tf.abs(self._standard(x)) - (math.log(2.0) + tf.math.log(self.scale))

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        z = self._standard(x)
        return 0.5 + 0.5 * tf.sign(z) * (1.0 - tf.exp(-tf.abs(z)))

    def _log_cdf(self, x: tf.Tensor) -> tf.Tensor:
        return _log_cdf_of_laplace(self._standard(x))

    def _log_survival_function(self, x: tf.Tensor) -> tf.Tensor:
        return _log_cdf_of_laplace(-self._standard(x))

    def _entropy(self) -> tf.Tensor:
        return math.log(2.0) + 1.0 + tf.math.log(self.scale + tf.zeros_like(self.loc))

    def _mean(self) -> tf.Tensor:
        return self.loc + tf.zeros_like(self.scale)

    _median = _mode = _mean

    def _stddev(self) -> tf.Tensor:
        return math.sqrt(2.0) * self.scale + tf.zeros_like(self.loc)


def _log_cdf_of_laplace(z: tf.Tensor) -> tf.Tensor:
    upper = tf.math.log1p(-0.5 * tf.exp(-tf.abs(z)))
    return tf.where(z < 0.0, z - math.log(2.0), upper)


class Uniform(Numbers):
    """Any number of an interval alike."""

    low: tf.Tensor
    high: tf.Tensor

    _given = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[low, high]) as name:
            checks = []
            if validate_args:
                checks = [assert_less(low, high, message="Uniform: `low` must be below `high`.")]
            with tf.control_dependencies(checks):
                self.low = tf.identity(low, name="low")
                self.high = tf.identity(high, name="high")
            same_floats("Uniform", self.low, self.high)
        super().__init__(
            self.low.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.low, self.high],
            name,
        )

    def range(self, name: str = "range") -> tf.Tensor:
        """How wide the interval is."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        drawn = tf.random.uniform(self._drawn_shape(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x: tf.Tensor) -> tf.Tensor:
        x = x * tf.ones(self.batch_shape_tensor(), x.dtype)
        outside = tf.logical_or(x < self.low, x >= self.high)
        density = tf.where(outside, tf.zeros_like(x), tf.ones_like(x) / self.range())
        return tf.where(tf.math.is_nan(x), x, density)

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        shape = tf.broadcast_dynamic_shape(tf.shape(x), self.batch_shape_tensor())
        share = (x - self.low) / self.range()
        below = tf.where(x < self.low, tf.zeros(shape, self.dtype), share)
        return tf.where(x >= self.high, tf.ones(shape, self.dtype), below)

    def _entropy(self) -> tf.Tensor:
        return tf.math.log(self.range())

    def _mean(self) -> tf.Tensor:
        return (self.low + self.high) / 2.0

    def _variance(self) -> tf.Tensor:
        return tf.square(self.range()) / 12.0

    def _stddev(self) -> tf.Tensor:
        return self.range() / math.sqrt(12.0)


class StudentT(Numbers):
    """Student's distribution, whose tails are heavy."""

    df: tf.Tensor
    loc: tf.Tensor
    scale: tf.Tensor

    _given = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as name:
            with tf.control_dependencies([assert_positive(df)] if validate_args else []):
                self.df = tf.identity(df, name="df")
                self.loc = tf.identity(loc, name="loc")
                self.scale = tf.identity(scale, name="scale")
            same_floats("StudentT", self.df, self.loc, self.scale)
        super().__init__(
            self.scale.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.df, self.loc, self.scale],
            name,
        )

    def _ones(self) -> tf.Tensor:
        return tf.ones(self.batch_shape_tensor(), self.dtype)

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        normal = tf.random.normal(self._drawn_shape(n), dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        more = another_seed(seed, "student_t")
        gamma = tf.random.gamma([n], 0.5 * df, 0.5, self.dtype, more)
        return normal * tf.math.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        y = (x - self.loc) / self.scale
        unscaled = -0.5 * (self.df + 1.0) * tf.math.log1p(y**2.0 / self.df)
        halves = tf.math.lgamma(0.5 * self.df) - tf.math.lgamma(0.5 * (self.df + 1.0))
        logs = tf.math.log(tf.abs(self.scale)) + 0.5 * tf.math.log(self.df)
        return unscaled - (logs + 0.5 * math.log(math.pi) + halves)

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        y = (x - self.loc) / tf.abs(self.scale)
        tail = 0.5 * tf.math.betainc(0.5 * self.df, 0.5, self.df / (y**2.0 + self.df))
        return tf.where(y < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> tf.Tensor:
        half, more = 0.5 * self.df * self._ones(), 0.5 * (self.df + 1.0)
        beta = tf.math.lbeta(tf.stack([half, 0.5 * self._ones()], -1))
        logs = tf.math.log(tf.abs(self.scale)) + 0.5 * tf.math.log(self.df)
        return logs + beta + more * (tf.math.digamma(more) - tf.math.digamma(0.5 * self.df))

    def _mean(self) -> tf.Tensor:
        return self._where_known("mean", self.loc * self._ones())

    def _variance(self) -> tf.Tensor:
        over = tf.where(self.df > 2.0, self.df - 2.0, tf.ones_like(self.df))
        finite = self._ones() * tf.square(self.scale) * self.df / over
        infinite = tf.fill(self.batch_shape_tensor(), tf.constant(math.inf, self.dtype))
        return self._where_known("variance", tf.where(self.df > 2.0, finite, infinite))

    def _where_known(self, kind: str, value: tf.Tensor) -> tf.Tensor:
        """A statistic, which only more than one degree of freedom has."""
        if self.allow_nan_stats:
            unknown = nan(self.batch_shape_tensor(), self.dtype)
            return tf.where(self.df > self._ones(), value, unknown)
        one = tf.ones([], self.dtype)
        text = f"StudentT has no {kind} where `df` is 1 or less."
        return after([assert_less(one, self.df, message=text)], value)

    def _mode(self) -> tf.Tensor:
        return tf.identity(self.loc)
