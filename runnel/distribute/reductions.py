"""How the values of replicas become one: sums, means, and all of them end to end.

Variables with a value for each replica are read and written across them by ops of their own.
Whoever reads the file of a model knows one value of a variable: in graphs that are written, the
plain ops on variables stand in their place.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import no_gradient
from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import VariableAggregation
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.data.graph.rewriting import write_instead
from runnel.distribute.values import DistributedValues, container_of
from runnel.graph.build.operation import Operation


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
    rank = TensorShape(getattr(value, "shape", np.shape(value))).rank
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


def _read(xp: Namespace, rows: Array, *, dtype: DType, kind: str) -> Array:
    if kind == "first":
        return rows[0]
    return (xp.sum if kind == "sum" else xp.mean)(rows, axis=0, dtype=rows.dtype)


def _row(resource: Spec, **attrs: Any) -> Dims:
    dims = None if resource.handle is None else resource.handle.static_shape._dims
    return None if dims is None else dims[1:]


def _write(xp: Namespace, rows: Array, value: Array, *, method: str, share: int) -> Array:
    if share > 1:
        value = (value / share).astype(rows.dtype)
    if method == "assign":
        return xp.stack([value] * rows.shape[0])
    return rows + value if method == "assign_add" else rows - value


read_across = Op(
    "ReadAcrossReplicas", "resource: resource -> value: dtype", _read, state="read", shape=_row
)
write_across = Op(
    "WriteAcrossReplicas", "resource: resource, value: dtype ->", _write, state="update"
)
no_gradient("ReadAcrossReplicas")
no_gradient("WriteAcrossReplicas")


def read_rows(handle: Any, dtype: DType, kind: str) -> Tensor:
    """The sum or the mean of the values of all replicas of this process, or the first of them."""
    return read_across.apply([handle], {"dtype": dtype, "kind": kind})  # type: ignore[no-any-return]


def write_rows(handle: Any, value: Tensor, method: str, share: int = 1) -> None:
    """Assign, add or subtract a value, or a share of it, for every replica of this process."""
    write_across.apply([handle, value], {"method": method, "share": share})


def _plainly_read(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    return [raw_ops.ReadVariableOp(inputs[0], dtype=operation.attrs["dtype"])]


def _plainly_written(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    method = operation.attrs["method"]
    change = raw_ops.AssignAddVariableOp if method == "assign_add" else raw_ops.AssignSubVariableOp
    (raw_ops.AssignVariableOp if method == "assign" else change)(*inputs)
    return []


write_instead("ReadAcrossReplicas", _plainly_read)
write_instead("WriteAcrossReplicas", _plainly_written)
