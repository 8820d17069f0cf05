"""Sums, means and the like along axes."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx


def _numbers(x: Any) -> Any:
    """Truths as zeros and ones."""
    return tf.cast(x, floatx()) if tf.as_dtype(x.dtype) == tf.bool else x


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element along some axes.

    >>> tf.keras.backend.max(tf.constant([[1, 5], [3, 2]]), axis=0).numpy()
    array([3, 5], dtype=int32)
    """
    return tf.reduce_max(x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element along some axes.

    >>> tf.keras.backend.min(tf.constant([[1, 5], [3, 2]]), axis=0).numpy()
    array([1, 2], dtype=int32)
    """
    return tf.reduce_min(x, axis, keepdims)


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum along some axes.

    >>> tf.keras.backend.sum(tf.constant([[1, 5], [3, 2]]), axis=-1, keepdims=True).numpy()
    array([[6],
           [5]], dtype=int32)
    """
    return tf.reduce_sum(x, axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product along some axes.

    >>> tf.keras.backend.prod(tf.constant([2, 3])).numpy()
    np.int32(6)
    """
    return tf.reduce_prod(x, axis, keepdims)


def cumsum(x: Any, axis: int = 0) -> Any:
    """The sums of the elements up to each one.

    >>> tf.keras.backend.cumsum(tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    return tf.cumsum(x, axis=axis)


def cumprod(x: Any, axis: int = 0) -> Any:
    """The products of the elements up to each one.

    >>> tf.keras.backend.cumprod(tf.constant([1, 2, 3])).numpy()
    array([1, 2, 6], dtype=int32)
    """
    return tf.math.cumprod(x, axis=axis)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance along some axes.

    >>> tf.keras.backend.var(tf.constant([1.0, 3.0])).numpy()
    np.float32(1.0)
    """
    return tf.math.reduce_variance(_numbers(x), axis=axis, keepdims=keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation along some axes.

    >>> tf.keras.backend.std(tf.constant([1.0, 3.0])).numpy()
    np.float32(1.0)
    """
    return tf.math.reduce_std(_numbers(x), axis=axis, keepdims=keepdims)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along some axes; truths count as zeros and ones.

    >>> tf.keras.backend.mean(tf.constant([True, False])).numpy()
    np.float32(0.5)
    """
    return tf.reduce_mean(_numbers(x), axis, keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether some element is not zero.

    >>> tf.keras.backend.any(tf.constant([0.0, 2.0])).numpy()
    np.True_
    """
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether no element is zero.

    >>> tf.keras.backend.all(tf.constant([0.0, 2.0])).numpy()
    np.False_
    """
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


def argmax(x: Any, axis: int = -1) -> Any:
    """Where the largest element stands.

    >>> tf.keras.backend.argmax(tf.constant([[1, 5], [3, 2]])).numpy()
    array([1, 0])
    """
    return tf.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """Where the smallest element stands.

    >>> tf.keras.backend.argmin(tf.constant([[1, 5], [3, 2]])).numpy()
    array([0, 1])
    """
    return tf.argmin(x, axis)
