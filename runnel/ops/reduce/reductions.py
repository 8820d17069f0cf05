"""Reductions: many elements along some axes become one."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor.convert import emit, operand, unread
from runnel.core.tensor.filling import number_of
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.vectors import shape_tensor, vector
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC, REAL, DType
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import MANY, reduce_axes, truncated_quotient
from runnel.ops.math.complex import conj
from runnel.ops.shapes import reduced, shape_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_NUMBERS = "input: T, axis=reduction_indices: Tidx[0-1] -> output: T"
_BOOLS = "input: bool, axis=reduction_indices: Tidx[0-1] -> output: bool"
_ALONG_AXES = {"Tidx": _INDEX, "static": ("axis",), "shape": reduced}


def axes_of(axis: np.ndarray) -> tuple[int, ...]:
    """The axes as Python numbers; they may come as one number or in an array of any shape."""
    if axis.ndim != 1:
        axis = axis.ravel()
    return tuple(axis.tolist())


def all_axes(x: Tensor) -> TensorLike:
    """Every axis of `x`, as the `axis` input of a reduction."""
    if type(x) is EagerTensor:
        rank = x._value.ndim
    else:
        rank = x.shape.rank
        if rank is None:
            return raw_ops.Range(0, raw_ops.Rank(x), 1)
    if state.graph is not None:
        return emit(np.arange(rank, dtype=np.int32))
    found = _ALL_AXES.get(rank)
    if found is None:
        _ALL_AXES[rank] = found = EagerTensor(np.arange(rank, dtype=np.int32), dtypes.int32)
    return found


_ALL_AXES: dict[int, EagerTensor] = {}


def _reduced(op: Any, x: Tensor, axis: TensorLike, keepdims: Any, name: str | None) -> Any:
    """A reduction by the axes that the caller named, or by every axis for None."""
    kept = {"keep_dims": True} if keepdims else {}  # what is left out costs nothing
    if axis is None:
        result = op(x, all_axes(x), name=name, **kept)
        if type(x) is not EagerTensor and not keepdims and x.shape.rank is None:
            result.set_shape(())
        return result
    if not isinstance(axis, Tensor):
        axis = operand(axis, None if isinstance(axis, str) else dtypes.int32)
    return op(x, axis, name=name, **kept)


def kept_shape(x: Tensor, axis: Tensor) -> Any:
    """The shape of `x` with 1 in the place of each axis that is reduced."""
    known = constant_value(axis)
    dims = x.shape._dims
    if known is None or dims is None:
        place = raw_ops.FloorMod(raw_ops.Cast(axis, DstT=dtypes.int32), raw_ops.Rank(x))
        place = raw_ops.Reshape(place, np.array([-1, 1], np.int32))
        ones = raw_ops.OnesLike(raw_ops.Reshape(place, np.array([-1], np.int32)))
        return raw_ops.TensorScatterUpdate(shape_of(x), place, ones)
    gone = {a % len(dims) for a in axes_of(known)}
    if all(d is not None or i in gone for i, d in enumerate(dims)):
        kept: Any = tuple(1 if i in gone else d for i, d in enumerate(dims))
        return vector(kept)
    stays = np.array([i not in gone for i in range(len(dims))], np.int32)
    return shape_of(x) * stays + (1 - stays)


def spread(op: Any, y: Tensor) -> Tensor:
    """An output, or its gradient, with the reduced axes back in place as 1."""
    if op.attrs["keep_dims"] or y.shape.rank == 0:  # a scalar broadcasts to any shape
        return y
    return raw_ops.Reshape(y, kept_shape(*op.inputs))


def _accumulator(dtype: np.dtype) -> np.dtype:
    """Half precision is added up in float32."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype


def _add_many(xp: Namespace, x: Array, axis: tuple[int, ...], keepdims: bool, dtype: Any) -> Array:
    wide = x.astype(dtype, copy=False)
    return reduce_axes(xp, "sum", wide, axis, keepdims, dtype=dtype)


@op("Sum", _NUMBERS, T=NUMERIC, **_ALONG_AXES)
def _sum(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    wide = _accumulator(input.dtype)
    add = input.sum if input.size < MANY else partial(_add_many, xp, input)
    total = add(axis=axes_of(axis), keepdims=keep_dims, dtype=wide)
    return total if wide is input.dtype else total.astype(input.dtype)


@RegisterGradient("Sum", needs="axis")
def _sum_grad(op: Any, dy: Tensor) -> Gradients:
    if state.graph is None:
        return raw_ops.BroadcastTo(spread(op, dy), shape_tensor(op.inputs[0])), None
    return _repeated(op, dy), None


def _repeated(op: Any, dy: Tensor) -> Tensor:
    """The gradient of a sum for each element that was added up, in a graph."""
    x, axis = op.inputs
    dims, known = x.shape._dims, constant_value(axis)
    if dims is not None and known is not None:
        if axes_of(known) == tuple(range(len(dims))):
            dy = raw_ops.Reshape(dy, vector((1,) * len(dims)))
            return raw_ops.Tile(dy, raw_ops.Shape(x) if None in dims else emit(vector(dims)))  # type: ignore[no-any-return]
        if None not in dims:
            kept = kept_shape(x, axis)
            counts = [d if k == 1 else 1 for d, k in zip(dims, kept.tolist(), strict=True)]
            return raw_ops.Tile(raw_ops.Reshape(dy, kept), vector(tuple(counts)))  # type: ignore[no-any-return]
    shape = shape_tensor(x)
    if not op.attrs["keep_dims"]:
        dy = raw_ops.Reshape(dy, _with_ones(shape, axis))
    return raw_ops.BroadcastTo(dy, shape)  # type: ignore[no-any-return]


def _with_ones(shape: Tensor, axis: Tensor) -> Any:
    """A shape with 1 in the place of each axis that is reduced, in a graph."""
    known, axes = constant_value(shape), constant_value(axis)
    if known is not None and axes is not None:
        gone = {a % known.size for a in axes_of(axes)}
        return vector(tuple(1 if i in gone else d for i, d in enumerate(known.tolist())))
    rank, places = _counted_from_front(shape, axis)
    count = shape_tensor(places)
    every = _range_to(rank)
    with scope_of_ops("ones") as scope:
        ones = raw_ops.Fill(count, emit(np.array(1, np.int32)), name=scope)
    return raw_ops.DynamicStitch([every, places], [shape, ones])


def _counted_from_front(shape: Tensor, axis: Tensor) -> tuple[Tensor, Tensor]:
    """The rank of a tensor of some shape, and the places of axes that may count from its end."""
    known = shape.shape.num_elements()
    rank = raw_ops.Size(shape) if known is None else number_of(known, dtypes.int32, "Size")
    if axis.dtype is not dtypes.int32:
        axis = raw_ops.Cast(axis, DstT=dtypes.int32)
    return rank, (axis + rank) % rank


def _range_to(limit: Tensor) -> Tensor:
    with scope_of_ops("range") as scope:
        start, delta = (number_of(i, dtypes.int32, n) for i, n in ((0, "start"), (1, "delta")))
        return raw_ops.Range(start, limit, delta, name=scope)  # type: ignore[no-any-return]


def reduce_sum(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The sum of the elements along `axis`, or of all of them.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([4., 6.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.Sum, x, axis, keepdims, name)


@op("Mean", _NUMBERS, T=NUMERIC, **_ALONG_AXES)
def _mean(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    axes = axes_of(axis)
    count = math.prod([input.shape[a] for a in axes])
    if input.dtype.kind not in "iu":
        wide = _accumulator(input.dtype)
        add = input.sum if input.size < MANY else partial(_add_many, xp, input)
        mean = add(axis=axes, keepdims=keep_dims, dtype=wide) / np.asarray(count, wide)
        return mean if wide is input.dtype else mean.astype(input.dtype)
    wide = np.dtype(np.int64 if input.dtype.kind == "i" else np.uint64)
    total = xp.sum(input, axis=axes, keepdims=keep_dims, dtype=wide)
    return truncated_quotient(xp, total, np.asarray(max(count, 1), wide)).astype(input.dtype)


@RegisterGradient("Mean", needs="axis")
def _mean_grad(op: Any, dy: Tensor) -> Gradients:
    x, y = op.inputs[0], op.outputs[0]
    if state.graph is not None:
        dx = _repeated(op, dy)
        return raw_ops.RealDiv(dx, _averaged(op, dy.dtype)), None
    count = convert_to_tensor(_ratio(x, y), dtype=dy.dtype)
    return raw_ops.BroadcastTo(raw_ops.RealDiv(spread(op, dy), count), shape_tensor(x)), None


def _ratio(x: Tensor, y: Tensor) -> float | None:
    """How many elements of `x` there are for one of `y`, where that is known."""
    whole, kept = x.shape.num_elements(), y.shape.num_elements()
    return None if whole is None or kept is None else max(whole, 1) / max(kept, 1)


def _averaged(op: Any, dtype: DType) -> Tensor:
    """How many elements make up one of a mean, in a graph."""
    known = _ratio(op.inputs[0], op.outputs[0])
    if known is not None:
        return number_of(known, dtype)
    shape = shape_tensor(op.inputs[0])
    _, places = _counted_from_front(shape, op.inputs[1])
    sizes = raw_ops.GatherV2(shape, places, np.int32(0))
    return raw_ops.Cast(raw_ops.Prod(sizes, all_axes(sizes)), DstT=dtype)  # type: ignore[no-any-return]


def reduce_mean(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean of the elements along `axis`, or of all of them; a whole number for integers.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([2., 3.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.Mean, x, axis, keepdims, name)


@op("Prod", _NUMBERS, T=NUMERIC, heavy=True, **_ALONG_AXES)
def _prod(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    wide = _accumulator(input.dtype)
    total = xp.prod(input, axis=axes_of(axis), keepdims=keep_dims, dtype=wide)
    return total.astype(input.dtype)


@RegisterGradient("Prod", needs="input axis")
def _prod_grad(op: Any, dy: Tensor) -> Gradients:
    x, axis = conj(op.inputs[0]), op.inputs[1]
    known = constant_value(axis)
    if known is None:
        others = _product_of_others_anywhere(x, axis)
    else:
        others = _product_of_others(x, sorted(axes_of(known)))
    return spread(op, dy) * others, None


def _product_of_others_anywhere(x: Tensor, axis: Tensor) -> Tensor:
    """The same for axes that are known only when it runs: brought to the front and joined."""
    rank = raw_ops.Rank(x)
    axes = raw_ops.Reshape(raw_ops.Cast(axis, DstT=dtypes.int32), np.array([-1], np.int32)) % rank
    kept, _ = raw_ops.ListDiff(raw_ops.Range(0, rank, 1), axes)
    order = raw_ops.ConcatV2([axes, kept], 0)
    front = raw_ops.Transpose(x, order)
    shape = raw_ops.Shape(x)
    sizes = [raw_ops.Prod(raw_ops.GatherV2(shape, part, 0), [0]) for part in (axes, kept)]
    others = _product_of_others(raw_ops.Reshape(front, raw_ops.Pack(sizes)), [0])
    others = raw_ops.Reshape(others, raw_ops.Shape(front))
    return raw_ops.Transpose(others, raw_ops.InvertPermutation(order))


def _product_of_others(x: Tensor, axes: list[int]) -> Tensor:
    """For each element the product of all others along `axes`, right also where one is zero."""
    if not axes:
        return raw_ops.OnesLike(x)
    before = raw_ops.Cumprod(x, axes[0], exclusive=True)
    after = raw_ops.Cumprod(x, axes[0], exclusive=True, reverse=True)
    if len(axes) == 1:
        return before * after
    whole = raw_ops.Prod(x, np.array(axes[:1], np.int32), keep_dims=True)
    return before * after * _product_of_others(whole, axes[1:])


def reduce_prod(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the elements along `axis`, or of all of them.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([3., 8.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.Prod, x, axis, keepdims, name)


def lowest(dtype: np.dtype) -> Any:
    """What the maximum of nothing is."""
    return np.asarray(np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf, dtype)


def highest(dtype: np.dtype) -> Any:
    """What the minimum of nothing is."""
    return np.asarray(np.iinfo(dtype).max if dtype.kind in "iu" else np.inf, dtype)


@op("Max", _NUMBERS, T=REAL, **_ALONG_AXES)
def _max(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    initial = {} if input.size else {"initial": lowest(input.dtype)}
    return reduce_axes(xp, "max", input, axes_of(axis), keep_dims, **initial)


@RegisterGradient("Max", needs="input axis outputs")
def _max_grad(op: Any, dy: Tensor) -> Gradients:
    """The gradient is shared equally among the elements that are the extreme."""
    x, axis = op.inputs
    if state.graph is not None:
        return _shared(op, dy), None
    extreme = raw_ops.Cast(raw_ops.Equal(spread(op, op.outputs[0]), x), DstT=dy.dtype)
    count = raw_ops.Sum(extreme, axis, keep_dims=True)
    return extreme / count * spread(op, dy), None


def _shared(op: Any, dy: Tensor) -> Tensor:
    """The gradient of the largest or smallest, in a graph."""
    x, axis = op.inputs
    y, shape = op.outputs[0], shape_tensor(x)
    if op.attrs["keep_dims"]:
        kept = shape_tensor(y)
    else:
        kept = _with_ones(shape, axis)
        y, dy = raw_ops.Reshape(y, kept), raw_ops.Reshape(dy, kept)
    extreme = raw_ops.Cast(raw_ops.Equal(y, x), DstT=dy.dtype)
    count = raw_ops.Reshape(raw_ops.Sum(extreme, axis), kept)
    return extreme / count * dy  # type: ignore[no-any-return]


def reduce_max(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The largest of the elements along `axis`, or of all; no number if one of them is none.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_max([[1.0, 5.0], [3.0, 4.0]], axis=0).numpy()
    array([3., 5.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.Max, x, axis, keepdims, name)


@op("Min", _NUMBERS, T=REAL, **_ALONG_AXES)
def _min(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    initial = {} if input.size else {"initial": highest(input.dtype)}
    return reduce_axes(xp, "min", input, axes_of(axis), keep_dims, **initial)


@RegisterGradient("Min", needs="input axis outputs")
def _min_grad(op: Any, dy: Tensor) -> Gradients:
    return _max_grad(op, dy)


def reduce_min(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The smallest of the elements along `axis`, or of all; no number if one of them is none.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_min([[1.0, 5.0], [3.0, 4.0]], axis=0).numpy()
    array([1., 4.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.Min, x, axis, keepdims, name)


@op("All", _BOOLS, **_ALONG_AXES)
def _all(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    return xp.all(input, axis=axes_of(axis), keepdims=keep_dims)


def _booleans(x: TensorLike) -> Tensor:
    if isinstance(x, bool | int | float | str | list | tuple):
        return convert_to_tensor(x, dtype=dtypes.bool)
    return unread(x)  # type: ignore[no-any-return]


def reduce_all(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether all elements along `axis`, or all there are, are true.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.reduce_all([[True, True], [False, True]], axis=0).numpy()
    array([False,  True])
    """
    x = _booleans(input_tensor)
    return _reduced(raw_ops.All, x, axis, keepdims, name)


@op("Any", _BOOLS, **_ALONG_AXES)
def _any(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    return xp.any(input, axis=axes_of(axis), keepdims=keep_dims)


def reduce_any(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether any element along `axis`, or any at all, is true.

    >>> tf.reduce_any([[True, False], [False, False]], axis=0).numpy()
    array([ True, False])
    """
    x = _booleans(input_tensor)
    return _reduced(raw_ops.Any, x, axis, keepdims, name)


@op("EuclideanNorm", _NUMBERS, T=NUMERIC, **_ALONG_AXES)
def _euclidean_norm(
    xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False
) -> Array:
    wide = _accumulator(input.dtype)
    x = input.astype(wide)
    other = xp.conj(x) if wide.kind == "c" else x
    total = xp.sum(x * other, axis=axes_of(axis), keepdims=keep_dims, dtype=wide)
    if wide.kind in "iu":
        total = total.astype(np.float64)
    return xp.sqrt(total).astype(input.dtype)


@RegisterGradient("EuclideanNorm", needs="input axis outputs")
def _euclidean_norm_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.RealDiv(op.inputs[0], spread(op, op.outputs[0] / dy)), None


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The square root of the sum of squares along `axis`, or of all elements.

    >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [5.0, 12.0]], axis=1).numpy()
    array([ 5., 13.], dtype=float32)
    """
    x = unread(input_tensor)
    return _reduced(raw_ops.EuclideanNorm, x, axis, keepdims, name)


@scoped("count_nonzero")
def count_nonzero(
    input: TensorLike,
    axis: TensorLike = None,
    keepdims: bool | None = None,
    dtype: DType = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """How many elements along `axis`, or at all, are not zero; of strings, not empty.

    Args:
        input: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.
        dtype: the dtype of the counts.

    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=0).numpy()
    array([1, 2])
    """
    x = convert_to_tensor(input)
    if x.dtype is dtypes.bool:
        counted = x
    else:
        nothing = b"" if x.dtype is dtypes.string else 0
        counted = raw_ops.NotEqual(x, convert_to_tensor(nothing, dtype=x.dtype, name="zeros"))
    ones = raw_ops.Cast(counted, DstT=dtypes.int64)
    total = reduce_sum(ones, axis, keepdims=bool(keepdims))
    return total if total.dtype == dtype else raw_ops.Cast(total, DstT=dtype, name=name)
