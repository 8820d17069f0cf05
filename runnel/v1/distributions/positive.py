"""Positive numbers and shares: `Gamma`, `Exponential`, `Beta`."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.distributions.continuous import Numbers, same_floats
from runnel.v1.distributions.distribution import FULLY_REPARAMETERIZED
from runnel.v1.distributions.divergence import RegisterKL
from runnel.v1.distributions.parameters import after, another_seed, nan
from runnel.v1.ops.arrays import name_scope
from runnel.v1.ops.assertions import assert_less, assert_positive


class Gamma(Numbers):
    """The gamma distribution, of waiting times for several events.

    >>> tf.compat.v1.distributions.Gamma(concentration=3.0, rate=2.0).mean().numpy()
    np.float32(1.5)
    """

    concentration: tf.Tensor
    rate: tf.Tensor

    _given: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            checks = []
            if validate_args:
                checks = [assert_positive(concentration), assert_positive(rate)]
            with tf.control_dependencies(checks):
                self.concentration = tf.identity(concentration, name="concentration")
                self.rate = tf.identity(rate, name="rate")
            same_floats("Gamma", self.concentration, self.rate)
        super().__init__(
            self.concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.concentration, self.rate],
            name,
        )

    def _positive(self, x: tf.Tensor) -> tf.Tensor:
        return after([assert_positive(x)], x) if self.validate_args else x

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        return tf.random.gamma([n], self.concentration, self.rate, self.dtype, seed)  # type: ignore[no-any-return]

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        x = self._positive(x)
        unscaled = tf.math.xlogy(self.concentration - 1.0, x) - self.rate * x
        return unscaled - (
            tf.math.lgamma(self.concentration) - self.concentration * tf.math.log(self.rate)
        )

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        return tf.math.igamma(self.concentration, self.rate * self._positive(x))  # type: ignore[no-any-return]

    def _entropy(self) -> tf.Tensor:
        a = self.concentration
        return a - tf.math.log(self.rate) + tf.math.lgamma(a) + (1.0 - a) * tf.math.digamma(a)

    def _mean(self) -> tf.Tensor:
        return self.concentration / self.rate

    def _variance(self) -> tf.Tensor:
        return self.concentration / tf.square(self.rate)

    def _stddev(self) -> tf.Tensor:
        return tf.sqrt(self.concentration) / self.rate

    def _mode(self) -> tf.Tensor:
        mode = (self.concentration - 1.0) / self.rate
        if self.allow_nan_stats:
            unknown = nan(self.batch_shape_tensor(), self.dtype)
            return tf.where(self.concentration > 1.0, mode, unknown)
        one, text = tf.ones([], self.dtype), "Gamma has no mode where `concentration` is below 1."
        return after([assert_less(one, self.concentration, message=text)], mode)


@RegisterKL(Gamma, Gamma)
def _kl_of_gammas(a: Gamma, b: Gamma, name: str | None = None) -> tf.Tensor:
    values = [a.concentration, a.rate, b.concentration, b.rate]
    with name_scope(name, "kl_gamma_gamma", values=values):
        apart = (a.concentration - b.concentration) * tf.math.digamma(a.concentration)
        shapes = tf.math.lgamma(b.concentration) - tf.math.lgamma(a.concentration)
        rates = b.concentration * (tf.math.log(a.rate) - tf.math.log(b.rate))
        return apart + shapes + rates + a.concentration * (b.rate / a.rate - 1.0)


class Exponential(Gamma):
    """The exponential distribution, of waiting times for one event."""

    concentration: tf.Tensor
    rate: tf.Tensor

    _given: tuple[str, ...] = ("rate",)

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            rate = tf.convert_to_tensor(rate, name="rate")
            one = tf.ones([], rate.dtype)
            super().__init__(one, rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    def _values(self) -> list[tf.Tensor]:
        return [self.concentration, self.rate]

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        shape = tf.concat([[n], tf.shape(self.rate)], 0)
        least = np.finfo(self.dtype.as_numpy_dtype).tiny  # the logarithm of zero is infinite
        return -tf.math.log(tf.random.uniform(shape, least, 1.0, self.dtype, seed)) / self.rate


class Beta(Numbers):
    """The beta distribution, of shares between 0 and 1."""

    concentration1: tf.Tensor
    concentration0: tf.Tensor
    total_concentration: tf.Tensor

    _given = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            self.concentration1, self.concentration0 = (
                _checked(tf.convert_to_tensor(value, name=title), validate=validate_args)
                for title, value in zip(self._given, (concentration1, concentration0), strict=True)
            )
            same_floats("Beta", self.concentration1, self.concentration0)
            self.total_concentration = self.concentration1 + self.concentration0
        super().__init__(
            self.total_concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.concentration1, self.concentration0, self.total_concentration],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        ones = tf.ones_like(self.total_concentration)
        first = tf.random.gamma([n], ones * self.concentration1, None, self.dtype, seed)
        more = another_seed(seed, "beta")
        second = tf.random.gamma([n], ones * self.concentration0, None, self.dtype, more)
        return first / (first + second)  # type: ignore[no-any-return]

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        if self.validate_args:
            x = after([assert_positive(x), assert_less(x, tf.ones([], self.dtype))], x)
        unscaled = tf.math.xlogy(self.concentration1 - 1.0, x)
        unscaled += (self.concentration0 - 1.0) * tf.math.log1p(-x)
        return unscaled - self._log_normalization()  # type: ignore[no-any-return]

    def _log_normalization(self) -> tf.Tensor:
        parts = tf.math.lgamma(self.concentration1) + tf.math.lgamma(self.concentration0)
        return parts - tf.math.lgamma(self.total_concentration)  # type: ignore[no-any-return]

    def _cdf(self, x: tf.Tensor) -> tf.Tensor:
        return tf.math.betainc(self.concentration1, self.concentration0, x)  # type: ignore[no-any-return]

    def _entropy(self) -> tf.Tensor:
        digamma = tf.math.digamma
        return (
            self._log_normalization()
            - (self.concentration1 - 1.0) * digamma(self.concentration1)
            - (self.concentration0 - 1.0) * digamma(self.concentration0)
            + (self.total_concentration - 2.0) * digamma(self.total_concentration)
        )

    def _mean(self) -> tf.Tensor:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> tf.Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> tf.Tensor:
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        if self.allow_nan_stats:
            known = tf.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
            return tf.where(known, mode, nan(self.batch_shape_tensor(), self.dtype))
        one, text = tf.ones([], self.dtype), "Beta has no mode where a concentration is 1 or less."
        given = (self.concentration1, self.concentration0)
        return after([assert_less(one, value, message=text) for value in given], mode)


def _checked(concentration: tf.Tensor, *, validate: bool) -> tf.Tensor:
    return after([assert_positive(concentration)], concentration) if validate else concentration


@RegisterKL(Beta, Beta)
def _kl_of_betas(a: Beta, b: Beta, name: str | None = None) -> tf.Tensor:
    with name_scope(name, "kl_beta_beta", values=a._graph_parents + b._graph_parents):
        far = b._log_normalization() - a._log_normalization()
        for part in ("concentration1", "concentration0"):
            mine, other = getattr(a, part), getattr(b, part)
            far -= tf.math.digamma(mine) * (other - mine)
        total = b.total_concentration - a.total_concentration
        return far + tf.math.digamma(a.total_concentration) * total
