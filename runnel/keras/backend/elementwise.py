"""Functions of each element, and comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf


def abs(x: Any) -> Any:
    """How far each element is from zero.

    >>> tf.keras.backend.abs(tf.constant([-1.0, 2.0])).numpy()
    array([1., 2.], dtype=float32)
    """
    return tf.abs(x)


def square(x: Any) -> Any:
    """`x * x`.

    >>> tf.keras.backend.square(tf.constant([-1.0, 2.0])).numpy()
    array([1., 4.], dtype=float32)
    """
    return tf.square(x)


def sqrt(x: Any) -> Any:
    """The square root; that of a negative number is zero here.

    >>> tf.keras.backend.sqrt(tf.constant([-1.0, 4.0])).numpy()
    array([0., 2.], dtype=float32)
    """
    return tf.sqrt(tf.maximum(x, tf.constant(0.0, x.dtype)))


def exp(x: Any) -> Any:
    """`e` to the power of `x`.

    >>> tf.keras.backend.exp(tf.constant(0.0)).numpy()
    np.float32(1.0)
    """
    return tf.exp(x)


def log(x: Any) -> Any:
    """The natural logarithm.

    >>> tf.keras.backend.log(tf.constant(1.0)).numpy()
    np.float32(0.0)
    """
    return tf.math.log(x)


def round(x: Any) -> Any:
    """The nearest whole number, the even one of two.

    >>> tf.keras.backend.round(tf.constant([0.5, 1.5])).numpy()
    array([0., 2.], dtype=float32)
    """
    return tf.round(x)


def sign(x: Any) -> Any:
    """-1, 0 or 1.

    >>> tf.keras.backend.sign(tf.constant([-3.0, 0.0])).numpy()
    array([-1.,  0.], dtype=float32)
    """
    return tf.sign(x)


def pow(x: Any, a: Any) -> Any:
    """`x` to the power of `a`.

    >>> tf.keras.backend.pow(tf.constant([1.0, 2.0]), 3).numpy()
    array([1., 8.], dtype=float32)
    """
    return tf.pow(x, a)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """`x` between two bounds, of which None is none; a lower bound above the upper one wins.

    >>> tf.keras.backend.clip(tf.constant([-1.0, 0.5, 9.0]), 0.0, None).numpy()
    array([0. , 0.5, 9. ], dtype=float32)
    """
    numbers = isinstance(min_value, int | float) and isinstance(max_value, int | float)
    if numbers and max_value < min_value:
        max_value = min_value
    low = -np.inf if min_value is None else min_value
    high = np.inf if max_value is None else max_value
    return tf.clip_by_value(x, low, high)


def sin(x: Any) -> Any:
    """The sine.

    >>> tf.keras.backend.sin(tf.constant(0.0)).numpy()
    np.float32(0.0)
    """
    return tf.sin(x)


def cos(x: Any) -> Any:
    """The cosine.

    >>> tf.keras.backend.cos(tf.constant(0.0)).numpy()
    np.float32(1.0)
    """
    return tf.cos(x)


def equal(x: Any, y: Any) -> Any:
    """Where two tensors are equal.

    >>> tf.keras.backend.equal(tf.constant([1, 2]), [1, 3]).numpy()
    array([ True, False])
    """
    return tf.equal(x, y)


def not_equal(x: Any, y: Any) -> Any:
    """Where two tensors differ.

    >>> tf.keras.backend.not_equal(tf.constant([1, 2]), [1, 3]).numpy()
    array([False,  True])
    """
    return tf.not_equal(x, y)


def greater(x: Any, y: Any) -> Any:
    """Where `x > y`.

    >>> tf.keras.backend.greater(tf.constant([1, 2]), 1).numpy()
    array([False,  True])
    """
    return tf.greater(x, y)


def greater_equal(x: Any, y: Any) -> Any:
    """Where `x >= y`.

    >>> tf.keras.backend.greater_equal(tf.constant([1, 2]), 2).numpy()
    array([False,  True])
    """
    return tf.greater_equal(x, y)


def less(x: Any, y: Any) -> Any:
    """Where `x < y`.

    >>> tf.keras.backend.less(tf.constant([1, 2]), 2).numpy()
    array([ True, False])
    """
    return tf.less(x, y)


def less_equal(x: Any, y: Any) -> Any:
    """Where `x <= y`.

    >>> tf.keras.backend.less_equal(tf.constant([1, 2]), 1).numpy()
    array([ True, False])
    """
    return tf.less_equal(x, y)


def maximum(x: Any, y: Any) -> Any:
    """The larger of two, element by element.

    >>> tf.keras.backend.maximum(tf.constant([1, 4]), [2, 3]).numpy()
    array([2, 4], dtype=int32)
    """
    return tf.maximum(x, y)


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two, element by element.

    >>> tf.keras.backend.minimum(tf.constant([1, 4]), [2, 3]).numpy()
    array([1, 3], dtype=int32)
    """
    return tf.minimum(x, y)
