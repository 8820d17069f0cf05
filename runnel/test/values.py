"""What `TestCase.evaluate` makes of ragged tensors and slices: the same in NumPy's arrays."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np


class IndexedSlicesValue(NamedTuple):
    """The arrays of `tf.IndexedSlices`."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue:
    """The values of a ragged tensor, an array or one of these again, and where its rows end."""

    def __init__(self, values: Any, row_splits: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.row_splits = row_splits

    @classmethod
    def of(cls, tensor: Any) -> RaggedTensorValue:
        """The value of a RaggedTensor."""
        inner = tensor.values
        values = cls.of(inner) if hasattr(inner, "row_splits") else inner.numpy()
        return cls(values, tensor.row_splits.numpy())

    @property
    def flat_values(self) -> np.ndarray[Any, Any]:
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[np.ndarray[Any, Any], ...]:
        inner = self.values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ()
        return (self.row_splits, *rest)

    @property
    def ragged_rank(self) -> int:
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> Any:
        return self.flat_values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        inner = self.values
        flat = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        ends = self.row_splits.tolist()
        return [flat[start:end] for start, end in itertools.pairwise(ends)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"
