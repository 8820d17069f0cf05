"""Tensors cut into parts along an axis: `tf.split`."""

from __future__ import annotations

import itertools
import numbers
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dimension import Dimension
from runnel.core.values.dtypes import INDICES, int8, int32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Gradients, Namespace, Spec, TensorLike
from runnel.ops.array.shaping import entries, one_axis


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


@op(
    "Split",
    "axis=split_dim: int32, value: T -> output: num_split*T",
    static=("axis",),
    shape=_split_shapes,
)
def _split(xp: Namespace, axis: np.ndarray, value: Array, *, num_split: int) -> list[Array]:
    if axis.ndim > 1:
        raise bad_shape("Split", want="be a scalar", axis=axis)
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
    "value: T[1+], size_splits: Tlen, axis=split_dim: int32 -> output: num_split*T",
    Tlen=INDICES | {int8},
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

    Args:
        value: a tensor.
        num_or_size_splits: how many equal parts, or a list of their sizes.
        axis: the axis that is divided.
        num: how many sizes there are, where that cannot be told from their tensor.

    Raises:
        ValueError: the size cannot be divided so.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    if isinstance(num_or_size_splits, numbers.Integral | Dimension):
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
