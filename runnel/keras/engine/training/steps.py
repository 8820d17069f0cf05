"""What a step of training, evaluation or prediction does; models override it."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.graph_mode import with_values_of_run
from runnel.keras.engine.training.step_functions import on_replicas, over_iterator, step_function
from runnel.keras.utils.packing import unpack_x_y_sample_weight

_divided = tf.__internal__.distribute.divided
_untracked = tf.__internal__.tracking.no_automatic_dependency_tracking


class Steps:
    """Part of `Model`: single steps, and the functions that run them."""

    compiled_loss: Any
    compiled_metrics: Any
    distribute_reduction_method: Any
    distribute_strategy: Any
    _distribution_strategy: Any
    loss: Any
    metrics: Any
    optimizer: Any
    autotune_steps_per_execution: Any
    run_eagerly: Any
    train_function: Any
    test_function: Any
    predict_function: Any
    _jit_compile: Any
    _steps_per_execution: Any

    def train_step(self, data: Any) -> Any:
        """One step of training on a batch; its metrics. To be overridden.

        Args:
            data: what the data gave: inputs, perhaps targets and weights.
        """
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)  # type: ignore[operator]
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self._validate_target_and_loss(y, loss)
        self._minimize(loss, tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def _minimize(self, loss: Any, tape: Any) -> None:
        variables = self.trainable_variables  # type: ignore[attr-defined]
        self.optimizer.minimize(loss, variables, tape=tape)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> Any:
        """The loss of a batch. To be overridden."""
        with with_values_of_run():
            return self.compiled_loss(
                y,
                y_pred,
                sample_weight,
                regularization_losses=self.losses,  # type: ignore[attr-defined]
            )

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> dict[str, Any]:
        """Tell the metrics of a batch, and give their results. To be overridden."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of the metrics by name."""
        found: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            if isinstance(result, dict):
                found.update(result)
            else:
                found[metric.name] = result
        return found

    def _validate_target_and_loss(self, y: Any, loss: Any) -> None:
        if self.loss and y is None:
            raise ValueError(
                "Target data is missing. Your model was compiled with "
                f"loss={self.loss}, and therefore expects target data to be provided in `fit()`."
            )
        if loss is None:
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the "
                "`compile()` method."
            )

    def test_step(self, data: Any) -> Any:
        """One step of evaluation on a batch; its metrics. To be overridden."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)  # type: ignore[operator]
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The predictions for a batch. To be overridden."""
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)  # type: ignore[operator]

    def _step_function(self, step: Any) -> Any:
        # A loop that is interpreted first has its body compiled apart, only to be compiled again.
        loops = any(layer._has_loop for layer in self._flatten_layers())  # type: ignore[attr-defined]
        at_once = loops and "at once" if self._jit_compile is None else self._jit_compile
        eagerly = self.run_eagerly
        rehearsed = self._steps_per_execution > 1 or self.autotune_steps_per_execution
        return step_function(
            step, eagerly=eagerly, jit_compile=at_once, fixed=loops, rehearsed=rehearsed
        )

    def _make_function(self, step: Any, join: bool = False) -> Any:
        strategy = self.distribute_strategy
        reduction = "concat" if join else self.distribute_reduction_method
        if strategy.num_replicas_in_sync == 1:
            if self._distribution_strategy is not None:
                step = on_replicas(step, strategy, reduction)
            run_whole = self._step_function(step)

            def run(data: Any, varies: Any, shapes: Any, is_divided: bool) -> Any:
                return run_whole(data, varies, shapes)

        else:
            run_parts = self._step_function(on_replicas(step, strategy, reduction))

            def run(data: Any, varies: Any, shapes: Any, is_divided: bool) -> Any:
                return run_parts(data if is_divided else _divided(data, strategy), varies, shapes)

        return over_iterator(run, lambda: self._steps_per_execution, join)

    @_untracked
    def make_train_function(self, force: bool = False) -> Any:
        """The function of an iterator that `fit` calls once for each execution."""
        if self.train_function is None or force:
            self.train_function = self._make_function(self.train_step)
        return self.train_function

    @_untracked
    def make_test_function(self, force: bool = False) -> Any:
        """The function of an iterator that `evaluate` calls once for each execution."""
        if self.test_function is None or force:
            self.test_function = self._make_function(self.test_step)
        return self.test_function

    @_untracked
    def make_predict_function(self, force: bool = False) -> Any:
        """The function of an iterator that `predict` calls once for each execution."""
        if self.predict_function is None or force:
            self.predict_function = self._make_function(self.predict_step, join=True)
        return self.predict_function
