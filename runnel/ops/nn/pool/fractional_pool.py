"""Pooling by a fraction: windows of different sizes, of which chance decides the order."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import float32, float64, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.random import philox
from runnel.kernels.random.words import Words
from runnel.ops.choices import at_least
from runnel.ops.random.seeds import seed_attrs
from runnel.ops.random.streams import first_state
from runnel.ops.shapes import same

_T = frozenset({float32, float64, int32, int64})


def _sizes(shape: Sequence[int], pooling_ratio: Sequence[float]) -> list[int]:
    return [int(n / float(np.float32(r))) for n, r in zip(shape, pooling_ratio)]


def _rule(value: Spec, *, pooling_ratio: tuple[float, ...], **attrs: Any) -> list[Dims]:
    if value.dims is None:
        return [(None,) * 4, (None,), (None,)]
    if len(value.dims) != 4:
        raise bad_shape("FractionalPool", want="have 4 dimensions", value=value)
    ratios = [float(np.float32(r)) for r in pooling_ratio]
    sizes = tuple(None if n is None else int(n / r) for n, r in zip(value.dims, ratios))
    return [sizes, *((None if n is None else n + 1,) for n in sizes[1:3])]


def _boundaries(stream: Words, length: int, count: int, pseudo_random: bool) -> list[int]:
    """Where the windows begin, and the end: `count` windows over `length` places."""
    if length % count == 0:
        steps = [length // count] * count
    elif pseudo_random:
        steps = _regular(stream, length, count)
    else:
        steps = _shuffled(stream, length, count)
    return np.cumsum([0, *steps]).tolist()


def _regular(stream: Words, length: int, count: int) -> list[int]:
    """Windows of nearly equal size at a random phase."""
    alpha = length / count
    k = length // count
    most = min((k + 2) / alpha - 1, (length + 1 - k) / alpha - (count - 1))
    phase = stream.double() * most
    inner = [math.ceil(alpha * (i + phase)) for i in range(1, count)]
    return np.diff([1, *inner, length + 1]).tolist()


def _shuffled(stream: Words, length: int, count: int) -> list[int]:
    """The two sizes that are possible, in random order."""
    steps = [length // count + (i < length % count) for i in range(count)]
    for i in range(count - 1):
        j = i + stream.word() % (count - i)
        steps[i], steps[j] = steps[j], steps[i]
    return steps


def _sequences(
    value: Array,
    pooling_ratio: tuple[float, ...],
    pseudo_random: bool,
    deterministic: bool,
    seeds: tuple,
) -> list[list[int]]:
    if value.ndim != 4:
        raise bad_shape("FractionalPool", want="have 4 dimensions", value=value)
    if len(pooling_ratio) != 4 or pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        want = "be 1 for batch and channels"
        raise bad_value("FractionalPool", want=want, pooling_ratio=pooling_ratio)
    if any(r < 1 for r in pooling_ratio):
        raise bad_value("FractionalPool", want="be at least 1", pooling_ratio=pooling_ratio)
    if 0 in value.shape:
        raise bad_shape("FractionalPool", want="have elements", value=value)
    if not deterministic and seeds != (0, 0):
        raise bad_value("FractionalPool", want="be 0 unless deterministic", seed=seeds)
    state = first_state(seed=seeds[0], seed2=seeds[1])
    found = []
    for length, count in zip(value.shape[1:3], _sizes(value.shape, pooling_ratio)[1:3]):
        stream = Words(*philox.from_state(np, state))
        found.append(_boundaries(stream, length, count, pseudo_random))
        state = philox.move(np, state, 1 if pseudo_random else -(-count // 4))
    return found


def _spans(cuts: Array, length: int, overlapping: bool) -> list[slice]:
    """The places of each window; when they overlap, each takes the first place of the next."""
    edges = np.ravel(cuts).tolist()
    return [slice(a, min(b + overlapping, length)) for a, b in itertools.pairwise(edges)]


def _reduced(value: Array, cuts: list[list[int]], overlapping: bool, how: Any) -> Array:
    """`how` (np.max, np.sum) over each window, first along rows and then along columns."""
    for axis, edges in zip((1, 2), cuts):
        spans = _spans(np.array(edges), value.shape[axis], overlapping)
        parts = [how(np.take(value, range(s.start, s.stop), axis=axis), axis=axis) for s in spans]
        value = np.stack(parts, axis=axis)
    return value


_WITH_EDGES = "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"


@op(
    "FractionalMaxPool",
    _WITH_EDGES,
    T=_T,
    shape=_rule,
    host=True,
    stateful=True,
    pooling_ratio=at_least(4),
)
def _fractional_max_pool(
    xp: Namespace,
    value: Array,
    *,
    pooling_ratio: tuple[float, ...],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> list[Array]:
    cuts = _sequences(value, pooling_ratio, pseudo_random, deterministic, (seed, seed2))
    return [
        _reduced(value, cuts, overlapping, np.max),
        *(np.array(edges, np.int64) for edges in cuts),
    ]


@op(
    "FractionalAvgPool",
    _WITH_EDGES,
    T=_T,
    shape=_rule,
    host=True,
    stateful=True,
    pooling_ratio=at_least(4),
)
def _fractional_avg_pool(
    xp: Namespace,
    value: Array,
    *,
    pooling_ratio: tuple[float, ...],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> list[Array]:
    cuts = _sequences(value, pooling_ratio, pseudo_random, deterministic, (seed, seed2))
    total = _reduced(value, cuts, overlapping, np.sum)
    count = _reduced(np.ones((1, *value.shape[1:3], 1), value.dtype), cuts, overlapping, np.sum)
    average = total / count if value.dtype.kind == "f" else np.trunc(total / count)
    return [average.astype(value.dtype), *(np.array(edges, np.int64) for edges in cuts)]


@RegisterGradient("FractionalMaxPool", needs="value outputs")
def _fractional_max_pool_gradient(op: Any, dy: Tensor, *_: Any) -> Gradients:
    output, rows, columns = op.outputs
    return raw_ops.FractionalMaxPoolGrad(
        op.inputs[0], output, dy, rows, columns, overlapping=op.attrs["overlapping"]
    )


@RegisterGradient("FractionalAvgPool", needs="outputs")
def _fractional_avg_pool_gradient(op: Any, dy: Tensor, *_: Any) -> Gradients:
    _, rows, columns = op.outputs
    shape = np.array(op.inputs[0].shape.as_list(), np.int64)
    return raw_ops.FractionalAvgPoolGrad(
        shape, dy, rows, columns, overlapping=op.attrs["overlapping"]
    )


@op(
    "FractionalMaxPoolGrad",
    "orig_input: T[4], orig_output: T[4?], out_backprop: T, row_pooling_sequence: int64[1?], "
    "col_pooling_sequence: int64[1?] -> output: T",
    T=_T,
    shape=same,
    host=True,
)
def _fractional_max_pool_grad(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    out_backprop: Array,
    row_pooling_sequence: Array,
    col_pooling_sequence: Array,
    *,
    overlapping: bool = False,
) -> Array:
    x = orig_input
    result = np.zeros(x.shape, out_backprop.dtype)
    batch, channel = np.ogrid[: x.shape[0], : x.shape[3]]
    for i, rows in enumerate(_spans(row_pooling_sequence, x.shape[1], overlapping)):
        for j, columns in enumerate(_spans(col_pooling_sequence, x.shape[2], overlapping)):
            region = x[:, rows, columns]
            width = region.shape[2]
            best = region.reshape(x.shape[0], -1, x.shape[3]).argmax(axis=1)
            place = (batch, rows.start + best // width, columns.start + best % width, channel)
            np.add.at(result, place, out_backprop[:, i, j])
    return result


def _avg_grad_rule(orig_input_tensor_shape: Spec, *others: Spec, **attrs: Any) -> Dims:
    known = orig_input_tensor_shape.value
    return (None,) * 4 if known is None else tuple(known.tolist())


@op(
    "FractionalAvgPoolGrad",
    "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64[1?], "
    "col_pooling_sequence: int64[1?] -> output: T",
    T=_T,
    shape=_avg_grad_rule,
    host=True,
)
def _fractional_avg_pool_grad(
    xp: Namespace,
    orig_input_tensor_shape: Array,
    out_backprop: Array,
    row_pooling_sequence: Array,
    col_pooling_sequence: Array,
    *,
    overlapping: bool = False,
) -> Array:
    shape = tuple(orig_input_tensor_shape.tolist())
    result = np.zeros(shape, out_backprop.dtype)
    for i, rows in enumerate(_spans(row_pooling_sequence, shape[1], overlapping)):
        for j, columns in enumerate(_spans(col_pooling_sequence, shape[2], overlapping)):
            count = (rows.stop - rows.start) * (columns.stop - columns.start)
            share = (out_backprop[:, i : i + 1, j : j + 1] / count).astype(result.dtype)
            result[:, rows, columns] += share
    return result


def _ratio(pooling_ratio: Any) -> tuple[float, ...]:
    given = pooling_ratio if isinstance(pooling_ratio, list | tuple) else [pooling_ratio]
    if not all(isinstance(r, numbers.Real) for r in given):
        raise TypeError(f"`pooling_ratio` must hold numbers, got {pooling_ratio!r}.")
    values = [float(r) for r in given]
    if len(values) == 4:
        return tuple(values)
    if len(values) not in (1, 2):
        raise ValueError(f"`pooling_ratio` must have 1, 2 or 4 elements, got {pooling_ratio!r}.")
    inner = values * 2 if len(values) == 1 else values
    return (1.0, *inner, 1.0)


def _pool(
    op: Any,
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool,
    overlapping: bool,
    seed: int,
    name: str | None,
) -> Any:
    seeds = seed_attrs(seed) if seed else {"seed": 0, "seed2": 0}
    return op(
        convert_to_tensor(value),
        pooling_ratio=_ratio(pooling_ratio),
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=bool(seed),
        name=name,
        **seeds,
    )


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Max pooling that shrinks height and width by `pooling_ratio`, and where the windows began.

    >>> y, rows, columns = tf.nn.fractional_max_pool(tf.ones([1, 6, 6, 1]), 1.5)
    >>> y.shape, rows.shape
    (TensorShape([1, 4, 4, 1]), TensorShape([5]))
    """
    ends = pooling_ratio[::3] if isinstance(pooling_ratio, list | tuple) else []
    if len(ends) == 2 and list(ends) != [1.0, 1.0]:
        want = "be 1 for batch and channels"
        raise ValueError(f"`pooling_ratio` must {want}, got {pooling_ratio!r}.")
    if min(_ratio(pooling_ratio)) < 1.0:
        raise ValueError(f"`pooling_ratio` must be at least 1, got {pooling_ratio!r}.")
    args = (value, pooling_ratio, pseudo_random, overlapping, seed, name)
    return _pool(raw_ops.FractionalMaxPool, *args)


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Average pooling that shrinks height and width by `pooling_ratio`, a list of four.

    >>> y, _, _ = tf.nn.fractional_avg_pool(tf.ones([1, 6, 6, 1]), [1.0, 1.5, 1.5, 1.0])
    >>> float(tf.reduce_sum(y))
    16.0
    """
    if not isinstance(pooling_ratio, list | tuple):
        raise TypeError(
            f"fractional_avg_pool: `pooling_ratio` must be a list, got {pooling_ratio!r}."
        )
    args = (value, pooling_ratio, pseudo_random, overlapping, seed, name)
    return _pool(raw_ops.FractionalAvgPool, *args)
