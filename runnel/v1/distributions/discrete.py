"""Whole numbers: `Bernoulli`, `Categorical`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.v1.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from runnel.v1.distributions.divergence import RegisterKL
from runnel.v1.distributions.parameters import after, both, several
from runnel.v1.ops.arrays import name_scope
from runnel.v1.ops.assertions import assert_equal, assert_less_equal, assert_non_negative


class _Events(Distribution):
    """Distributions of single whole numbers."""

    def _event_shape(self) -> list[int]:
        return []

    def _event_shape_tensor(self) -> tf.Tensor:
        return tf.constant([], tf.int32)


class Bernoulli(_Events):
    """0 or 1.

    >>> tf.compat.v1.distributions.Bernoulli(probs=[0.25, 0.5]).variance().numpy()
    array([0.1875, 0.25  ], dtype=float32)
    """

    logits: tf.Tensor
    probs: tf.Tensor

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = tf.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as name:
            self.logits, self.probs = both(
                "Bernoulli", logits, probs, name, classes=False, validate=validate_args
            )
        super().__init__(
            tf.as_dtype(dtype),
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.logits, self.probs],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, tf.Tensor]:
        return {"logits": tf.convert_to_tensor(sample_shape, tf.int32)}

    def _batch_shape(self) -> Any:
        return self.logits.shape

    def _batch_shape_tensor(self) -> tf.Tensor:
        return tf.shape(self.logits)

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        drawn = tf.random.uniform(shape, seed=seed, dtype=self.probs.dtype)
        return tf.cast(drawn < self.probs, self.dtype)

    def _log_prob(self, event: tf.Tensor) -> tf.Tensor:
        if self.validate_args:
            one = tf.constant(1, event.dtype)
            checks = [assert_non_negative(event), assert_less_equal(event, one), *_whole(event)]
            event = after(checks, event)
        event, logits = tf.cast(event, self.logits.dtype), self.logits
        if not (event.shape.is_fully_defined() and event.shape == logits.shape):
            logits, event = tf.ones_like(event) * logits, tf.ones_like(logits) * event
        return -tf.nn.sigmoid_cross_entropy_with_logits(event, logits)  # type: ignore[no-any-return]

    def _entropy(self) -> tf.Tensor:
        return -self.logits * (tf.sigmoid(self.logits) - 1) + tf.nn.softplus(-self.logits)

    def _mean(self) -> tf.Tensor:
        return tf.identity(self.probs)

    def _variance(self) -> tf.Tensor:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> tf.Tensor:
        return tf.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_of_bernoullis(a: Bernoulli, b: Bernoulli, name: str | None = None) -> tf.Tensor:
    with name_scope(name, "kl_bernoulli_bernoulli", values=[a.logits, b.logits]):
        zero = tf.nn.softplus(-b.logits) - tf.nn.softplus(-a.logits)
        one = tf.nn.softplus(b.logits) - tf.nn.softplus(a.logits)
        return tf.sigmoid(a.logits) * zero + tf.sigmoid(-a.logits) * one


class Categorical(_Events):
    """One of several classes.

    >>> tf.compat.v1.distributions.Categorical(probs=[0.5, 0.25, 0.25]).prob([0, 2]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

    logits: tf.Tensor
    probs: tf.Tensor

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = tf.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self.logits, self.probs = both(
                "Categorical", logits, probs, name, classes=True, validate=validate_args
            )
            if validate_args:
                self.logits = several(self.logits)
            self._measure()
        super().__init__(
            tf.as_dtype(dtype),
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self.logits, self.probs],
            name,
        )

    def _measure(self) -> None:
        """How many classes there are, and how many distributions."""
        known = self.logits.shape.with_rank_at_least(1)
        if known.rank is None:
            self._rank = tf.rank(self.logits) - 1
        else:
            self._rank = tf.convert_to_tensor(known.rank - 1, tf.int32, name="batch_rank")
        shape = tf.shape(self.logits, name="logits_shape")
        if known.rank is None or known[-1] is None:
            self._size = shape[self._rank]
        else:
            self._size = tf.convert_to_tensor(known[-1], tf.int32, name="event_size")
        if known[:-1].is_fully_defined():
            self._batch = tf.constant(known[:-1].as_list(), tf.int32, name="batch_shape")
        else:
            self._batch = shape[:-1]

    @property
    def event_size(self) -> tf.Tensor:
        """How many classes there are."""
        return self._size

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self) -> tf.Tensor:
        return tf.identity(self._batch)

    def _sample_n(self, n: Any, seed: int | None = None) -> tf.Tensor:
        rows = self.logits
        if rows.shape.rank != 2:
            rows = tf.reshape(rows, [-1, self.event_size])
        dtype = tf.int64 if self.dtype.size > 4 else tf.int32
        drawn = tf.random.categorical(rows, n, dtype, seed)
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        return tf.cast(tf.reshape(tf.transpose(drawn), shape), self.dtype)

    def _paired(self, k: tf.Tensor, params: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Classes and parameters in shapes that fit."""
        if self.validate_args:
            k = after(_whole(k), k)
        if k.dtype.is_floating:
            k = tf.cast(k, tf.int32)
        if not k.dtype.is_integer:
            raise TypeError(f"Categorical: `value` must be integers, got {k.dtype.name}.")
        rows = params.shape[:-1]
        if not (rows.is_fully_defined() and k.shape.is_fully_defined() and rows == k.shape):
            params *= tf.ones_like(k[..., tf.newaxis], params.dtype)
            k *= tf.ones(tf.shape(params)[:-1], k.dtype)
            if params.shape.rank is not None:
                k.set_shape(params.shape[:-1])
        return k, params

    def _log_prob(self, k: tf.Tensor) -> tf.Tensor:
        k, logits = self._paired(k, self.logits)
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(k, logits)  # type: ignore[no-any-return]

    def _cdf(self, k: tf.Tensor) -> tf.Tensor:
        k, probs = self._paired(k, self.probs)
        rows = tf.reshape(probs, [-1, self.event_size])
        before = tf.sequence_mask(tf.reshape(k, [-1]), self.event_size)
        found = tf.reduce_sum(tf.where(before, rows, tf.zeros_like(rows)), axis=-1)
        return tf.reshape(found, tf.shape(k))

    def _entropy(self) -> tf.Tensor:
        return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> tf.Tensor:
        likeliest = tf.cast(tf.argmax(self.logits, axis=self._rank), self.dtype)
        likeliest.set_shape(self.batch_shape)
        return likeliest


def _whole(value: tf.Tensor) -> list[Any]:
    """A check that numbers are whole ones, where their dtype has others."""
    if value.dtype.is_integer or value.dtype.is_bool:
        return []
    return [assert_equal(value, tf.cast(tf.cast(value, tf.int32), value.dtype))]


@RegisterKL(Categorical, Categorical)
def _kl_of_categoricals(a: Categorical, b: Categorical, name: str | None = None) -> tf.Tensor:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        apart = tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)
        return tf.reduce_sum(tf.nn.softmax(a.logits) * apart, axis=-1)
