"""Sums and maxima of sparse tensors, as dense or sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import NUMERIC, REAL, DType, int32
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.array.shaping import entries
from runnel.ops.shapes import axes_of
from .places import check_parts, check_range, keys, numbered, rule


def _kept(axes: Array, rank: int) -> list[int]:
    """The dimensions that stay."""
    gone = {int(a) % rank for a in np.ravel(axes)} if rank else set()
    return [i for i in range(rank) if i not in gone]


def _check_reduction(op_name: str) -> Callable[..., None]:
    def check(
        input_indices: Array,
        input_values: Array,
        input_shape: Array,
        reduction_axes: Array,
        *,
        keep_dims: bool = False,
    ) -> None:
        check_parts(op_name, input_indices, input_values, input_shape, "input_")
        rank = len(input_shape)
        for axis in np.ravel(reduction_axes).tolist():
            if not -rank <= axis < rank:
                raise bad_value(op_name, want=f"be in [{-rank}, {rank})", reduction_axes=axis)
        if not op_name.endswith("Sparse"):
            kept = _kept(reduction_axes, rank)
            check_range(op_name, input_indices[:, kept], input_shape[kept])

    return check


def _dense_rule(
    input_indices: Spec,
    input_values: Spec,
    input_shape: Spec,
    reduction_axes: Spec,
    *,
    op_name: str,
    keep_dims: bool = False,
) -> Dims:
    rule(input_indices, input_values, input_shape, op_name=op_name)
    dims = entries(input_shape)
    if dims is None:
        return None
    if reduction_axes.value is None:
        return (None,) * len(dims) if keep_dims else None
    gone = axes_of(reduction_axes, len(dims), op_name)
    if keep_dims:
        return tuple(1 if i in gone else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in gone)


def _reduced(
    xp: Namespace, indices: Array, values: Array, shape: Array, axes: Array, keep: bool, how: str
) -> Array:
    kept = _kept(axes, len(shape))
    dims = [int(shape[i]) for i in kept]
    number = numbered(xp, indices[:, kept], dims)
    size = int(np.prod(dims, dtype=np.int64))
    if how == "add":
        flat = scatter(xp, xp.zeros(size, values.dtype), number, values, "add")
    else:
        lowest = -np.inf if values.dtype.kind not in "iu" else np.iinfo(values.dtype).min
        flat = scatter(xp, xp.full(size, lowest, values.dtype), number, values, "max")
        there = scatter(xp, xp.zeros(size, bool), number, xp.ones(values.shape, bool))
        flat = xp.where(there, flat, xp.zeros((), values.dtype))
    return flat.reshape(
        [d if i in kept else 1 for i, d in enumerate(shape.tolist())] if keep else dims
    )


_DENSE = (
    "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32[0-1?] "
    "-> output: T"
)


def _sparse_rule(
    input_indices: Spec,
    input_values: Spec,
    input_shape: Spec,
    reduction_axes: Spec,
    *,
    op_name: str,
    keep_dims: bool = False,
) -> list[Dims]:
    _, rank = rule(input_indices, input_values, input_shape, op_name=op_name)
    if not keep_dims and rank is not None:
        known = reduction_axes.value is not None
        rank = rank - len(set(axes_of(reduction_axes, rank, op_name))) if known else None
    return [(None, rank), (None,), (rank,)]


def _reduced_sparse(
    indices: Array, values: Array, shape: Array, axes: Array, keep: bool, how: str
) -> list[Array]:
    kept = _kept(axes, len(shape))
    places = indices[:, kept]
    _, first, group = np.unique(keys(places)[0], return_index=True, return_inverse=True)
    if how == "add":
        start = np.zeros(len(first), values.dtype)
    else:
        lowest = -np.inf if values.dtype.kind not in "iu" else np.iinfo(values.dtype).min
        start = np.full(len(first), lowest, values.dtype)
    result = scatter(np, start, group, values, how)
    if not keep:
        return [places[first], result, shape[kept]]
    whole = np.zeros((len(first), len(shape)), np.int64)
    whole[:, kept] = places[first]
    new_shape = np.ones_like(shape)
    new_shape[kept] = shape[kept]
    return [whole, result, new_shape]


_SPARSE = (
    "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32[0-1?] "
    "-> output_indices: int64, output_values: T, output_shape: int64"
)


def _declare(dense: str, sparse: str, how: str, T: frozenset[DType]) -> None:
    """A reduction whose result is dense, and the one whose result is sparse."""

    @op(
        dense,
        _DENSE,
        T=T,
        static=("input_shape", "reduction_axes"),
        shape=_dense_rule,
        check=_check_reduction(dense),
    )
    def to_dense(
        xp: Namespace,
        input_indices: Array,
        input_values: Array,
        input_shape: Array,
        reduction_axes: Array,
        *,
        keep_dims: bool = False,
    ) -> Array:
        given = (input_indices, input_values, input_shape, reduction_axes)
        return _reduced(xp, *given, keep_dims, how)

    @op(
        sparse,
        _SPARSE,
        T=T,
        host=True,
        static=("reduction_axes",),
        shape=_sparse_rule,
        check=_check_reduction(sparse),
    )
    def to_sparse(
        xp: Namespace,
        input_indices: Array,
        input_values: Array,
        input_shape: Array,
        reduction_axes: Array,
        *,
        keep_dims: bool = False,
    ) -> list[Array]:
        given = (input_indices, input_values, input_shape, reduction_axes)
        return _reduced_sparse(*given, keep_dims, how)


_declare("SparseReduceSum", "SparseReduceSumSparse", "add", NUMERIC)
_declare("SparseReduceMax", "SparseReduceMaxSparse", "max", REAL)


@RegisterGradient("SparseReduceSum", needs="input_indices input_shape reduction_axes")
def _reduce_sum_grad(op: Any, dy: Tensor) -> Gradients:
    indices, _, shape, axes = op.inputs
    rank = raw_ops.Size(shape)
    flat = raw_ops.Reshape(axes, np.array([-1, 1], np.int32))
    ones = raw_ops.OnesLike(
        raw_ops.Cast(raw_ops.Reshape(axes, np.array([-1], np.int32)), DstT="int64")
    )
    kept = raw_ops.TensorScatterUpdate(shape, raw_ops.FloorMod(flat, rank), ones)
    places = raw_ops.Minimum(indices, kept - 1)
    return None, raw_ops.GatherNd(raw_ops.Reshape(dy, kept), places), None, None


def reduce_sum(
    sp_input: Any,
    axis: TensorLike = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum over some dimensions, by default all: a tensor, or a sparse one if asked for.

    >>> sparse = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, 3], [2, 3])
    >>> tf.sparse.reduce_sum(sparse, axis=1).numpy()
    array([3, 3], dtype=int32)
    """
    op = raw_ops.SparseReduceSumSparse if output_is_sparse else raw_ops.SparseReduceSum
    return _reduce(op, sp_input, axis, keepdims, name)


def reduce_max(
    sp_input: Any,
    axis: TensorLike = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest given element over some dimensions, by default all; 0 where none is given.

    >>> tf.sparse.reduce_max(tf.SparseTensor([[0, 0], [0, 2]], [-1, -2], [2, 3]), axis=1).numpy()
    array([-1,  0], dtype=int32)
    """
    op = raw_ops.SparseReduceMaxSparse if output_is_sparse else raw_ops.SparseReduceMax
    return _reduce(op, sp_input, axis, keepdims, name)


def _reduce(op: Any, sparse: Any, axis: TensorLike, keepdims: bool | None, name: str | None) -> Any:
    if axis is None:
        axes: Any = raw_ops.Range(np.int32(0), raw_ops.Size(sparse.dense_shape), np.int32(1))
    else:
        axes = raw_ops.Cast(convert_to_tensor(axis, dtype_hint=int32), DstT=int32)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    found = op(*parts, axes, keep_dims=bool(keepdims), name=name)
    return found if isinstance(found, Tensor) else SparseTensor(*found)
