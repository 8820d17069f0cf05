"""The largest or smallest elements, for which an approximation would do; here they are exact."""

from __future__ import annotations

from typing import Any, NamedTuple

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.op.vjp import derived
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike


class ApproxTopK(NamedTuple):
    """The elements found, and where they were."""

    values: Tensor
    indices: Tensor


def _found(input: Spec, *, k: int, reduction_dimension: int = -1, **attrs: Any) -> list[Dims]:
    if input.dims is None:
        return [None, None]
    rank = len(input.dims)
    if not -rank <= reduction_dimension < rank:
        want = f"be in [{-rank}, {rank})"
        raise bad_value("ApproxTopK", want=want, reduction_dimension=reduction_dimension)
    axis = reduction_dimension % rank
    size = input.dims[axis]
    if k < 0 or (size is not None and k > size):
        raise bad_value("ApproxTopK", want=f"be from 0 to {size}", k=k)
    dims = (*input.dims[:axis], k, *input.dims[axis + 1 :])
    return [dims, dims]


@op(
    "ApproxTopK",
    "input: T -> values: T, indices: int32",
    T=frozenset({dtypes.half, dtypes.bfloat16, dtypes.float32}),
    shape=_found,
    heavy=True,
)
def _approx_top_k(
    xp: Namespace,
    input: Array,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> Any:
    # The exact elements are the answer for any recall and need no further aggregation.
    axis = reduction_dimension % input.ndim
    if not 0 <= k <= input.shape[axis]:
        raise ValueError(f"`k` is {k}, but there are {input.shape[axis]} elements")
    keys = -input if is_max_k else input
    indices = xp.argsort(keys, axis=axis, stable=True)
    indices = indices[(slice(None),) * axis + (slice(0, k),)]
    return xp.take_along_axis(input, indices, axis), indices.astype("int32")


RegisterGradient("ApproxTopK")(derived)


def approx_top_k(
    input: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest or smallest elements along a dimension, the best first, and their indices.

    >>> tf.approx_top_k([3.0, 9.0, 5.0], 2).values.numpy()
    array([9., 5.], dtype=float32)
    """
    return ApproxTopK(
        *raw_ops.ApproxTopK(
            input,
            k=k,
            reduction_dimension=reduction_dimension,
            recall_target=recall_target,
            is_max_k=is_max_k,
            reduction_input_size_override=reduction_input_size_override,
            aggregate_to_topk=aggregate_to_topk,
            name=name,
        )
    )


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest elements along a dimension, in descending order, and their indices.

    >>> tf.math.approx_max_k([3.0, 9.0, 5.0], 2).indices.numpy()
    array([1, 2], dtype=int32)
    """
    return approx_top_k(
        operand,
        k,
        reduction_dimension,
        recall_target,
        is_max_k=True,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest elements along a dimension, in ascending order, and their indices.

    >>> tf.math.approx_min_k([3.0, 9.0, 5.0], 2).indices.numpy()
    array([0, 2], dtype=int32)
    """
    return approx_top_k(
        operand,
        k,
        reduction_dimension,
        recall_target,
        is_max_k=False,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )
