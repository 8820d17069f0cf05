"""Tensors repeated: `tf.tile`, `tf.repeat`, `tf.meshgrid`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import check_room, integer
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import int32
from runnel.core.values.errors import bad_dtype, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.array.shaping import WIDE, entries, index_operand, index_tensor
from runnel.ops.shapes import shape_of


def _tiled(input: Spec, multiples: Spec) -> Dims:
    counts = entries(multiples)
    if input.dims is None:
        return None if counts is None else (None,) * len(counts)
    if counts is None:
        return (None,) * len(input.dims)
    if len(counts) != len(input.dims):
        raise bad_shape("Tile", want=f"have {len(input.dims)} elements", multiples=multiples)
    if any(c is not None and c < 0 for c in counts):
        raise bad_value("Tile", want="hold no negative numbers", multiples=multiples.value)
    return tuple(
        None if d is None or c is None else d * c for d, c in zip(input.dims, counts, strict=True)
    )


@op(
    "Tile",
    "input: T, multiples: Tmultiples[1] -> output: T",
    Tmultiples=WIDE,
    static=("multiples",),
    shape=_tiled,
)
def _tile(xp: Namespace, input: Array, multiples: np.ndarray) -> Array:
    if multiples.shape != (len(input.shape),) or (multiples.size and multiples.min() < 0):
        raise bad_shape("Tile", want="hold a count for each dimension", multiples=multiples)
    counts = multiples.tolist()
    dims = [d * c for d, c in zip(input.shape, counts)]
    check_room("Tile", dims, input.dtype.itemsize)
    if xp is np and input.size == 1:  # np.tile would lay one row out first
        return np.full(dims, input.reshape(()))
    return xp.tile(input, tuple(counts)) if 0 not in dims else xp.zeros(dims, input.dtype)


@RegisterGradient("Tile", needs="multiples")
def _tile_grad(op: Any, dy: Tensor) -> Gradients:
    """Each dimension of size n, repeated m times, is seen as (m, n) and summed over m."""
    x, multiples = op.inputs
    shape, counts = shape_of(x), constant_value(multiples)
    if counts is not None and isinstance(shape, np.ndarray):
        split = np.stack([counts.astype(np.int32), shape], axis=1).reshape(-1)
        axes = np.arange(0, split.size, 2, dtype=np.int32)
    else:
        pairs = raw_ops.Pack([raw_ops.Cast(multiples, DstT=int32), shape], axis=1)
        split = raw_ops.Reshape(pairs, np.array([-1], np.int32))
        axes = raw_ops.Range(np.int32(0), raw_ops.Size(split), np.int32(2))
    return raw_ops.Sum(raw_ops.Reshape(dy, split), axes), None


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along dimension `i`.

    >>> tf.tile([[1, 2]], [2, 2]).numpy()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]], dtype=int32)
    """
    return raw_ops.Tile(input, index_operand(multiples), name=name)  # type: ignore[no-any-return]


@scoped("Repeat")
def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each slice along `axis` repeated in place; without an axis, each element of the flat tensor.

    Args:
        input: a tensor, or what can become one.
        repeats: how often each element comes: one number, or one for each.
        axis: the axis; None takes the elements of the flattened tensor.

    >>> tf.repeat([1, 2, 3], [2, 0, 1]).numpy()
    array([1, 1, 3], dtype=int32)
    """
    x = convert_to_tensor(input)
    if axis is not None:
        axis = integer("repeat", "axis", axis)
    else:
        x = raw_ops.Reshape(x, np.array([-1], np.int32))
        axis = 0
    counts = index_tensor(repeats)
    if not counts.dtype.is_integer and not counts.dtype.is_bool:
        raise TypeError(f"tf.repeat: `repeats` must hold integers, got {counts!r}.")
    if counts.dtype not in (int32, dtypes.int64):
        counts = raw_ops.Cast(counts, DstT=int32)
    if counts.ndim is not None and counts.ndim > 1:
        raise ValueError(
            f"tf.repeat: `repeats` must be a scalar or a vector, got shape {counts.shape}."
        )
    axis = _repeat_axis(x, axis)
    known = constant_value(counts)
    if known is not None and known.size == 1:
        count = int(known.reshape(()))
        if count != np.int32(count & 0x7FFFFFFF):
            raise bad_value("repeat", want="be in [0, 2**31)", repeats=count)
        if x.ndim is not None:
            return _repeat_evenly(x, count, axis)
    if known is not None and np.any(known < 0):
        raise bad_value("repeat", want="not be negative", repeats=known)
    if counts.ndim == 1 and not counts.shape[:1].is_compatible_with(x.shape[axis : axis + 1]):
        raise ValueError(
            f"tf.repeat: `repeats` must have {x.shape[axis]} elements, got shape {counts.shape}."
        )
    place = index_operand(axis)
    size = raw_ops.GatherV2(shape_of(x), place, np.int32(0))
    every = raw_ops.BroadcastTo(counts, raw_ops.Reshape(size, np.array([1], np.int32)))
    return raw_ops.GatherV2(x, _repeated_indices(every), place, name=name)  # type: ignore[no-any-return]


def _repeat_axis(x: Tensor, axis: int) -> int:
    rank = x.ndim
    if rank is None and axis >= 0:
        return axis
    if rank is None:
        raise ValueError(
            f"tf.repeat: `axis` must not be negative for an input of unknown rank, got {axis}."
        )
    if not -rank <= axis < rank:
        raise ValueError(f"tf.repeat: `axis` must be in [{-rank}, {rank}), got {axis}.")
    return axis % rank


def _repeat_evenly(x: Tensor, count: int, axis: int) -> Tensor:
    """Every slice `count` times: by a new dimension after `axis`, tiled and folded into it."""
    rank = x.ndim
    assert rank is not None
    counts = np.ones(rank + 1, np.int32)
    counts[axis + 1] = count
    wide = raw_ops.Tile(raw_ops.ExpandDims(x, np.int32(axis + 1)), counts)
    return raw_ops.Reshape(wide, _repeated_shape(x, count, axis))  # type: ignore[no-any-return]


def _repeated_shape(x: Tensor, count: int, axis: int) -> Any:
    """The shape of `x` with `count` times as much along `axis`; what is known stays known."""
    dims = [None if d is None else d * (count if i == axis else 1) for i, d in enumerate(x.shape)]
    unknown = dims.count(None)
    if not unknown or (unknown == 1 and count and 0 not in dims):  # -1 says nothing beside a 0
        return np.array([-1 if d is None else d for d in dims], np.int32)
    sizes = raw_ops.Unpack(shape_of(x), num=len(dims), axis=0)
    sizes[axis] = sizes[axis] * np.int32(count)
    return raw_ops.Pack(
        [size if d is None else np.int32(d) for size, d in zip(sizes, dims, strict=True)], axis=0
    )


def _repeated_indices(counts: Tensor) -> Tensor:
    """`[0, 0, 2]` for `[2, 0, 1]`: how many of the running totals each place has passed."""
    totals = raw_ops.Cumsum(counts, np.int32(0))
    end = raw_ops.Reshape(raw_ops.Sum(counts, np.array([0], np.int32)), np.zeros(0, np.int32))
    zero, one = (np.array(v, counts.dtype.np_dtype) for v in (0, 1))
    places = raw_ops.Range(zero, end, one)
    row = np.int32(0)
    found = raw_ops.UpperBound(raw_ops.ExpandDims(totals, row), raw_ops.ExpandDims(places, row))
    return raw_ops.Squeeze(found, axis=[0])  # type: ignore[no-any-return]


@scoped("meshgrid")
def meshgrid(*args: TensorLike, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid: for `n` vectors, `n` tensors of rank `n`.

    `indexing="xy"` (the default) puts the first vector along the second axis, "ij" along the first.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"tf.meshgrid: `indexing` must be 'xy' or 'ij', got {indexing!r}.")
    if any(value is None or isinstance(value, type) for value in args):
        raise TypeError(f"tf.meshgrid takes vectors, got {args!r}.")
    vectors = [raw_ops.Reshape(v, np.array([-1], np.int32)) for v in map(convert_to_tensor, args)]
    if not vectors:
        return []
    kinds = sorted({v.dtype.name for v in vectors})
    if vectors[0].dtype is dtypes.string:
        raise TypeError("meshgrid: `args` must be numbers, got strings.")
    if len(kinds) > 1:
        raise bad_dtype("meshgrid", want=f"all have one dtype, not {kinds}", args=vectors[0])
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = [1, 0]
    sizes = [raw_ops.Size(vectors[i]) for i in order]
    shape = raw_ops.Pack(sizes)
    column = [
        np.array([-1 if place == at else 1 for at in range(len(order))], np.int32)
        for place in range(len(order))
    ]
    return [
        raw_ops.BroadcastTo(raw_ops.Reshape(v, column[order.index(i)]), shape, name=name)
        for i, v in enumerate(vectors)
    ]
