"""Tensors put together, along a new axis or one that they have: `tf.stack`, `tf.concat`."""

from __future__ import annotations

from collections.abc import Sequence
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
from runnel.core.op.context import executing_eagerly, state
from runnel.core.op.shortcuts import run_moving
from runnel.core.tensor.convert import ready_made
from runnel.core.tensor.filling import number_of
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import INDICES, int32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.array.identity import identity
from runnel.ops.array.shaping import WIDE, one_axis
from runnel.ops.choices import at_least
from runnel.ops.shapes import shape_of


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


@op("Pack", "values: N*T -> output: T", shape=_packed, moves=True, watched=1)
def _pack(xp: Namespace, values: list[Array], *, axis: int = 0) -> Array:
    if xp is np and axis in (0, -1) and _is_number(values[0]):
        return np.array(values, values[0].dtype)  # np.stack takes seven times as long
    return xp.stack(values, axis=axis)


def _is_number(value: Any) -> bool:
    return isinstance(value, np.generic | np.ndarray) and value.ndim == 0 and value.dtype != object


@RegisterGradient("Pack", needs="")
def _pack_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Unpack(dy, num=len(op.inputs), axis=op.attrs["axis"], name="unstack")  # type: ignore[no-any-return]


def stack(values: Sequence[TensorLike], axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape side by side along a new axis.

    Args:
        values: a list of tensors of one shape and dtype.
        axis: where the new axis comes.

    Raises:
        InvalidArgumentError: the shapes differ.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if axis == 0:
        if type(values) is list and set(map(type, values)) == {EagerTensor}:
            return raw_ops.Pack(values, name=name)  # type: ignore[no-any-return]
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # a list that is no value by itself, such as one with variables of several kinds
    if not hasattr(values, "__len__"):
        raise TypeError(f"stack: `values` must be a list of tensors, got {values!r}.")
    if not isinstance(axis, int | float | np.number | Tensor):
        raise TypeError(f"stack: `axis` must be an integer, got {axis!r}.")
    if not isinstance(values, Tensor) and not len(values):
        raise ValueError("stack: `values` must hold a tensor at least, got none.")
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


@op("Unpack", "value: T -> output: num*T", shape=_unpacked, watched=0)
def _unpack(xp: Namespace, value: Array, *, num: int, axis: int = 0) -> list[Array]:
    place = one_axis("Unpack", axis, len(value.shape))
    if value.shape[place] != num:
        raise bad_shape("Unpack", want=f"have size {num} in dimension {axis}", value=value)
    before = (slice(None),) * place
    return [value[(*before, i, ...)] for i in range(num)]


@RegisterGradient("Unpack", needs="")
def _unpack_grad(op: Any, *dys: Tensor) -> Gradients:
    return raw_ops.Pack(list(dys), axis=op.attrs["axis"], name="stack")  # type: ignore[no-any-return]


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """The slices of `value` along an axis, as a list.

    Args:
        value: a tensor.
        num: how many there are, where the shape does not tell.
        axis: the axis that is taken apart.

    Raises:
        ValueError: the size is not known.

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


@scoped("parallel_stack")
def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Tensors of one shape side by side along a new first axis; in graphs only, as in TensorFlow.

    >>> tf.function(lambda: tf.parallel_stack([[1, 2], [3, 4]]))().shape
    TensorShape([2, 2])
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.parallel_stack() is not compatible with eager execution; use tf.stack."
        )
    if isinstance(values, Tensor):
        raise TypeError(f"tf.parallel_stack: `values` must be a list, got {values!r}.")
    parts = [convert_to_tensor(v) for v in values]
    shape = TensorShape([len(parts), *parts[0].shape])
    rows = [raw_ops.ExpandDims(part, np.int32(0)) for part in parts]
    return raw_ops.ParallelConcat(rows, shape=shape, name=name)  # type: ignore[no-any-return]


def _parallel_shape(values: list[Spec], *, shape: TensorShape) -> Dims:
    dims = _merged("ParallelConcat", values, "values")
    if dims is not None and (not dims or dims[0] not in (None, 1)):
        raise bad_shape("ParallelConcat", want="have size 1 in dimension 0", values=values[0])
    if not shape.is_fully_defined():
        raise bad_value("ParallelConcat", want="be fully defined", shape=shape)
    if dims is not None and not shape[1:].is_compatible_with(dims[1:]):
        raise bad_value("ParallelConcat", want=f"follow values of shape {dims}", shape=shape)
    return shape._dims


@op("ParallelConcat", "values: N*T -> output: T", N=at_least(1), shape=_parallel_shape)
def _parallel_concat(xp: Namespace, values: list[Array], *, shape: TensorShape) -> Array:
    found = xp.concatenate(values, axis=0)
    if shape != found.shape:
        raise bad_value("ParallelConcat", want=f"be {found.shape}", shape=shape)
    return found


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
    "values: N*T[1+], axis: Tidx[0] -> output: T",
    Tidx=WIDE,
    static=("axis",),
    shape=_concatenated,
    moves=True,
    default_name="concat",
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
    "concat_dim: int32[0], values: N*T[1+] -> output: T",
    N=at_least(2),
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
    if state.graph is not None and len(values) <= _MOST_SLICES and dy.ndim is not None:
        return _slices_like(values, axis, dy, dy.ndim)
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


def _slices_like(values: Sequence[Tensor], axis: Any, dy: Tensor, rank: int) -> list[Tensor]:
    """`dy` cut as `values` are, one slice after the other, in a graph."""
    axis = axis if axis.dtype is int32 else raw_ops.Cast(axis, DstT=int32)
    place = axis % number_of(rank, int32, "Rank")
    if all(v.shape.is_fully_defined() for v in values):
        sizes = [shape_tensor(v) for v in values]
    else:
        sizes = raw_ops.ShapeN(list(values))
    starts = raw_ops.ConcatOffset(place, sizes)
    return [raw_ops.Slice(dy, *part) for part in zip(starts, sizes, strict=True)]


_MOST_SLICES = 16


def _size_at(x: Tensor, axis: int) -> int | None:
    return x.shape[axis] if x.ndim is not None else None


def concat(values: Any, axis: TensorLike, name: str = "concat") -> Tensor:
    """Tensors one after another along an axis that they have.

    Args:
        values: a list of tensors whose other sizes agree.
        axis: the axis along which they follow each other.

    Raises:
        InvalidArgumentError: their shapes do not fit.

    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=0).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    quick = run_moving(_concat_v2, values, axis)
    if quick is not None:
        return quick
    if not isinstance(values, (list, tuple)):
        if hasattr(values, "joined"):  # a list that grew in a loop of the graph
            return values.joined(axis)  # type: ignore[no-any-return]
        values = [values]
    if len(values) > 1:
        return _concat_v2(values, ready_made(axis), name=name)  # type: ignore[no-any-return]
    if values:
        place = convert_to_tensor(axis, dtype=int32)
        if place.shape.rank not in (0, None):
            raise ValueError(f"tf.concat: `axis` must be a scalar, got shape {place.shape}.")
        return identity(values[0], name=name)
    raise bad_value("ConcatV2", want="be a list of one tensor or more", values=values)


def _offset_shapes(concat_dim: Spec, shape: list[Spec]) -> list[Any]:
    return [[spec.dims for spec in shape]]


@op(
    "ConcatOffset",
    "concat_dim: int32[0?], shape: N*shape_type -> offset: N*shape_type",
    N=at_least(2),
    shape_type=INDICES,
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
