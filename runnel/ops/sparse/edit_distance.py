"""How many changes lead from one sequence to another: `tf.edit_distance`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.array.shaping import entries


def _distance_shape(
    hypothesis_indices: Spec,
    hypothesis_values: Spec,
    hypothesis_shape: Spec,
    truth_indices: Spec,
    truth_values: Spec,
    truth_shape: Spec,
    **attrs: Any,
) -> Dims:
    left, right = entries(hypothesis_shape), entries(truth_shape)
    if left is None or right is None:
        return None
    if len(left) != len(right):
        raise bad_shape("EditDistance", want=f"have {len(left)} elements", truth_shape=truth_shape)
    pairs = zip(left[:-1], right[:-1], strict=True)
    return tuple(None if a is None or b is None else max(a, b) for a, b in pairs)


def distance(left: Sequence[Any], right: Sequence[Any]) -> int:
    """The least number of insertions, deletions and replacements that turn `left` into `right`.

    A column of the table of distances at once, by the algorithm of Myers (1999): the bits of `more`
    and `less` say for each prefix of `left` whether it is one step further from what has been read
    of `right` than the prefix before it, or one step nearer.
    """
    if not left:
        return len(right)
    places: dict[Any, int] = defaultdict(int)
    for place, value in enumerate(left):
        places[value] |= 1 << place
    every, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    more, less, total = every, 0, len(left)
    for value in right:
        same = places.get(value, 0)
        diagonal = (((same & more) + more) ^ more) | same
        further, nearer = less | every & ~(diagonal | more), more & diagonal
        total += bool(further & last) - bool(nearer & last)
        further, nearer, same = further << 1 | 1, nearer << 1, same | less
        more, less = (nearer | ~(same | further)) & every, further & same & every
    return total


def _sequences(indices: Array, values: Array) -> dict[tuple[int, ...], list[Any]]:
    """The values of each row of a sparse tensor, in order."""
    rows: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    listed, row = values.tolist(), indices[:, :-1]
    starts = [0, *(np.flatnonzero((row[1:] != row[:-1]).any(axis=1)) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(listed)], strict=True):
        if start < end:
            rows[tuple(row[start].tolist())].extend(listed[start:end])
    return rows


@op(
    "EditDistance",
    "hypothesis_indices: int64[2], hypothesis_values: T[1], hypothesis_shape: int64[1], "
    "truth_indices: int64[2], truth_values: T[1], truth_shape: int64[1] -> output: float32",
    host=True,
    shape=_distance_shape,
)
def _edit_distance(
    xp: Namespace,
    hypothesis_indices: Array,
    hypothesis_values: Array,
    hypothesis_shape: Array,
    truth_indices: Array,
    truth_values: Array,
    truth_shape: Array,
    *,
    normalize: bool = True,
) -> Array:
    if hypothesis_shape.shape != truth_shape.shape:
        raise bad_shape(
            "EditDistance", want=f"have {hypothesis_shape.size} elements", truth_shape=truth_shape
        )
    shape = np.maximum(hypothesis_shape, truth_shape)[:-1]
    left = _sequences(hypothesis_indices, hypothesis_values)
    right = _sequences(truth_indices, truth_values)
    result = np.zeros(tuple(shape.tolist()), np.float32)
    for place in left.keys() | right.keys():
        a, b = left.get(place, []), right.get(place, [])
        changes = np.float32(distance(a, b))
        result[place] = changes if not normalize else changes / np.float32(len(b)) if b else np.inf
    return result


no_gradient("EditDistance")


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The edit distance between the sequences in two sparse tensors.

    With `normalize` it is divided by the length of the true sequence.

    >>> from runnel.ops.sparse.edit_distance import distance
    >>> distance("kitten", "sitting")
    3
    """
    for argument, value in (("hypothesis", hypothesis), ("truth", truth)):
        if not hasattr(value, "dense_shape") or not hasattr(value, "indices"):
            raise TypeError(
                f"tf.edit_distance: `{argument}` must be a tf.SparseTensor, got {value!r}."
            )
    return raw_ops.EditDistance(  # type: ignore[no-any-return]
        hypothesis.indices,
        hypothesis.values,
        hypothesis.dense_shape,
        truth.indices,
        truth.values,
        truth.dense_shape,
        normalize=normalize,
        name=name,
    )
