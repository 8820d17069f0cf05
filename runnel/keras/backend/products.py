"""Products of matrices and of batches of them."""

from __future__ import annotations

import string
from typing import Any

import runnel as tf
from runnel.keras.backend.tensors import int_shape, is_sparse, ndim


def dot(x: Any, y: Any) -> Any:
    """The last axis of `x` multiplied with the last but one of `y`.

    >>> tf.keras.backend.dot(tf.ones([2, 3, 4]), tf.ones([4, 5])).shape
    TensorShape([2, 3, 5])
    """
    if is_sparse(x):
        return tf.sparse.sparse_dense_matmul(x, y)
    if ndim(x) is not None and (ndim(x) > 2 or ndim(y) > 2):
        return tf.tensordot(x, y, [[ndim(x) - 1], [ndim(y) - 2]])
    return tf.matmul(x, y)


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """The products of the elements of two batches, summed along one axis of each.

    >>> tf.keras.backend.batch_dot(tf.ones([5, 2, 3]), tf.ones([5, 3, 4])).shape
    TensorShape([5, 2, 4])
    """
    ranks = len(_checked_shape(x, x, y)), len(_checked_shape(y, x, y))
    over = _summed_axes(axes, ranks)
    _check_sizes(int_shape(x), int_shape(y), over)
    left = string.ascii_lowercase[1 : ranks[0]]
    right = string.ascii_uppercase[1 : ranks[1]]
    first = "".join("z" if place == over[0] else name for place, name in enumerate(left, 1))
    second = "".join("z" if place == over[1] else name for place, name in enumerate(right, 1))
    kept = (first + second).replace("z", "")
    product = tf.einsum(f"a{first},a{second}->a{kept}", x, y)
    return product if kept else tf.expand_dims(product, 1)


def _checked_shape(tensor: Any, x: Any, y: Any) -> tuple[Any, ...]:
    shape = int_shape(tensor)
    if len(shape) < 2:
        raise ValueError(
            "Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes "
            f"{int_shape(x)} and {int_shape(y)}."
        )
    return shape


def _summed_axes(axes: Any, ranks: tuple[int, int]) -> list[int]:
    if axes is None:
        axes = [ranks[0] - 1, ranks[1] - (1 if ranks[1] == 2 else 2)]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    if any(isinstance(axis, list | tuple) for axis in axes):
        raise ValueError(
            "Multiple target dimensions are not supported. Expected: None, int, (int, int), "
            f"Provided: {axes}"
        )
    found = [axis + rank if axis < 0 else axis for axis, rank in zip(axes, ranks)]
    if 0 in found:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy "
            "batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    return found


def _check_sizes(x: tuple[Any, ...], y: tuple[Any, ...], axes: list[int]) -> None:
    for a, b in ((0, 0), axes):
        if None not in (x[a], y[b]) and x[a] != y[b]:
            raise ValueError(
                f"Cannot do batch_dot on inputs with shapes {x} and {y} with axes={axes}: "
                f"x.shape[{a}] != y.shape[{b}] ({x[a]} != {y[b]})."
            )


def transpose(x: Any) -> Any:
    """The axes in reverse order.

    >>> tf.keras.backend.transpose(tf.ones([2, 3])).shape
    TensorShape([3, 2])
    """
    return tf.transpose(x)
