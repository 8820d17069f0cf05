"""Putting tensors together and taking them apart: stack, concat, split, tile, repeat, meshgrid."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.context import executing_eagerly
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import int32
from runnel.core.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient, no_gradient
from runnel.core.shape import TensorShape
from runnel.core.static import constant_value
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.shapes import shape_of
from runnel.ops.shaping import WIDE, entries, index_tensor, one_axis


def _merged(op_name: str, specs: Sequence[Spec], name: str) -> Dims:
    """The shape that all inputs of a list must have."""
    merged = TensorShape(None)
    for spec in specs:
        try:
            merged = merged.merge_with(spec.shape)
        except ValueError:
            want = f"all have one shape, here {merged}"
            raise bad_shape(op_name, want=want, **{name: spec}) from None  # type: ignore[arg-type]
    return merged._dims


def _packed(values: list[Spec], *, axis: int = 0) -> Dims:
    dims = _merged("Pack", values, "values")
    if dims is None:
        return None
    place = one_axis("Pack", axis, len(dims) + 1)
    return (*dims[:place], len(values), *dims[place:])


@op("Pack", "values: N*T -> output: T", shape=_packed)
def _pack(xp: Namespace, values: list[Array], *, axis: int = 0) -> Array:
    return xp.stack(values, axis=axis)


@RegisterGradient("Pack", needs="")
def _pack_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Unpack(dy, num=len(op.inputs), axis=op.get_attr("axis"))  # type: ignore[no-any-return]


def stack(values: Sequence[TensorLike], axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape side by side along a new axis.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # a list that is no value by itself, such as one with variables of several kinds
    first = convert_to_tensor(values[0]) if not isinstance(values, Tensor) else values
    rank = None if first.ndim is None else first.ndim + (not isinstance(values, Tensor))
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return raw_ops.Pack(values, axis=axis, name=name)  # type: ignore[no-any-return]


def _unpacked(value: Spec, *, num: int, axis: int = 0) -> list[Any]:
    if value.dims is None:
        return [[None] * num]
    place = one_axis("Unpack", axis, len(value.dims))
    if value.dims[place] not in (None, num):
        raise bad_shape("Unpack", want=f"have size {num} in dimension {axis}", value=value)
    return [[(*value.dims[:place], *value.dims[place + 1 :])] * num]


@op("Unpack", "value: T -> output: num*T", shape=_unpacked)
def _unpack(xp: Namespace, value: Array, *, num: int, axis: int = 0) -> list[Array]:
    place = one_axis("Unpack", axis, len(value.shape))
    if value.shape[place] != num:
        raise bad_shape("Unpack", want=f"have size {num} in dimension {axis}", value=value)
    before = (slice(None),) * place
    return [value[(*before, i, ...)] for i in range(num)]


@RegisterGradient("Unpack", needs="")
def _unpack_grad(op: Any, *dys: Tensor) -> Gradients:
    return raw_ops.Pack(list(dys), axis=op.get_attr("axis"))  # type: ignore[no-any-return]


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The slices of `value` along an axis, as a list.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = convert_to_tensor(value)
    if num is None:
        rank = x.ndim
        if rank is not None:
            if not -rank <= axis < rank:
                raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
            num = x.shape[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
    return raw_ops.Unpack(x, num=num, axis=axis, name=name)  # type: ignore[no-any-return]


def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Tensors of one shape side by side along a new first axis; in graphs only, as in TensorFlow.

    >>> tf.function(lambda: tf.parallel_stack([[1, 2], [3, 4]]))().shape
    TensorShape([2, 2])
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.parallel_stack() is not compatible with eager execution; use tf.stack."
        )
    parts = [convert_to_tensor(v) for v in values]
    shape = TensorShape([len(parts), *parts[0].shape])
    rows = [raw_ops.ExpandDims(part, np.int32(0)) for part in parts]
    return raw_ops.ParallelConcat(rows, shape=shape, name=name)  # type: ignore[no-any-return]


def _parallel_shape(values: list[Spec], *, shape: TensorShape) -> Dims:
    dims = _merged("ParallelConcat", values, "values")
    if dims is not None and (not dims or dims[0] not in (None, 1)):
        raise bad_shape("ParallelConcat", want="have size 1 in dimension 0", values=values[0])
    return shape._dims


@op("ParallelConcat", "values: N*T -> output: T", shape=_parallel_shape)
def _parallel_concat(xp: Namespace, values: list[Array], *, shape: TensorShape) -> Array:
    return xp.concatenate(values, axis=0)


def _concatenated(values: list[Spec], axis: Spec) -> Dims:
    ranks = {spec.rank for spec in values if spec.rank is not None}
    if len(ranks) > 1:
        raise bad_shape("ConcatV2", want=f"all have rank {values[0].rank}", values=values[-1])
    if not ranks:
        return None
    (rank,) = ranks
    if axis.value is None:
        return (None,) * rank
    place = one_axis("ConcatV2", axis.value, rank)
    open_dims = [
        Spec(None if s.dims is None else (*s.dims[:place], None, *s.dims[place + 1 :]), s.dtype)
        for s in values
    ]
    dims = _merged("ConcatV2", open_dims, "values")
    sizes = [None if s.dims is None else s.dims[place] for s in values]
    total = None if None in sizes else sum(sizes)  # type: ignore[arg-type]
    return dims if dims is None else (*dims[:place], total, *dims[place + 1 :])


@op(
    "ConcatV2",
    "values: N*T, axis: Tidx -> output: T",
    Tidx=WIDE,
    static=("axis",),
    shape=_concatenated,
)
def _concat_v2(xp: Namespace, values: list[Array], axis: np.ndarray) -> Array:
    return xp.concatenate(values, axis=int(axis))


@RegisterGradient("ConcatV2", needs="axis")
def _concat_v2_grad(op: Any, dy: Tensor) -> Gradients:
    *values, axis = op.inputs
    return *_split_like(values, axis, dy), None


def _concat_v1_shape(concat_dim: Spec, values: list[Spec]) -> Dims:
    return _concatenated(values, concat_dim)


@op(
    "Concat",
    "concat_dim: int32, values: N*T -> output: T",
    static=("concat_dim",),
    shape=_concat_v1_shape,
)
def _concat_v1(xp: Namespace, concat_dim: np.ndarray, values: list[Array]) -> Array:
    return xp.concatenate(values, axis=int(concat_dim))


@RegisterGradient("Concat", needs="concat_dim")
def _concat_v1_grad(op: Any, dy: Tensor) -> Gradients:
    axis, *values = op.inputs
    return None, *_split_like(values, axis, dy)


def _split_like(values: Sequence[Tensor], axis: Tensor, dy: Tensor) -> list[Tensor]:
    """`dy` cut into the sizes that `values` have along `axis`."""
    known = constant_value(axis)
    sizes = [None if known is None else _size_at(v, int(known)) for v in values]
    if None in sizes:
        from_front = raw_ops.FloorMod(raw_ops.Cast(axis, DstT=int32), raw_ops.Rank(dy))
        lengths = raw_ops.Pack(
            [raw_ops.GatherV2(shape_of(v), from_front, np.int32(0)) for v in values]
        )
    else:
        lengths = np.array(sizes, np.int32)
    place = raw_ops.Cast(axis, DstT=int32)
    return raw_ops.SplitV(dy, lengths, place, num_split=len(values))  # type: ignore[no-any-return]


def _size_at(x: Tensor, axis: int) -> int | None:
    return x.shape[axis] if x.ndim is not None else None


def concat(values: Any, axis: TensorLike, name: str = "concat") -> Tensor:
    """Tensors one after another along an axis that they have.

    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    if not isinstance(values, list | tuple):
        values = [values]
    if len(values) == 1:
        place = convert_to_tensor(axis, dtype=int32)
        if place.shape.rank not in (0, None):
            raise ValueError(f"tf.concat: `axis` must be a scalar, got shape {place.shape}.")
        return raw_ops.Identity(convert_to_tensor(values[0]), name=name)  # type: ignore[no-any-return]
    if not values:
        raise InvalidArgumentError(None, None, "tf.concat needs one tensor at least. [Op:ConcatV2]")
    return raw_ops.ConcatV2(values, axis, name=name)  # type: ignore[no-any-return]


def _offset_shapes(concat_dim: Spec, shape: list[Spec]) -> list[Any]:
    return [[spec.dims for spec in shape]]


@op(
    "ConcatOffset",
    "concat_dim: int32, shape: N*shape_type -> offset: N*shape_type",
    static=("concat_dim", "shape"),
    shape=_offset_shapes,
)
def _concat_offset(xp: Namespace, concat_dim: np.ndarray, shape: list[np.ndarray]) -> list[Array]:
    rank = shape[0].size
    place = one_axis("ConcatOffset", concat_dim, rank)
    others = np.arange(rank) != place
    for row in shape[1:]:
        if row.size != rank or np.any(row[others] != shape[0][others]):
            want = f"agree with {shape[0].tolist()} except in dimension {place}"
            raise bad_value("ConcatOffset", want=want, shape=row)
    starts = np.cumsum([0, *(row[place] for row in shape[:-1])])
    return [np.where(others, 0, start).astype(shape[0].dtype) for start in starts]


no_gradient("ConcatOffset")


def _split_shapes(axis: Spec, value: Spec, *, num_split: int) -> list[Any]:
    if value.dims is None:
        return [[None] * num_split]
    if axis.value is None:
        return [[(None,) * len(value.dims)] * num_split]
    place = one_axis("Split", axis.value, len(value.dims))
    size = value.dims[place]
    if size is not None and size % num_split:
        want = f"have a size in dimension {place} that num_split {num_split} divides"
        raise bad_shape("Split", want=want, value=value)
    part = None if size is None else size // num_split
    return [[(*value.dims[:place], part, *value.dims[place + 1 :])] * num_split]


@op("Split", "axis: int32, value: T -> output: num_split*T", static=("axis",), shape=_split_shapes)
def _split(xp: Namespace, axis: np.ndarray, value: Array, *, num_split: int) -> list[Array]:
    place = one_axis("Split", axis, len(value.shape))
    size, rest = divmod(value.shape[place], num_split)
    if rest:
        want = f"have a size in dimension {place} that num_split {num_split} divides"
        raise bad_shape("Split", want=want, value=value)
    before = (slice(None),) * place
    return [value[(*before, slice(i * size, i * size + size))] for i in range(num_split)]


@RegisterGradient("Split", needs="axis")
def _split_grad(op: Any, *dys: Tensor) -> Gradients:
    return None, _join(list(dys), op.inputs[0])


def _join(parts: list[Tensor], axis: Tensor) -> Tensor:
    return parts[0] if len(parts) == 1 else raw_ops.ConcatV2(parts, axis)  # type: ignore[no-any-return]


def _split_sizes(value: Spec, size_splits: Spec, axis: Spec, *, num_split: int) -> list[Any]:
    if value.dims is None:
        return [[None] * num_split]
    sizes = entries(size_splits)
    if axis.value is None:
        return [[(None,) * len(value.dims)] * num_split]
    place = one_axis("SplitV", axis.value, len(value.dims))
    full = list((None,) * num_split if sizes is None else sizes)
    if len(full) != num_split:
        raise bad_shape("SplitV", want=f"have {num_split} elements", size_splits=size_splits)
    if None not in full:
        full = _complete(full, value, place)
    ends = [(*value.dims[:place], size, *value.dims[place + 1 :]) for size in full]
    return [ends]


def _complete(sizes: list[Any], value: Spec, place: int) -> list[int | None]:
    """The sizes with the one that is -1 filled in."""
    assert value.dims is not None
    total, rest = value.dims[place], sum(s for s in sizes if s != -1)
    free = sizes.count(-1)
    fits = free <= 1 and all(s >= -1 for s in sizes)
    if not fits or (total is not None and (rest > total or (not free and rest != total))):
        want = f"add up to {total}, the size of dimension {place}; one may be -1"
        raise bad_value("SplitV", want=want, size_splits=sizes)
    return [s if s != -1 else (None if total is None else total - rest) for s in sizes]


@op(
    "SplitV",
    "value: T, size_splits: Tlen, axis: int32 -> output: num_split*T",
    static=("size_splits", "axis"),
    shape=_split_sizes,
)
def _split_v(
    xp: Namespace, value: Array, size_splits: np.ndarray, axis: np.ndarray, *, num_split: int
) -> list[Array]:
    place = one_axis("SplitV", axis, len(value.shape))
    if size_splits.size != num_split:
        raise bad_shape("SplitV", want=f"have {num_split} elements", size_splits=size_splits)
    sizes = _complete(size_splits.tolist(), Spec(value.shape, int32), place)
    starts = np.cumsum([0, *sizes]).tolist()
    before = (slice(None),) * place
    return [value[(*before, slice(a, b))] for a, b in itertools.pairwise(starts)]


@RegisterGradient("SplitV", needs="axis")
def _split_v_grad(op: Any, *dys: Tensor) -> Gradients:
    return _join(list(dys), op.inputs[2]), None, None


def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: TensorLike = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """`value` cut along an axis: into so many equal parts, or into parts of the given sizes.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    if isinstance(num_or_size_splits, numbers.Integral):
        return raw_ops.Split(axis, value, num_split=int(num_or_size_splits), name=name)  # type: ignore[no-any-return]
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.ndim == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = sizes.shape[0] if sizes.ndim is not None else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return raw_ops.SplitV(value, sizes, axis, num_split=num, name=name)  # type: ignore[no-any-return]


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
    "input: T, multiples: Tmultiples -> output: T",
    Tmultiples=WIDE,
    static=("multiples",),
    shape=_tiled,
)
def _tile(xp: Namespace, input: Array, multiples: np.ndarray) -> Array:
    if multiples.shape != (len(input.shape),) or (multiples.size and multiples.min() < 0):
        raise bad_shape("Tile", want="hold a count for each dimension", multiples=multiples)
    return xp.tile(input, tuple(multiples.tolist()))


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
    return raw_ops.Tile(input, index_tensor(multiples), name=name)  # type: ignore[no-any-return]


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each slice along `axis` repeated in place; without an axis, each element of the flat tensor.

    >>> tf.repeat([1, 2, 3], [2, 0, 1]).numpy()
    array([1, 1, 3], dtype=int32)
    """
    x = convert_to_tensor(input)
    if axis is None:
        x = raw_ops.Reshape(x, np.array([-1], np.int32))
        axis = 0
    counts = convert_to_tensor(repeats)
    if not counts.dtype.is_integer:
        raise TypeError(f"tf.repeat: `repeats` must hold integers, got {counts!r}.")
    if counts.dtype not in (int32, dtypes.int64):
        counts = raw_ops.Cast(counts, DstT=int32)
    if counts.ndim is not None and counts.ndim > 1:
        raise ValueError(
            f"tf.repeat: `repeats` must be a scalar or a vector, got shape {counts.shape}."
        )
    rank = x.ndim
    if rank is None:
        raise NotImplementedError("tf.repeat needs an input of a known rank.")
    if not -rank <= axis < rank:
        raise ValueError(f"tf.repeat: `axis` must be in [{-rank}, {rank}), got {axis}.")
    axis %= rank
    known = constant_value(counts)
    if known is not None and known.size == 1:
        return _repeat_evenly(x, int(known.reshape(())), axis)
    if counts.ndim == 1 and not counts.shape[:1].is_compatible_with(x.shape[axis : axis + 1]):
        raise ValueError(
            f"tf.repeat: `repeats` must have {x.shape[axis]} elements, got shape {counts.shape}."
        )
    size = raw_ops.GatherV2(shape_of(x), np.int32(axis), np.int32(0))
    every = raw_ops.BroadcastTo(counts, raw_ops.Reshape(size, np.array([1], np.int32)))
    return raw_ops.GatherV2(x, _repeated_indices(every), np.int32(axis), name=name)  # type: ignore[no-any-return]


def _repeat_evenly(x: Tensor, count: int, axis: int) -> Tensor:
    """Every slice `count` times: by a new dimension after `axis`, tiled and folded into it."""
    rank = x.ndim
    assert rank is not None
    counts = np.ones(rank + 1, np.int32)
    counts[axis + 1] = count
    wide = raw_ops.Tile(raw_ops.ExpandDims(x, np.int32(axis + 1)), counts)
    shape = shape_of(x)
    if isinstance(shape, np.ndarray):
        shape = shape.copy()
        shape[axis] *= count
    else:
        scale = np.ones(rank, np.int32)
        scale[axis] = count
        shape = shape * scale
    return raw_ops.Reshape(wide, shape)  # type: ignore[no-any-return]


def _repeated_indices(counts: Tensor) -> Tensor:
    """`[0, 0, 2]` for `[2, 0, 1]`: how many of the running totals each place has passed."""
    totals = raw_ops.Cumsum(counts, np.int32(0))
    end = raw_ops.Reshape(raw_ops.Sum(counts, np.array([0], np.int32)), np.zeros(0, np.int32))
    zero, one = (np.array(v, counts.dtype.np_dtype) for v in (0, 1))
    places = raw_ops.Range(zero, end, one)
    row = np.int32(0)
    found = raw_ops.UpperBound(raw_ops.ExpandDims(totals, row), raw_ops.ExpandDims(places, row))
    return raw_ops.Squeeze(found, axis=[0])  # type: ignore[no-any-return]


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
    vectors = [raw_ops.Reshape(v, np.array([-1], np.int32)) for v in map(convert_to_tensor, args)]
    if not vectors:
        return []
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
