"""What sessions return for values that are made of several tensors."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np


class IndexedSlicesValue(NamedTuple):
    """The arrays of a `tf.IndexedSlices`."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue:
    """The arrays of a `tf.RaggedTensor`: rows of different lengths.

    >>> value = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    >>> value.to_list(), value.shape
    ([[1, 2], [3]], (2, None))
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.ndim == 1):
            raise TypeError(
                f"RaggedTensorValue: `row_splits` must be a vector, got {row_splits!r}."
            )
        if row_splits.dtype not in (np.int32, np.int64):
            raise TypeError("RaggedTensorValue: `row_splits` must have the dtype int32 or int64.")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError(
                f"RaggedTensorValue: `values` must be an array or another one, got {values!r}."
            )
        self._values: Any = values
        self._row_splits: Any = row_splits

    @property
    def row_splits(self) -> Any:
        return self._row_splits

    @property
    def values(self) -> Any:
        return self._values

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def flat_values(self) -> Any:
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        inner = self._values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self._row_splits, *rest)

    @property
    def ragged_rank(self) -> int:
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists of Python."""
        inner = self._values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        splits = self._row_splits
        return [rows[a:b] for a, b in itertools.pairwise(splits)]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    __str__ = __repr__
