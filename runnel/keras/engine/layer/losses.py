"""What a layer adds to the loss and to the metrics of the model around it."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras import regularizers
from runnel.keras.engine.layer.weights import LayerWeights, in_call
from runnel.keras.engine.settings import floatx
from runnel.keras.engine.symbolic.keras_tensor import is_keras_tensor
from runnel.keras.saving.lookup import lookups


class LayerLosses(LayerWeights):
    """Part of `Layer`: `add_loss`, `add_metric` and what they collect."""

    _losses: list[Any]
    _metrics: list[Any]
    _any_noted = False  # whether any layer ever had a loss; most programs have none to forget
    _activity_regularizer: Any = None

    @property
    def losses(self) -> list[Any]:
        """Losses of the last call, and penalties on weights, of this layer and those below.

        After a trace, or symbolic calls, those of that call are symbolic tensors.
        """
        found = []
        for layer in self._flatten_layers():
            found += layer._losses
            for loss in layer._callable_losses:
                value = loss()
                if value is not None:
                    found.append(value)
        return found

    def add_loss(self, losses: Any, **kwargs: Any) -> None:
        """Add tensors, or functions without arguments, to the loss.

        A tensor belongs to the call in which it is added; a function is asked at each step.

        Args:
            losses: a tensor, a function, or a list of such.
        """
        kwargs.pop("inputs", None)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        for loss in tf.nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(_as_loss(loss))
            elif is_keras_tensor(loss):
                self._add_symbolic_loss(loss)
            elif loss is not None:
                self._note_loss(self._loss_of_call(loss))

    def _loss_of_call(self, loss: Any) -> Any:
        tensor = _tensor(loss)
        if not in_call():
            raise ValueError(
                f"add_loss: outside a call of the layer, `losses` must be functions without "
                f"arguments, got {loss!r}. Wrap what computes it in a `lambda`."
            )
        return tensor

    def _add_symbolic_loss(self, loss: Any) -> None:
        raise NotImplementedError(
            f"Only a functional model can be given a symbolic loss, not {type(self).__name__}."
        )

    def _note_loss(self, loss: Any) -> None:
        self._losses.append(loss)
        LayerLosses._any_noted = True

    def _clear_losses(self) -> None:
        """Forget the losses of the last call, here and below."""
        if LayerLosses._any_noted:
            for layer in self._flatten_layers():
                layer._losses.clear()

    @property
    def metrics(self) -> list[Any]:
        """The metrics of this layer and those below."""
        found: list[Any] = []
        for layer in self._flatten_layers():
            found += [m for m in layer._metrics if not any(m is other for other in found)]
        return found

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Average a tensor over the batches of an epoch, under `name`."""
        unknown = set(kwargs) - {"aggregation", "inputs"}
        if unknown:
            raise TypeError(f"Unknown keyword arguments: {sorted(unknown)}")
        given = getattr(value, "_metric_obj", None)
        if name is None and given is None:
            raise ValueError(
                "Please provide a name for your metric like "
                "`self.add_metric(tf.reduce_sum(inputs), name='mean_activation')`"
            )
        if is_keras_tensor(value):
            self._add_symbolic_metric(value, name)
            return
        if not in_call() and not tf.is_symbolic_tensor(value):
            raise ValueError(
                "add_metric: outside a call of the layer, `value` must be symbolic, got "
                f"{value!r}. Add the metric in `call`."
            )
        if given is None:
            self._metric_called(name, getattr(value, "dtype", None))(value)
        elif not any(given is other for other in self._metrics):
            self._metrics.append(given)

    def _add_symbolic_metric(self, value: Any, name: str | None) -> None:
        """List the metric; its value is no part of a call of this layer, so that it stays 0."""
        warnings.warn(
            f"The metric {name!r} of layer {self.name!r} will not change: add it in the layer's "
            "`call`, or to the model by `model.add_metric`.",
            stacklevel=3,
        )
        self._metric_called(name, value.dtype)

    def _metric_called(self, name: str | None, kind: Any) -> Any:
        for metric in self._metrics:
            if metric.name == name:
                return metric
        with tf.init_scope():
            made = lookups["metric"].own("Mean")(name=name, dtype=kind)
        self._metrics.append(made)
        return made

    @property
    def activity_regularizer(self) -> Any:
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        self._activity_regularizer = regularizers.get(regularizer)

    def _regularize_outputs(self, outputs: Any) -> None:
        """Add the penalty on the outputs, for each example of the batch."""
        for output in tf.nest.flatten(outputs):
            penalty = tf.convert_to_tensor(self._activity_regularizer(output))
            if penalty.dtype.is_integer:
                penalty = tf.cast(penalty, tf.float64)  # what a division makes of whole numbers
            batch = tf.cast(tf.shape(output)[0], penalty.dtype)
            self._note_loss(tf.math.divide_no_nan(penalty, batch))

    @property
    def updates(self) -> list[Any]:
        """Nothing: what changes in a call changes there."""
        warnings.warn(
            "`layer.updates` will be removed in a future version. This property should not be used "
            "in TensorFlow 2.0, as `updates` are applied automatically.",
            stacklevel=2,
        )
        return []

    def add_update(self, updates: Any) -> None:
        """Run updates given as functions; others have run when they were made.

        Those of a call of a frozen layer are not run.
        """
        if in_call() and not self.trainable:
            return
        for update in tf.nest.flatten(updates):
            if callable(update):
                update()


def _tensor(loss: Any) -> Any:
    return loss if isinstance(loss, tf.Tensor) else tf.convert_to_tensor(loss, dtype=floatx())


def _as_loss(function: Any) -> Any:
    """A function of the user's whose result becomes a tensor."""

    def loss() -> Any:
        value = function()
        return None if value is None else _tensor(value)

    return loss
