"""Looking up rows of tables by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from runnel.ops.array.gathering import gather
from runnel.ops.math.clipping import clip_by_norm
from runnel.ops.reduce.segments import as_column
from runnel.ops.sparse.joining import retain
from runnel.ops.sparse.reordering import reshape
from runnel.ops.sparse.rows import fill_empty_rows


@scoped("embedding_lookup", last=True)
def embedding_lookup(
    params: Any, ids: TensorLike, max_norm: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The rows of `params` that `ids` number; rows longer than `max_norm` are shortened to it.

    `params` may be a list of tables, which then count as one, the first before the second.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1, 0, 1]).numpy()
    array([[3., 4.],
           [1., 2.],
           [3., 4.]], dtype=float32)
    """
    if params is None:
        raise ValueError("embedding_lookup: `params` must be given.")
    tables = list(params) if isinstance(params, list | tuple) else [params]
    if not tables:
        raise ValueError("embedding_lookup: `params` must have at least one table.")
    if len(tables) == 1:
        table = tables[0]
    else:
        table = raw_ops.ConcatV2([convert_to_tensor(t) for t in tables], np.int32(0))
    rows = gather(table, ids, name=name)
    return rows if max_norm is None else _clipped(rows, convert_to_tensor(ids), max_norm)


def _clipped(rows: Tensor, ids: Tensor, max_norm: TensorLike) -> Tensor:
    rank, outer = rows.shape.rank, ids.shape.rank
    if rank is None or outer is None:
        axes = raw_ops.Range(raw_ops.Rank(ids), raw_ops.Rank(rows), np.int32(1))
        return clip_by_norm(rows, max_norm, axes=axes)
    return clip_by_norm(rows, max_norm, axes=list(range(outer, rank)))


@scoped("embedding_lookup_sparse", last=True)
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows of `params` that each row of the sparse `sp_ids` names, combined into one.

    `combiner` is "mean" (also by default), "sum" or "sqrtn", which divides the sum by the root of
    the sum of squared weights. `allow_fast_lookup` makes no difference here.

    >>> table = tf.constant([[1.0], [2.0], [6.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 2], [1, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None).numpy()
    array([[3.5]], dtype=float32)
    """
    combiner = _known_combiner(combiner)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}")
    row = sp_ids.indices[:, 0]
    ids, place = raw_ops.Unique(sp_ids.values)  # The gradient of `params` names each row once.
    found = embedding_lookup(params, ids, max_norm=max_norm, name=name)
    if sp_weights is None:
        return getattr(raw_ops, _COMBINERS[combiner])(found, place, row)  # type: ignore[no-any-return]
    return _weighted(gather(found, place), row, sp_weights.values, combiner)


_COMBINERS = {
    "mean": "SparseSegmentMean",
    "sum": "SparseSegmentSum",
    "sqrtn": "SparseSegmentSqrtN",
}


def _known_combiner(combiner: str | None) -> str:
    if combiner is None:
        return "mean"
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of {list(_COMBINERS)}, got {combiner!r}")
    return combiner


def _weighted(found: Tensor, row: Tensor, weights: Tensor, combiner: str) -> Tensor:
    """The weighted rows of each number in `row`, combined."""
    if weights.dtype is not found.dtype:
        weights = raw_ops.Cast(weights, DstT=found.dtype)
    total: Tensor = raw_ops.SegmentSum(found * as_column(weights, found), row)
    if combiner == "sum":
        return total
    if combiner == "mean":
        size = raw_ops.SegmentSum(weights, row)
    else:
        size = raw_ops.Sqrt(raw_ops.SegmentSum(raw_ops.Square(weights), row))
    return raw_ops.DivNoNan(total, as_column(size, total))  # type: ignore[no-any-return]


@scoped("embedding_lookup")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` for ids of any rank, of which some may be missing or negative.

    Negative ids are left out, and ids without a positive weight unless rows are summed. A row
    without ids gets the embedding of `default_id`, or zeros.

    >>> table, ids = tf.constant([[1.0], [2.0]]), tf.SparseTensor([[1, 0], [1, 1]], [1, -1], [2, 2])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy()
    array([[0.],
           [2.]], dtype=float32)
    """
    if embedding_weights is None or (isinstance(embedding_weights, list) and not embedding_weights):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    combiner = _known_combiner(combiner)
    for given in (sparse_ids, sparse_weights):
        if given is not None and not isinstance(given, SparseTensor):
            raise TypeError(f"safe_embedding_lookup_sparse takes a SparseTensor, got {given!r}.")
    shape = sparse_ids.dense_shape
    flat = raw_ops.Pack([raw_ops.Prod(shape[:-1], np.array([0], np.int32)), shape[-1]])
    ids, weights = reshape(sparse_ids, flat), None
    keep = raw_ops.GreaterEqual(ids.values, convert_to_tensor(0, dtype=ids.dtype))
    if sparse_weights is not None:
        weights = ids.with_values(sparse_weights.values)
        if combiner != "sum":
            zero = convert_to_tensor(0, dtype=weights.dtype)
            keep = raw_ops.LogicalAnd(keep, raw_ops.Greater(weights.values, zero))
        weights = fill_empty_rows(retain(weights, keep), 1)[0]
    ids, was_empty = fill_empty_rows(retain(ids, keep), default_id or 0)
    rows = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm, name)
    if default_id is None:
        rows = raw_ops.SelectV2(as_column(was_empty, rows), raw_ops.ZerosLike(rows), rows)
    outer = raw_ops.Cast(shape[:-1], DstT=dtypes.int32)
    whole = raw_ops.ConcatV2([outer, raw_ops.Shape(rows)[1:]], np.int32(0))
    return raw_ops.Reshape(rows, whole)  # type: ignore[no-any-return]
