"""Steps on single batches: `train_on_batch` and its like."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.engine.graph_mode import at_once
from runnel.keras.engine.training.data.arrays import sample_count, without_lists
from runnel.keras.engine.training.data.handler import class_weighting
from runnel.keras.engine.training.data.streams import as_tensors
from runnel.keras.engine.training.step_functions import check_outside_functions
from runnel.keras.engine.training.trainable_state import trainable_as
from runnel.keras.utils.packing import pack_x_y_sample_weight

_trimmed = tf.__internal__.tracebacks.trimmed


class OnBatch:
    """Part of `Model`: one step at a time."""

    metrics_names: Any
    reset_metrics: Any
    make_train_function: Any
    make_test_function: Any
    make_predict_function: Any
    _assert_compiled: Any
    _compiled_trainable: Any
    _in_strategy: Any

    @_trimmed
    @at_once
    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """One step of training; its loss and metrics.

        Args:
            x, y: inputs and targets of the batch.
            sample_weight: a weight for each sample.
            class_weight: how much each class counts.
            reset_metrics: whether metrics begin anew.
            return_dict: whether the results are a dict by name, and not a list.
        """
        check_outside_functions("train_on_batch")
        self._assert_compiled()
        data = _one_batch(x, y, sample_weight)
        if class_weight:
            data = class_weighting(class_weight)(data)
        with trainable_as(self._compiled_trainable):
            return self._on_batch(self.make_train_function(), data, reset_metrics, return_dict)

    @_trimmed
    @at_once
    def test_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """The loss and the metrics of one batch.

        Args:
            x, y: inputs and targets of the batch.
            sample_weight: a weight for each sample.
            reset_metrics: whether metrics begin anew.
            return_dict: whether the results are a dict by name, and not a list.
        """
        check_outside_functions("test_on_batch")
        self._assert_compiled()
        data = _one_batch(x, y, sample_weight)
        return self._on_batch(self.make_test_function(), data, reset_metrics, return_dict)

    @_trimmed
    @at_once
    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch.

        Args:
            x: the inputs of the batch.
        """
        check_outside_functions("predict_on_batch")
        with self._in_strategy():
            outputs = self.make_predict_function()(iter([_one_batch(x)]))
        return tf.nest.map_structure(lambda t: t.numpy(), outputs)

    def _flat(self, logs: dict[str, Any]) -> Any:
        """The values in the order of the metrics, then those of other names; one by itself."""
        names = self.metrics_names
        order = [name for name in names if name in logs] + sorted(logs.keys() - set(names))
        return logs[order[0]] if len(order) == 1 else [logs[name] for name in order]

    def _on_batch(self, step: Any, data: Any, reset_metrics: bool, return_dict: bool) -> Any:
        if reset_metrics:
            self.reset_metrics()
        with self._in_strategy():
            logs = as_numbers(step(iter([data])))
        return logs if return_dict else self._flat(logs)


def _one_batch(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    parts = [without_lists(part) for part in (x, y, sample_weight)]
    sized = [part for part in tf.nest.flatten(parts) if len(getattr(part, "shape", None) or ())]
    if sized:
        sample_count(sized)
    return as_tensors(pack_x_y_sample_weight(*parts))
