"""The same elements in other places: sorted, reshaped, transposed, in a larger or smaller whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, known_shape, rebuilt
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import integer
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import (
    Array,
    Dims,
    DTypeLike,
    Gradients,
    Namespace,
    ShapeLike,
    Spec,
    TensorLike,
)
from runnel.ops.control.asserting import Assert
from runnel.ops.reduce.reductions import reduce_max
from runnel.ops.sparse.places import (
    as_sparse,
    checked,
    increase,
    numbered,
    order,
    parts,
    rule,
    unnumbered,
    with_shape,
)


def _reordered(input_indices: Spec, input_values: Spec, input_shape: Spec) -> list[Dims]:
    count, rank = rule(input_indices, input_values, input_shape, op_name="SparseReorder")
    return [(count, rank), (count,)]


@op(
    "SparseReorder",
    "input_indices: int64, input_values: T, input_shape: int64 "
    "-> output_indices: int64, output_values: T",
    shape=_reordered,
    check=checked("SparseReorder"),
)
def _sparse_reorder(
    xp: Namespace, input_indices: Array, input_values: Array, input_shape: Array
) -> list[Array]:
    if _in_order(xp, input_indices):
        return [input_indices, input_values]
    places = order(xp, input_indices)
    return [input_indices[places], input_values[places]]


def _in_order(xp: Namespace, indices: Array) -> bool:
    """Whether there is nothing to sort; XLA cannot know."""
    return xp is np and bool((increase(indices) >= 0).all())


@RegisterGradient("SparseReorder", needs="input_indices")
def _sparse_reorder_grad(op: Any, d_indices: Any, d_values: Tensor) -> Gradients:
    indices, _, shape = op.inputs
    count = raw_ops.Shape(indices)[0]
    numbers = raw_ops.Range(np.int32(0), count, np.int32(1))
    _, places = raw_ops.SparseReorder(indices, numbers, shape)
    return None, raw_ops.GatherV2(d_values, raw_ops.InvertPermutation(places), np.int32(0)), None


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its places sorted row by row, as most functions want them.

    >>> tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [5, 6], [2, 2])).values.numpy()
    array([6, 5], dtype=int32)
    """
    sparse = as_sparse(sp_input)
    indices, values = raw_ops.SparseReorder(*parts(sparse), name=name)
    return rebuilt(sparse, indices=indices, values=values)


def _wanted(input_shape: Array, new_shape: Array) -> tuple[int, ...]:
    """The new shape with its -1 filled in."""
    name = "SparseReshape"
    if input_shape.ndim != 1:
        raise bad_shape(name, want="be a vector", input_shape=input_shape)
    if new_shape.ndim != 1:
        raise bad_shape(name, want="be a vector", new_shape=new_shape)
    size = math.prod(input_shape.tolist())
    wanted = new_shape.tolist()
    if sum(d == -1 for d in wanted) > 1 or any(d < -1 for d in wanted):
        raise bad_value(name, want="have one -1 at most and no other negative", new_shape=wanted)
    if -1 in wanted:
        rest = math.prod(d for d in wanted if d != -1)
        if rest == 0 or size % rest:
            raise bad_value(name, want=f"divide {size} elements evenly", new_shape=wanted)
        wanted[wanted.index(-1)] = size // rest
    if math.prod(wanted) != size:
        raise bad_value(name, want=f"have {size} elements", new_shape=wanted)
    return tuple(wanted)


def _check_reshape(input_indices: Array, input_shape: Array, new_shape: Array) -> None:
    if input_indices.ndim != 2:
        raise bad_shape("SparseReshape", want="be a matrix", input_indices=input_indices)
    _wanted(input_shape, new_shape)
    if input_indices.shape[1] != len(input_shape):
        want = f"have {len(input_shape)} columns"
        raise bad_shape("SparseReshape", want=want, input_indices=input_indices)


def _reshaped(input_indices: Spec, input_shape: Spec, new_shape: Spec) -> list[Dims]:
    if input_indices.rank not in (None, 2):
        raise bad_shape("SparseReshape", want="be a matrix", input_indices=input_indices)
    if new_shape.rank not in (None, 1):
        raise bad_shape("SparseReshape", want="be a vector", new_shape=new_shape)
    rank = new_shape.dims[0] if new_shape.dims else None
    return [(input_indices.dims[0] if input_indices.dims else None, rank), (rank,)]


@op(
    "SparseReshape",
    "input_indices: int64, input_shape: int64[1], new_shape: int64 -> output_indices: int64, "
    "output_shape: int64",
    static=("input_shape", "new_shape"),
    shape=_reshaped,
    check=_check_reshape,
)
def _sparse_reshape(
    xp: Namespace, input_indices: Array, input_shape: Array, new_shape: Array
) -> list[Array]:
    wanted = _wanted(input_shape, new_shape)
    places = unnumbered(xp, numbered(xp, input_indices, input_shape.tolist()), wanted)
    return [places, xp.asarray(np.array(wanted, np.int64))]


def reshape(sp_input: Any, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """The elements, counted row by row, in another shape; one dimension may be -1.

    >>> tf.sparse.reshape(tf.SparseTensor([[1, 2]], [5], [2, 3]), [3, -1]).indices.numpy()
    array([[2, 1]])
    """
    sparse = as_sparse(sp_input)
    wanted = raw_ops.Cast(_int_tensor(shape), DstT=dtypes.int64)
    known = constant_value(wanted)
    target = (
        None
        if known is None or known.ndim != 1
        else TensorShape([None if d < 0 else d for d in known.tolist()])
    )
    indices, new_shape = raw_ops.SparseReshape(
        sparse.indices, sparse.dense_shape, wanted, name=name
    )
    _check_sizes(sparse.shape, known)  # in a graph; eagerly the op has said so
    return with_shape(SparseTensor(indices, sparse.values, new_shape), target)


def _int_tensor(shape: ShapeLike) -> Tensor:
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    return convert_to_tensor(shape, dtype_hint=dtypes.int64)


def _check_sizes(old: TensorShape, wanted: Array | None) -> None:
    """ValueError where both sizes are known and differ."""
    if wanted is None or wanted.ndim != 1 or not old.is_fully_defined():
        return
    size, dims = old.num_elements() or 0, wanted.tolist()
    if dims.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {dims}")
    rest = math.prod(d for d in dims if d != -1)
    fits = size == rest if -1 not in dims else not rest or size % rest == 0
    if not fits:
        raise ValueError(f"Cannot reshape a tensor of {size} elements to shape {dims}.")


def transpose(sp_input: Any, perm: TensorLike = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with its dimensions in the order `perm`, by default reversed.

    >>> tf.sparse.transpose(tf.SparseTensor([[0, 1]], [5], [2, 3])).indices.numpy()
    array([[1, 0]])
    """
    sparse = as_sparse(sp_input)
    if perm is None:
        rank = sparse.shape.rank
        if rank is None:
            count = raw_ops.Shape(sparse.dense_shape)[0]
            perm = raw_ops.Range(count - 1, np.int32(-1), np.int32(-1))
        else:
            perm = np.arange(rank - 1, -1, -1, dtype=np.int32)
    perm = convert_to_tensor(perm)
    sparse.dense_shape.shape.assert_is_compatible_with(perm.shape)
    indices = raw_ops.GatherV2(sparse.indices, perm, np.int32(1))
    shape = raw_ops.GatherV2(sparse.dense_shape, perm, np.int32(0))
    order_of = constant_value(perm)
    moved = SparseTensor(indices, sparse.values, shape)
    if order_of is not None and sparse.shape.rank is not None and order_of.ndim == 1:
        moved = with_shape(moved, [sparse.shape[int(i)] for i in order_of])
    return reorder(moved, name=name)


@scoped("expand_dims")
def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with a new dimension of size 1 before `axis`, by default at the end.

    >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [2]), 0).dense_shape.numpy()
    array([1, 2])
    """
    sparse = as_sparse(sp_input)
    rank = sparse.dense_shape.shape[0]
    place: Any = -1 if axis is None else integer("expand_dims", "axis", axis)
    if rank is None:
        place = place if place >= 0 else raw_ops.Size(sparse.dense_shape) + (place + 1)
    elif not -rank - 1 <= place <= rank:
        raise bad_value("expand_dims", want=f"be in [{-rank - 1}, {rank}]", axis=axis)
    else:
        place %= rank + 1
    zeros = raw_ops.ZerosLike(sparse.indices[:, :1]) if rank else _zero_column(sparse.indices)
    indices = [sparse.indices[:, :place], zeros, sparse.indices[:, place:]]
    shape = [sparse.dense_shape[:place], np.ones(1, np.int64), sparse.dense_shape[place:]]
    new = SparseTensor(
        raw_ops.ConcatV2(indices, np.int32(1)), sparse.values, raw_ops.ConcatV2(shape, np.int32(0))
    )
    if rank is None:
        return new
    dims = sparse.shape.as_list()
    return with_shape(new, [*dims[:place], 1, *dims[place:]])


def _zero_column(indices: Tensor) -> Tensor:
    shape = raw_ops.Pack([raw_ops.Shape(indices)[0], np.int32(1)])
    return raw_ops.Fill(shape, np.int64(0))  # type: ignore[no-any-return]


def reset_shape(sp_input: Any, new_shape: ShapeLike = None) -> SparseTensor:
    """The same elements in a whole of another shape, by default the smallest that holds them.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[1, 0]], [5], [9, 9])).dense_shape.numpy()
    array([2, 1])
    """
    sparse = as_sparse(sp_input)
    if new_shape is None:
        least = reduce_max(sparse.indices, axis=0) + 1
        return SparseTensor(sparse.indices, sparse.values, raw_ops.Maximum(least, np.int64(0)))
    wanted = raw_ops.Cast(_int_tensor(new_shape), DstT=dtypes.int64)
    wanted.shape.with_rank(1)
    static = known_shape(wanted)
    if static.rank is not None:
        sparse.dense_shape.shape.assert_is_compatible_with([static.rank])
    if static.is_fully_defined() and sparse.shape.is_fully_defined():
        old, new = np.array(sparse.shape.as_list()), np.array(static.as_list())
        if (new < old).any():
            raise ValueError(f"new_shape must be at least {sparse.shape} everywhere, got {static}.")
    else:
        fits = raw_ops.LessEqual(sparse.dense_shape, wanted)
        message = "reset_shape: `new_shape` must be at least as large everywhere"
        Assert(raw_ops.All(fits, np.array([0], np.int32)), [message, sparse.dense_shape, wanted])
    return SparseTensor(sparse.indices, sparse.values, wanted)


@scoped("eye")
def eye(
    num_rows: int,
    num_columns: int | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Ones on the diagonal of a matrix.

    >>> tf.sparse.eye(2, 3).indices.numpy()
    array([[0, 0],
           [1, 1]])
    """
    rows = _size("num_rows", num_rows)
    columns = rows if num_columns is None else _size("num_columns", num_columns)
    count = raw_ops.Minimum(rows, columns)
    place = raw_ops.Range(np.int64(0), count, np.int64(1))
    one = convert_to_tensor(True if dtypes.as_dtype(dtype) is dtypes.bool else 1, dtype=dtype)
    values = raw_ops.Fill(raw_ops.Reshape(count, np.array([1], np.int32)), one)
    return SparseTensor(raw_ops.Pack([place, place], axis=1), values, raw_ops.Pack([rows, columns]))


def _size(name: str, value: TensorLike) -> Tensor:
    size = convert_to_tensor(value)
    if size.shape.rank not in (None, 0) or not size.dtype.is_integer:
        raise TypeError(f"tf.sparse.eye: `{name}` must be an integer, got {value!r}.")
    return raw_ops.Cast(size, DstT=dtypes.int64)  # type: ignore[no-any-return]
