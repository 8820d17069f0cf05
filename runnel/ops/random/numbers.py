"""Random numbers that are different in every call: the functions of `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.values.dtypes import FLOATS, DType, as_dtype, float32, float64, int32, int64
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.ops.array.broadcasting import broadcast_dynamic_shape
from runnel.ops.array.shaping import index_tensor
from runnel.ops.random.seeds import seed_attrs
from runnel.ops.shapes import shape_of, with_shape_of

_UNIFORM = FLOATS | {int32, int64}


def is_number(value: Any, number: int) -> bool:
    """Whether a bound or parameter is this plain number, so that there is nothing to compute."""
    return isinstance(value, int | float) and value == number


def is_standard(mean: Any, stddev: Any, dtype: DType) -> bool:
    """Whether normal numbers need neither be scaled nor moved."""
    return is_number(mean, 0) and is_number(stddev, 1) and dtype.is_floating


@scoped("random_uniform", last=True)
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of which all in [minval, maxval) are equally likely; floats in [0, 1) by default.

    Args:
        shape: the shape of the result, as a list or a tensor.
        minval, maxval: the bounds: the lower belongs to the range, the upper does not.
        dtype: float or integer; for integers `maxval` must be given.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.random.uniform([2, 3], maxval=10, dtype=tf.int32).shape
    TensorShape([2, 3])
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM:
        names = ", ".join(sorted(d.name for d in _UNIFORM))
        raise ValueError(f"uniform: `dtype` must be one of {names}, got {dtype.name}.")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"uniform: integers ({dtype.name}) need a `maxval`.")
        maxval = 1
    dims = index_tensor(shape, "shape")
    if dtype.is_integer:
        low, high = _bounds(minval, maxval, dtype)
        return raw_ops.RandomUniformInt(dims, low, high, **seed_attrs(seed), name=name)  # type: ignore[no-any-return]
    from_zero = isinstance(minval, int) and minval == 0
    if from_zero and isinstance(maxval, int) and maxval == 1:
        return raw_ops.RandomUniform(dims, dtype=dtype, **seed_attrs(seed))  # type: ignore[no-any-return]
    low, high = _bounds(minval, maxval, dtype)
    numbers = raw_ops.RandomUniform(dims, dtype=dtype, **seed_attrs(seed))
    if from_zero:
        return with_shape_of(numbers, raw_ops.Mul(numbers, high, name=name))  # type: ignore[no-any-return]
    width = high - low
    found = raw_ops.AddV2(numbers * width, low, name=name)
    return with_shape_of(numbers, found)  # type: ignore[no-any-return]


def _bounds(low: TensorLike, high: TensorLike, dtype: DType) -> tuple[Tensor, Tensor]:
    return convert_to_tensor(low, dtype, name="min"), convert_to_tensor(high, dtype, name="max")


@scoped("random_normal", last=True)
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of the normal distribution; `mean` and `stddev` are broadcast to the shape.

    Args:
        shape: the shape of the result, as a list or a tensor.
        mean: the mean.
        stddev: the standard deviation.
        dtype: a float dtype.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.random.normal([2, 3], mean=[1.0, 2.0, 3.0]).shape
    TensorShape([2, 3])
    """
    return _scaled(raw_ops.RandomStandardNormal, shape, mean, stddev, dtype, seed, name)


@scoped("truncated_normal", last=True)
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of the normal distribution within two standard deviations of the mean.

    >>> float(tf.reduce_max(tf.abs(tf.random.truncated_normal([100])))) < 2
    True
    """
    return _scaled(raw_ops.TruncatedNormal, shape, mean, stddev, dtype, seed, name)


def _scaled(
    op: Any,
    shape: ShapeLike,
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
    seed: int | None,
    name: str | None,
) -> Tensor:
    dtype, dims = as_dtype(dtype), index_tensor(shape, "shape")
    if is_standard(mean, stddev, dtype):
        return op(dims, dtype=dtype, **seed_attrs(seed), name=name)  # type: ignore[no-any-return]
    mean = convert_to_tensor(mean, dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype, name="stddev")
    numbers = op(dims, dtype=dtype, **seed_attrs(seed))
    found = raw_ops.AddV2(numbers * stddev, mean, name=name)
    return with_shape_of(numbers, found)  # type: ignore[no-any-return]


@scoped("random_gamma")
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of gamma distributions with the parameters `alpha` and rate `beta`, `shape` for each.

    They can be differentiated by both parameters.

    >>> tf.random.gamma([4], alpha=[0.5, 1.0, 2.0]).shape
    TensorShape([4, 3])
    """
    dims = shape if isinstance(shape, Tensor) else convert_to_tensor(shape, int32)
    alpha, beta = gamma_parameters(alpha, beta, as_dtype(dtype))
    numbers = raw_ops.RandomGamma(dims, alpha, **seed_attrs(seed))
    return above_zero(numbers / beta, name)


def gamma_parameters(
    alpha: TensorLike, beta: TensorLike | None, dtype: DType
) -> tuple[Tensor, Tensor]:
    """Both parameters as tensors, `alpha` broadcast to their common shape."""
    alpha = convert_to_tensor(alpha, dtype)
    beta = convert_to_tensor(1 if beta is None else beta, dtype)
    shape = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
    return raw_ops.BroadcastTo(alpha, shape), beta


def above_zero(x: Tensor, name: str | None) -> Tensor:
    """`x`, or the smallest normal float where `x` is less: gamma numbers are not zero."""
    return raw_ops.Maximum(np.finfo(x.dtype.np_dtype).tiny, x, name=name)  # type: ignore[no-any-return]


@scoped("random_poisson")
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of Poisson distributions with the means `lam`, `shape` for each.

    >>> tf.random.poisson([4], lam=[0.5, 10.0]).shape
    TensorShape([4, 2])
    """
    rate = convert_to_tensor(lam, dtype_hint=float64)
    return raw_ops.RandomPoissonV2(  # type: ignore[no-any-return]
        convert_to_tensor(shape, int32), rate, dtype=as_dtype(dtype), **seed_attrs(seed), name=name
    )


@scoped("categorical")
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """For each row of `logits`, numbers of classes with the probabilities softmax(logits).

    Args:
        logits: a tensor of floats.
        num_samples: how many are drawn for each row.
        dtype: the dtype of the numbers of classes.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.random.categorical([[0.0, -100.0], [-100.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    chosen = int64 if dtype is None else as_dtype(dtype)
    return raw_ops.Multinomial(  # type: ignore[no-any-return]
        convert_to_tensor(logits), num_samples, output_dtype=chosen, **seed_attrs(seed), name=name
    )


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its rows in random order.

    Args:
        value: the value, or what can become it.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.sort(tf.random.shuffle([1, 2, 3])).numpy()
    array([1, 2, 3], dtype=int32)
    """
    return raw_ops.RandomShuffle(unread(value), **seed_attrs(seed), name=name)  # type: ignore[no-any-return]
