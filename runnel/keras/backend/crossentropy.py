"""Cross-entropies of each element or example."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.losses import surprisal
from runnel.keras.losses.symbolic import functions_of_backend


@symbolic
def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> tf.Tensor:
    """How surprising the true distribution is, given the predicted one.

    >>> tf.keras.backend.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    target, output = _same_shape(target, output)
    return surprisal.categorical(target, output, from_logits, axis)


@symbolic
def categorical_focal_crossentropy(
    target: Any,
    output: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> tf.Tensor:
    """Categorical cross-entropy in which examples that are easy count less.

    >>> tf.keras.backend.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([0.0433217], dtype=float32)
    """
    target, output = _same_shape(target, output)
    return surprisal.categorical_focal(target, output, alpha, gamma, from_logits, axis)


def _same_shape(target: Any, output: Any) -> tuple[tf.Tensor, tf.Tensor]:
    target, output = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    target.shape.assert_is_compatible_with(output.shape)
    return target, output


@symbolic
def sparse_categorical_crossentropy(
    target: Any,
    output: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> tf.Tensor:
    """How surprising the true class, given by its number, is under the predicted distribution.

    >>> tf.keras.backend.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy()
    array([0.6931472], dtype=float32)
    """
    output = tf.convert_to_tensor(output)
    return surprisal.sparse_categorical(target, output, from_logits, axis, ignore_class)


@symbolic
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> tf.Tensor:
    """How surprising each label of zero or one is, given its probability.

    >>> tf.keras.backend.binary_crossentropy([1.0], [0.0], from_logits=True).numpy()
    array([0.6931472], dtype=float32)
    """
    target, output = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    return surprisal.binary(target, output, from_logits)


@symbolic
def binary_focal_crossentropy(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> tf.Tensor:
    """Binary cross-entropy in which labels that are easy count less.

    >>> tf.keras.backend.binary_focal_crossentropy(tf.constant([1.0]), tf.constant([0.5])).numpy()
    array([0.17328674], dtype=float32)
    """
    return surprisal.binary_focal(target, output, apply_class_balancing, alpha, gamma, from_logits)


functions_of_backend.update(
    (function.__name__, function)
    for function in (
        categorical_crossentropy,
        categorical_focal_crossentropy,
        sparse_categorical_crossentropy,
        binary_crossentropy,
        binary_focal_crossentropy,
    )
)
