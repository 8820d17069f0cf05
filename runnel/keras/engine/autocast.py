"""Variables that are read in the compute dtype of the layer that is being called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.keras.engine.call_context import call_context


class AutoCastVariable(tf.Variable):
    """A float variable that, inside a layer with a lower compute dtype, is read in that dtype."""

    def value(self) -> tf.Tensor:
        tensor = super().value()
        wanted = call_context.autocast
        if wanted is None or wanted == self.dtype or not self.dtype.is_floating:
            return tensor
        return tf.cast(tensor, wanted)

    def read_value(self) -> tf.Tensor:
        return self.value()

    @property
    def true_dtype(self) -> tf.DType:
        """The dtype in which the value is kept."""
        return self.dtype

    def sparse_read(self, indices: Any, name: str | None = None) -> tf.Tensor:
        wanted = call_context.autocast
        rows = super().sparse_read(indices, name)
        return rows if wanted is None else tf.cast(rows, wanted)


@contextmanager
def reading_variables_as(dtype: Any) -> Iterator[None]:
    """While float variables are read in `dtype`; None as they are."""
    outer = call_context.autocast
    call_context.autocast = None if dtype is None else tf.as_dtype(dtype)
    try:
        yield
    finally:
        call_context.autocast = outer
