"""Losses whose mean over many batches is watched."""

from __future__ import annotations

from typing import Any

from runnel.keras.losses import crossentropy, hinges, regression
from runnel.keras.metrics.reductions import MeanMetricWrapper


class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared differences.

    >>> float(tf.keras.metrics.MeanSquaredError()([[0.0]], [[2.0]]))
    4.0
    """

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_squared_error, name, dtype=dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of absolute differences.

    >>> float(tf.keras.metrics.MeanAbsoluteError()([[0.0]], [[2.0]]))
    2.0
    """

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(regression.mean_absolute_error, name, dtype=dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of absolute differences in percent of the labels.

    >>> float(tf.keras.metrics.MeanAbsolutePercentageError()([[2.0]], [[1.0]]))
    50.0
    """

    def __init__(
        self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None
    ) -> None:
        super().__init__(regression.mean_absolute_percentage_error, name, dtype=dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of squared differences of `log(1 + x)`.

    >>> float(tf.keras.metrics.MeanSquaredLogarithmicError()([[0.0]], [[0.0]]))
    0.0
    """

    def __init__(
        self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None
    ) -> None:
        super().__init__(regression.mean_squared_logarithmic_error, name, dtype=dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of `log(cosh(x))` of the differences.

    >>> float(tf.keras.metrics.LogCoshError()([[0.0]], [[0.0]]))
    0.0
    """

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(regression.log_cosh, name, dtype=dtype)


class Poisson(MeanMetricWrapper):
    """The mean of `y_pred - y_true * log(y_pred)`.

    >>> float(tf.keras.metrics.Poisson()([[0.0]], [[1.0]]))
    1.0
    """

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(regression.poisson, name, dtype=dtype)


class Hinge(MeanMetricWrapper):
    """The mean of `max(1 - y_true * y_pred, 0)`.

    >>> float(tf.keras.metrics.Hinge()([[1.0]], [[0.25]]))
    0.75
    """

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(hinges.hinge, name, dtype=dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of the square of `max(1 - y_true * y_pred, 0)`.

    >>> float(tf.keras.metrics.SquaredHinge()([[1.0]], [[0.5]]))
    0.25
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(hinges.squared_hinge, name, dtype=dtype)


class CategoricalHinge(MeanMetricWrapper):
    """By how much the best wrong class comes within one of the right one.

    >>> float(tf.keras.metrics.CategoricalHinge()([[0.0, 1.0]], [[0.5, 0.5]]))
    1.0
    """

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(hinges.categorical_hinge, name, dtype=dtype)


class KLDivergence(MeanMetricWrapper):
    """The Kullback-Leibler divergence of the predictions from the labels.

    >>> float(tf.keras.metrics.KLDivergence()([[0.5, 0.5]], [[0.5, 0.5]]))
    0.0
    """

    def __init__(self, name: str | None = "kullback_leibler_divergence", dtype: Any = None) -> None:
        super().__init__(crossentropy.kl_divergence, name, dtype=dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """Cross-entropy of labels of zero and one.

    >>> round(float(tf.keras.metrics.BinaryCrossentropy()([[1.0]], [[0.5]])), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            crossentropy.binary_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """Cross-entropy of distributions over classes.

    >>> metric = tf.keras.metrics.CategoricalCrossentropy()
    >>> round(float(metric([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            crossentropy.categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """Cross-entropy of classes given by their numbers.

    >>> metric = tf.keras.metrics.SparseCategoricalCrossentropy()
    >>> round(float(metric([1], [[0.5, 0.5]])), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            crossentropy.sparse_categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )
