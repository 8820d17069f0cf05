"""Functions from strings to rows of parts, for tensors of any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import convert_to_tensor, raw_ops
from runnel.core.values.dtypes import DType
from runnel.core.values.types import TensorLike


def each_row(input: Any, rows: Callable[[Any], Any]) -> Any:
    """What `rows` makes of a vector, for a tensor of any shape.

    `rows` gives a ragged tensor with one row for each element, or several. Those of a scalar are
    tensors.
    """
    if isinstance(input, RaggedTensor):
        return _with_flat_values(input, rows(input.flat_values))
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Strings can be cut into rows only if their rank is known.")
    if rank == 0:
        found = rows(raw_ops.Reshape(input, [1]))
        return tuple(f.values for f in found) if isinstance(found, tuple) else found.values
    if rank == 1:
        return rows(input)
    return each_row(RaggedTensor.from_tensor(input, ragged_rank=rank - 1), rows)


def _with_flat_values(input: RaggedTensor, found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(input.with_flat_values(f) for f in found)
    return input.with_flat_values(found)


def as_tensor(input: TensorLike, dtype: DType | None = None) -> Any:
    """A ragged tensor as it is, anything else as a tensor."""
    return input if isinstance(input, RaggedTensor) else convert_to_tensor(input, dtype)
