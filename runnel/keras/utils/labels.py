"""Classes as rows of zeros and ones, and rows of length one."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.keras.utils.padding import filled


def _flat_classes(y: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """The classes as one row, and the shape they came in (without a last dimension of one)."""
    classes = np.array(y, dtype="int")
    shape = classes.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return classes.reshape(-1), shape


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Each class number as a row with a one at its place.

    Args:
        y: numbers of classes, from 0 on.
        num_classes: how many classes there are; None is the largest number plus one.
        dtype: the dtype of the result.

    >>> tf.keras.utils.to_categorical([0, 2], num_classes=3)
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    classes, shape = _flat_classes(y)
    width = num_classes or int(np.max(classes)) + 1
    rows = filled("to_categorical", (len(classes), width), 0, dtype)
    rows[np.arange(len(classes)), classes] = 1
    return rows.reshape((*shape, width))


def to_ordinal(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Each class number as a row with that many ones, for classes that have an order.

    >>> tf.keras.utils.to_ordinal([0, 2], num_classes=4)
    array([[0., 0., 0.],
           [1., 1., 0.]], dtype=float32)
    """
    classes, shape = _flat_classes(y)
    steps = (num_classes or int(np.max(classes)) + 1) - 1
    rows = filled("to_ordinal", (len(classes), steps), 0, dtype)
    rows[np.arange(steps)[None, :] < classes[:, None]] = 1
    return rows.reshape((*shape, steps))


def normalize(x: Any, axis: int = -1, order: int = 2) -> np.ndarray:
    """`x` divided by its norms along `axis`; what is all zeros stays so.

    >>> tf.keras.utils.normalize([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    quotient: np.ndarray = x / np.expand_dims(norms, axis)
    return quotient
