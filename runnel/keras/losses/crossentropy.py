"""Losses of probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.losses.base import LossFunctionWrapper
from runnel.keras.losses.reduction import Reduction


def _logits(output: Any, from_logits: bool, op_type: str, name: str) -> tuple[Any, bool]:
    """The logits behind an output of softmax or sigmoid, from which the loss is exact."""
    found = getattr(output, "_keras_logits", None)
    if found is None and tf.is_symbolic_tensor(output) and output.op.type == op_type:
        found = output.op.inputs[0]
    if found is None:
        return output, from_logits
    if from_logits:
        warnings.warn(
            f"`{name}` received `from_logits=True`, but the `output` argument was produced by a "
            f"{op_type} activation and thus does not represent logits. Was this intended?",
            stacklevel=4,
        )
    return found, True


def _clipped(output: tf.Tensor) -> tf.Tensor:
    return tf.clip_by_value(output, epsilon(), 1.0 - epsilon())


def _categorical(target: Any, output: Any, from_logits: bool, axis: int) -> tf.Tensor:
    output, from_logits = _logits(output, from_logits, "Softmax", "categorical_crossentropy")
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=output, axis=axis)
    output = output / tf.reduce_sum(output, axis=axis, keepdims=True)
    return -tf.reduce_sum(target * tf.math.log(_clipped(output)), axis=axis)


def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """How surprising the true distribution is, given the predicted one.

    >>> tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    _check_axis(axis)
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
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
    return _categorical(y_true, y_pred, from_logits, axis)


def _smooths(label_smoothing: Any) -> bool:
    return isinstance(label_smoothing, tf.Tensor) or bool(label_smoothing)


def _check_axis(axis: Any) -> None:
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )


def _last(output: Any, axis: int) -> Any:
    """The output with the classes in its last axis."""
    rank = output.shape.rank
    if rank is None:
        if axis != -1:
            raise ValueError(
                f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output "
                "tensor with unknown rank"
            )
        return output
    axis %= rank
    if axis == rank - 1:
        return output
    return tf.transpose(output, [*range(axis), *range(axis + 1, rank), axis])


def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> tf.Tensor:
    """How surprising the true class, given by its number, is under the predicted distribution.

    >>> tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    output: Any = tf.convert_to_tensor(y_pred)
    target: Any = tf.cast(y_true, tf.int64)
    output, from_logits = _logits(output, from_logits, "Softmax", "sparse_categorical_crossentropy")
    if not from_logits:
        output = tf.math.log(_clipped(output))
    output = _last(output, axis)
    rank = output.shape.rank
    shape = tf.shape(output)
    flat = None not in (rank, target.shape.rank) and target.shape.rank != rank - 1
    if flat:
        target = tf.reshape(target, [-1])
        output = tf.reshape(output, [-1, shape[-1]])
    valid = None
    if ignore_class is not None:
        valid = tf.not_equal(target, tf.cast(ignore_class, target.dtype))
        target = tf.where(valid, target, tf.zeros_like(target))
    losses: Any = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    if valid is not None:
        losses = tf.reshape(tf.where(valid, losses, tf.zeros_like(losses)), shape[:-1])
        losses._keras_mask = tf.reshape(valid, shape[:-1])
    elif flat and rank >= 3:
        losses = tf.reshape(losses, shape[:-1])
    return losses


def _binary(target: Any, output: Any, from_logits: bool) -> tf.Tensor:
    output, from_logits = _logits(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _clipped(output)
    log_one = tf.math.log(output + epsilon())
    log_zero = tf.math.log(1 - output + epsilon())
    return -(target * log_one + (1 - target) * log_zero)


def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> tf.Tensor:
    """How surprising labels of zero and one are, given their probabilities.

    >>> tf.keras.losses.binary_crossentropy([[1.0]], [[0.0]], from_logits=True).numpy()
    array([0.6931472], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = _smoothed(tf.cast(y_true, y_pred.dtype), label_smoothing)
    return tf.reduce_mean(_binary(y_true, y_pred, from_logits), axis=axis)


def _smoothed(y_true: tf.Tensor, label_smoothing: Any) -> tf.Tensor:
    if not _smooths(label_smoothing):
        return y_true
    return y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing


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
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = _smoothed(tf.cast(y_true, y_pred.dtype), label_smoothing)
    logits, is_logits = _logits(y_pred, from_logits, "Sigmoid", "binary_focal_crossentropy")
    chance = tf.sigmoid(logits) if is_logits else y_pred
    losses = _binary(y_true, chance, False)
    right = y_true * chance + (1 - y_true) * (1 - chance)
    losses = tf.pow(1.0 - right, gamma) * losses
    if apply_class_balancing:
        losses = (y_true * alpha + (1 - y_true) * (1 - alpha)) * losses
    return tf.reduce_mean(losses, axis=axis)


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
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    if _smooths(label_smoothing):
        classes = tf.cast(tf.shape(y_true)[axis], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    output, from_logits = _logits(y_pred, from_logits, "Softmax", "categorical_focal_crossentropy")
    if from_logits:
        output = tf.nn.softmax(output, axis=axis)
    output = _clipped(output / tf.reduce_sum(output, axis=axis, keepdims=True))
    weight = tf.pow(1.0 - output, gamma) * alpha
    return tf.reduce_sum(weight * -y_true * tf.math.log(output), axis=axis)


def kl_divergence(y_true: Any, y_pred: Any) -> tf.Tensor:
    """The Kullback-Leibler divergence of the predictions from the labels.

    >>> tf.keras.losses.kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy()
    array([0.], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.clip_by_value(tf.cast(y_true, y_pred.dtype), epsilon(), 1)
    y_pred = tf.clip_by_value(y_pred, epsilon(), 1)
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)


class BinaryCrossentropy(LossFunctionWrapper):
    """Cross-entropy of labels of zero and one.

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
