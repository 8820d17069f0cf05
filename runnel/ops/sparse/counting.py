"""Counting of values in sparse tensors, or with sparse results."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.arrays import scatter
from runnel.ops.array.shaping import entries
from runnel.ops.choices import at_least
from runnel.ops.reduce.counting import weights_beside
from runnel.ops.sparse.places import as_sparse, check_parts, check_range, parts

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_WEIGHTS = _INDEX | {dtypes.float32, dtypes.float64}


def _bins_rule(
    indices: Spec,
    values: Spec,
    dense_shape: Spec,
    size: Spec,
    weights: Spec,
    *,
    binary_output: bool = False,
) -> Dims:
    bins = None if size.value is None else int(size.value)
    shape = entries(dense_shape)
    if shape is None:
        return None
    return (bins,) if len(shape) < 2 else (shape[0], bins)


def _check_bins(
    indices: Array,
    values: Array,
    dense_shape: Array,
    size: Array,
    weights: Array,
    *,
    binary_output: bool = False,
) -> None:
    name = "SparseBincount"
    check_parts(name, indices, values, dense_shape)
    if np.ndim(size):
        raise bad_shape(name, want="be a scalar", size=size)
    if size < 0:
        raise bad_value(name, want="not be negative", size=size)
    check_range(name, indices, dense_shape)
    if weights.size and weights.shape != values.shape:
        want = f"be empty or have the shape {values.shape} of the values"
        raise bad_shape(name, want=want, weights=weights)


@op(
    "SparseBincount",
    "indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T -> output: T",
    Tidx=_INDEX,
    T=_WEIGHTS,
    static=("dense_shape", "size"),
    shape=_bins_rule,
    check=_check_bins,
)
def _sparse_bincount(
    xp: Namespace,
    indices: Array,
    values: Array,
    dense_shape: Array,
    size: Array,
    weights: Array,
    *,
    binary_output: bool = False,
) -> Array:
    bins, rows = int(size), int(dense_shape[0]) if len(dense_shape) > 1 else 1
    row = indices[:, 0] if len(dense_shape) > 1 else xp.zeros(values.shape, np.int64)
    fits = (values >= 0) & (values < bins)
    place = xp.where(fits, row * bins + values, rows * bins)  # the last place is thrown away
    ones = xp.ones(values.shape, weights.dtype)
    start = xp.zeros(rows * bins + 1, weights.dtype)
    if binary_output:
        flat = scatter(xp, start, place, ones)
    else:
        flat = scatter(xp, start, place, weights if weights.size else ones, "add")
    return flat[:-1].reshape((rows, bins) if len(dense_shape) > 1 else (bins,))


def _counted(
    row: Array,
    values: Array,
    weights: Array,
    shape: list[int],
    minimum: int,
    maximum: int,
    binary: bool,
) -> list[Array]:
    """The counts of each row as a sparse tensor; `shape` is that of the rows: `[]` or `[n]`."""
    largest = int(values.max()) if len(values) else 0
    width = max(largest + 1, minimum)
    if maximum >= 0:
        width = min(width, maximum)
        inside = values < maximum
        row, values = row[inside], values[inside]
        weights = weights[inside] if len(weights) else weights
    known, place = np.unique(values, return_inverse=True)  # the values may be as large as int64 is
    span = max(len(known), 1)
    keys, group = np.unique(row * span + place, return_inverse=True)
    found = known[keys % span] if len(known) else keys
    if binary:
        total = np.ones(len(keys), weights.dtype)
    elif len(weights):
        total = scatter(np, np.zeros(len(keys), weights.dtype), group, weights, "add")
    else:
        total = np.bincount(group, minlength=len(keys)).astype(weights.dtype)
    columns = [keys // span, found] if shape else [found]
    return [np.stack(columns, axis=1), total, np.array([*shape, width], np.int64)]


def _check_counts(op_name: str, values: Array, weights: Array) -> None:
    if weights.size and weights.shape != values.shape:
        want = f"be empty or have the shape {values.shape} of the values"
        raise bad_shape(op_name, want=want, weights=weights)
    if values.size and values.min() < 0:
        raise bad_value(op_name, want="not be negative", values=values.min())


def _check_dense(values: Array, weights: Array, **attrs: Any) -> None:
    if values.ndim not in (1, 2):
        raise bad_shape("DenseCountSparseOutput", want="have rank 1 or 2", values=values)
    _check_counts("DenseCountSparseOutput", values, weights)


def _dense_rule(values: Spec, weights: Spec, **attrs: Any) -> list[Dims]:
    return [(None, values.rank), (None,), (values.rank,)]


@op(
    "DenseCountSparseOutput",
    "values: T, weights: output_type -> output_indices: int64, output_values: output_type, "
    "output_dense_shape: int64",
    T=_INDEX,
    output_type=_WEIGHTS,
    host=True,
    shape=_dense_rule,
    check=_check_dense,
    minlength=at_least(-1),
    maxlength=at_least(-1),
)
def _dense_count(
    xp: Namespace,
    values: Array,
    weights: Array,
    *,
    minlength: int = -1,
    maxlength: int = -1,
    binary_output: bool,
) -> list[Array]:
    rows = [len(values)] if values.ndim == 2 else []
    width = values.shape[-1]
    row = np.repeat(np.arange(rows[0] if rows else 1), width)
    flat = values.reshape(-1).astype(np.int64)
    return _counted(row, flat, weights.reshape(-1), rows, minlength, maxlength, binary_output)


def _check_sparse(
    indices: Array, values: Array, dense_shape: Array, weights: Array, **attrs: Any
) -> None:
    name = "SparseCountSparseOutput"
    check_parts(name, indices, values, dense_shape)
    if len(dense_shape) not in (1, 2):
        raise bad_shape(name, want="have one or two elements", dense_shape=dense_shape)
    check_range(name, indices, dense_shape)
    _check_counts(name, values, weights)


def _sparse_rule(
    indices: Spec, values: Spec, dense_shape: Spec, weights: Spec, **attrs: Any
) -> list[Dims]:
    rank = dense_shape.dims[0] if dense_shape.dims else None
    return [(None, rank), (None,), (rank,)]


@op(
    "SparseCountSparseOutput",
    "indices: int64[2], values: T, dense_shape: int64, weights: output_type -> output_indices: "
    "int64, output_values: output_type, output_dense_shape: int64",
    T=_INDEX,
    output_type=_WEIGHTS,
    host=True,
    shape=_sparse_rule,
    check=_check_sparse,
    minlength=at_least(-1),
    maxlength=at_least(-1),
)
def _sparse_count(
    xp: Namespace,
    indices: Array,
    values: Array,
    dense_shape: Array,
    weights: Array,
    *,
    minlength: int = -1,
    maxlength: int = -1,
    binary_output: bool,
) -> list[Array]:
    rows = [int(dense_shape[0])] if len(dense_shape) == 2 else []
    row = indices[:, 0] if rows else np.zeros(len(values), np.int64)
    wide = values.astype(np.int64)
    return _counted(row, wide, weights, rows, minlength, maxlength, binary_output)


def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number occurs, without the zeros; with `axis=-1` in each row by itself.

    >>> counts = tf.sparse.bincount([[5, 5], [0, 900]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 5], [1, 0], [1, 900]], [2, 1, 1])
    """
    if weights is not None and binary_output:
        raise ValueError("bincount: `weights` and `binary_output` exclude each other.")
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: `axis` must be 0 or -1, got {axis}.")
    attrs: Any = {
        "minlength": -1 if minlength is None else minlength,
        "maxlength": -1 if maxlength is None else maxlength,
        "binary_output": binary_output,
        "name": name,
    }
    if isinstance(values, SparseTensor | SparseTensorValue):
        sparse = as_sparse(values)
        weighing = _no_weights(sparse) if weights is None else weights_beside(sparse, weights)
        if axis == -1:
            return SparseTensor(*raw_ops.SparseCountSparseOutput(*parts(sparse), weighing, **attrs))
        return SparseTensor(*raw_ops.DenseCountSparseOutput(sparse.values, weighing, **attrs))
    x = convert_to_tensor(values)
    given = _no_weights(x) if weights is None else convert_to_tensor(weights)
    if axis != -1:
        flat = np.array([-1], np.int32)
        x, given = raw_ops.Reshape(x, flat), raw_ops.Reshape(given, flat)
    return SparseTensor(*raw_ops.DenseCountSparseOutput(x, given, **attrs))


def _no_weights(values: Tensor | SparseTensor) -> Tensor:
    """No weights, of the dtype that the counts are to have: that of the numbers."""
    return convert_to_tensor(np.zeros(0, values.dtype.np_dtype))
