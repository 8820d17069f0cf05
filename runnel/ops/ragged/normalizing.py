"""Functions along one dimension of a ragged tensor: softmax, running sums, dropout."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.settings.scoped import scoped
from runnel.core.values.types import TensorLike
from runnel.ops.array.constants import zeros_like
from runnel.ops.array.identity import stop_gradient
from runnel.ops.array.selecting import where
from runnel.ops.array.shaping import squeeze
from runnel.ops.math.arithmetic import add, subtract
from runnel.ops.math.comparison import is_finite
from runnel.ops.math.division import truediv
from runnel.ops.math.powers import exp, log
from runnel.ops.nn import dropout, softmax
from runnel.ops.ragged.reductions import chosen_axes
from runnel.ops.reduce import cumulative, statistics
from runnel.ops.reduce.reductions import reduce_max, reduce_sum


@scoped("RaggedSoftmax")
def _softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    place = positive_axis(-1 if axis is None else axis, logits.shape.rank, "axis")
    inner = place - logits.ragged_rank
    if inner > 0:
        return logits.with_flat_values(softmax.softmax(logits.flat_values, axis=inner))
    shifted = subtract(logits, stop_gradient(reduce_max(logits, place, keepdims=True)))
    weights = exp(shifted)
    return truediv(weights, reduce_sum(weights, place, keepdims=True))


def _cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    place = positive_axis(axis, x.shape.rank, "axis")
    inner = place - x.ragged_rank
    if inner > 0:
        flat = cumulative.cumsum(x.flat_values, inner, exclusive, reverse)
        return x.with_flat_values(flat)
    sums = cumulative.cumsum(x.to_tensor(), place, exclusive, reverse)  # zeros add nothing
    return RaggedTensor.from_tensor(sums, lengths=x.nested_row_lengths())


def _logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    largest = reduce_max(input_tensor, axis, keepdims=True)
    finite = stop_gradient(where(is_finite(largest), largest, zeros_like(largest)))
    sums = reduce_sum(exp(subtract(input_tensor, finite)), axis, keepdims=True)
    result = add(log(sums), finite)
    if keepdims:
        return result
    axes = chosen_axes(axis, input_tensor.shape.rank)
    return squeeze(result, list(range(input_tensor.shape.rank)) if axes is None else axes)


@scoped("RaggedNNDropout")
def _dropout(
    x: Any,
    rate: TensorLike,
    noise_shape: TensorLike = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    _refuse(noise_shape)
    return x.with_flat_values(dropout.dropout(x.flat_values, rate, seed=seed))


def _stateless_dropout(
    x: Any,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: str = "auto_select",
    noise_shape: TensorLike = None,
    name: str | None = None,
) -> Any:
    _refuse(noise_shape)
    return x.with_flat_values(dropout.stateless_dropout(x.flat_values, rate, seed, rng_alg))


def _refuse(noise_shape: TensorLike) -> None:
    if noise_shape is not None:
        raise ValueError("dropout: `noise_shape` must be None for a ragged tensor.")


_RAGGED = [{0: RaggedTensor}]
dispatch.add_target(softmax.softmax, _softmax, _RAGGED)
dispatch.add_target(cumulative.cumsum, _cumsum, _RAGGED)
dispatch.add_target(statistics.reduce_logsumexp, _logsumexp, _RAGGED)
dispatch.add_target(dropout.dropout, _dropout, _RAGGED)
dispatch.add_target(dropout.stateless_dropout, _stateless_dropout, _RAGGED)
