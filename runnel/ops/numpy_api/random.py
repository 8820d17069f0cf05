"""`tf.experimental.numpy.random`: random arrays by NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.settings.arguments import integers
from runnel.core.values import dtypes
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.numpy_api.promotion import as_type, asarray, change_dtype, default_float
from runnel.ops.random import numbers as random_numbers
from runnel.ops.random import seeds


def seed(s: int) -> None:
    """The same as `tf.random.set_seed`."""
    seeds.set_seed(int(np.asarray(s)))


def _dims(size: Any) -> Any:
    if isinstance(size, Tensor):
        return size
    return integers("random", "size", size).reshape(-1)


def standard_normal(size: Any = None) -> Tensor:
    """Normally distributed numbers with mean 0 and deviation 1.

    >>> tf.experimental.numpy.random.standard_normal((2, 3)).shape
    TensorShape([2, 3])
    """
    return random_numbers.normal(_dims([] if size is None else size), dtype=default_float())


def randn(*args: int) -> Tensor:
    """Normally distributed numbers in an array with axes of these sizes."""
    return standard_normal(args)


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: Any = None) -> Tensor:
    """Numbers from `low` to `high`, each as likely.

    >>> tf.experimental.numpy.random.uniform(size=4).shape
    TensorShape([4])
    """
    dtype = default_float()
    start, end = asarray(low, dtype), asarray(high, dtype)
    if size is None:
        size = raw_ops.BroadcastArgs(raw_ops.Shape(start), raw_ops.Shape(end))
    return random_numbers.uniform(_dims(size), dtype=dtype) * (end - start) + start


def random(size: Any = None) -> Tensor:
    """Numbers from 0 to 1, each as likely."""
    return uniform(0.0, 1.0, size)


def rand(*size: int) -> Tensor:
    """Numbers from 0 to 1 in an array with axes of these sizes."""
    return uniform(0.0, 1.0, size)


def poisson(lam: TensorLike = 1.0, size: Any = None) -> Tensor:
    """Numbers of events where `lam` are expected, as integers."""
    lam = asarray(lam, default_float())
    drawn = random_numbers.poisson(_dims([] if size is None else size), lam)
    return change_dtype(drawn, dtypes.int64)


def randint(
    low: TensorLike, high: TensorLike = None, size: Any = None, dtype: DTypeLike = np.int64
) -> Tensor:
    """Integers from `low` to below `high`, or from 0 to below `low`.

    >>> tf.experimental.numpy.random.randint(5, size=3).shape
    TensorShape([3])
    """
    wanted = as_type(dtype)
    if high is None:
        low, high = 0, low
    work = wanted if wanted in (dtypes.int32, dtypes.int64) else dtypes.int32
    start, end = asarray(low, work), asarray(high, work)
    drawn = random_numbers.uniform(_dims([] if size is None else size), start, end, work)
    return change_dtype(drawn, wanted)
