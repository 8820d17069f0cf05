"""`compile`, `fit`, `evaluate`, `predict`."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import optimizers
from runnel.keras.callbacks.callback_list import CallbackList
from runnel.keras.callbacks.history import History
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.callbacks.progress import showing_compilation
from runnel.keras.engine.graph_mode import at_once, in_graph
from runnel.keras.engine.training.containers import LossesContainer, MetricsContainer
from runnel.keras.engine.training.data.arrays import split_arrays
from runnel.keras.engine.training.data.handler import DataHandler
from runnel.keras.engine.training.execution_settings import ExecutionSettings
from runnel.keras.engine.training.generators import Generators
from runnel.keras.engine.training.nan_watch import NanWatch
from runnel.keras.engine.training.on_batch import OnBatch
from runnel.keras.engine.training.step_functions import check_outside_functions
from runnel.keras.engine.training.steps import Steps
from runnel.keras.engine.training.trainable_state import trainable_as, trainable_state
from runnel.keras.engine.training.validation import Validation
from runnel.keras.optimizers.loss_scale import LossScaleOptimizer

_trimmed = tf.__internal__.tracebacks.trimmed
_untracked = tf.__internal__.tracking.no_automatic_dependency_tracking
_NOT_IN_THIS_VERSION = {"distribute", "target_tensors"}


class Training(Steps, OnBatch, Generators, ExecutionSettings):
    """Part of `Model`: learning from data."""

    compiled_loss: Any = None
    compiled_metrics: Any = None
    optimizer: Any = None
    stop_training = False
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    history: Any = None
    _is_compiled = False
    _compile_arguments: Any = None
    _compiled_trainable: Any = ()
    _run_eagerly: bool | None = None
    _jit_compile: Any = None
    loss: Any  # of `compile`: before it there is none, which programs ask for by `hasattr`
    _in_fit = False
    _resume_at: tuple[int, int] | None = None  # an epoch and its batch, set by BackupAndRestore

    @_trimmed
    @at_once
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | str | None = None,
        jit_compile: bool | None = None,
        pss_evaluation_shards: int | str = 0,
        **kwargs: Any,
    ) -> None:
        """Say how to train: the optimizer, the losses and the metrics.

        `pss_evaluation_shards` is for strategies with a coordinator. Others evaluate every sample
        once anyway, so that it says nothing to them, here as in Keras.

        Args:
            optimizer: an optimizer, its name or its config.
            loss: a loss, its name or a function of labels and predictions; a list or dict of some
                for several outputs.
            metrics: what `fit` and `evaluate` report: a list, or for several outputs a list or dict
                of lists.
            loss_weights: how much the loss of each output counts.
            weighted_metrics: metrics that sample weights apply to.
            run_eagerly: whether steps run as plain Python, for debugging.
            steps_per_execution: how many steps are one call.
            jit_compile: whether steps are compiled at their first call.
            pss_evaluation_shards: for parameter servers only.

        Raises:
            ValueError: a name is unknown, or arguments contradict each other.
        """
        from_serialized = kwargs.pop("from_serialized", False)
        for name in _NOT_IN_THIS_VERSION & set(kwargs):
            raise ValueError(
                f"compile: `{name}` is an argument of TensorFlow 1. Received: {kwargs[name]}. Make "
                "the model in a strategy's scope, and give targets to `fit`."
            )
        unknown = set(kwargs) - {"sample_weight_mode"}
        if unknown:
            raise TypeError(f"Invalid keyword argument(s) in `compile()`: {sorted(unknown)}")
        arguments = {
            "optimizer": optimizer,
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution,
            "jit_compile": jit_compile,
        }
        self._compile_arguments = tf.__internal__.tracking.NoDependency(arguments)
        with self._in_strategy():
            self.optimizer = self._get_optimizer(optimizer)
            self._check_strategy([metrics, weighted_metrics])
            self._settle_compile(loss, metrics, loss_weights, weighted_metrics, from_serialized)
        self._run_eagerly, self._jit_compile = run_eagerly, jit_compile
        self._set_steps_per_execution(steps_per_execution)
        self._reset_functions()

    @_untracked
    def _settle_compile(
        self,
        loss: Any,
        metrics: Any,
        loss_weights: Any,
        weighted_metrics: Any,
        from_serialized: bool,
    ) -> None:
        names = getattr(self, "output_names", None)
        if isinstance(loss, LossesContainer):
            self.compiled_loss = loss
        else:
            self.compiled_loss = LossesContainer(loss, loss_weights, output_names=names)
        self.compiled_metrics = MetricsContainer(
            metrics, weighted_metrics, output_names=names, from_serialized=from_serialized
        )
        self.loss = loss or {}
        self._is_compiled = True

    @_untracked
    def _reset_functions(self) -> None:
        self.train_function = self.test_function = self.predict_function = None
        self._compiled_trainable = trainable_state(self)

    def _get_optimizer(self, optimizer: Any) -> Any:
        if isinstance(optimizer, list | tuple):  # for a `train_step` that uses several
            return [self._get_optimizer(each) for each in optimizer]
        found = optimizers.get(optimizer)
        scaled = self.dtype_policy.name == "mixed_float16"  # type: ignore[attr-defined]
        if scaled and not isinstance(found, LossScaleOptimizer):
            return LossScaleOptimizer(found)
        return found

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run as plain Python."""
        if self.dynamic and self._run_eagerly is False:  # type: ignore[attr-defined]
            raise ValueError(
                "Your model contains layers that can only be successfully run in eager execution "
                "(layers constructed with `dynamic=True`). You cannot set `run_eagerly=False`."
            )
        return bool(
            self._run_eagerly
            or self.dynamic  # type: ignore[attr-defined]
            or (tf.config.functions_run_eagerly() and self._run_eagerly is None)
        )

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    @property
    def jit_compile(self) -> Any:
        return self._jit_compile

    @property
    def metrics(self) -> list[Any]:
        """The metrics that are reset with every epoch."""
        found: list[Any] = []
        if self._is_compiled:
            if self.compiled_loss is not None:
                found += self.compiled_loss.metrics
            if self.compiled_metrics is not None:
                found += self.compiled_metrics.metrics
        for layer in self._flatten_layers():  # type: ignore[attr-defined]
            found += [m for m in layer._metrics if not any(m is other for other in found)]
        return found

    @property
    def metrics_names(self) -> list[str]:
        """The names of the metrics, known when the model has seen data."""
        return [m.name for m in self.metrics]

    def reset_metrics(self) -> None:
        """Begin all metrics again."""
        for metric in self.metrics:
            metric.reset_state()

    @_trimmed
    @at_once
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> History:
        """Train for some epochs; a `History` of the metrics.

        Args:
            x, y: inputs and targets: arrays or tensors, or lists or dicts of them; or `x` alone, a
                `tf.data.Dataset`, a generator or a `keras.utils.Sequence` of both.
            batch_size, epochs: samples in a step (32), and the number of the last epoch.
            verbose, callbacks: 0 for silence, 1 for bars, 2 for lines; a list of `Callback`s.
            validation_split, validation_data: the last part of arrays, or data, to validate with.
            shuffle: whether samples are mixed before each epoch.
            class_weight, sample_weight: how much classes, by number, and samples count.
            initial_epoch, steps_per_epoch: the first epoch's number, and when an epoch ends.
            validation_steps, validation_batch_size, validation_freq: the same for validation.
            max_queue_size, workers, use_multiprocessing: how a `Sequence` makes batches.

        Raises:
            RuntimeError: the model was not compiled.
            ValueError: inputs do not fit each other or the model.
        """
        check_outside_functions("fit")
        self._assert_compiled()
        verbose = _verbosity(verbose)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = split_arrays(
                (x, y, sample_weight), validation_split
            )
        queue: dict[str, Any] = {
            "max_queue_size": max_queue_size,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
        }
        with self._in_strategy():
            handler = DataHandler(
                x,
                y,
                sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps_per_epoch,
                initial_epoch=initial_epoch,
                epochs=epochs,
                shuffle=shuffle,
                class_weight=class_weight,
                steps_per_execution=self._steps_per_execution,
                **queue,
            )
        callbacks = self._callbacks(
            callbacks, verbose, epochs=epochs, steps=handler.inferred_steps, history=True
        )
        size = validation_batch_size or batch_size
        check = Validation(self, validation_data, validation_freq, validation_steps, size, queue)
        self._in_fit = True
        try:
            trainable = trainable_as(self._compiled_trainable)
            with self._in_strategy(), trainable, showing_compilation(callbacks):
                self._train(handler, callbacks, check)
        finally:
            self._in_fit = False
        found: History = self.history
        return found

    def _train(self, handler: DataHandler, callbacks: CallbackList, validation: Any) -> None:
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs: Any = None
        watch = NanWatch()
        for epoch, iterator in handler.enumerate_epochs(self._resume_at):
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            see = partial(watch.see, epoch)
            before, logs = logs, self._train_epoch(handler, callbacks, iterator, logs, see)
            watch.end_epoch()
            if logs is before is not None:  # the data had ended: there was no step in this epoch
                logs = self.get_metrics_result()
            if logs is None:
                raise ValueError(
                    "Unexpected result of `train_function` (Empty Logs). The data seems to be "
                    "empty; check what was passed to `fit()`."
                )
            logs = self._validate_and_get_metrics_result(as_numbers(logs))
            logs = validation.add(logs, epoch, callbacks)
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        self._finalize_optimizer()
        callbacks.on_train_end(logs=logs)

    def _train_epoch(
        self, handler: DataHandler, callbacks: CallbackList, iterator: Any, logs: Any, see: Any
    ) -> Any:
        """The logs of the last step; those given if the data had ended before."""
        for step in handler.steps():
            callbacks.on_train_batch_begin(step)
            try:
                new = self.train_function(iterator)
            except (StopIteration, tf.errors.OutOfRangeError):
                handler.ran_out()
                break
            logs = new
            last = step + handler.step_increment
            see(step, last, logs)
            callbacks.on_train_batch_end(last, logs)
            if self.stop_training:
                break
        return logs

    def _validate_and_get_metrics_result(self, logs: Any) -> dict[str, Any]:
        """What the metrics have now, if the logs have their names; else the logs as they are."""
        if not isinstance(logs, dict):
            raise TypeError(
                f"`train_step` must return a dict of metrics, got {type(logs).__name__}."
            )
        try:
            metrics = self.get_metrics_result()
        except TypeError:  # the user's `metrics` are no metrics
            return logs
        return as_numbers(metrics) if set(metrics) == set(logs) else logs

    def _finalize_optimizer(self) -> None:
        finalize = getattr(self.optimizer, "finalize_variable_values", None)
        if finalize is not None:
            finalize(self.trainable_variables)  # type: ignore[attr-defined]

    def _callbacks(
        self, callbacks: Any, verbose: Any, epochs: int, steps: Any, history: bool = False
    ) -> CallbackList:
        if isinstance(callbacks, CallbackList):
            return callbacks
        return CallbackList(
            callbacks,
            add_history=history,
            add_progbar=verbose != 0,
            model=self,
            verbose=verbose,
            epochs=epochs,
            steps=steps,
        )

    @_trimmed
    @at_once
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and the metrics on some data.

        Args:
            x, y, batch_size, sample_weight: the data, as for `fit`.
            verbose: 0 for silence, 1 for a bar, 2 for a line.
            steps: after how many batches to end.
            callbacks: a list of callbacks.
            max_queue_size, workers, use_multiprocessing: how a `Sequence` makes batches.
            return_dict: whether the results are a dict by name.

        Raises:
            RuntimeError: the model was not compiled.
        """
        check_outside_functions("evaluate")
        self._assert_compiled()
        seen = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
        if self.compiled_metrics._user_weighted_metrics is None and _is_weighted(x, sample_weight):
            _warn_of_plain_metrics()
        with self._in_strategy():
            handler = DataHandler(
                x,
                y,
                sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                max_queue_size=max_queue_size,
                workers=workers,
                use_multiprocessing=use_multiprocessing,
                steps_per_execution=self._steps_per_execution,
                peek=not seen,
            )
        callbacks = self._callbacks(
            callbacks, _verbosity(verbose), epochs=1, steps=handler.inferred_steps, history=True
        )
        with self._in_strategy(), showing_compilation(callbacks):
            logs = self._evaluate(handler, callbacks)
        return logs if return_dict else self._flat(logs)

    def _evaluate(self, handler: DataHandler, callbacks: CallbackList) -> dict[str, Any]:
        self.make_test_function()
        callbacks.on_test_begin()
        logs: Any = None
        for _, iterator in handler.enumerate_epochs():
            self.reset_metrics()
            for step in handler.steps():
                callbacks.on_test_batch_begin(step)
                try:
                    new = self.test_function(iterator)
                except (StopIteration, tf.errors.OutOfRangeError):
                    handler.ran_out()
                    break
                logs = new
                callbacks.on_test_batch_end(step + handler.step_increment, logs)
        if logs is None:
            raise ValueError(
                "Unexpected result of `test_function` (Empty Logs). The data seems to be empty."
            )
        logs = self._validate_and_get_metrics_result(as_numbers(logs))
        callbacks.on_test_end(logs=logs)
        return logs

    @_trimmed
    @at_once
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> np.ndarray[Any, Any]:
        """The outputs for some data, as an array; those of a nest of outputs as such a nest.

        Args:
            x, batch_size: the inputs, as for `fit`.
            verbose: 0 for silence, 1 for a bar, 2 for a line.
            steps: after how many batches to end.
            callbacks: a list of callbacks.
            max_queue_size, workers, use_multiprocessing: how a `Sequence` makes batches.
        """
        check_outside_functions("predict")
        if verbose == "auto" and in_graph():
            verbose = 0
        with self._in_strategy():
            handler = DataHandler(
                x,
                batch_size=batch_size,
                steps_per_epoch=steps,
                max_queue_size=max_queue_size,
                workers=workers,
                use_multiprocessing=use_multiprocessing,
                steps_per_execution=self._steps_per_execution,
            )
        callbacks = self._callbacks(
            callbacks, _verbosity(verbose), epochs=1, steps=handler.inferred_steps
        )
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        with self._in_strategy(), showing_compilation(callbacks):
            batches = self._predict_batches(handler, callbacks)
        if not batches:
            raise ValueError(
                "Unexpected result of `predict_function` (Empty batch_outputs). The data seems "
                "to be empty."
            )
        callbacks.on_predict_end()
        return _concatenated(batches)

    def _predict_batches(self, handler: DataHandler, callbacks: CallbackList) -> list[Any]:
        batches = []
        for _, iterator in handler.enumerate_epochs():
            for step in handler.steps():
                callbacks.on_predict_batch_begin(step)
                try:
                    outputs = self.predict_function(iterator)
                except (StopIteration, tf.errors.OutOfRangeError):
                    handler.ran_out()
                    break
                batches.append(outputs)
                end = step + handler.step_increment
                callbacks.on_predict_batch_end(end, {"outputs": outputs})
        return batches

    def _assert_compiled(self) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. Use "
                "`model.compile(optimizer, loss)`."
            )


def _is_weighted(x: Any, sample_weight: Any) -> bool:
    if sample_weight is not None or not isinstance(x, tf.data.Dataset):
        return sample_weight is not None
    return isinstance(x.element_spec, tuple) and len(x.element_spec) == 3


def _warn_of_plain_metrics() -> None:
    logging.getLogger("tensorflow").warning(
        "`evaluate()` was given `sample_weight`, but no metric uses it. Pass the metrics that "
        "should to `compile()` as `weighted_metrics`, or `weighted_metrics=[]` if this is meant."
    )


def _verbosity(verbose: Any) -> int:
    if verbose == "auto":
        return 1
    return int(verbose)


def _concatenated(batches: list[Any]) -> Any:
    """Outputs of all batches, joined along the first axis; a scalar of one batch is a number."""

    def join(*parts: Any) -> Any:
        if not isinstance(parts[0], tf.Tensor):
            return parts[0] if len(parts) == 1 else tf.concat(parts, axis=0)
        arrays = [part.numpy() for part in parts]
        if np.ndim(arrays[0]) == 0:
            return np.stack(arrays) if len(arrays) > 1 else arrays[0].item()
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=0)

    return tf.nest.map_structure(join, *batches)
