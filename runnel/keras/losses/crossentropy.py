"""Losses of probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.losses import surprisal
from runnel.keras.losses.base import LossFunctionWrapper
from runnel.keras.losses.ragged import mean_of_rows, whole_rows
from runnel.keras.losses.reduction import Reduction
from runnel.keras.losses.symbolic import as_tensor


@whole_rows
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """How surprising the true distribution is, given the predicted one.

    Args:
        y_true: the labels.
        y_pred: the predictions, of the same shape unless said otherwise.
        from_logits: whether predictions are logits and not probabilities.
        label_smoothing: how far labels are moved towards one another, from 0 to 1.
        axis: the axis of the classes.

    >>> tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    _check_axis(axis)
    y_pred = as_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    _check_shapes(y_true, y_pred)
    if y_pred.shape.rank and y_pred.shape[-1] == 1:
        warnings.warn(
            "In loss categorical_crossentropy, expected y_pred.shape to be (batch_size, "
            f"num_classes) with num_classes > 1. Received: y_pred.shape={y_pred.shape}. Consider "
            "using 'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
            stacklevel=2,
        )
    if _smooths(label_smoothing):
        classes = tf.cast(tf.shape(y_true)[axis], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return surprisal.categorical(y_true, y_pred, from_logits, axis)


def _check_shapes(y_true: Any, y_pred: Any) -> None:
    if y_true.shape.is_compatible_with(y_pred.shape):
        return
    hint = ""
    if y_true.shape.rank is not None and (
        y_true.shape.rank < (y_pred.shape.rank or 0) or y_true.shape[-1] == 1
    ):
        hint = (
            " The labels look like numbers of classes: use 'sparse_categorical_crossentropy', or "
            "make them vectors with `tf.one_hot`."
        )
    raise ValueError(
        f"categorical_crossentropy: Shapes {y_true.shape} of the labels and {y_pred.shape} of the "
        f"predictions are incompatible.{hint}"
    )


def _smooths(label_smoothing: Any) -> bool:
    return isinstance(label_smoothing, tf.Tensor) or bool(label_smoothing)


def _check_axis(axis: Any) -> None:
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )


@whole_rows
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> tf.Tensor:
    """How surprising the true class, given by its number, is under the predicted distribution.

    Args:
        y_true: the numbers of the classes.
        y_pred: a probability, or logit, for each class.
        from_logits: whether predictions are logits and not probabilities.
        axis: the axis of the classes.
        ignore_class: a label whose places do not count.

    >>> tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    return surprisal.sparse_categorical(y_true, y_pred, from_logits, axis, ignore_class)


@mean_of_rows
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """How surprising labels of zero and one are, given their probabilities.

    Args:
        y_true: the labels.
        y_pred: the predictions, of the same shape unless said otherwise.
        from_logits: whether predictions are logits and not probabilities.
        label_smoothing: how far labels are moved towards one another, from 0 to 1.
        axis: the axis whose mean is taken.

    >>> tf.keras.losses.binary_crossentropy([[1.0]], [[0.0]], from_logits=True).numpy()
    array([0.6931472], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = _smoothed(tf.cast(y_true, y_pred.dtype), label_smoothing)
    return tf.reduce_mean(surprisal.binary(y_true, y_pred, from_logits), axis=axis)


def _smoothed(y_true: tf.Tensor, label_smoothing: Any) -> tf.Tensor:
    if not _smooths(label_smoothing):
        return y_true
    return y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing


@mean_of_rows
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """Binary cross-entropy in which examples that are easy count less.

    >>> tf.keras.losses.binary_focal_crossentropy([[1.0]], [[0.5]]).numpy().round(4)
    array([0.1733], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = _smoothed(tf.cast(y_true, y_pred.dtype), label_smoothing)
    losses = surprisal.binary_focal(
        y_true, y_pred, apply_class_balancing, alpha, gamma, from_logits
    )
    return tf.reduce_mean(losses, axis=axis)


@whole_rows
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """Categorical cross-entropy in which examples that are easy count less.

    >>> tf.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    array([0.0433], dtype=float32)
    """
    _check_axis(axis)
    y_pred = as_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    if _smooths(label_smoothing):
        classes = tf.cast(tf.shape(y_true)[axis], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return surprisal.categorical_focal(y_true, y_pred, alpha, gamma, from_logits, axis)


def kl_divergence(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The Kullback-Leibler divergence of the predictions from the labels.

    >>> tf.keras.losses.kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy()
    array([0.], dtype=float32)
    """
    y_pred = as_tensor(y_pred)
    y_true = tf.clip_by_value(tf.cast(y_true, y_pred.dtype), epsilon(), 1)
    y_pred = tf.clip_by_value(y_pred, epsilon(), 1)
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)


class BinaryCrossentropy(LossFunctionWrapper):
    """Cross-entropy of labels of zero and one.

    Args:
        from_logits: whether predictions are logits and not probabilities.
        label_smoothing: how far labels are moved towards one another, from 0 to 1.
        axis: the axis whose mean is taken.
        reduction: how the losses of a batch become one number: "auto", "sum", "sum_over_batch_size"
            or "none".

    >>> loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    >>> round(float(loss([[1.0]], [[0.0]])), 4)
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "binary_crossentropy",
    ) -> None:
        super().__init__(
            binary_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """Binary cross-entropy in which examples that are easy count less.

    >>> round(float(tf.keras.losses.BinaryFocalCrossentropy()([[1.0]], [[0.5]])), 4)
    0.1733
    """

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "binary_focal_crossentropy",
    ) -> None:
        super().__init__(
            binary_focal_crossentropy,
            reduction,
            name,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits, self.apply_class_balancing = from_logits, apply_class_balancing
        self.alpha, self.gamma = alpha, gamma


class CategoricalCrossentropy(LossFunctionWrapper):
    """Cross-entropy of distributions over classes.

    Args:
        from_logits: whether predictions are logits and not probabilities.
        label_smoothing: how far labels are moved towards one another, from 0 to 1.
        axis: the axis of the classes.
        reduction: how the losses of a batch become one number: "auto", "sum", "sum_over_batch_size"
            or "none".

    >>> round(float(tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "categorical_crossentropy",
    ) -> None:
        super().__init__(
            categorical_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """Categorical cross-entropy in which examples that are easy count less.

    >>> loss = tf.keras.losses.CategoricalFocalCrossentropy()
    >>> round(float(loss([[0.0, 1.0]], [[0.5, 0.5]])), 4)
    0.0433
    """

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "categorical_focal_crossentropy",
    ) -> None:
        super().__init__(
            categorical_focal_crossentropy,
            reduction,
            name,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits, self.alpha, self.gamma = from_logits, alpha, gamma


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """Cross-entropy of classes given by their numbers.

    Args:
        from_logits: whether predictions are logits and not probabilities.
        ignore_class: a label whose places do not count.
        reduction: how the losses of a batch become one number: "auto", "sum", "sum_over_batch_size"
            or "none".

    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> round(float(loss([1], [[0.0, 0.0]])), 4)
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str = Reduction.AUTO,
        name: str | None = "sparse_categorical_crossentropy",
    ) -> None:
        super().__init__(
            sparse_categorical_crossentropy,
            reduction,
            name,
            from_logits=from_logits,
            ignore_class=ignore_class,
        )


class KLDivergence(LossFunctionWrapper):
    """The Kullback-Leibler divergence of the predictions from the labels.

    >>> float(tf.keras.losses.KLDivergence()([[0.5, 0.5]], [[0.5, 0.5]]))
    0.0
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "kl_divergence") -> None:
        super().__init__(kl_divergence, reduction, name)
