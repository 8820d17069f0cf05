"""`tf.ragged.constant`: ragged tensors of nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import convert_to_tensor, scoped
from runnel.core.tensor.convert import constant as dense_constant
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.types import DTypeLike


@scoped("RaggedConstant")
def constant(
    pylist: Any,
    dtype: DTypeLike = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """The ragged tensor of a nested list; dimensions after `ragged_rank` must be uniform.

    Args:
        pylist: a nested list.
        dtype: the dtype of the values; None finds one.
        ragged_rank: how many dimensions may vary in length.
        inner_shape: the shape of the innermost values.
        row_splits_dtype: int32 or int64: the dtype of the places where rows begin.

    Raises:
        ValueError: depths differ, or do not fit `ragged_rank`.

    >>> tf.ragged.constant([[1, 2], [3], []])
    <tf.RaggedTensor [[1, 2], [3], []]>
    >>> tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1).shape
    TensorShape([2, None, 2])
    """
    values, nested, inner = parts(pylist, ragged_rank, inner_shape, row_splits_dtype)
    flat = _flat(values, dtype, inner, ragged=bool(nested))
    for splits in reversed(nested):
        flat = RaggedTensor.from_row_splits(flat, convert_to_tensor(splits), validate=False)
    return flat


def parts(
    pylist: Any, ragged_rank: int | None, inner_shape: Any, row_splits_dtype: DTypeLike
) -> tuple[Any, list[Any], tuple[int, ...] | None]:
    """The flat values of a nested list, where rows begin, and the shape of what is inside."""
    splits_dtype = as_dtype(row_splits_dtype)
    if splits_dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"tf.ragged.constant: `row_splits_dtype` must be int32 or int64, got {splits_dtype}."
        )
    values = _as_lists(pylist)
    scalars, deepest = _depths(values)
    if scalars is not None and scalars < deepest:
        raise ValueError("tf.ragged.constant: all values must be at the same depth of `pylist`.")
    rank, inner = _uniform_part(values, scalars, deepest, ragged_rank, inner_shape)
    nested = []
    for _ in range(rank):
        nested.append(np.cumsum([0, *map(len, values)]).astype(splits_dtype.np_dtype))
        values = [item for row in values for item in row]
    return values, nested, inner


def _as_lists(value: Any) -> Any:
    """Nested lists: NumPy arrays and tuples taken apart, their scalars left as they are."""
    if isinstance(value, RaggedTensor):
        raise TypeError("tf.ragged.constant: `pylist` must not have ragged tensors in it.")
    if isinstance(value, np.ndarray) and value.ndim:
        return [_as_lists(item) for item in value]
    if isinstance(value, list | tuple):
        return [_as_lists(item) for item in value]
    return value


def _depths(value: Any) -> tuple[int | None, int]:
    """The smallest depth of a scalar, if there is any, and the largest depth of all."""
    if not isinstance(value, list):
        return 0, 0
    scalar: int | None = None
    deepest = 1
    for item in value:
        low, high = _depths(item)
        deepest = max(deepest, high + 1)
        if low is not None:
            scalar = low + 1 if scalar is None else min(scalar, low + 1)
    return scalar, deepest


def _uniform_part(
    values: Any, scalars: int | None, deepest: int, ragged_rank: int | None, inner_shape: Any
) -> tuple[int, tuple[int, ...] | None]:
    """How many dimensions are ragged, and the shape of what is inside them."""
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"tf.ragged.constant: `ragged_rank` must not be negative: {ragged_rank}.")
    if inner_shape is not None:
        inner_shape = (inner_shape,) if isinstance(inner_shape, int) else tuple(inner_shape)
    if ragged_rank is None:
        rank = max(1, deepest - 1) if inner_shape is None else deepest - 1 - len(inner_shape)
        if deepest <= 1 and inner_shape is None:
            return 0, None
        if rank < 0:
            raise ValueError(
                f"tf.ragged.constant: `inner_shape` {inner_shape} has more dimensions than "
                f"`pylist` of depth {deepest}."
            )
        return rank, inner_shape if inner_shape is not None else ()
    if ragged_rank and scalars is not None and scalars <= ragged_rank:
        raise ValueError(
            f"tf.ragged.constant: `ragged_rank` must be less than the depth {scalars} of the "
            f"values, got {ragged_rank}."
        )
    if inner_shape is not None:
        return ragged_rank, inner_shape
    inner = values
    for _ in range(ragged_rank):
        inner = [item for row in inner for item in row]
    return ragged_rank, _common_shape(inner)[1:] if ragged_rank else None


def _common_shape(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list):
        return ()
    shapes = {_common_shape(item) for item in values}
    if len(shapes) > 1:
        raise ValueError("tf.ragged.constant: the inner values have inconsistent shapes.")
    return (len(values), *(shapes.pop() if shapes else ()))


def _flat(values: Any, dtype: DTypeLike, inner: tuple[int, ...] | None, *, ragged: bool) -> Any:
    if inner is None or (not ragged and not inner):
        return dense_constant(values, dtype=dtype)
    return dense_constant(values, dtype=dtype, shape=(len(values), *inner))
