"""Variables that are read in the compute dtype of the layer that is being called."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import runnel as tf
from runnel.keras.engine.layer.call_context import call_context


class _AutoCast(tf.Variable if TYPE_CHECKING else object):  # type: ignore[misc]
    """Part of a float variable that, inside a layer with a lower compute dtype, is read in it."""

    @property
    def dtype(self) -> tf.DType:
        """The dtype in which the value is read here."""
        wanted, kept = call_context.autocast, self.true_dtype
        return wanted if wanted is not None and kept.is_floating else kept

    @property
    def true_dtype(self) -> tf.DType:
        """The dtype in which the value is kept."""
        return super().dtype

    def value(self) -> tf.Tensor:
        return _as_dtype(super().value(), self.dtype)

    def read_value(self) -> tf.Tensor:
        return self.value()

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return super().assign(self._to_keep(value), *args, **kwargs)

    def assign_add(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        return super().assign_add(self._to_keep(delta), *args, **kwargs)

    def assign_sub(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        return super().assign_sub(self._to_keep(delta), *args, **kwargs)

    def _to_keep(self, value: Any) -> Any:
        """A value that was computed from what is read here, in the dtype in which it is kept."""
        return value if self.dtype == self.true_dtype else tf.cast(value, self.true_dtype)

    def sparse_read(self, indices: Any, name: str | None = None) -> tf.Tensor:
        return _as_dtype(super().sparse_read(indices, name), self.dtype)


class AutoCastVariable(_AutoCast, tf.Variable):
    """A float variable that, inside a layer with a lower compute dtype, is read in that dtype."""


@functools.cache
def _kind_like(kind: type) -> type:
    """The class of variables that are read like an `AutoCastVariable` and made by a strategy."""
    return type("AutoCastDistributedVariable", (_AutoCast, kind), {"__module__": __name__})


def auto_cast(**kwargs: Any) -> Any:
    """A variable that is read in the compute dtype of layers; a strategy's, in its scope."""
    if not tf.distribute.has_strategy():
        return AutoCastVariable(**kwargs)
    made = tf.Variable(**kwargs)
    variable: Any = object.__new__(_kind_like(type(made)))
    variable.__dict__.update(made.__dict__)
    return variable


def _as_dtype(tensor: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
    return tensor if tensor.dtype == dtype else tf.cast(tensor, dtype)


@contextmanager
def reading_variables_as(dtype: Any) -> Iterator[None]:
    """While float variables are read in `dtype`; None as they are."""
    outer = call_context.autocast
    call_context.autocast = None if dtype is None else tf.as_dtype(dtype)
    try:
        yield
    finally:
        call_context.autocast = outer
