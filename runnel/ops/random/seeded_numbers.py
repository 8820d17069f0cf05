"""Random numbers that a seed of two integers decides: the stateless functions of `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values.dtypes import FLOATS, as_dtype, float32, int32, int64, uint32, uint64
from runnel.core.values.errors import bad_dtype
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.kernels.random.seeds import Algorithm, algorithm
from runnel.ops.array.shaping import index_tensor
from runnel.ops.random.numbers import above_zero, gamma_parameters, is_number, is_standard
from runnel.ops.shapes import with_shape_of

_UNSIGNED = frozenset({uint32, uint64})
_UNIFORM = FLOATS | {int32, int64} | _UNSIGNED
_SHUFFLE_SALT = 498247692  # TensorFlow puts it before the two seeds of `index_shuffle`
_SHUFFLE_ROUNDS = 4


def stream_of(seed: TensorLike, alg: Any) -> tuple[Tensor, Tensor, Any]:
    """The key, counter and algorithm that the newer stateless ops take."""
    chosen = algorithm("auto_select" if alg is None else alg)
    if chosen is Algorithm.THREEFRY:
        key, counter = _threefry_stream(convert_to_tensor(seed))
    else:
        key, counter = raw_ops.StatelessRandomGetKeyCounter(seed)
    return key, counter, np.int32(chosen.value)


def _threefry_stream(seed: Tensor) -> tuple[Tensor, Tensor]:
    low, high = (
        raw_ops.Cast(raw_ops.Cast(seed[i : i + 1], DstT=uint32), DstT=uint64) for i in (0, 1)
    )
    return low | raw_ops.LeftShift(high, np.uint64(32)), convert_to_tensor([0], uint64)


@scoped("stateless_random_uniform", last=True)
def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of which all in [minval, maxval) are equally likely, decided by `seed`.

    Integers with neither bound (`minval=None`) are drawn from the whole range of their dtype.

    >>> tf.random.stateless_uniform([2], seed=(1, 2), maxval=100, dtype=tf.int32).numpy()
    array([40, 49], dtype=int32)
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM:
        names = ", ".join(sorted(d.name for d in _UNIFORM))
        raise ValueError(f"stateless_uniform: `dtype` must be one of {names}, got {dtype.name}.")
    if dtype.is_integer:
        _check_bounds(minval, maxval, dtype)
    elif maxval is None:
        maxval = 1
    dims, stream = index_tensor(shape, "shape"), stream_of(seed, alg)
    if dtype.is_integer and minval is None:
        return raw_ops.StatelessRandomUniformFullIntV2(dims, *stream, dtype=dtype, name=name)  # type: ignore[no-any-return]
    if not dtype.is_integer and is_number(minval, 0) and is_number(maxval, 1):
        return raw_ops.StatelessRandomUniformV2(dims, *stream, dtype=dtype, name=name)  # type: ignore[no-any-return]
    low = convert_to_tensor(minval, dtype, name="min")
    high = convert_to_tensor(maxval, dtype, name="max")
    if dtype.is_integer:
        return raw_ops.StatelessRandomUniformIntV2(dims, *stream, low, high, name=name)  # type: ignore[no-any-return]
    numbers = raw_ops.StatelessRandomUniformV2(dims, *stream, dtype=dtype)
    found = raw_ops.AddV2(numbers * (high - low), low, name=name)
    return with_shape_of(numbers, found)  # type: ignore[no-any-return]


def _check_bounds(minval: Any, maxval: Any, dtype: Any) -> None:
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"stateless_uniform: integers ({dtype.name}) need both `minval` and `maxval`, or "
            f"neither; got {minval!r} and {maxval!r}."
        )
    if minval is not None and dtype in _UNSIGNED:
        raise ValueError(f"stateless_uniform: bounds are not supported for dtype {dtype.name}.")


@scoped("stateless_random_normal", last=True)
def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of the normal distribution, decided by `seed`.

    >>> tf.random.stateless_normal([2], seed=(1, 2)).numpy().round(3)
    array([0.544, 0.207], dtype=float32)
    """
    return _scaled(raw_ops.StatelessRandomNormalV2, shape, seed, mean, stddev, dtype, name, alg)


@scoped("stateless_truncated_normal", last=True)
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of the normal distribution within two standard deviations, decided by `seed`.

    >>> tf.random.stateless_truncated_normal([2], seed=(1, 2)).numpy().round(3)
    array([0.544, 0.207], dtype=float32)
    """
    return _scaled(raw_ops.StatelessTruncatedNormalV2, shape, seed, mean, stddev, dtype, name, alg)


def _scaled(
    op: Any,
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
    name: str | None,
    alg: Any,
) -> Tensor:
    dtype, stream = as_dtype(dtype), stream_of(seed, alg)
    dims = index_tensor(shape, "shape")
    if is_standard(mean, stddev, dtype):
        return op(dims, *stream, dtype=dtype, name=name)  # type: ignore[no-any-return]
    mean = convert_to_tensor(mean, dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype, name="stddev")
    numbers = op(dims, *stream, dtype=dtype)
    found = raw_ops.AddV2(numbers * stddev, mean, name=name)
    return with_shape_of(numbers, found)  # type: ignore[no-any-return]


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Numbers of gamma distributions in a shape that ends with that of the parameters.

    >>> tf.random.stateless_gamma([4, 3], seed=(1, 2), alpha=[0.5, 1.0, 2.0]).shape
    TensorShape([4, 3])
    """
    dims = index_tensor(shape)
    alpha, beta = gamma_parameters(alpha, beta, as_dtype(dtype))
    numbers = raw_ops.StatelessRandomGammaV3(dims, *stream_of(seed, "auto_select"), alpha)
    return above_zero(numbers / beta, name)


def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Numbers of Poisson distributions in a shape that ends with that of the means `lam`.

    >>> tf.random.stateless_poisson([2, 2], seed=(1, 2), lam=[0.0, 0.0]).numpy()
    array([[0, 0],
           [0, 0]], dtype=int32)
    """
    return raw_ops.StatelessRandomPoisson(  # type: ignore[no-any-return]
        index_tensor(shape), seed, convert_to_tensor(lam), dtype=as_dtype(dtype), name=name
    )


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How many of `counts` trials of probability `probs` succeed.

    >>> tf.random.stateless_binomial([2], seed=(1, 2), counts=10.0, probs=1.0).numpy()
    array([10, 10], dtype=int32)
    """
    chance = convert_to_tensor(probs, dtype_hint=float32)
    return raw_ops.StatelessRandomBinomial(  # type: ignore[no-any-return]
        index_tensor(shape),
        seed,
        convert_to_tensor(counts, dtype_hint=chance.dtype),
        chance,
        dtype=as_dtype(output_dtype),
        name=name,
    )


@scoped("stateless_categorical")
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """For each row of `logits`, numbers of classes with the probabilities softmax(logits).

    >>> tf.random.stateless_categorical([[0.0, -100.0], [-100.0, 0.0]], 3, seed=(1, 2)).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    return raw_ops.StatelessMultinomial(  # type: ignore[no-any-return]
        convert_to_tensor(logits), num_samples, seed, output_dtype=as_dtype(dtype), name=name
    )


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between bounds; the parameters are broadcast to the shape.

    >>> found = tf.random.stateless_parameterized_truncated_normal([100], (1, 2), minvals=1.0)
    >>> bool(tf.reduce_all(found >= 1.0))
    True
    """
    parameters = [convert_to_tensor(p) for p in (means, stddevs, minvals, maxvals)]
    return raw_ops.StatelessParameterizedTruncatedNormal(  # type: ignore[no-any-return]
        index_tensor(shape), seed, *parameters, name=name
    )


@scoped("stateless_shuffle")
def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """`value` with its rows in an order that `seed` decides.

    >>> tf.random.experimental.stateless_shuffle([1, 2, 3, 4], seed=(1, 2)).numpy()
    array([1, 4, 3, 2], dtype=int32)
    """
    return raw_ops.StatelessShuffle(convert_to_tensor(value), *stream_of(seed, alg), name=name)  # type: ignore[no-any-return]


def split(seed: TensorLike, num: TensorLike = 2, alg: Any = "auto_select") -> Tensor:
    """New seeds made of one, as the rows of a matrix.

    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    seed = convert_to_tensor(seed)
    if seed.dtype.is_floating:
        raise ValueError(f"split: `seed` must hold integers, got {seed.dtype.name}.")
    if isinstance(num, Tensor) and num.dtype not in (int32, int64):
        raise bad_dtype("split", want="be int32 or int64", num=num)
    return stateless_uniform([num, 2], seed, None, None, dtype=seed.dtype, alg=alg)


def fold_in(seed: TensorLike, data: TensorLike, alg: Any = "auto_select") -> Tensor:
    """A new seed made of a seed and a number, such as that of a training step.

    >>> tf.random.fold_in([1, 2], 7).numpy()[1]
    np.int32(7)
    """
    data = convert_to_tensor(data)
    first = stateless_uniform([], seed, None, None, dtype=data.dtype, alg=alg)
    return raw_ops.Pack([first, data])  # type: ignore[no-any-return]


def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: int = 4,
    name: str | None = None,
) -> Tensor:
    """Where a permutation of 0 … max_index, decided by `seed` of three integers, puts `index`.

    >>> sorted(int(tf.random_index_shuffle(i, [1, 2, 3], 4)) for i in range(5))
    [0, 1, 2, 3, 4]
    """
    return raw_ops.RandomIndexShuffle(index, seed, max_index, rounds=rounds, name=name)  # type: ignore[no-any-return]


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where a permutation of 0 … max_index, decided by `seed` of two integers, puts `index`.

    >>> sorted(int(tf.random.experimental.index_shuffle(i, [1, 2], 4)) for i in range(5))
    [0, 1, 2, 3, 4]
    """
    seed = convert_to_tensor(seed)
    if seed.dtype.name in ("string", "bool"):
        raise TypeError(f"index_shuffle: `seed` must hold integers, got {seed.dtype.name}.")
    salt = raw_ops.Cast(np.int64(_SHUFFLE_SALT), DstT=seed.dtype)
    salted = raw_ops.ConcatV2(
        [raw_ops.BroadcastTo(salt, [*seed.shape[:-1], 1]), seed], np.int32(-1)
    )
    return random_index_shuffle(index, salted, max_index, _SHUFFLE_ROUNDS)
