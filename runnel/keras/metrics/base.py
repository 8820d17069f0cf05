"""`tf.keras.metrics.Metric`: a number that is gathered over many batches."""

from __future__ import annotations

import functools
from typing import Any

import runnel as tf
from runnel.keras.engine.base_layer import Layer
from runnel.keras.engine.settings import floatx

_convert = tf.__internal__.autograph.tf_convert


def _traceable(method: Any) -> Any:
    """A method whose Python control flow becomes the graph's inside a `tf.function`."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            return method(self, *args, **kwargs)
        return _convert(method)(self, *args, **kwargs)

    return called


class Metric(Layer):
    """State that `update_state` gathers and `result` sums up.

    >>> class Largest(tf.keras.metrics.Metric):
    ...     def __init__(self, name="largest"):
    ...         super().__init__(name=name)
    ...         self.value = self.add_weight("value", initializer="zeros")
    ...     def update_state(self, values, sample_weight=None):
    ...         self.value.assign(tf.maximum(self.value, tf.reduce_max(values)))
    ...     def result(self):
    ...         return self.value
    >>> metric = Largest()
    >>> metric.update_state([1.0, 5.0])
    >>> float(metric.result())
    5.0
    """

    _is_metric = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("update_state", "result"):
            method = cls.__dict__.get(name)
            if method is not None and not cls.__module__.startswith("runnel."):
                setattr(cls, name, _traceable(method))

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, autocast=False, **kwargs)
        self.stateful = True
        self.built = True
        self._dtype = dtype_name(dtype)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Update the state, and give the result so far."""
        self.update_state(*args, **kwargs)
        return self.result()

    def __str__(self) -> str:
        args = ",".join(f"{k}={v}" for k, v in self.get_config().items())
        return f"{type(self).__name__}({args})"

    @property
    def dtype(self) -> str:
        return self._dtype

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "dtype": self.dtype}

    def reset_state(self) -> None:
        """Begin to gather again."""
        for variable in self.variables:
            variable.assign(tf.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """The older name of `reset_state`."""
        self.reset_state()

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Gather more."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def merge_state(self, metrics: Any) -> None:
        """Add the state of other metrics of the same kind to this one's."""
        for metric in metrics:
            if len(self.weights) != len(metric.weights):
                raise ValueError(f"Metric {metric} is not compatible with {self}")
            for mine, other in zip(self.weights, metric.weights, strict=True):
                mine.assign_add(other)

    def result(self) -> Any:
        """What has been gathered so far, summed up."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def add_weight(  # type: ignore[override]
        self,
        name: Any = None,
        shape: Any = (),
        aggregation: Any = tf.VariableAggregation.SUM,
        synchronization: Any = tf.VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A variable for the state."""
        return super().add_weight(
            name=name,
            shape=shape,
            dtype=dtype or self._dtype,
            trainable=False,
            initializer=initializer,
            synchronization=synchronization,
            aggregation=aggregation,
            **kwargs,
        )

    @property
    def trainable_weights(self) -> list[Any]:
        return []

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [*self._trainable_weights, *self._non_trainable_weights, *self._below("variables")]


def dtype_name(dtype: Any) -> str:
    """The dtype in which a metric keeps its state."""
    return floatx() if dtype is None else tf.as_dtype(getattr(dtype, "compute_dtype", dtype)).name
