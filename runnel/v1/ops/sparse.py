"""Functions on sparse tensors whose parameters were others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.v1.ops.arguments import either

_REQUIRED = object()


def add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors, of which one is sparse at least."""
    threshold = either("sparse_add", "threshold", threshold, "thresh", thresh)
    return tf.sparse.add(a, b, 0 if threshold is None else threshold)


def concat(
    axis: int | None,
    sp_inputs: Sequence[Any],
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> Any:
    """Sparse tensors one after the other along a dimension."""
    axis = either("sparse_concat", "axis", axis, "concat_dim", concat_dim)
    expand = expand_nonconcat_dim or bool(expand_nonconcat_dims)
    return tf.sparse.concat(axis, sp_inputs, expand, name)


def split(
    keyword_required: Any = _REQUIRED,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> Any:
    """A sparse tensor in pieces."""
    if keyword_required is not _REQUIRED:
        raise ValueError("sparse_split: give its arguments by name.")
    axis = either("sparse_split", "axis", axis, "split_dim", split_dim)
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("sparse_split: `sp_input`, `num_split` and `axis` must be given.")
    return tf.sparse.split(sp_input, num_split, axis, name)


def merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> Any:
    """Ids and values as one sparse tensor with a dimension for the ids."""
    if isinstance(vocab_size, tf.Tensor) or not isinstance(sp_ids, (list, tuple)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    if not isinstance(vocab_size, (list, tuple)) or len(vocab_size) != len(sp_ids):
        raise ValueError("sparse_merge: one `vocab_size` is needed for each of `sp_ids`.")
    with tf.name_scope(name or "SparseMerge"):
        sizes = [tf.cast(size, tf.int64) for size in vocab_size]
        columns = [tf.expand_dims(tf.cast(ids.values, tf.int64), 1) for ids in sp_ids]
        places = tf.concat([sp_ids[0].indices[:, :-1], *columns], 1)
        shape = tf.concat([sp_ids[0].dense_shape[:-1], tf.stack(sizes)], 0)
        made = tf.SparseTensor(places, sp_values.values, shape)
        return made if already_sorted else tf.sparse.reorder(made)


def _axes(name: str, axis: Any, old: Any, keepdims: Any, keep_dims: Any) -> tuple[Any, bool]:
    axis = either(name, "axis", axis, "reduction_axes", old)
    return axis, bool(either(name, "keepdims", keepdims, "keep_dims", keep_dims))


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> tf.Tensor:
    """The largest elements along dimensions, as a dense tensor."""
    axis, keep = _axes("sparse_reduce_max", axis, reduction_axes, keepdims, keep_dims)
    return tf.sparse.reduce_max(sp_input, axis, keep)


def reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Any:
    """The largest elements along dimensions, as a sparse tensor."""
    axis, keep = _axes("sparse_reduce_max_sparse", axis, reduction_axes, keepdims, keep_dims)
    return tf.sparse.reduce_max(sp_input, axis, keep, output_is_sparse=True)


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> tf.Tensor:
    """Sums along dimensions, as a dense tensor."""
    axis, keep = _axes("sparse_reduce_sum", axis, reduction_axes, keepdims, keep_dims)
    return tf.sparse.reduce_sum(sp_input, axis, keep)


def reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Any:
    """Sums along dimensions, as a sparse tensor."""
    axis, keep = _axes("sparse_reduce_sum_sparse", axis, reduction_axes, keepdims, keep_dims)
    return tf.sparse.reduce_sum(sp_input, axis, keep, output_is_sparse=True)


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> tf.Tensor:
    """Sums of some rows, by segment."""
    return tf.sparse.segment_sum(data, indices, segment_ids, num_segments, name)


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> tf.Tensor:
    """Means of some rows, by segment."""
    return tf.sparse.segment_mean(data, indices, segment_ids, num_segments, name)


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> tf.Tensor:
    """Sums of some rows, by segment, divided by the root of their number."""
    return tf.sparse.segment_sqrt_n(data, indices, segment_ids, num_segments, name)


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: DTypeLike = tf.string
) -> tf.Tensor:
    """A sparse tensor as three strings."""
    return tf.io.serialize_sparse(sp_input, out_type, name)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: DTypeLike = tf.string
) -> tf.Tensor:
    """A batch of sparse tensors as rows of three strings."""
    return tf.io.serialize_many_sparse(sp_input, out_type, name)
