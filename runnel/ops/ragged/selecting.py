"""Choosing elements of ragged tensors: `tf.where`, `tf.ragged.boolean_mask`, `tf.one_hot`."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_indexing import gather_rows
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array import selecting
from runnel.ops.ragged.broadcasting import on_flat_values
from runnel.ops.ragged.joining import with_ragged_rank


def _where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    if (x is None) != (y is None):
        raise ValueError("tf.where: give both `x` and `y`, or neither.")
    if x is None:
        places = condition.to_sparse()
        return selecting.boolean_mask(places.indices, places.values)
    x, y = _of_one_dtype(x, y)
    if not isinstance(condition, RaggedTensor):
        condition = convert_to_tensor(condition, dtypes.bool)
    return on_flat_values(selecting.where, condition, x, y)


def _of_one_dtype(x: Any, y: Any) -> tuple[Any, Any]:
    if isinstance(x, RaggedTensor | Tensor):
        return x, y if isinstance(y, RaggedTensor) else convert_to_tensor(y, dtype_hint=x.dtype)
    first = y if isinstance(y, RaggedTensor | Tensor) else convert_to_tensor(y)
    return convert_to_tensor(x, dtype_hint=first.dtype), first


@scoped("RaggedMask")
def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> Any:
    """The elements of `data` where `mask` is true, in the rows they were in.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, True, False]])
    <tf.RaggedTensor [[1, 3], [5]]>
    """
    chosen = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask, dtypes.bool)
    values = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    if chosen.dtype is not dtypes.bool:
        raise TypeError(
            f"tf.ragged.boolean_mask: `mask` must be of dtype bool, got {chosen.dtype}."
        )
    rank = chosen.shape.rank
    if rank is None:
        raise ValueError("tf.ragged.boolean_mask: `mask` must have a known rank.")
    if rank == 0:
        raise ValueError("tf.ragged.boolean_mask: `mask` cannot be a scalar.")
    if isinstance(values, RaggedTensor) or rank > 1 or isinstance(chosen, RaggedTensor):
        return _masked(values, chosen)
    return selecting.boolean_mask(values, chosen)


def _masked(data: Any, mask: Any) -> Any:
    if mask.shape.rank == 1:
        places = raw_ops.Reshape(raw_ops.Where(mask), [-1])
        if isinstance(data, RaggedTensor):
            data.shape[:1].assert_is_compatible_with(mask.shape)
            return gather_rows(data, places)
        return selecting.boolean_mask(data, mask)
    data = with_ragged_rank(data, 1).with_row_splits_dtype(dtypes.int64)
    mask = with_ragged_rank(mask, 1).with_row_splits_dtype(dtypes.int64)
    message = "tf.ragged.boolean_mask: `mask` must have rows of the same lengths as `data`"
    data.row_splits.shape.assert_is_compatible_with(mask.row_splits.shape)
    require(raw_ops.Equal(data.row_splits, mask.row_splits), message, mask.row_splits)
    if mask.shape.rank != 2:
        return data.with_values(_masked(data.values, mask.values))
    kept = raw_ops.Cast(mask.values, DstT=dtypes.int64)
    lengths = raw_ops.UnsortedSegmentSum(kept, mask.value_rowids(), mask.nrows())
    return RaggedTensor.from_row_lengths(_masked(data.values, mask.values), lengths, validate=False)


@scoped("RaggedOneHot")
def _one_hot(
    indices: Any,
    depth: TensorLike,
    on_value: TensorLike = None,
    off_value: TensorLike = None,
    axis: int | None = None,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> RaggedTensor:
    place = -1 if axis is None else axis
    if place >= 0:
        if place <= indices.ragged_rank:
            raise ValueError(
                f"tf.one_hot: `axis` must be after the ragged dimensions, got {axis} with "
                f"ragged_rank {indices.ragged_rank}."
            )
        place -= indices.ragged_rank
    flat = selecting.one_hot(indices.flat_values, depth, on_value, off_value, place, dtype)
    return indices.with_flat_values(flat)  # type: ignore[no-any-return]


_ANY = [{"condition": RaggedTensor}, {"x": RaggedTensor}, {"y": RaggedTensor}]
dispatch.add_target(selecting.where, _where, _ANY)
dispatch.add_target(selecting.one_hot, _one_hot, [{"indices": RaggedTensor}])
