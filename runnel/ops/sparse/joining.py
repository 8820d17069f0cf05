"""Sparse tensors joined, split, cut out, and with some of their elements left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, rebuilt
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC
from runnel.core.values.errors import InternalError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.choices import at_least
from runnel.ops.reduce.reductions import reduce_max
from runnel.ops.sparse.places import (
    as_sparse,
    check_parts,
    check_range,
    count_of,
    free_parts,
    keys,
    order,
    parts,
    rank_of,
    with_shape,
)


def _joined(
    indices: list[Spec], values: list[Spec], shapes: list[Spec], *, concat_dim: int
) -> list[Dims]:
    counts = [count_of(spec) for spec in indices]
    count = None if None in counts else sum(c for c in counts if c is not None)
    rank = rank_of(indices[0], shapes[0])
    for spec in shapes[1:]:
        if not spec.shape.is_compatible_with([rank]):
            raise bad_shape("SparseConcat", want=f"have {rank} elements as the first", shapes=spec)
    return [(count, rank), (count,), (rank,)]


def _check_joined(
    indices: list[Array], values: list[Array], shapes: list[Array], *, concat_dim: int
) -> None:
    name = "SparseConcat"
    for group in zip(indices, values, shapes, strict=True):
        check_parts(name, *group)
    rank = len(shapes[0])
    if not -rank <= concat_dim < rank:
        raise bad_value(name, want=f"be in [{-rank}, {rank})", concat_dim=concat_dim)
    for shape in shapes[1:]:
        if len(shape) != rank:
            raise bad_shape(name, want=f"have {rank} elements as the first", shapes=shape)
        same = shape == shapes[0]
        same[concat_dim] = True
        if not same.all():
            want = f"equal the first, {shapes[0].tolist()}, but for dimension {concat_dim}"
            raise bad_value(name, want=want, shapes=shape)


@op(
    "SparseConcat",
    "indices: N*int64[2], values: N*T[1], shapes: N*int64 -> output_indices: int64, "
    "output_values: T, output_shape: int64",
    N=at_least(2),
    host=True,
    shape=_joined,
    check=_check_joined,
)
def _sparse_concat(
    xp: Namespace,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    *,
    concat_dim: int,
) -> list[Array]:
    shape = shapes[0].copy()
    shape[concat_dim] = 0
    moved = []
    for places, each in zip(indices, shapes, strict=True):
        shift = np.zeros_like(shape)
        shift[concat_dim] = shape[concat_dim]
        moved.append(places + shift)
        shape[concat_dim] += each[concat_dim]
    joined = np.concatenate(moved)
    places = order(np, joined)
    return [joined[places], np.concatenate(values)[places], shape]


no_gradient("SparseConcat")


def concat(
    axis: int,
    sp_inputs: Sequence[Any],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Sparse tensors joined along `axis`; the other dimensions agree, or may be told to grow.

    >>> one, two = tf.SparseTensor([[0, 1]], [5], [1, 2]), tf.SparseTensor([[0, 0]], [6], [1, 2])
    >>> tf.sparse.concat(1, [one, two]).indices.numpy()
    array([[0, 1],
           [0, 2]])
    """
    if not isinstance(sp_inputs, list | tuple):
        raise TypeError("tf.sparse.concat: `sp_inputs` must be a list or tuple.")
    sparse = [as_sparse(each) for each in sp_inputs]
    if not sparse:
        raise bad_value("SparseConcat", want="have one sparse tensor or more", sp_inputs=[])
    if len(sparse) == 1:
        return sparse[0]
    shapes = [each.dense_shape for each in sparse]
    if expand_nonconcat_dims:
        shapes = _grown(shapes, axis)
    found = raw_ops.SparseConcat(
        [each.indices for each in sparse],
        [each.values for each in sparse],
        shapes,
        concat_dim=axis,
        name=name,
    )
    return with_shape(SparseTensor(*found), _joined_shape(sparse, axis, expand_nonconcat_dims))


def _grown(shapes: list[Tensor], axis: int) -> list[Tensor]:
    """Each shape with the largest of all but along `axis`."""
    largest = reduce_max(raw_ops.Pack(shapes), axis=0)
    stop = None if axis == -1 else axis + 1
    rest = [] if stop is None else [largest[stop:]]
    return [raw_ops.ConcatV2([largest[:axis], s[axis:stop], *rest], np.int32(0)) for s in shapes]


def _joined_shape(sparse: list[SparseTensor], axis: int, grown: bool) -> Any:
    dims = [each.shape.as_list() for each in sparse if each.shape.rank is not None]
    if len(dims) < len(sparse) or len({len(d) for d in dims}) > 1:
        return None
    columns = [list(column) for column in zip(*dims, strict=True)]
    result = [None if None in column else max(column) for column in columns]
    if -len(columns) <= axis < len(columns):
        result[axis] = None if None in columns[axis] else sum(columns[axis])
    return result


def _split_rule(
    split_dim: Spec, indices: Spec, values: Spec, shape: Spec, *, num_split: int
) -> list[Any]:
    places, count, dims = free_parts(rank_of(indices, shape))
    return [[places] * num_split, [count] * num_split, [dims] * num_split]


def _check_split(
    split_dim: Array, indices: Array, values: Array, shape: Array, *, num_split: int
) -> None:
    name = "SparseSplit"
    if num_split < 1:
        raise bad_value(name, want="be at least 1", num_split=num_split)
    check_parts(name, indices, values, shape)
    if np.size(split_dim) != 1:
        raise bad_shape(name, want="be a scalar", split_dim=split_dim)
    axis, rank = int(np.reshape(split_dim, ())), len(shape)
    if not -rank <= axis < rank:
        raise bad_value(name, want=f"be in [{-rank}, {rank})", split_dim=axis)
    if num_split > shape[axis]:
        raise bad_value(name, want=f"be at most {shape[axis]}", num_split=num_split)
    check_range(name, indices, shape)


@op(
    "SparseSplit",
    "split_dim: int64[0?], indices: int64, values: T, shape: int64 -> output_indices: "
    "num_split*int64, "
    "output_values: num_split*T, output_shape: num_split*int64",
    host=True,
    shape=_split_rule,
    check=_check_split,
    num_split=at_least(1),
)
def _sparse_split(
    xp: Namespace, split_dim: Array, indices: Array, values: Array, shape: Array, *, num_split: int
) -> list[list[Array]]:
    axis = int(np.reshape(split_dim, ()))
    size, longer = divmod(int(shape[axis]), num_split)  # the first `longer` parts have one more
    sizes = np.full(num_split, size, np.int64) + (np.arange(num_split) < longer)
    ends = np.cumsum(sizes)
    part = ends.searchsorted(indices[:, axis], side="right")
    by_part = np.argsort(part, kind="stable")
    cuts = np.bincount(part, minlength=num_split).cumsum()[:-1]
    moved = indices[by_part]
    moved[:, axis] -= (ends - sizes)[part[by_part]]
    shapes = np.tile(shape, (num_split, 1))
    shapes[:, axis] = sizes
    return [np.split(moved, cuts), np.split(values[by_part], cuts), list(shapes)]


def split(
    sp_input: Any = None,
    num_split: int | None = None,
    axis: TensorLike = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """A sparse tensor cut along `axis` into parts of equal size; the first may have one more.

    >>> [part.dense_shape.numpy().tolist() for part in tf.sparse.split(tf.sparse.eye(3), 2, axis=0)]
    [[2, 3], [1, 3]]
    """
    if sp_input is None:
        raise ValueError("sp_input is required")
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is None:
        raise ValueError("axis is required")
    sparse = as_sparse(sp_input)
    where = raw_ops.Cast(convert_to_tensor(axis), DstT=dtypes.int64)
    found = raw_ops.SparseSplit(where, *parts(sparse), num_split=num_split, name=name)
    groups = (found[i : i + num_split] for i in range(0, 3 * num_split, num_split))
    return [SparseTensor(*group) for group in zip(*groups, strict=True)]


def _cut_rule(indices: Spec, values: Spec, shape: Spec, start: Spec, size: Spec) -> list[Dims]:
    return free_parts(rank_of(indices, shape))


def _check_cut(indices: Array, values: Array, shape: Array, start: Array, size: Array) -> None:
    check_parts("SparseSlice", indices, values, shape)
    for name, vector in (("start", start), ("size", size)):
        if vector.shape != shape.shape:
            want = f"be a vector of {len(shape)} elements"
            raise bad_shape("SparseSlice", want=want, **{name: vector})
    if (size < 0).any():
        raise bad_value("SparseSlice", want="not be negative", size=size)


@op(
    "SparseSlice",
    "indices: int64, values: T, shape: int64, start: int64, size: int64 "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    host=True,
    shape=_cut_rule,
    check=_check_cut,
)
def _sparse_slice(
    xp: Namespace, indices: Array, values: Array, shape: Array, start: Array, size: Array
) -> list[Array]:
    inside = ((indices >= start) & (indices < start + size)).all(axis=1)
    rest = np.clip(shape - start, 0, size)
    return [indices[inside] - start, values[inside], rest]


@RegisterGradient("SparseSlice", needs="indices start outputs")
def _sparse_slice_grad(op: Any, d_indices: Any, d_values: Tensor, d_shape: Any) -> Gradients:
    indices, _, _, start, _ = op.inputs
    back = raw_ops.SparseSliceGrad(d_values, indices, start, op.outputs[0])
    return None, back, None, None, None


def _back_rule(
    backprop_val_grad: Spec, input_indices: Spec, input_start: Spec, output_indices: Spec
) -> Dims:
    return (count_of(input_indices),)


def _check_back(
    backprop_val_grad: Array, input_indices: Array, input_start: Array, output_indices: Array
) -> None:
    name = "SparseSliceGrad"
    for argument, matrix in (("input_indices", input_indices), ("output_indices", output_indices)):
        if matrix.ndim != 2:
            raise bad_shape(name, want="be a matrix", **{argument: matrix})
    if input_start.shape != (input_indices.shape[1],):
        want = f"be a vector of {input_indices.shape[1]} elements"
        raise bad_shape(name, want=want, input_start=input_start)
    if backprop_val_grad.shape != output_indices.shape[:1]:
        want = f"be a vector of {len(output_indices)} elements"
        raise bad_shape(name, want=want, backprop_val_grad=backprop_val_grad)


@op(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64[2], input_start: int64, output_indices: int64 "
    "-> val_grad: T",
    T=NUMERIC,
    host=True,
    shape=_back_rule,
    check=_check_back,
)
def _sparse_slice_back(
    xp: Namespace,
    backprop_val_grad: Array,
    input_indices: Array,
    input_start: Array,
    output_indices: Array,
) -> Array:
    found, place = matched(input_indices, output_indices + input_start)
    if np.count_nonzero(found) != len(output_indices):
        message = "SparseSliceGrad: `output_indices` are not all among `input_indices`."
        raise InternalError(None, None, message)
    return np.where(found, padded(backprop_val_grad)[place], np.zeros((), backprop_val_grad.dtype))


def matched(indices: Array, among: Array) -> tuple[Array, Array]:
    """For each place whether it is among others, and where there."""
    mine, others = keys(indices, among)
    by_key = np.argsort(others, kind="stable")
    place = np.minimum(others[by_key].searchsorted(mine), max(len(others) - 1, 0))
    if not len(others):
        return np.zeros(len(mine), bool), np.zeros(len(mine), np.int64)
    where = by_key[place]
    return others[where] == mine, where


def padded(values: Array) -> Array:
    """`values`, or a zero if there are none, so that something can be picked."""
    return values if len(values) else np.zeros(1, values.dtype)


def slice(
    sp_input: Any, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """The part of a sparse tensor that begins at `start` and has `size`, or less at the end.

    >>> tf.sparse.slice(tf.sparse.eye(3), [1, 0], [2, 2]).indices.numpy()
    array([[0, 1]])
    """
    sparse = as_sparse(sp_input)
    begin = convert_to_tensor(start, dtype=dtypes.int64)
    extent = convert_to_tensor(size, dtype=dtypes.int64)
    return SparseTensor(*raw_ops.SparseSlice(*parts(sparse), begin, extent, name=name))


def retain(sp_input: Any, to_retain: TensorLike) -> SparseTensor:
    """Only the elements for which `to_retain`, a vector of booleans, says so.

    >>> tf.sparse.retain(tf.sparse.eye(2), [False, True]).indices.numpy()
    array([[1, 1]])
    """
    sparse = as_sparse(sp_input)
    keep = convert_to_tensor(to_retain)
    keep.shape.with_rank(1)
    sparse.values.shape.assert_is_compatible_with(keep.shape)
    places = raw_ops.Reshape(raw_ops.Where(keep), np.array([-1], np.int32))
    first = np.int32(0)
    indices = raw_ops.GatherV2(sparse.indices, places, first)
    return rebuilt(sparse, indices=indices, values=raw_ops.GatherV2(sparse.values, places, first))


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """`tf.IndexedSlices` without the rows whose index is among `mask_indices`.

    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([3, 5]))
    >>> tf.sparse.mask(rows, [5]).indices.numpy()
    array([3], dtype=int32)
    """
    indices = convert_to_tensor(a.indices)
    out = convert_to_tensor(mask_indices, dtype=indices.dtype)
    kept, places = raw_ops.ListDiff(indices, out)
    values = raw_ops.GatherV2(a.values, places, np.int32(0), name=name)
    return IndexedSlices(values, kept, a.dense_shape)
