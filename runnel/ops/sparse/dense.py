"""From sparse to dense tensors and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.array.shaping import entries
from runnel.ops.reduce.reductions import reduce_sum
from runnel.ops.sparse.places import as_sparse, check_range, check_sorted, with_shape

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _matrix(indices: Array) -> Array:
    """Places as rows; a vector of indices, or a single one, counts along the only dimension."""
    return indices if indices.ndim == 2 else indices.reshape(-1, 1)


def _check_dense(
    sparse_indices: Array,
    output_shape: Array,
    sparse_values: Array,
    default_value: Array,
    *,
    validate_indices: bool = True,
) -> None:
    name = "SparseToDense"
    if sparse_indices.ndim > 2:
        raise bad_shape(name, want="be a number, vector or matrix", sparse_indices=sparse_indices)
    places = _matrix(sparse_indices)
    if output_shape.ndim != 1 or len(output_shape) != places.shape[1]:
        want = f"be a vector of {places.shape[1]} elements"
        raise bad_shape(name, want=want, output_shape=output_shape)
    if (output_shape < 0).any():
        raise bad_value(name, want="not be negative", output_shape=output_shape)
    if sparse_values.shape not in ((), (len(places),)):
        want = f"be a number, or {len(places)} of them"
        raise bad_shape(name, want=want, sparse_values=sparse_values)
    if np.ndim(default_value):
        raise bad_shape(name, want="be a scalar", default_value=default_value)
    check_range(name, places, output_shape)
    if validate_indices:
        check_sorted(name, places)


def _dense_shape(
    sparse_indices: Spec,
    output_shape: Spec,
    sparse_values: Spec,
    default_value: Spec,
    *,
    validate_indices: bool = True,
) -> Dims:
    if output_shape.rank not in (None, 1):
        raise bad_shape("SparseToDense", want="be a vector", output_shape=output_shape)
    return entries(output_shape)


@op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T "
    "-> dense: T",
    Tindices=_INDEX,
    static=("output_shape",),
    shape=_dense_shape,
    check=_check_dense,
)
def _sparse_to_dense(
    xp: Namespace,
    sparse_indices: Array,
    output_shape: Array,
    sparse_values: Array,
    default_value: Array,
    *,
    validate_indices: bool = True,
) -> Array:
    dims = tuple(int(d) for d in output_shape)
    places = _matrix(sparse_indices)
    full = xp.full(dims, default_value, dtype=sparse_values.dtype)
    if not dims:
        return xp.broadcast_to(sparse_values, len(places))[-1] if len(places) else full
    index = tuple(places[:, i] for i in range(len(dims)))
    return scatter(xp, full, index, sparse_values)


@RegisterGradient("SparseToDense", needs="sparse_indices")
def _sparse_to_dense_grad(op: Any, dy: Tensor) -> Gradients:
    places = op.inputs[0]
    if places.shape.rank in (0, 1):
        places = raw_ops.Reshape(places, np.array([-1, 1], np.int32))
    values = raw_ops.GatherNd(dy, places)
    if op.inputs[2].shape.rank == 0:
        values = reduce_sum(values)
    return None, None, values, reduce_sum(dy) - reduce_sum(values)


def to_dense(
    sp_input: Any,
    default_value: TensorLike = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The whole tensor, with `default_value` (zero) where nothing is given.

    Args:
        sp_input: a sparse tensor.
        default_value: what stands where nothing is.
        validate_indices: whether indices are checked for order and repetition.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [2, 2]), default_value=-1).numpy()
    array([[-1,  5],
           [-1, -1]], dtype=int32)
    """
    sparse = as_sparse(sp_input)
    if default_value is None:
        default_value = np.full(
            (), b"" if sparse.dtype is dtypes.string else 0, _numpy_dtype(sparse)
        )
    dense: Tensor = raw_ops.SparseToDense(
        sparse.indices,
        sparse.dense_shape,
        sparse.values,
        convert_to_tensor(default_value, dtype=sparse.dtype),
        validate_indices=validate_indices,
        name=name,
    )
    if not dense.shape.is_fully_defined():
        dense.set_shape(sparse.shape)  # type: ignore[attr-defined]
    return dense


def _numpy_dtype(sparse: SparseTensor) -> Any:
    return object if sparse.dtype is dtypes.string else sparse.dtype.np_dtype


@scoped("dense_to_sparse")
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (or not the empty string).

    >>> tf.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy()
    array([[0, 1],
           [1, 0]])
    """
    x = convert_to_tensor(tensor)
    indices = raw_ops.Where(raw_ops.NotEqual(x, raw_ops.ZerosLike(x)))
    values = raw_ops.GatherNd(x, indices, name=name)
    return with_shape(
        SparseTensor(indices, values, raw_ops.Shape(x, out_type=dtypes.int64)), x.shape
    )


def to_indicator(sp_input: Any, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """For each row of ids, a row of `vocab_size` booleans that says which ids are there.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2])
    >>> tf.sparse.to_indicator(ids, 3).numpy()
    array([[ True, False,  True],
           [False,  True, False]])
    """
    sparse = as_sparse(sp_input)
    if not isinstance(vocab_size, Tensor | int | np.integer):
        raise TypeError(f"to_indicator: `vocab_size` must be an integer, got {vocab_size!r}.")
    ids = raw_ops.Cast(sparse.values, DstT=dtypes.int64)
    column = raw_ops.ExpandDims(ids, np.int32(1))
    places = raw_ops.ConcatV2([sparse.indices[:, :-1], column], np.int32(1))
    size = raw_ops.Cast(convert_to_tensor(vocab_size), DstT=dtypes.int64)
    shape = raw_ops.ConcatV2(
        [sparse.dense_shape[:-1], raw_ops.ExpandDims(size, np.int32(0))], np.int32(0)
    )
    dense: Tensor = raw_ops.SparseToDense(
        places, shape, True, False, validate_indices=False, name=name
    )
    return dense
