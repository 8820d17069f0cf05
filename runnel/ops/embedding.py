"""Looking up rows of tables by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.convert import convert_to_tensor
from runnel.core.raw import raw_ops
from runnel.core.tensor import Tensor
from runnel.core.types import TensorLike
from runnel.ops.clipping import clip_by_norm
from runnel.ops.gathering import gather


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
        raise NotImplementedError("embedding_lookup: `max_norm` with `ids` of unknown rank")
    return clip_by_norm(rows, max_norm, axes=list(range(outer, rank)))


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows that each row of the sparse `sp_ids` names, combined into one. Not supported yet."""
    raise NotImplementedError("embedding_lookup_sparse: sparse tensors are not supported yet.")


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
    """`embedding_lookup_sparse` that takes empty rows and bad ids. Not supported yet."""
    raise NotImplementedError("safe_embedding_lookup_sparse: sparse tensors are not supported yet.")
