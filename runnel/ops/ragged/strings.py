"""Functions of strings on ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.values.types import TensorLike
from runnel.ops.ragged.broadcasting import on_flat_values
from runnel.ops.ragged.reductions import Reduction, chosen_axes, reduce_axes
from runnel.ops.strings import join


def _join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Any:
    def joined(*parts: Any) -> Any:
        return join.join(list(parts), separator)

    return on_flat_values(joined, *inputs)


def _reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    def whole(value: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return join.reduce_join(value, axis, keepdims, separator)

    axes = chosen_axes(axis, inputs.shape.rank)
    return reduce_axes(whole, _by_segment(separator), inputs, axes, keepdims)


def _by_segment(separator: str) -> Reduction:
    def joined(data: Any, segment_ids: Any, num_segments: TensorLike) -> Any:
        return join.unsorted_segment_join(data, segment_ids, num_segments, separator)

    return joined


def _has_ragged(values: Any) -> bool:
    return isinstance(values, list | tuple) and any(isinstance(v, RaggedTensor) for v in values)


dispatch.add_target(join.join, _join, [{"inputs": _has_ragged}])
dispatch.add_target(join.reduce_join, _reduce_join, [{"inputs": RaggedTensor}])
