"""`SharpnessAwareMinimization`: training that prefers flat minima."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.models.model import Model
from runnel.keras.layers.names import deserialize
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.object_registration import register_keras_serializable
from runnel.keras.saving.serialization import serialize_keras_object
from runnel.keras.utils.packing import unpack_x_y_sample_weight


@register_keras_serializable()
class SharpnessAwareMinimization(Model):
    """Trains a model by its gradients at the worst place near its weights, `rho` away.

    `num_batch_splits` finds such a place for each part of a batch.

    >>> inner = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model = tf.keras.models.experimental.SharpnessAwareMinimization(inner)
    >>> model.compile("sgd", "mse")
    >>> len(model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0).history["loss"])
    1
    """

    def __init__(
        self,
        model: Any,
        rho: float = 0.05,
        num_batch_splits: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.model, self.rho, self.num_batch_splits = model, rho, num_batch_splits

    def train_step(self, data: Any) -> Any:
        x, y, weight = unpack_x_y_sample_weight(data)
        parts = self.num_batch_splits or 1
        weights = [None] * parts if weight is None else tf.split(weight, parts)
        total: list[Any] = []
        predictions = []
        for batch in zip(tf.split(x, parts), tf.split(y, parts), weights):
            prediction, gradients = self._worst(*batch)
            predictions.append(prediction)
            total = [a + b for a, b in zip(total, gradients)] if total else gradients
        self.optimizer.apply_gradients(zip(total, self.model.trainable_variables))
        self.compiled_metrics.update_state(y, tf.concat(predictions, axis=0), weight)
        return {metric.name: metric.result() for metric in self.metrics}

    def _worst(self, x: Any, y: Any, weight: Any) -> tuple[Any, list[Any]]:
        """The predictions, and the gradients at the place where the loss is largest nearby."""
        prediction, gradients = self._gradients(x, y, weight, {})
        variables = self.model.trainable_variables
        norm = tf.norm(tf.stack([tf.norm(g) for g in gradients if g is not None]))
        scale = self.rho / (norm + 1e-12)
        moves = [gradient * scale for gradient in gradients]
        for variable, move in zip(variables, moves):
            variable.assign_add(move)
        _, gradients = self._gradients(x, y, weight, {"training": True})
        for variable, move in zip(variables, moves):
            variable.assign_sub(move)
        return prediction, gradients

    def _gradients(self, x: Any, y: Any, weight: Any, options: Any) -> tuple[Any, list[Any]]:
        with tf.GradientTape() as tape:
            prediction = self(x, **options)
            loss = self.compiled_loss(y, prediction, weight)
        return prediction, tape.gradient(loss, self.model.trainable_variables)

    def call(self, inputs: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return self.model(inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {"model": serialize_keras_object(self.model), "rho": self.rho}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        model = deserialize(config["model"], custom_objects=custom_objects)
        return super().from_config({**config, "model": model}, custom_objects)
