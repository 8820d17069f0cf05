"""How good the first `k` of ranked classes are: precision, recall and average precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.dtypes import float64, int32, int64
from runnel.ops.array.broadcasting import broadcast_to
from runnel.ops.array.constants import ones_like
from runnel.ops.array.constants import range as new_range
from runnel.ops.array.diagonals import band_part
from runnel.ops.array.identity import identity
from runnel.ops.array.joining import stack
from runnel.ops.array.selecting import where
from runnel.ops.array.shaping import expand_dims, reshape
from runnel.ops.array.shaping import shape as new_shape
from runnel.ops.math.arithmetic import minimum
from runnel.ops.math.casting import cast
from runnel.ops.math.comparison import equal, not_equal
from runnel.ops.math.division import divide_no_nan
from runnel.ops.math.logical import logical_and, logical_not
from runnel.ops.reduce.cumulative import cumsum
from runnel.ops.reduce.reductions import reduce_any, reduce_prod, reduce_sum
from runnel.ops.reduce.top_k import top_k
from runnel.ops.sparse.dense import to_dense
from runnel.ops.sparse.reordering import reorder
from runnel.v1.metrics.keeping import Answer, answer, check_graph, counter
from runnel.v1.variables.scopes import variable_scope

_NONE = -1  # stands for no label


def _rows(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and ranked classes as matrices of int64: a row for each example."""
    if isinstance(labels, SparseTensor):
        labels = to_dense(reorder(labels), _NONE - 1, validate_indices=False)
        labels = where(labels < 0, cast(_NONE, labels.dtype), labels)
    labels, predictions = cast(labels, int64), cast(predictions, int64)
    if labels.shape.rank == predictions.shape.rank - 1:
        labels = expand_dims(labels, -1)
    return (
        reshape(labels, stack([-1, new_shape(labels)[-1]])),
        reshape(predictions, stack([-1, new_shape(predictions)[-1]])),
    )


def _weighted(values: Any, weights: Any, like: Any) -> Any:
    """Numbers of examples times their weights, added up, as float64."""
    values = cast(values, float64)
    if weights is not None:
        shape = new_shape(like)[:-1]
        full = broadcast_to(cast(weights, float64), shape)
        values = values * reshape(full, [-1])
    return reduce_sum(values)


def _hits(labels: Any, ranked: Any) -> Any:
    """For each ranked class of an example, whether it is one of its labels."""
    return reduce_any(equal(expand_dims(ranked, 2), expand_dims(labels, 1)), 2)


def _distinct(labels: Any) -> Any:
    """Which labels of an example are there for the first time."""
    same = equal(expand_dims(labels, 2), expand_dims(labels, 1))
    before = band_part(cast(same, int32), -1, 0)
    return logical_and(equal(reduce_sum(before, 2), 1), not_equal(labels, _NONE))


def _counts(labels: Any, idx: Any, class_id: int | None) -> dict[str, Any]:
    """True and false positives and false negatives of each example."""
    labels, ranked = _rows(labels, idx)
    hits, kept = _hits(labels, ranked), _distinct(labels)
    found = _hits(ranked, labels)
    chosen: Any = ones_like(hits)
    if class_id is not None:
        chosen = equal(ranked, class_id)
        kept = logical_and(kept, equal(labels, class_id))
    both = logical_and

    def number(flags: Any) -> Any:
        return reduce_sum(cast(flags, float64), 1)

    return {
        "true_positive": number(both(hits, chosen)),
        "false_positive": number(both(logical_not(hits), chosen)),
        "false_negative": number(both(kept, logical_not(found))),
    }


def _kept(kind: str, counts: dict[str, Any], name: str, weights: Any, idx: Any) -> tuple[Any, Any]:
    with variable_scope(None, f"{kind}{name}"):
        variable = counter([], float64, f"{kind}{name}")
        update = variable.assign_add(_weighted(counts[kind], weights, idx))
        return identity(variable), identity(update)


def _titled(base: str, k: Any, class_id: int | None) -> str:
    name = base if k is None else f"{base}_at_{k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _at_top(base: str, others: str) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(f"{base}_at_top_k")
        title = _titled(base, k, class_id)
        with variable_scope(name, title, (predictions_idx, labels, weights)):
            idx = convert_to_tensor(predictions_idx)
            counts = _counts(labels, idx, class_id)
            suffix = title.removeprefix(base)
            right, add_right = _kept("true_positive", counts, suffix, weights, idx)
            wrong, add_wrong = _kept(others, counts, suffix, weights, idx)
            value = right / (right + wrong)
            update = add_right / (add_right + add_wrong)
            return answer(value, update, metrics_collections, updates_collections)

    metric.__doc__ = f"The {base} of classes that are ranked already."
    return metric


precision_at_top_k = _at_top("precision", "false_positive")
recall_at_top_k = _at_top("recall", "false_negative")


def _at(base: str, at_top: Callable[..., Answer]) -> Callable[..., Answer]:
    def metric(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Answer:
        check_graph(f"{base}_at_k")
        title = _titled(base, k, class_id)
        with variable_scope(name, title, (predictions, labels, weights)):
            _, idx = top_k(predictions, k)
            return at_top(
                labels, idx, k, class_id, weights, metrics_collections, updates_collections
            )

    metric.__doc__ = f"The {base} of the `k` classes with the largest predictions."
    return metric


precision_at_k = _at("precision", precision_at_top_k)
recall_at_k = _at("recall", recall_at_top_k)
sparse_precision_at_k = precision_at_k


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """The mean of the precisions at each of the first `k` classes that is a label."""
    check_graph("average_precision_at_k")
    if k < 1:
        raise ValueError(f"average_precision_at_k: `k` must be positive, got {k}.")
    title = _titled("average_precision", k, None)
    with variable_scope(name, title, (predictions, labels, weights)):
        _, idx = top_k(predictions, k)
        known, ranked = _rows(labels, idx)
        hits = cast(_hits(known, ranked), float64)
        places = cast(new_range(1, k + 1), float64)
        precisions = cumsum(hits, 1) / places
        relevant = reduce_sum(cast(not_equal(known, _NONE), float64), 1)
        each = divide_no_nan(reduce_sum(precisions * hits, 1), minimum(relevant, cast(k, float64)))
        total, highest = counter([], float64, "total"), counter([], float64, "max")
        shape = new_shape(idx)[:-1]
        if weights is None:
            most = cast(reduce_prod(shape), float64)
        else:
            full = broadcast_to(cast(weights, float64), shape)
            most = reduce_sum(full)
        added = total.assign_add(_weighted(each, weights, idx))
        reached = highest.assign_add(most)
        value = divide_no_nan(identity(total), identity(highest))
        update = divide_no_nan(identity(added), identity(reached))
        return answer(value, update, metrics_collections, updates_collections)


def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Answer:
    """An older name of `average_precision_at_k`."""
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )
