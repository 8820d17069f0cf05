"""`Distribution`: what all distributions have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.distributions import divergence
from runnel.v1.ops.arrays import name_scope


class ReparameterizationType:
    """Whether gradients flow through samples to the parameters."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _absent(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}.")

    return method


class Distribution:
    """The base of distributions: a subclass says what it has in methods that begin with `_`.

    >>> normal = tf.compat.v1.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
    >>> normal.mean().numpy(), normal.batch_shape
    (array([0., 1.], dtype=float32), TensorShape([2]))
    """

    _batch_shape_tensor = _absent("batch_shape_tensor")
    _event_shape_tensor = _absent("event_shape_tensor")
    _sample_n = _absent("sample_n")
    _log_prob = _absent("log_prob")
    _prob = _absent("prob")
    _log_cdf = _absent("log_cdf")
    _cdf = _absent("cdf")
    _log_survival_function = _absent("log_survival_function")
    _survival_function = _absent("survival_function")
    _entropy = _absent("entropy")
    _mode = _absent("mode")
    _mean = _absent("mean")
    _variance = _absent("variance")
    _stddev = _absent("stddev")
    _covariance = _absent("covariance")
    _quantile = _absent("quantile")

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Mapping[str, Any] | None = None,
        graph_parents: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        for place, parent in enumerate(graph_parents or ()):
            if not tf.is_tensor(parent):
                raise ValueError(f"`graph_parents` must be tensors; number {place} is {parent!r}.")
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as name:
                pass
        self._dtype, self._name = dtype, name
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = dict(parameters or {})
        self._graph_parents = list(graph_parents or ())

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> Any:
        """The shapes of the parameters for samples of a shape, as tensors."""
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, tf.TensorShape]:
        """The shapes of the parameters for samples of a known shape."""
        shape = tf.TensorShape(sample_shape)
        if not shape.is_fully_defined():
            raise ValueError(f"`sample_shape` must be fully known, got {shape}.")
        found = cls.param_shapes(shape.as_list()).items()
        return {name: tf.TensorShape(tf.get_static_value(value)) for name, value in found}

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, tf.Tensor]:
        raise NotImplementedError("The shapes of the parameters are not known.")

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    reparameterization_type = property(lambda self: self._reparameterization_type)
    allow_nan_stats = property(lambda self: self._allow_nan_stats)
    validate_args = property(lambda self: self._validate_args)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the distribution was made with."""
        hidden = ("self", "__class__")
        return {name: value for name, value in self._parameters.items() if name not in hidden}

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """A distribution of the same class, some of whose parameters are others."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @property
    def batch_shape(self) -> tf.TensorShape:
        """The shape of the distributions side by side."""
        return tf.TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> tf.TensorShape:
        """The shape of one sample of one distribution."""
        return tf.TensorShape(self._event_shape())

    def _batch_shape(self) -> Any:
        return None

    def _event_shape(self) -> Any:
        return None

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> tf.Tensor:
        return self._shape_tensor(name, "batch_shape", self.batch_shape)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> tf.Tensor:
        return self._shape_tensor(name, "event_shape", self.event_shape)

    def _shape_tensor(self, name: str, kind: str, known: tf.TensorShape) -> tf.Tensor:
        with self._name_scope(name):
            if known.is_fully_defined():
                return tf.convert_to_tensor(known.as_list(), tf.int32, name=kind)
            return getattr(self, f"_{kind}_tensor")()  # type: ignore[no-any-return]

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> tf.Tensor:
        """Whether there is one distribution alone."""
        with self._name_scope(name):
            return _is_scalar(self.batch_shape, self.batch_shape_tensor, "is_scalar_batch")

    def is_scalar_event(self, name: str = "is_scalar_event") -> tf.Tensor:
        """Whether a sample is a number."""
        with self._name_scope(name):
            return _is_scalar(self.event_shape, self.event_shape_tensor, "is_scalar_event")

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Samples, in the shape `sample_shape` in front of the batch's and the event's."""
        with self._name_scope(name, [sample_shape]):
            shape = tf.convert_to_tensor(sample_shape, tf.int32, name="sample_shape")
            known = tf.get_static_value(shape)
            count = tf.reduce_prod(shape) if known is None else np.prod(known, dtype=np.int32)
            if shape.shape.rank == 0:
                shape = tf.reshape(shape, [1]) if known is None else tf.convert_to_tensor([known])
            drawn = self._sample_n(count, seed)
            rest = tf.shape(drawn)[1:]
            made = tf.reshape(drawn, tf.concat([shape, rest], 0))
            front = tf.TensorShape(None) if known is None else tf.TensorShape(np.atleast_1d(known))
            whole = front.concatenate(self.batch_shape).concatenate(self.event_shape)
            made.set_shape(made.shape.merge_with(whole))
            return made

    def log_prob(self, value: Any, name: str = "log_prob") -> tf.Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        return self._at(value, name, "_log_prob", "_prob", tf.math.log)

    def prob(self, value: Any, name: str = "prob") -> tf.Tensor:
        """The density, or the probability, at `value`."""
        return self._at(value, name, "_prob", "_log_prob", tf.exp)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> tf.Tensor:
        """The logarithm of the probability of a sample up to `value`."""
        return self._at(value, name, "_log_cdf", "_cdf", tf.math.log)

    def cdf(self, value: Any, name: str = "cdf") -> tf.Tensor:
        """The probability of a sample up to `value`."""
        return self._at(value, name, "_cdf", "_log_cdf", tf.exp)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> tf.Tensor:
        """The logarithm of the probability of a sample beyond `value`."""
        return self._at(value, name, "_log_survival_function", "cdf", lambda x: tf.math.log1p(-x))

    def survival_function(self, value: Any, name: str = "survival_function") -> tf.Tensor:
        """The probability of a sample beyond `value`."""
        return self._at(value, name, "_survival_function", "cdf", lambda x: 1.0 - x)

    def _at(
        self, value: Any, name: str, first: str, second: str, of_second: Callable[[Any], Any]
    ) -> Any:
        with self._name_scope(name, [value]):
            if not tf.is_tensor(value):
                value = self._converted(value)
            try:
                return getattr(self, first)(value)
            except NotImplementedError as missing:
                try:
                    return of_second(getattr(self, second)(value))
                except NotImplementedError:
                    raise missing from None

    def _converted(self, value: Any) -> tf.Tensor:
        """A value in the dtype of samples, if it has one of Python's that can be."""
        try:
            return tf.convert_to_tensor(value, self.dtype, name="value")
        except (TypeError, ValueError):
            return tf.convert_to_tensor(value, name="value")

    def entropy(self, name: str = "entropy") -> tf.Tensor:
        """How much a sample tells, in nats."""
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name: str = "mean") -> tf.Tensor:
        with self._name_scope(name):
            return self._mean()

    def mode(self, name: str = "mode") -> tf.Tensor:
        """The likeliest value."""
        with self._name_scope(name):
            return self._mode()

    def variance(self, name: str = "variance") -> tf.Tensor:
        with self._name_scope(name):
            return _or(self._variance, lambda: tf.square(self._stddev()))

    def stddev(self, name: str = "stddev") -> tf.Tensor:
        """The standard deviation."""
        with self._name_scope(name):
            return _or(self._stddev, lambda: tf.sqrt(self._variance()))

    def covariance(self, name: str = "covariance") -> tf.Tensor:
        with self._name_scope(name):
            return self._covariance()

    def quantile(self, value: Any, name: str = "quantile") -> tf.Tensor:
        """The number up to which a share `value` of the samples is."""
        with self._name_scope(name, [value]):
            return self._quantile(self._converted(value))

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> tf.Tensor:
        """How much a sample tells to whom expects those of another distribution."""
        with self._name_scope(name):
            return divergence.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> tf.Tensor:
        """The Kullback-Leibler divergence from this distribution to another."""
        with self._name_scope(name):
            return divergence.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def __str__(self) -> str:
        batch = f", batch_shape={self.batch_shape}" if self.batch_shape.rank is not None else ""
        event = f", event_shape={self.event_shape}" if self.event_shape.rank is not None else ""
        kind = type(self).__name__
        return f'tfp.distributions.{kind}("{self.name}"{batch}{event}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        kind = type(self).__name__
        return (
            f"<tfp.distributions.{kind} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextmanager
    def _name_scope(self, name: str, values: Sequence[Any] = ()) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*values]) as scope:
            yield scope


def _or(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    try:
        return first()
    except NotImplementedError as missing:
        try:
            return second()
        except NotImplementedError:
            raise missing from None


def _is_scalar(known: tf.TensorShape, shape: Callable[[], tf.Tensor], name: str) -> tf.Tensor:
    if known.rank is not None:
        return tf.convert_to_tensor(known.rank == 0, name=name)
    return tf.equal(tf.shape(shape())[0], 0)  # type: ignore[no-any-return]
