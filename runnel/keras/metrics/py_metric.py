"""`tf.keras.metrics.experimental.PyMetric`: a metric written in plain Python."""

from __future__ import annotations

import functools
from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric


def _python_update(method: Any) -> Any:
    @functools.wraps(method)
    def called(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        inputs = [y_true, y_pred] if sample_weight is None else [y_true, y_pred, sample_weight]
        return tf.py_function(functools.partial(method, self), inputs, [])

    return called


def _python_result(method: Any) -> Any:
    @functools.wraps(method)
    def called(self: Any) -> Any:
        return tf.py_function(functools.partial(method, self), [], self.dtype)

    return called


_WRAPPERS = {"update_state": _python_update, "result": _python_result}


class PyMetric(Metric):
    """A metric whose methods get eager tensors, also inside a `tf.function`.

    >>> class Products(tf.keras.metrics.experimental.PyMetric):
    ...     def reset_state(self):
    ...         self.found = []
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.found.append(float(y_true.numpy() @ y_pred.numpy()))
    ...     def result(self):
    ...         return sum(self.found)
    >>> metric = Products()
    >>> metric.update_state([1.0, 2.0], [3.0, 4.0])
    []
    >>> float(metric.result())
    11.0
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for name, wrapper in _WRAPPERS.items():
            method = cls.__dict__.get(name)
            if method is not None:
                setattr(cls, name, wrapper(method))

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.reset_state()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Gather more."""
        raise NotImplementedError("Subclasses should implement `update_state`")

    def merge_state(self, metrics: Any) -> Any:
        """Add what other metrics of the same kind have gathered."""
        raise NotImplementedError("Subclasses should implement `merge_state`")

    def reset_state(self) -> None:
        """Begin to gather again."""
        raise NotImplementedError("Subclasses should implement `reset_state`")

    def result(self) -> Any:
        """What has been gathered so far, summed up."""
        raise NotImplementedError("Subclasses should implement `result`")
