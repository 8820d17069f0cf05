"""How the values of replicas become one: sums, means, and all of them end to end."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import VariableAggregation
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values import dtypes
from runnel.core.values.shape import TensorShape
from runnel.distribute.values import DistributedValues, container_of


class ReduceOp(enum.Enum):
    """How the values of replicas become one.

    >>> tf.distribute.ReduceOp("SUM")
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that belongs to a variable's aggregation."""
        found = {
            VariableAggregation.SUM: ReduceOp.SUM,
            VariableAggregation.MEAN: ReduceOp.MEAN,
            VariableAggregation.ONLY_FIRST_REPLICA: ReduceOp.SUM,
        }
        if aggregation not in found:
            raise ValueError(f"ReduceOp: there is none for the aggregation {aggregation}")
        return found[aggregation]


def reduce_op(value: Any) -> ReduceOp:
    """The reduction that an argument names."""
    return ReduceOp(value.upper()) if isinstance(value, str) else ReduceOp(value)


def as_value(value: Any) -> Any:
    """A tensor, or slices of one."""
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value)


def values_of(value: Any) -> tuple[Any, ...] | None:
    """The values of the replicas; None for what is no distributed value."""
    if isinstance(value, DistributedValues):
        return value.values
    container = container_of(value)
    return None if container is None else tuple(container.values)


def reduced(kind: ReduceOp, values: Sequence[Any]) -> Any:
    """The sum or the mean of tensors, or of slices."""
    parts = [as_value(value) for value in values]
    total = _sum(parts)
    return total if kind is ReduceOp.SUM else divided(total, len(parts))


def _sum(parts: Sequence[Any]) -> Any:
    if not any(isinstance(part, IndexedSlices) for part in parts):
        return raw_ops.AddN(inputs=list(parts)) if len(parts) > 1 else parts[0]
    if not all(isinstance(part, IndexedSlices) for part in parts):
        return _sum([convert_to_tensor(part) for part in parts])
    rows = raw_ops.ConcatV2(values=[part.values for part in parts], axis=0)
    indices = raw_ops.ConcatV2(values=[part.indices for part in parts], axis=0)
    return IndexedSlices(rows, indices, parts[0].dense_shape)


def divided(total: Any, count: int) -> Any:
    """A total by the number of replicas; of whole numbers, a float64 as `/` gives it."""
    if isinstance(total, IndexedSlices):
        return IndexedSlices(divided(total.values, count), total.indices, total.dense_shape)
    return total / count


def check_axis(value: Any, axis: Any, method: str) -> None:
    """TypeError and ValueError for what is no axis of a value."""
    axes = np.ravel(axis)
    if not np.issubdtype(axes.dtype, np.integer):
        raise TypeError(f"{method}: `axis` must be an integer, got {axis!r}")
    rank = getattr(value, "shape", TensorShape(np.shape(value))).rank
    if rank is not None and any(not -rank <= a < rank for a in axes):
        raise ValueError(f"{method}: {value!r} of rank {rank} has no axis {axis}")


def check_gathered(values: Sequence[Any], axis: Any) -> None:
    """Refuse slices, and what has no such axis."""
    for value in values:
        if isinstance(value, IndexedSlices):
            raise NotImplementedError("IndexedSlices are not gathered from replicas")
        check_axis(value, axis, "gather")


def gathered(values: Sequence[Any], axis: int) -> Any:
    """Tensors one behind the other."""
    parts = [convert_to_tensor(value) for value in values]
    return raw_ops.ConcatV2(values=parts, axis=axis) if len(parts) > 1 else parts[0]


def not_reducible(kind: ReduceOp, value: Any) -> ValueError:
    """The error for a sum of a value that is no distributed one."""
    return ValueError(
        f"A value that is the same on all replicas cannot be reduced by {kind}, got {value!r}: "
        "whether its sum counts it once or for each replica is not said. Return it from "
        "Strategy.run, or use MEAN."
    )


def check_mean(value: Any, name: str) -> None:
    """Refuse a mean of values of a variable that cannot hold one."""
    if not dtypes.as_dtype(value).is_floating:
        raise ValueError(f"{name}: the aggregation MEAN needs a floating dtype, got {value}.")
