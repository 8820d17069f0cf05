"""Parts of a tensor by number: `tf.ragged.stack_dynamic_partitions`, `tf.dynamic_partition`."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from runnel.ops.array import partitioning
from runnel.ops.array.gathering import gather
from runnel.ops.ragged.joining import with_ragged_rank
from runnel.ops.ragged.shaping import expanded
from runnel.ops.reduce.ordering import argsort


@scoped("SegmentStack")
def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: TensorLike, name: str | None = None
) -> RaggedTensor:
    """A row for each number below `num_partitions`, of the elements of `data` that have it.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d"], [1, 0, 1, 3], 4)
    <tf.RaggedTensor [[b'b'], [b'a', b'c'], [], [b'd']]>
    """
    values = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    if isinstance(partitions, RaggedTensor):
        numbers: Any = partitions
    else:
        numbers = convert_to_tensor(partitions)
    return _stacked(values, numbers, num_partitions)


def _stacked(data: Any, partitions: Any, num_partitions: TensorLike) -> Any:
    if isinstance(partitions, RaggedTensor):
        data = with_ragged_rank(data, 1)
        if not isinstance(data, RaggedTensor):
            raise ValueError("`data` must have the rows of `partitions`.")
        mine = raw_ops.Cast(data.row_splits, DstT=dtypes.int64)
        its = raw_ops.Cast(partitions.row_splits, DstT=dtypes.int64)
        mine.shape.assert_is_compatible_with(its.shape)
        require(raw_ops.Equal(mine, its), "`data` must have the rows of `partitions`", its)
        return _stacked(data.values, _wide(partitions.values), num_partitions)
    rank = partitions.shape.rank
    if rank == 0:
        return _stacked(expanded(data, 0), raw_ops.ExpandDims(partitions, 0), num_partitions)
    if rank is None:
        raise ValueError("`partitions` must have a known rank.")
    if rank > 1:
        return _stacked(data, with_ragged_rank(partitions, rank - 1), num_partitions)
    return _by_number(data, partitions, num_partitions)


def _wide(partitions: Any) -> Any:
    if isinstance(partitions, RaggedTensor):
        return partitions
    return raw_ops.Cast(partitions, DstT=dtypes.int64)


def _by_number(data: Any, partitions: Tensor, num_partitions: TensorLike) -> RaggedTensor:
    kind = dtypes.int32 if partitions.dtype is dtypes.int32 else dtypes.int64
    numbers = raw_ops.Cast(partitions, DstT=kind)
    count = raw_ops.Cast(convert_to_tensor(num_partitions), DstT=kind)
    data.shape[:1].assert_is_compatible_with(numbers.shape)
    zero = raw_ops.ZerosLike(numbers)
    inside = raw_ops.LogicalAnd(raw_ops.GreaterEqual(numbers, zero), raw_ops.Less(numbers, count))
    require(inside, "`partitions` must be in [0, num_partitions)", numbers)
    order = argsort(numbers, stable=True)
    rows = raw_ops.GatherV2(numbers, order, 0)
    return RaggedTensor.from_value_rowids(gather(data, order), rows, nrows=count, validate=False)


def _dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Any]:
    if not isinstance(num_partitions, int) or num_partitions <= 0:
        raise ValueError(
            f"tf.dynamic_partition: `num_partitions` must be positive, got {num_partitions!r}."
        )
    stacked = stack_dynamic_partitions(data, partitions, num_partitions)
    return [stacked[i] for i in range(num_partitions)]


_EITHER: list[dict[Any, Any]] = [{"data": RaggedTensor}, {"partitions": RaggedTensor}]
dispatch.add_target(partitioning.dynamic_partition, _dynamic_partition, _EITHER)
