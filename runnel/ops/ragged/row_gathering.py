"""The op RaggedGather: some rows of a ragged tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Gradients, Namespace, Spec
from runnel.ops.choices import at_least
from runnel.ops.ragged.row_numbers import joined_ranges, splits_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _gather_rule(
    params_nested_splits: list[Spec],
    params_dense_values: Spec,
    indices: Spec,
    *,
    OUTPUT_RAGGED_RANK: int,
) -> list[Any]:
    if not params_nested_splits:
        want = "be one tensor or more"
        raise bad_value("RaggedGather", want=want, params_nested_splits=params_nested_splits)
    for splits in params_nested_splits:
        if splits.rank not in (None, 1):
            raise bad_shape("RaggedGather", want="be vectors", params_nested_splits=splits)
    if params_dense_values.rank == 0:
        want = "have rank 1 or more"
        raise bad_shape("RaggedGather", want=want, params_dense_values=params_dense_values)
    if indices.rank is not None:
        _check_rank(indices.rank, len(params_nested_splits), OUTPUT_RAGGED_RANK)
    inner = params_dense_values.dims
    outer = None
    if indices.dims:
        outer = None if indices.dims[0] is None else indices.dims[0] + 1
    found = [(outer,), *[(None,)] * (OUTPUT_RAGGED_RANK - 1)]
    return [found[:OUTPUT_RAGGED_RANK], None if inner is None else (None, *inner[1:])]


def _check_rank(rank: int, levels: int, wanted: int) -> None:
    if wanted != rank + levels - 1:
        want = f"be {rank + levels - 1}, from indices of rank {rank} and {levels} row splits"
        raise bad_value("RaggedGather", want=want, OUTPUT_RAGGED_RANK=wanted)


def _check_gather(
    params_nested_splits: list[Array],
    params_dense_values: Array,
    indices: Array,
    *,
    OUTPUT_RAGGED_RANK: int,
) -> None:
    name = "RaggedGather"
    _check_rank(indices.ndim, len(params_nested_splits), OUTPUT_RAGGED_RANK)
    for splits in params_nested_splits:
        if splits.ndim != 1 or not len(splits):
            want = "be vectors with one element or more"
            raise bad_shape(name, want=want, params_nested_splits=splits)
        if splits[0] < 0 or np.any(splits[1:] < splits[:-1]):
            raise bad_value(name, want="ascend", params_nested_splits=splits)
    below = [*[len(s) - 1 for s in params_nested_splits[1:]], len(params_dense_values)]
    for splits, count in zip(params_nested_splits, below, strict=True):
        if splits[-1] > count:
            want = f"not go beyond the {count} values"
            raise bad_value(name, want=want, params_nested_splits=splits)
    rows = len(params_nested_splits[0]) - 1
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        raise bad_value(name, want=f"be in [0, {rows})", indices=indices)


@op(
    "RaggedGather",
    "params_nested_splits: PARAMS_RAGGED_RANK*Tsplits, params_dense_values: Tvalues, "
    "indices: Tindices -> output_nested_splits: OUTPUT_RAGGED_RANK*Tsplits, "
    "output_dense_values: Tvalues",
    PARAMS_RAGGED_RANK=at_least(1),
    Tindices=_INDEX,
    Tsplits=_INDEX,
    host=True,
    shape=_gather_rule,
    check=_check_gather,
)
def _ragged_gather(
    xp: Namespace,
    params_nested_splits: list[Array],
    params_dense_values: Array,
    indices: Array,
    *,
    OUTPUT_RAGGED_RANK: int,
) -> list[Any]:
    dtype = params_nested_splits[0].dtype
    found, rows = [], 1
    for axis, size in enumerate(indices.shape[1:]):
        rows *= indices.shape[axis]
        found.append(np.arange(rows + 1, dtype=dtype) * np.asarray(size, dtype))
    places = indices.ravel().astype(dtype)
    for splits in params_nested_splits:
        starts = splits[places]
        lengths = splits[places + 1] - starts
        found.append(splits_of(lengths))
        places = joined_ranges(starts, lengths)
    return [found, params_dense_values[places]]


@RegisterGradient("RaggedGather", needs="params_nested_splits params_dense_values indices")
def _ragged_gather_grad(op: Any, *dy: Tensor) -> Gradients:
    """The same gather of the values' numbers says where each gradient belongs."""
    *splits, values, indices = op.inputs
    count = raw_ops.Shape(values, out_type=dtypes.int64)[0]
    numbers = raw_ops.Range(np.int64(0), count, np.int64(1))
    rank = op.attrs["OUTPUT_RAGGED_RANK"]
    *_, places = raw_ops.RaggedGather(splits, numbers, indices, OUTPUT_RAGGED_RANK=rank)
    grad = raw_ops.UnsortedSegmentSum(dy[-1], places, count)
    return (*[None] * len(splits), grad, None)
