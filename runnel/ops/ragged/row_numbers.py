"""Row splits in NumPy, for the kernels of ragged ops."""

from __future__ import annotations

import numpy as np

from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array


def joined_ranges(starts: Array, lengths: Array) -> Array:
    """`starts[i], starts[i] + 1, …`, `lengths[i]` of them, for all `i` one after another.

    >>> joined_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    return np.repeat(starts - before, lengths) + np.arange(total, dtype=starts.dtype)


def splits_of(lengths: Array) -> Array:
    """Row splits from row lengths, in their dtype.

    >>> splits_of(np.array([2, 0, 1]))
    array([0, 2, 2, 3])
    """
    splits = np.zeros(len(lengths) + 1, lengths.dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


def row_of_each(splits: Array) -> Array:
    """The row of each value.

    >>> row_of_each(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    rows = np.arange(len(splits) - 1, dtype=splits.dtype)
    return np.repeat(rows, splits[1:] - splits[:-1])


def check_splits(op_name: str, nested: list[Array], count: int) -> None:
    """InvalidArgumentError unless all splits cut up what is below them, at last the values."""
    for level, splits in enumerate(nested):
        if splits.ndim != 1 or not len(splits):
            want = "be vectors with one element or more"
            raise bad_value(op_name, want=want, nested_splits=splits)
        if splits[0] != 0 or np.any(splits[1:] < splits[:-1]):
            raise bad_value(op_name, want="begin with 0 and ascend", nested_splits=splits)
        below = len(nested[level + 1]) - 1 if level + 1 < len(nested) else count
        if splits[-1] != below:
            want = f"end with {below}, the number of values"
            raise bad_value(op_name, want=want, nested_splits=splits)
