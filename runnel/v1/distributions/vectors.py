"""Vectors of shares and of counts: `Dirichlet`, `Multinomial`, `DirichletMultinomial`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.v1.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
)
from runnel.v1.distributions.divergence import RegisterKL
from runnel.v1.distributions.parameters import (
    after,
    another_seed,
    both,
    nan,
    several,
    whole_counts,
)
from runnel.v1.ops.arrays import name_scope
from runnel.v1.ops.assertions import assert_equal, assert_less, assert_near, assert_positive


class _Vectors(Distribution):
    """Distributions of vectors; `_rows` has the shape of the batch with the event behind it."""

    _rows: tf.Tensor

    def _batch_shape(self) -> Any:
        return self._rows.shape.with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> tf.Tensor:
        return tf.shape(self._rows)[:-1]

    def _event_shape(self) -> Any:
        return self._rows.shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> tf.Tensor:
        return tf.shape(self._rows)[-1:]

    def _size(self, dtype: Any) -> tf.Tensor:
        return tf.cast(self.event_shape_tensor()[0], dtype)

    def _covariance_of(self, left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        outer = tf.matmul(left[..., tf.newaxis], right[..., tf.newaxis, :])
        return tf.linalg.set_diag(-outer, self._variance())  # type: ignore[no-any-return]


def _concentrations(value: Any, *, validate: bool) -> tf.Tensor:
    tensor = tf.convert_to_tensor(value, name="concentration")
    return after([assert_positive(tensor)], several(tensor)) if validate else tensor


class Dirichlet(_Vectors):
    """Shares that add up to 1.

    >>> tf.compat.v1.distributions.Dirichlet([1.0, 2.0, 5.0]).mean().numpy()
    array([0.125, 0.25 , 0.625], dtype=float32)
    """

    concentration: tf.Tensor
    total_concentration: tf.Tensor

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration]) as name:
            self.concentration = _concentrations(concentration, validate=validate_args)
            self._rows = self.concentration
            self.total_concentration = tf.reduce_sum(self.concentration, -1)
        super().__init__(
            self.concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.concentration, self.total_concentration],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        drawn = tf.random.gamma([n], self.concentration, None, self.dtype, seed)
        return drawn / tf.reduce_sum(drawn, -1, keepdims=True)  # type: ignore[no-any-return]

    def _log_prob(self, x: tf.Tensor) -> tf.Tensor:
        if self.validate_args:
            one = tf.ones([], self.dtype)
            checks = [assert_positive(x), assert_near(one, tf.reduce_sum(x, -1))]
            x = after(checks, x)
        unscaled = tf.reduce_sum(tf.math.xlogy(self.concentration - 1.0, x), -1)
        return unscaled - tf.math.lbeta(self.concentration)

    def _entropy(self) -> tf.Tensor:
        total, digamma = self.total_concentration, tf.math.digamma
        apart = (self.concentration - 1.0) * digamma(self.concentration)
        size = self._size(self.dtype)
        known = tf.math.lbeta(self.concentration) + (total - size) * digamma(total)
        return known - tf.reduce_sum(apart, axis=-1)

    def _mean(self) -> tf.Tensor:
        return self.concentration / self.total_concentration[..., tf.newaxis]

    def _scale(self) -> tf.Tensor:
        return tf.math.rsqrt(1.0 + self.total_concentration[..., tf.newaxis])  # type: ignore[no-any-return]

    def _variance(self) -> tf.Tensor:
        scaled = self._scale() * self._mean()
        return scaled * (self._scale() - scaled)

    def _covariance(self) -> tf.Tensor:
        scaled = self._scale() * self._mean()
        return self._covariance_of(scaled, scaled)

    def _mode(self) -> tf.Tensor:
        over = self.total_concentration[..., tf.newaxis] - self._size(self.dtype)
        mode = (self.concentration - 1.0) / over
        if self.allow_nan_stats:
            known = tf.reduce_all(self.concentration > 1.0, axis=-1, keepdims=True)
            return tf.where(known, mode, nan(tf.shape(mode), self.dtype))
        text = "Dirichlet has no mode where a concentration is 1 or less."
        one = tf.ones([], self.dtype)
        return after([assert_less(one, self.concentration, message=text)], mode)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_of_dirichlets(a: Dirichlet, b: Dirichlet, name: str | None = None) -> tf.Tensor:
    with name_scope(name, "kl_dirichlet_dirichlet", values=[a.concentration, b.concentration]):
        total = tf.reduce_sum(a.concentration, axis=-1, keepdims=True)
        logs = tf.math.digamma(a.concentration) - tf.math.digamma(total)
        apart = tf.reduce_sum((a.concentration - b.concentration) * logs, axis=-1)
        return apart - tf.math.lbeta(a.concentration) + tf.math.lbeta(b.concentration)


class _Counts(_Vectors):
    """How often each class came in a number of draws."""

    total_count: tf.Tensor

    def _counted(self, total_count: Any, *, validate: bool) -> tf.Tensor:
        tensor = tf.convert_to_tensor(total_count, name="total_count")
        return whole_counts(tensor) if validate else tensor

    def _valid(self, counts: tf.Tensor) -> tf.Tensor:
        if not self.validate_args:
            return counts
        counts = whole_counts(counts)
        text = f"{type(self).__name__}: counts must add up to `total_count`."
        sums = tf.reduce_sum(counts, -1)
        return after([assert_equal(self.total_count, sums, message=text)], counts)

    def _log_ways(self, counts: tf.Tensor) -> tf.Tensor:
        """The logarithm of the number of orders in which the draws may have come."""
        orders = tf.reduce_sum(tf.math.lgamma(counts + 1), axis=[-1])
        return tf.math.lgamma(self.total_count + 1) - orders


class Multinomial(_Counts):
    """Counts of classes that are drawn independently."""

    total_count: tf.Tensor
    logits: tf.Tensor
    probs: tf.Tensor

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self.total_count = self._counted(total_count, validate=validate_args)
            self.logits, self.probs = both(
                type(self).__name__, logits, probs, name, classes=True, validate=validate_args
            )
            self._rows = self.total_count[..., tf.newaxis] * self.probs
        super().__init__(
            self.probs.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.total_count, self.logits, self.probs],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        draws, size = tf.cast(self.total_count, tf.int32), self.event_shape_tensor()[0]
        draws = tf.ones_like(self.logits[..., 0], draws.dtype) * draws
        logits = tf.ones_like(draws[..., tf.newaxis], self.logits.dtype) * self.logits

        def of_one(pair: Any) -> tf.Tensor:
            row, count = pair
            drawn = tf.random.categorical(row[tf.newaxis, ...], count, seed=seed)
            return tf.reduce_sum(tf.one_hot(tf.reshape(drawn, [n, -1]), size), axis=-2)

        rows = [tf.reshape(logits, [-1, size]), n * tf.reshape(draws, [-1])]
        counts = tf.compat.v1.map_fn(of_one, rows, dtype=self.dtype)
        shape = tf.concat([[n], self.batch_shape_tensor(), [size]], 0)
        return tf.reshape(tf.transpose(counts, [1, 0, 2]), shape)

    def _log_prob(self, counts: tf.Tensor) -> tf.Tensor:
        counts = self._valid(counts)
        logs = tf.reduce_sum(counts * tf.nn.log_softmax(self.logits), -1)
        return logs + self._log_ways(counts)

    def _mean(self) -> tf.Tensor:
        return tf.identity(self._rows)

    def _each(self) -> tf.Tensor:
        return self.probs * tf.ones_like(self.total_count)[..., tf.newaxis]

    def _variance(self) -> tf.Tensor:
        return self._rows - self._rows * self._each()

    def _covariance(self) -> tf.Tensor:
        return self._covariance_of(self._rows, self._each())


class DirichletMultinomial(_Counts):
    """Counts of classes whose probabilities are drawn first."""

    total_count: tf.Tensor
    concentration: tf.Tensor
    total_concentration: tf.Tensor

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as name:
            self.total_count = self._counted(total_count, validate=validate_args)
            self.concentration = _concentrations(concentration, validate=validate_args)
            self._rows = self.concentration
            self.total_concentration = tf.reduce_sum(self.concentration, -1)
        super().__init__(
            self.concentration.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.total_count, self.concentration],
            name,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        draws, size = tf.cast(self.total_count, tf.int32), self.event_shape_tensor()[0]
        gammas = tf.random.gamma([n], self.concentration, None, self.dtype, seed)
        rows = tf.reshape(tf.math.log(gammas), [-1, size])
        more = another_seed(seed, "dirichlet_multinomial")
        drawn = tf.random.categorical(rows, draws, seed=more)
        counts = tf.reduce_sum(tf.one_hot(drawn, size), -2)
        shape = tf.concat([[n], self.batch_shape_tensor(), [size]], 0)
        return tf.cast(tf.reshape(counts, shape), self.dtype)

    def _log_prob(self, counts: tf.Tensor) -> tf.Tensor:
        counts = self._valid(counts)
        ordered = tf.math.lbeta(self.concentration + counts) - tf.math.lbeta(self.concentration)
        return ordered + self._log_ways(counts)

    def _mean(self) -> tf.Tensor:
        shares = self.concentration / self.total_concentration[..., tf.newaxis]
        return self.total_count * shares

    def _scale(self) -> tf.Tensor:
        total = self.total_concentration[..., tf.newaxis]
        return tf.sqrt((1.0 + total / self.total_count) / (1.0 + total))

    def _variance(self) -> tf.Tensor:
        scaled = self._scale() * self._mean()
        return scaled * (self.total_count * self._scale() - scaled)

    def _covariance(self) -> tf.Tensor:
        scaled = self._scale() * self._mean()
        return self._covariance_of(scaled, scaled)
