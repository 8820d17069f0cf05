"""Counting of values in ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import require
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.ops.choices import at_least
from runnel.ops.math.casting import cast
from runnel.ops.ragged.row_numbers import check_splits, row_of_each
from runnel.ops.reduce import counting
from runnel.ops.sparse import counting as sparse_counting

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_WEIGHTS = _INDEX | {dtypes.float32, dtypes.float64}


def _bins_rule(
    splits: Spec, values: Spec, size: Spec, weights: Spec, *, binary_output: bool = False
) -> Dims:
    rows = splits.dims[0] if splits.dims else None
    bins = None if size.value is None else int(size.value)
    return (None if rows is None else rows - 1, bins)


def _check_bins(
    splits: Array, values: Array, size: Array, weights: Array, *, binary_output: bool = False
) -> None:
    name = "RaggedBincount"
    check_splits(name, [splits], len(values) if values.ndim else 0)
    if np.ndim(size):
        raise bad_shape(name, want="be a scalar", size=size)
    if size < 0:
        raise bad_value(name, want="not be negative", size=size)
    if weights.size and weights.shape != values.shape:
        want = f"be empty or have the shape {values.shape} of the values"
        raise bad_shape(name, want=want, weights=weights)
    if values.size and values.min() < 0:
        raise bad_value(name, want="not be negative", values=values.min())


@op(
    "RaggedBincount",
    "splits: int64, values: Tidx, size: Tidx, weights: T -> output: T",
    Tidx=_INDEX,
    T=_WEIGHTS,
    host=True,
    shape=_bins_rule,
    check=_check_bins,
)
def _ragged_bincount(
    xp: Namespace,
    splits: Array,
    values: Array,
    size: Array,
    weights: Array,
    *,
    binary_output: bool = False,
) -> Array:
    rows, bins = len(splits) - 1, int(size)
    fits = values < bins
    place = row_of_each(splits)[fits] * bins + values[fits]
    result = np.zeros(rows * bins, weights.dtype)
    if binary_output:
        result[place] = 1
    elif weights.size:
        np.add.at(result, place, weights[fits])
    else:
        result += np.bincount(place, minlength=rows * bins).astype(weights.dtype)
    return result.reshape(rows, bins)


def _count_rule(splits: Spec, values: Spec, weights: Spec, **attrs: Any) -> list[Dims]:
    return [(None, 2), (None,), (2,)]


def _check_count(splits: Array, values: Array, weights: Array, **attrs: Any) -> None:
    name = "RaggedCountSparseOutput"
    check_splits(name, [splits], len(values) if values.ndim else 0)
    sparse_counting._check_counts(name, values, weights)


@op(
    "RaggedCountSparseOutput",
    "splits: int64, values: T, weights: output_type -> output_indices: int64, "
    "output_values: output_type, output_dense_shape: int64",
    T=_INDEX,
    output_type=_WEIGHTS,
    host=True,
    shape=_count_rule,
    check=_check_count,
    minlength=at_least(-1),
    maxlength=at_least(-1),
)
def _ragged_count(
    xp: Namespace,
    splits: Array,
    values: Array,
    weights: Array,
    *,
    minlength: int = -1,
    maxlength: int = -1,
    binary_output: bool,
) -> list[Array]:
    wide = values.astype(np.int64)
    rows = [len(splits) - 1]
    return sparse_counting._counted(
        row_of_each(splits), wide, weights, rows, minlength, maxlength, binary_output
    )


def _weights(arr: RaggedTensor, weights: Any, dtype: DTypeLike) -> Tensor:
    """The flat weights, which must lie in the rows of the values."""
    if weights is None:
        return convert_to_tensor([], dtype=dtype)
    if not isinstance(weights, RaggedTensor):
        raise ValueError("bincount: `weights` of a ragged tensor must be ragged too.")
    message = "bincount: `weights` must have the rows of the values"
    mine, its = arr.row_splits, raw_ops.Cast(weights.row_splits, DstT=arr.row_splits.dtype)
    mine.shape.assert_is_compatible_with(its.shape)
    require(raw_ops.Equal(mine, its), message, its)
    return weights.flat_values  # type: ignore[no-any-return]


def _bincount(
    arr: Any,
    weights: Any = None,
    minlength: TensorLike = None,
    maxlength: TensorLike = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: `axis` must be 0 or -1, got {axis}.")
    if weights is not None and binary_output:
        raise ValueError("bincount: `weights` and `binary_output` exclude each other.")
    given = _weights(arr, weights, dtype)
    values = arr.flat_values
    values = values if values.dtype in _INDEX else cast(values, dtypes.int32)
    size = counting._bincount_size(values, minlength, maxlength)
    if axis != -1:
        return raw_ops.DenseBincount(values, size, given, binary_output=binary_output)  # type: ignore[no-any-return]
    splits = raw_ops.Cast(arr.row_splits, DstT=dtypes.int64)
    return raw_ops.RaggedBincount(  # type: ignore[no-any-return]
        splits, values, size, given, binary_output=binary_output
    )


def _sparse_output(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    given = _weights(values, weights, values.dtype)
    attrs: Any = {
        "minlength": -1 if minlength is None else minlength,
        "maxlength": -1 if maxlength is None else maxlength,
        "binary_output": binary_output,
    }
    if axis != -1:
        return SparseTensor(*raw_ops.DenseCountSparseOutput(values.flat_values, given, **attrs))
    splits = raw_ops.Cast(values.row_splits, DstT=dtypes.int64)
    found = raw_ops.RaggedCountSparseOutput(splits, values.flat_values, given, **attrs)
    return SparseTensor(*found)


dispatch.add_target(counting.bincount, _bincount, [{0: RaggedTensor}])
dispatch.add_target(sparse_counting.bincount, _sparse_output, [{0: RaggedTensor}])
