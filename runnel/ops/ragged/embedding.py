"""Tables looked up by ragged tensors of numbers."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.settings.scoped import scoped
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.types import TensorLike
from runnel.ops.nn import embedding


@scoped("embedding_lookup_ragged")
def _embedding_lookup(
    params: Any, ids: Any, max_norm: TensorLike = None, name: str | None = None
) -> RaggedTensor:
    rows = embedding.embedding_lookup(params, ids.flat_values, max_norm)
    return ids.with_flat_values(rows)  # type: ignore[no-any-return]


def _embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: TensorLike = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    weights = _beside(sp_ids, sp_weights)
    ids = sp_ids.to_sparse()
    return embedding.embedding_lookup_sparse(params, ids, weights, combiner, max_norm)


def _safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: TensorLike = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    weights = _beside(sparse_ids, sparse_weights)
    ids = sparse_ids.to_sparse()
    return embedding.safe_embedding_lookup_sparse(
        embedding_weights, ids, weights, combiner, default_id, max_norm
    )


def _beside(ids: RaggedTensor, weights: Any) -> Any:
    if weights is None:
        return None
    if not isinstance(weights, RaggedTensor):
        raise TypeError(f"The weights of ragged ids must be ragged too, got {type(weights)}.")
    return weights.to_sparse()


dispatch.add_target(embedding.embedding_lookup, _embedding_lookup, [{"ids": RaggedTensor}])
dispatch.add_target(
    embedding.embedding_lookup_sparse, _embedding_lookup_sparse, [{"sp_ids": RaggedTensor}]
)
dispatch.add_target(
    embedding.safe_embedding_lookup_sparse,
    _safe_embedding_lookup_sparse,
    [{"sparse_ids": RaggedTensor}],
)
