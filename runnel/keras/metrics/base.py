"""`tf.keras.metrics.Metric`: a number that is gathered over many batches."""

from __future__ import annotations

import abc
import functools
import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.settings import floatx
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import deserialize_keras_object

_convert = tf.__internal__.autograph.tf_convert


def _traceable(method: Any) -> Any:
    """A method whose Python control flow becomes the graph's inside a `tf.function`."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            return method(self, *args, **kwargs)
        return _convert(method)(self, *args, **kwargs)

    return called


def _giving_tensors(method: Any) -> Any:
    """A `result` that gives tensors, also where it was written to give variables or numbers."""
    method = _traceable(method)

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = method(self, *args, **kwargs)
        if isinstance(made, tf.Tensor):
            return made
        try:
            if isinstance(made, dict):
                return tf.nest.map_structure(tf.identity, made)
            return tf.identity(made)
        except (TypeError, ValueError) as error:
            raise RuntimeError(
                "The output of `metric.result()` can only be a single Tensor/Variable, or a dict "
                f"of Tensors/Variables. For metric {self.name}, got result {made}."
            ) from error

    return called


def _across_replicas(method: Any) -> Any:
    """A `result` of the states of all replicas, for whichever of them asks."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        replica = tf.__internal__.distribute.many_replicas()
        if replica is None:
            return method(self, *args, **kwargs)
        return replica.merge_call(lambda strategy: method(self, *args, **kwargs))

    return called


def _array(value: Any) -> Any:
    """An argument of a saved config; arrays are saved as configs of their own."""
    saved = isinstance(value, dict) and value.get("class_name") == "__numpy__"
    return deserialize_keras_object(value) if saved else value


class MetricDict(dict[str, Any]):
    """Results by name, which know the metric that they are of."""

    _metric_obj: Any


_WRAPPERS = {"update_state": _traceable, "result": _giving_tensors}


class Metric(Layer, metaclass=abc.ABCMeta):
    """State that `update_state` gathers and `result` sums up.

    Args:
        dtype: the dtype of the state and the result.

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

    _is_metric = _counts_metrics = True
    _object_identifier = "_tf_keras_metric"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("runnel."):  # ours are written with tensors in mind
            for name, wrapper in _WRAPPERS.items():
                method = cls.__dict__.get(name)
                if method is not None:
                    setattr(cls, name, wrapper(method))
        if "result" in cls.__dict__:
            cls.result = _across_replicas(cls.__dict__["result"])  # type: ignore[method-assign]

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, autocast=False, **kwargs)
        self.stateful = True
        self.built = True
        self._dtype = self._dtype_policy.variable_dtype or floatx()

    def __call__(self, *args: Any, **kwargs: Any) -> tf.Tensor:
        """Update the state, and give the result so far."""
        try:
            self.update_state(*args, **kwargs)
            result = self.result()
            if isinstance(result, dict):
                result = MetricDict(result)
            result._metric_obj = self  # for `layer.add_metric(metric(x))`
            return result
        except Exception as error:
            tf.__internal__.tracebacks.trim(error)
            raise

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        made = type(self).from_config(self.get_config())
        if self.weights:
            made.set_weights(self.get_weights())
        memo[id(self)] = made
        return made

    def __str__(self) -> str:
        args = ",".join(f"{k}={v}" for k, v in self.get_config().items())
        return f"{type(self).__name__}({args})"

    @property
    def dtype(self) -> str:
        return self._dtype

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A metric with the arguments of `get_config`."""
        return super().from_config({key: _array(value) for key, value in config.items()})

    def reset_state(self) -> None:
        """Begin to gather again."""
        if type(self).reset_states is not Metric.reset_states:
            warnings.warn(
                f"Metric {type(self).__name__} implements a `reset_states()` method; rename it to "
                "`reset_state()`, its name since TensorFlow 2.5.",
                stacklevel=2,
            )
            self.reset_states()
            return
        for variable in self.variables:
            variable.assign(tf.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """The older name of `reset_state`."""
        self.reset_state()

    @abc.abstractmethod
    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Gather more."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def merge_state(self, metrics: Any) -> Any:
        """Add the state of other metrics of the same kind to this one's."""
        merged = []
        for metric in metrics:
            if not isinstance(metric, Metric):
                raise ValueError(f"`metrics` must be metrics, got {metric!r}.")
            if len(self.weights) != len(metric.weights):
                raise ValueError(f"Metric {metric} is not compatible with {self}")
            for mine, other in zip(self.weights, metric.weights, strict=True):
                merged.append(mine.assign_add(other))
        return merged

    @abc.abstractmethod
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
        """A variable for the state.

        Args:
            shape: the shape of the variable.
            synchronization, aggregation: for several replicas: how the variable's copies are kept
                together.
            initializer: what it begins with.
            dtype: the dtype; None is that of the metric.
        """
        return super().add_weight(
            name=name,
            shape=shape,
            dtype=dtype or self._dtype,
            trainable=False,
            initializer=initializer,
            synchronization=synchronization,
            aggregation=aggregation,
            experimental_autocast=False,
            **kwargs,
        )

    @property
    def trainable_weights(self) -> list[Any]:
        return []

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [*self._trainable_weights, *self._non_trainable_weights, *self._below("variables")]
