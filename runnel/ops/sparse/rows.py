"""Rows of sparse tensors that have nothing in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, rebuilt
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.array.shaping import entries
from runnel.ops.sparse.places import as_sparse, check_parts, count_of, parts, rule


def _filled_rule(indices: Spec, values: Spec, dense_shape: Spec, default_value: Spec) -> list[Dims]:
    _, rank = rule(indices, values, dense_shape, op_name="SparseFillEmptyRows")
    if default_value.rank not in (None, 0):
        raise bad_shape("SparseFillEmptyRows", want="be a scalar", default_value=default_value)
    rows = entries(dense_shape)
    return [(None, rank), (None,), (rows[0] if rows else None,), (count_of(indices),)]


def _check_filled(indices: Array, values: Array, dense_shape: Array, default_value: Array) -> None:
    name = "SparseFillEmptyRows"
    check_parts(name, indices, values, dense_shape)
    if not len(dense_shape):
        raise bad_shape(name, want="have one element or more", dense_shape=dense_shape)
    if np.ndim(default_value):
        raise bad_shape(name, want="be a scalar", default_value=default_value)
    row, count = indices[:, 0], int(dense_shape[0])
    if len(row) and (row.min() < 0 or row.max() >= count):
        raise bad_value(name, want=f"name rows in [0, {count})", indices=row)


@op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, "
    "output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    host=True,
    shape=_filled_rule,
    check=_check_filled,
)
def _fill_empty_rows(
    xp: Namespace, indices: Array, values: Array, dense_shape: Array, default_value: Array
) -> list[Array]:
    row = indices[:, 0]
    count = np.bincount(row, minlength=int(dense_shape[0]))
    size = np.maximum(count, 1)
    start = np.cumsum(size) - size
    by_row = np.argsort(row, kind="stable")
    first = np.cumsum(count) - count
    place = np.empty(len(row), np.int64)
    place[by_row] = start[row[by_row]] + np.arange(len(row)) - first[row[by_row]]
    new_indices = np.zeros((int(size.sum()), indices.shape[1]), np.int64)
    new_indices[:, 0] = np.repeat(np.arange(len(size)), size)
    new_indices[place] = indices
    new_values = np.full(len(new_indices), default_value, values.dtype)
    new_values[place] = values
    return [new_indices, new_values, count == 0, place]


@RegisterGradient("SparseFillEmptyRows", needs="outputs")
def _fill_empty_rows_grad(
    op: Any, d_indices: Any, d_values: Tensor, d_empty: Any, d_map: Any
) -> Gradients:
    values, default = raw_ops.SparseFillEmptyRowsGrad(op.outputs[3], d_values)
    return None, values, None, default


def _back_rule(reverse_index_map: Spec, grad_values: Spec) -> list[Dims]:
    return [(count_of(reverse_index_map),), ()]


def _check_back(reverse_index_map: Array, grad_values: Array) -> None:
    name = "SparseFillEmptyRowsGrad"
    if reverse_index_map.ndim != 1:
        raise bad_shape(name, want="be a vector", reverse_index_map=reverse_index_map)
    if grad_values.ndim != 1:
        raise bad_shape(name, want="be a vector", grad_values=grad_values)
    count, places = len(grad_values), reverse_index_map
    if len(places) and (places.min() < 0 or places.max() >= count):
        raise bad_value(name, want=f"be in [0, {count})", reverse_index_map=places)


@op(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map: int64[1], grad_values: T[1] -> d_values: T, d_default_value: T",
    T=dtypes.NUMERIC,
    shape=_back_rule,
    check=_check_back,
)
def _fill_empty_rows_back(
    xp: Namespace, reverse_index_map: Array, grad_values: Array
) -> list[Array]:
    taken = xp.zeros(reverse_index_map.shape, grad_values.dtype)
    rest = scatter(xp, grad_values, reverse_index_map, taken)
    total = rest.sum(dtype=grad_values.dtype)
    return [grad_values[reverse_index_map], total]


def fill_empty_rows(
    sp_input: Any, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """A sparse tensor with `default_value` first in each row that was empty, and which rows were.

    >>> filled, was_empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [5], [3, 4]), 0)
    >>> filled.indices.numpy().tolist(), was_empty.numpy().tolist()
    ([[0, 0], [1, 2], [2, 0]], [True, False, True])
    """
    sparse = as_sparse(sp_input)
    default = convert_to_tensor(default_value, dtype=sparse.dtype)
    indices, values, empty, _ = raw_ops.SparseFillEmptyRows(*parts(sparse), default, name=name)
    return rebuilt(sparse, indices=indices, values=values), empty
