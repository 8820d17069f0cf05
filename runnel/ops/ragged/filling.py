"""Empty rows filled with a default: `tf.ragged_fill_empty_rows`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike

_NAME = "RaggedFillEmptyRows"


def _filled_rule(value_rowids: Spec, values: Spec, nrows: Spec, default_value: Spec) -> list[Dims]:
    if default_value.rank not in (None, 0):
        raise bad_shape(_NAME, want="be a scalar", default_value=default_value)
    rows = None if nrows.value is None else int(nrows.value)
    count = value_rowids.dims[0] if value_rowids.dims else None
    return [(None,), (None,), (rows,), (count,)]


def _check_filled(value_rowids: Array, values: Array, nrows: Array, default_value: Array) -> None:
    if value_rowids.ndim != 1:
        raise bad_shape(_NAME, want="be a vector", value_rowids=value_rowids)
    if values.ndim != 1 or len(values) != len(value_rowids):
        raise bad_shape(_NAME, want=f"be {len(value_rowids)} elements", values=values)
    if np.ndim(nrows):
        raise bad_shape(_NAME, want="be a scalar", nrows=nrows)
    if np.ndim(default_value):
        raise bad_shape(_NAME, want="be a scalar", default_value=default_value)
    count = int(nrows)
    if len(value_rowids) and (value_rowids.min() < 0 or value_rowids.max() >= count):
        raise bad_value(_NAME, want=f"be in [0, {count})", value_rowids=value_rowids)


@op(
    _NAME,
    "value_rowids: int64[1], values: T[1], nrows: int64[0], default_value: T[0] -> "
    "output_value_rowids: int64, output_values: T, empty_row_indicator: bool, "
    "reverse_index_map: int64",
    host=True,
    shape=_filled_rule,
    check=_check_filled,
)
def _fill(
    xp: Namespace, value_rowids: Array, values: Array, nrows: Array, default_value: Array
) -> list[Array]:
    count = np.bincount(value_rowids, minlength=int(nrows))
    size = np.maximum(count, 1)
    by_row = np.argsort(value_rowids, kind="stable")
    within = np.arange(len(values)) - np.repeat(np.cumsum(count) - count, count)
    place = np.empty(len(values), np.int64)
    place[by_row] = np.repeat(np.cumsum(size) - size, count) + within
    filled = np.full(int(size.sum()), default_value, values.dtype)
    filled[place] = values
    rows = np.repeat(np.arange(len(size)), size).astype(np.int64)
    return [rows, filled, count == 0, place]


@RegisterGradient(_NAME, needs="outputs")
def _fill_grad(op: Any, d_rows: Any, d_values: Tensor, d_empty: Any, d_map: Any) -> Gradients:
    values, default = raw_ops.RaggedFillEmptyRowsGrad(op.outputs[3], d_values)
    return None, values, None, default


def _back_rule(reverse_index_map: Spec, grad_values: Spec) -> list[Dims]:
    return [reverse_index_map.dims, ()]


def _check_back(reverse_index_map: Array, grad_values: Array) -> None:
    name = "RaggedFillEmptyRowsGrad"
    if reverse_index_map.ndim != 1:
        raise bad_shape(name, want="be a vector", reverse_index_map=reverse_index_map)
    if grad_values.ndim != 1:
        raise bad_shape(name, want="be a vector", grad_values=grad_values)
    count, places = len(grad_values), reverse_index_map
    if len(places) and (places.min() < 0 or places.max() >= count):
        raise bad_value(name, want=f"be in [0, {count})", reverse_index_map=places)


@op(
    "RaggedFillEmptyRowsGrad",
    "reverse_index_map: int64[1], grad_values: T[1] -> d_values: T, d_default_value: T",
    T=dtypes.NUMERIC,
    shape=_back_rule,
    check=_check_back,
)
def _fill_back(xp: Namespace, reverse_index_map: Array, grad_values: Array) -> list[Array]:
    return raw_ops.SparseFillEmptyRowsGrad.kernel(xp, reverse_index_map, grad_values)  # type: ignore[no-any-return]


def ragged_fill_empty_rows(
    value_rowids: TensorLike,
    values: TensorLike,
    nrows: TensorLike,
    default_value: TensorLike,
    name: str | None = None,
) -> Any:
    """Row numbers and values with `default_value` in each row that was empty, and which were.

    The last result says where each value went.

    >>> rows, values, was_empty, _ = tf.ragged_fill_empty_rows([0, 2], [5, 6], 3, -1)
    >>> rows.numpy().tolist(), values.numpy().tolist(), was_empty.numpy().tolist()
    ([0, 1, 2], [5, -1, 6], [False, True, False])
    """
    return raw_ops.RaggedFillEmptyRows(value_rowids, values, nrows, default_value, name=name)


def ragged_fill_empty_rows_grad(
    reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None
) -> Any:
    """The gradients of the values and of the default of `tf.ragged_fill_empty_rows`.

    >>> values, default = tf.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 3.0])
    >>> values.numpy().tolist(), default.numpy()
    ([1.0, 3.0], np.float32(2.0))
    """
    return raw_ops.RaggedFillEmptyRowsGrad(reverse_index_map, grad_values, name=name)
