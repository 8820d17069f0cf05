"""Sums, means and the like over dimensions of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.settings.scoped import scoped
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.ops.array.constants import ones_like
from runnel.ops.array.shaping import expand_dims, reshape
from runnel.ops.math.arithmetic import square, subtract
from runnel.ops.math.casting import cast
from runnel.ops.math.comparison import equal, greater
from runnel.ops.math.division import truediv
from runnel.ops.math.logical import logical_not
from runnel.ops.math.powers import sqrt
from runnel.ops.ragged.segments import by_column, by_row
from runnel.ops.reduce import reductions, statistics, unsorted_segments

Reduction = Callable[..., Any]


def chosen_axes(axis: Any, rank: int | None) -> list[int] | None:
    """The axes in ascending order, or None for all of them."""
    if axis is None:
        return None
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is None:
        raise ValueError("`axis` must be known before a reduction of a ragged tensor.")
    given = known if isinstance(known, list | tuple) else getattr(known, "tolist", lambda: known)()
    listed = given if isinstance(given, list | tuple) else [given]
    return sorted({positive_axis(a, rank, "axis") for a in listed})


def reduce_axes(
    function: Reduction, by_segment: Reduction, ragged: Any, axes: list[int] | None, keepdims: bool
) -> Any:
    """The innermost axis is reduced first, so that the others keep their places."""
    if axes is None:
        total = function(ragged.flat_values)
        return reshape(total, [1] * (ragged.shape.rank or 0)) if keepdims else total
    for axis in reversed(axes):
        ragged = _reduced_one(function, by_segment, ragged, axis, keepdims)
    return ragged


def _reduced_one(
    function: Reduction, by_segment: Reduction, value: Any, axis: int, keepdims: bool
) -> Any:
    if not isinstance(value, RaggedTensor):
        return function(value, axis=axis, keepdims=keepdims)
    if axis > 1:
        inner = _reduced_one(function, by_segment, value.values, axis - 1, keepdims)
        return value.with_values(inner)
    reduced = (by_row if axis == 1 else by_column)(by_segment, value)
    return expand_dims(reduced, axis) if keepdims else reduced


def _simple(function: Reduction, by_segment: Reduction) -> Reduction:
    def reduce(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
    ) -> Any:
        axes = chosen_axes(axis, input_tensor.shape.rank)
        return reduce_axes(function, by_segment, input_tensor, axes, keepdims)

    return reduce


_sum = _simple(reductions.reduce_sum, unsorted_segments.unsorted_segment_sum)


@scoped("RaggedReduceMean")
def _mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    total = _sum(input_tensor, axis, keepdims)
    return truediv(total, _count(input_tensor, axis, keepdims))


def _count(ragged: Any, axis: Any, keepdims: bool) -> Any:
    """How many elements each sum has, in the dtype of the elements."""
    if chosen_axes(axis, ragged.shape.rank) == [1] and ragged.shape.rank == 2:
        lengths = cast(ragged.row_lengths(), ragged.dtype)
        return expand_dims(lengths, 1) if keepdims else lengths
    return _sum(ones_like(ragged), axis, keepdims)


def _variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    mean = _mean(input_tensor, axis, keepdims)
    return subtract(_mean(square(input_tensor), axis, keepdims), square(mean))


def _std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    return sqrt(_variance(input_tensor, axis, keepdims))


def _any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    if axis is None:
        return reduce_axes(reductions.reduce_any, _any, input_tensor, None, keepdims)
    count = _sum(cast(input_tensor, dtypes.int32), axis, keepdims)
    return greater(count, 0)


def _all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    if axis is None:
        return reduce_axes(reductions.reduce_all, _all, input_tensor, None, keepdims)
    count = _sum(cast(logical_not(input_tensor), dtypes.int32), axis, keepdims)
    return equal(count, 0)


_TARGETS: list[tuple[Reduction, Reduction]] = [
    (reductions.reduce_sum, _sum),
    (
        reductions.reduce_prod,
        _simple(reductions.reduce_prod, unsorted_segments.unsorted_segment_prod),
    ),
    (
        reductions.reduce_max,
        _simple(reductions.reduce_max, unsorted_segments.unsorted_segment_max),
    ),
    (
        reductions.reduce_min,
        _simple(reductions.reduce_min, unsorted_segments.unsorted_segment_min),
    ),
    (reductions.reduce_mean, _mean),
    (statistics.reduce_variance, _variance),
    (statistics.reduce_std, _std),
    (reductions.reduce_any, _any),
    (reductions.reduce_all, _all),
]

for _function, _target in _TARGETS:
    dispatch.add_target(_function, _target, [{0: RaggedTensor}])
