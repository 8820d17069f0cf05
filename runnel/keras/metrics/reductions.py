"""Sums and means of what comes in."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.losses.base import plain_arguments
from runnel.keras.losses.ranks import match_ranks
from runnel.keras.losses.reduction import get_mask, masked_weight
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.weights import dense, weighted
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.lookup import lookups

_convert = tf.__internal__.autograph.tf_convert


def _values(values: Any, dtype: Any) -> Any:
    """Values in the dtype of a metric; a nest of them is no value."""
    try:
        return tf.cast(values, dtype)
    except (TypeError, ValueError) as error:
        own = "To return a dict of values, implement a custom Metric subclass."
        raise RuntimeError(
            f"The output of a metric function can only be a single Tensor. Received: {values}. "
            + (own if isinstance(values, dict) else "")
        ) from error


class Sum(Metric):
    """The weighted sum of all values.

    >>> metric = tf.keras.metrics.Sum()
    >>> float(metric([1.0, 2.0, 3.0]))
    6.0
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        (values,), sample_weight = dense([values], sample_weight)
        values = _values(values, self._dtype)
        if sample_weight is not None:
            values, _ = weighted(values, sample_weight, tf.reduce_sum)
        return self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> tf.Tensor:
        return tf.identity(self.total)


class Mean(Metric):
    """The weighted mean of all values.

    Args:
        dtype: the dtype of the state and the result.

    >>> metric = tf.keras.metrics.Mean()
    >>> float(metric([1.0, 3.0, 5.0, 7.0]))
    4.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")
        self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        (values,), sample_weight = dense([values], sample_weight)
        values = _values(values, self._dtype)
        if sample_weight is None:
            count = tf.cast(tf.size(values), self._dtype)
        else:
            values, weight = weighted(values, sample_weight, tf.reduce_mean)
            count = tf.reduce_sum(weight)
        self.total.assign_add(tf.reduce_sum(values))
        return self.count.assign_add(count)

    def result(self) -> tf.Tensor:
        return tf.math.divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions.

    >>> metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.mean_squared_error)
    >>> float(metric([[0.0]], [[2.0]]))
    4.0
    """

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        y_true, y_pred = tf.cast(y_true, self._dtype), self._cast_keeping_mask(y_pred)
        (y_pred, y_true), sample_weight = dense([y_pred, y_true], sample_weight)
        y_pred, y_true, _ = match_ranks(y_pred, y_true)
        fn = self._fn if tf.executing_eagerly() else _convert(self._fn)
        matches = fn(y_true, y_pred, **self._fn_kwargs)
        weight = masked_weight(matches, sample_weight, get_mask(matches))
        return super().update_state(matches, sample_weight=weight)

    def _cast_keeping_mask(self, y_pred: Any) -> Any:
        made = tf.cast(y_pred, self._dtype)
        for name in ("_keras_mask", "_keras_logits"):
            found = getattr(y_pred, name, None)
            if found is not None and made is not y_pred:
                setattr(made, name, found)
        return made

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **plain_arguments(self._fn_kwargs)}
        if type(self) is MeanMetricWrapper:
            config["fn"] = self._fn
        return config

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        fn = config.pop("fn", None)
        if cls is not MeanMetricWrapper:
            return super().from_config(config)
        return cls(lookups["metric"].get(fn), **config)


class MeanTensor(Metric):
    """The mean of each element over the batches.

    >>> metric = tf.keras.metrics.MeanTensor()
    >>> _ = metric.update_state([0.0, 1.0])
    >>> _ = metric.update_state([2.0, 3.0])
    >>> metric.result().numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self, name: str | None = "mean_tensor", dtype: Any = None, shape: Any = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._shape: Any = None
        self._total: Any = None
        self._count: Any = None
        if shape is not None:
            self._make(shape)

    def _make(self, shape: Any) -> None:
        self._shape = tf.TensorShape(shape)
        self._note_build_shape(self._shape)
        self._total = self.add_weight("total", shape=self._shape, initializer="zeros")
        self._count = self.add_weight("count", shape=self._shape, initializer="zeros")

    @property
    def total(self) -> Any:
        return self._total

    @property
    def count(self) -> Any:
        return self._count

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        values = tf.cast(values, self._dtype)
        if self._total is None:
            self._make(values.shape)
        elif values.shape != self._shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set "
                f"during the first call): {self._shape}. Got: {values.shape}."
            )
        count = tf.ones_like(values)
        if sample_weight is not None:
            values, weight = weighted(values, sample_weight, tf.reduce_mean)
            count = count * weight
        self._total.assign_add(values)
        return self._count.assign_add(count)

    def result(self) -> tf.Tensor:
        if self._total is None:
            raise ValueError(
                "MeanTensor does not have any value yet. Please call the MeanTensor instance or "
                "use `.update_state(value)` before retrieving the result."
            )
        return tf.math.divide_no_nan(self._total, self._count)

    def reset_state(self) -> None:
        if self._total is not None:
            super().reset_state()
