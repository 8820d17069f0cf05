"""`tf.ragged.map_flat_values`: any function on the values, whatever rows they are in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import require
from runnel.core.op.raw import raw_ops
from runnel.core.values import nest


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` of the arguments with flat values in place of ragged tensors, in the same rows again.

    >>> tf.ragged.map_flat_values(lambda x: x * 10, tf.ragged.constant([[1], [2, 3]]))
    <tf.RaggedTensor [[10], [20, 30]]>
    """
    found: list[RaggedTensor] = []

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            found.append(value)
            return value.flat_values
        return value

    inner_args, inner_kwargs = nest.map_structure(flat, (args, kwargs))
    if not found:
        return op(*args, **kwargs)
    _check_rows(found)
    result = op(*inner_args, **inner_kwargs)
    expected = found[0].flat_values.shape[:1]
    if not result.shape[:1].is_compatible_with(expected) or result.shape.rank == 0:
        raise ValueError(
            f"tf.ragged.map_flat_values: `op` must keep the first dimension {expected}, it gave a "
            f"result of shape {result.shape}."
        )
    return found[0].with_flat_values(result)


def _check_rows(found: list[RaggedTensor]) -> None:
    first = found[0].nested_row_splits
    for other in found[1:]:
        if other.ragged_rank != len(first):
            raise ValueError(
                "tf.ragged.map_flat_values: all ragged arguments need one ragged_rank."
            )
        for mine, its in zip(first, other.nested_row_splits, strict=True):
            mine.shape.assert_is_compatible_with(its.shape)
            message = "tf.ragged.map_flat_values: all ragged arguments must have the same rows"
            require(raw_ops.Equal(mine, raw_ops.Cast(its, DstT=mine.dtype)), message, its)
