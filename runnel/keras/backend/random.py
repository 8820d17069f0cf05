"""Random tensors; a seed that is not given comes from NumPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx


def _seed(seed: int | None) -> int:
    return int(np.random.randint(10**7)) if seed is None else seed


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normally distributed numbers.

    >>> tf.keras.backend.random_normal((2, 3)).shape
    TensorShape([2, 3])
    """
    return tf.random.normal(shape, mean, stddev, dtype or floatx(), seed=_seed(seed))


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Numbers between two bounds, each as likely as another.

    >>> tf.keras.backend.random_uniform((2, 3)).shape
    TensorShape([2, 3])
    """
    return tf.random.uniform(shape, minval, maxval, dtype or floatx(), seed=_seed(seed))


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normally distributed numbers within two standard deviations of the mean.

    >>> tf.keras.backend.truncated_normal((2, 3)).shape
    TensorShape([2, 3])
    """
    return tf.random.truncated_normal(shape, mean, stddev, dtype or floatx(), seed=_seed(seed))


def random_bernoulli(shape: Any, p: float = 0.0, dtype: Any = None, seed: int | None = None) -> Any:
    """Ones with probability `p`, else zeros.

    >>> tf.keras.backend.random_bernoulli((3,), p=1.0).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    kind = tf.as_dtype(dtype or floatx())
    drawn = tf.random.uniform(shape, dtype=kind, seed=_seed(seed))
    return tf.where(drawn <= p, tf.ones(shape, kind), tf.zeros(shape, kind))


def random_binomial(shape: Any, p: float = 0.0, dtype: Any = None, seed: int | None = None) -> Any:
    """The old name of `random_bernoulli`."""
    warnings.warn(
        "`tf.keras.backend.random_binomial` is deprecated, and will be removed in a future "
        "version. Please use `tf.keras.backend.random_bernoulli` instead.",
        stacklevel=2,
    )
    return random_bernoulli(shape, p, dtype, seed)
