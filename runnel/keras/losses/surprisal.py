"""Cross-entropies of each element or example, before the losses average them."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.losses.symbolic import layer_of_backend


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


@layer_of_backend("categorical_crossentropy")
def categorical(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> tf.Tensor:
    """How surprising the true distribution is, given the predicted one."""
    output, from_logits = _logits(output, from_logits, "Softmax", "categorical_crossentropy")
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=output, axis=axis)
    output = output / tf.reduce_sum(output, axis=axis, keepdims=True)
    return -tf.reduce_sum(target * tf.math.log(_clipped(output)), axis=axis)


@layer_of_backend("categorical_focal_crossentropy")
def categorical_focal(
    target: Any,
    output: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> tf.Tensor:
    """Categorical cross-entropy in which examples that are easy count less."""
    output, from_logits = _logits(output, from_logits, "Softmax", "categorical_focal_crossentropy")
    if from_logits:
        output = tf.nn.softmax(output, axis=axis)
    output = _clipped(output / tf.reduce_sum(output, axis=axis, keepdims=True))
    weight = tf.pow(1.0 - output, gamma) * alpha
    return tf.reduce_sum(weight * -target * tf.math.log(output), axis=axis)


@layer_of_backend("sparse_categorical_crossentropy")
def sparse_categorical(
    target: Any,
    output: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> tf.Tensor:
    """How surprising the true class, given by its number, is under the predicted distribution."""
    target = tf.cast(target, tf.int64)
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


@layer_of_backend("binary_crossentropy")
def binary(target: Any, output: Any, from_logits: bool = False) -> tf.Tensor:
    """How surprising each label of zero or one is, given its probability."""
    output, from_logits = _logits(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _clipped(output)
    log_one = tf.math.log(output + epsilon())
    log_zero = tf.math.log(1 - output + epsilon())
    return -(target * log_one + (1 - target) * log_zero)


@layer_of_backend("binary_focal_crossentropy")
def binary_focal(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> tf.Tensor:
    """Binary cross-entropy in which labels that are easy count less."""
    chance = tf.sigmoid(output) if from_logits else output
    right = target * chance + (1 - target) * (1 - chance)
    losses = tf.pow(1.0 - right, gamma) * binary(target, output, from_logits)
    if apply_class_balancing:
        losses = (target * alpha + (1 - target) * (1 - alpha)) * losses
    return losses
