"""Choice by condition: `tf.where`, masks, one-hot rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import (
    RegisterGradient,
    Tensor,
    convert_to_tensor,
    no_gradient,
    op,
    raw_ops,
    scoped,
)
from runnel.core.settings.arguments import integer
from runnel.core.tensor.filling import number_of, zeros_as
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC, as_dtype, float32, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import select
from runnel.ops.array.gathering import join, product
from runnel.ops.shapes import broadcast, shape_of


def _where_shape(condition: Spec) -> Dims:
    return (None, condition.rank)


@op(
    "Where",
    "condition=input: T -> index: int64",
    T=NUMERIC | {dtypes.bool},
    host=True,
    shape=_where_shape,
)
def _where(xp: Namespace, condition: Array) -> Array:
    if condition.ndim == 0:
        raise bad_shape("Where", want="have rank 1 or more", condition=condition)
    flat = np.flatnonzero(condition)  # which NumPy finds ten times as fast as rows and columns
    index = np.empty((flat.size, condition.ndim), np.int64)
    for axis in reversed(range(1, condition.ndim)):
        flat, index[:, axis] = np.divmod(flat, condition.shape[axis])
    index[:, 0] = flat
    return index


@op("SelectV2", "condition: bool, t: T, e: T -> output: T", shape=broadcast, elementwise=True)
def _select_v2(xp: Namespace, condition: Array, t: Array, e: Array) -> Array:
    return select(xp, condition, t, e)


@RegisterGradient("SelectV2", needs="condition")
def _select_v2_grad(op: Any, dy: Tensor) -> Gradients:
    condition = op.inputs[0]
    zero = number_of(0.0, dy.dtype, "zeros")
    return None, raw_ops.SelectV2(condition, dy, zero), raw_ops.SelectV2(condition, zero, dy)


def _selected(condition: Spec, x: Spec, y: Spec) -> Dims:
    if not x.shape.is_compatible_with(y.shape):
        raise bad_shape("Select", want=f"have the shape {x.shape} of x", y=y)
    dims = x.shape.merge_with(y.shape)._dims
    if (
        condition.dims is not None
        and dims is not None
        and len(condition.dims) not in (0, len(dims))
    ) and (
        len(condition.dims) != 1
        or (None not in (condition.dims[0], dims[0]) and condition.dims[0] != dims[0])
    ):
        want = "be a scalar, a vector with an element for each row, or have the shape of x"
        raise bad_shape("Select", want=want, condition=condition)
    return dims


@op("Select", "condition: bool, x=t: T, y=e: T -> output: T", shape=_selected, recompute=1)
def _select(xp: Namespace, condition: Array, x: Array, y: Array) -> Array:
    _selected(*(Spec(t.shape, int32) for t in (condition, x, y)))
    if len(condition.shape) == 1 and len(x.shape) > 1:
        condition = condition.reshape((-1,) + (1,) * (len(x.shape) - 1))
    return select(xp, condition, x, y)


@RegisterGradient("Select", needs="condition")
def _select_grad(op: Any, dy: Tensor) -> Gradients:
    condition = op.inputs[0]
    zero = zeros_as(dy)
    return None, raw_ops.Select(condition, dy, zero), raw_ops.Select(condition, zero, dy)


def where(
    condition: TensorLike, x: TensorLike = None, y: TensorLike = None, name: str | None = None
) -> Tensor:
    """Elements of `x` where `condition` holds and of `y` elsewhere; without both, where it holds.

    >>> tf.where([True, False, True], [1, 2, 3], 0).numpy()
    array([1, 0, 3], dtype=int32)
    >>> tf.where([False, True, True]).numpy()
    array([[1],
           [2]])
    """
    if x is None and y is None:
        return raw_ops.Where(condition, name=name)  # type: ignore[no-any-return]
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return raw_ops.SelectV2(condition, x, y, name=name)  # type: ignore[no-any-return]


@scoped("boolean_mask")
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Any = None, name: str = "boolean_mask"
) -> Tensor:
    """The parts of `tensor` at which `mask` is true, along one dimension.

    Args:
        tensor: a tensor, or what can become one.
        mask: which parts stay.
        axis: the first axis of the mask in `tensor`.

    >>> tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x, chosen = convert_to_tensor(tensor), convert_to_tensor(mask)
    rank, place = chosen.ndim, 0
    if rank is None:
        raise ValueError("tf.boolean_mask: the rank of `mask` must be known.")
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if axis is not None:
        known = constant_value(axis)
        if known is None:
            return _masked_along(x, chosen, axis, name)
        place = integer("boolean_mask", "axis", known)
        place = place + x.ndim if place < 0 and x.ndim is not None else place
    if x.ndim is not None and not x.shape[place : place + rank].is_compatible_with(chosen.shape):
        raise ValueError(
            f"Shapes {x.shape[place : place + rank]} and {chosen.shape} are incompatible"
        )
    shape = shape_of(x)
    flat = raw_ops.Reshape(
        x, join(shape[:place], product(shape[place : place + rank]), shape[place + rank :])
    )
    return _chosen_rows(flat, chosen, np.int32(place), name)


def _masked_along(x: Tensor, mask: Tensor, axis: Tensor, name: str) -> Tensor:
    """`boolean_mask` along an axis that only a run can tell."""
    shape, rank = raw_ops.Shape(x), mask.ndim
    axis = raw_ops.FloorMod(raw_ops.Cast(axis, DstT=int32), raw_ops.Rank(x))
    covered = raw_ops.Prod(shape[axis : axis + rank], np.int32(0), keep_dims=True)
    sizes = raw_ops.ConcatV2([shape[:axis], covered, shape[axis + rank :]], np.int32(0))
    return _chosen_rows(raw_ops.Reshape(x, sizes), mask, axis, name)


def _chosen_rows(x: Tensor, mask: Tensor, axis: Any, name: str) -> Tensor:
    row = raw_ops.Where(raw_ops.Reshape(mask, np.array([-1], np.int32)))
    return raw_ops.GatherV2(x, raw_ops.Squeeze(row, axis=[1]), axis, name=name)  # type: ignore[no-any-return]


def _one_hot_shape(
    indices: Spec, depth: Spec, on_value: Spec, off_value: Spec, *, axis: int = -1
) -> Dims:
    for name, spec in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
        if spec.dims not in (None, ()):
            raise bad_shape("OneHot", want="be a scalar", **{name: spec})  # type: ignore[arg-type]
    if indices.dims is None:
        return None
    rank = len(indices.dims)
    if not -1 <= axis <= rank:
        raise bad_value("OneHot", want=f"be -1 or in [0, {rank}]", axis=axis)
    size = None if depth.value is None else int(depth.value)
    if size is not None and size < 0:
        raise bad_value("OneHot", want="not be negative", depth=size)
    place = rank if axis == -1 else axis
    return (*indices.dims[:place], size, *indices.dims[place:])


_ELEMENTS_FOR_SCATTER = 1 << 14  # elements, for which it is worth to write no more than the ones


def _many_one_hot(indices: Array, depth: int, on: Array, off: Array, place: int) -> Array:
    """Large vectors with one other element, in NumPy."""
    shape = (*indices.shape[:place], depth, *indices.shape[place:])
    result = np.full(shape, off, on.dtype) if off else np.zeros(shape, on.dtype)
    inner = math.prod(indices.shape[place:])
    flat = indices.reshape(-1).astype(np.int64)
    every = np.arange(flat.size)
    at = (
        (every // inner * depth + flat) * inner + every % inner
        if inner > 1
        else every * depth + flat
    )
    inside = (flat >= 0) & (flat < depth)
    result.reshape(-1)[at if inside.all() else at[inside]] = on
    return result


@op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    TI=frozenset({dtypes.uint8, dtypes.int8, int32, int64}),
    static=("depth",),
    shape=_one_hot_shape,
    default_name="one_hot",
)
def _one_hot(
    xp: Namespace,
    indices: Array,
    depth: np.ndarray,
    on_value: Array,
    off_value: Array,
    *,
    axis: int = -1,
) -> Array:
    rank = len(indices.shape)
    if depth.shape or on_value.shape or off_value.shape or depth < 0 or not -1 <= axis <= rank:
        specs = [Spec(t.shape, int32) for t in (indices, on_value, off_value)]
        _one_hot_shape(specs[0], Spec(depth.shape, int32, depth), *specs[1:], axis=axis)
    place = rank if axis == -1 else axis
    if xp is np and indices.size * int(depth) > _ELEMENTS_FOR_SCATTER:
        return _many_one_hot(indices, int(depth), on_value, off_value, place)
    column = [1] * (rank + 1)
    column[place] = -1
    places = np.arange(int(depth)).reshape(column)
    hit = xp.expand_dims(indices.astype(np.int64), place) == places
    return xp.where(hit, on_value, off_value)


no_gradient("OneHot")


@scoped("one_hot", last=True)
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike = None,
    off_value: TensorLike = None,
    axis: int | None = None,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """For each index a vector with `on_value` (1) at that place and `off_value` (0) elsewhere.

    Args:
        indices: integers.
        depth: how long the vectors are.
        on_value, off_value: what stands at the place, and elsewhere.
        axis: where the new axis comes; -1 is at the end.
        dtype: the dtype; None is that of the two values, or float32.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    on, off = _one_hot_values(on_value, off_value, dtype)
    return raw_ops.OneHot(indices, depth, on, off, axis=-1 if axis is None else axis, name=name)  # type: ignore[no-any-return]


def _one_hot_values(on: TensorLike, off: TensorLike, dtype: DTypeLike) -> tuple[Tensor, Tensor]:
    """Both values as tensors of one dtype: that which is asked for, or that of a given value."""
    hint = wanted = None if dtype is None else as_dtype(dtype)
    given: dict[str, Tensor] = {}
    for name, value in (("on_value", on), ("off_value", off)):
        if value is None:
            continue
        given[name] = tensor = convert_to_tensor(value, dtype_hint=hint)
        if wanted is not None and tensor.dtype is not wanted:
            raise TypeError(
                f"tf.one_hot: `{name}` is of dtype {tensor.dtype.name}, the result of "
                f"{wanted.name}."
            )
        wanted = tensor.dtype
    for name, number in (("on_value", 1), ("off_value", 0)):
        if name not in given:
            given[name] = convert_to_tensor(number, wanted or float32, name=name)
    return given["on_value"], given["off_value"]


@scoped("SequenceMask")
def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> Tensor:
    """For each length a row that is true in its first so many places.

    >>> tf.sequence_mask([1, 3], 4).numpy()
    array([[ True, False, False, False],
           [ True,  True,  True, False]])
    """
    sizes = convert_to_tensor(lengths)
    if maxlen is None:
        flat = raw_ops.Reshape(sizes, np.array([-1], np.int32))
        zero = np.zeros(1, sizes.dtype.np_dtype)
        end = raw_ops.Max(raw_ops.ConcatV2([flat, zero], np.int32(0)), np.array([0], np.int32))
    elif isinstance(maxlen, str):
        raise TypeError(f"tf.sequence_mask: `maxlen` must be a number, got {maxlen!r}.")
    else:
        end = convert_to_tensor(maxlen)
    if end.ndim not in (0, None):
        raise ValueError(f"tf.sequence_mask: `maxlen` must be a scalar, got shape {end.shape}.")
    known = constant_value(end)
    if known is not None and known.dtype.kind == "i" and not -(1 << 31) <= known < 1 << 31:
        raise bad_value("sequence_mask", want="be less than 2**31", maxlen=known)
    end = raw_ops.Cast(end, DstT=sizes.dtype)
    zero, one = (np.array(v, sizes.dtype.np_dtype) for v in (0, 1))
    places = raw_ops.Range(zero, end, one)
    mask = raw_ops.Less(places, raw_ops.ExpandDims(sizes, np.int32(-1)))
    wanted = as_dtype(dtype)
    return mask if wanted is dtypes.bool else raw_ops.Cast(mask, DstT=wanted, name=name)  # type: ignore[no-any-return]
