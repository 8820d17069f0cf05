"""Models ready to be trained: `LinearModel`, and `WideDeepModel` that adds a network to one."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.models.model import Model
from runnel.keras.layers.arguments import add_parameters, keep, written
from runnel.keras.layers.dense import Dense
from runnel.keras.layers.names import deserialize
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import serialize_keras_object
from runnel.keras.utils.packing import unpack_x_y_sample_weight

_LINEAR = """units activation use_bias kernel_initializer bias_initializer kernel_regularizer
bias_regularizer""".split()


class LinearModel(Model):
    """Inputs times weights, summed, and a bias; inputs are one tensor, a list or a dict of them.

    >>> model = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    >>> model({"a": tf.ones([1, 2]), "b": tf.ones([1, 3])}).numpy()
    array([[5.]], dtype=float32)
    """

    units: int
    use_bias: bool
    activation: Any
    kernel_initializer: Any
    kernel_regularizer: Any

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "zeros",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        given = (units, activation, use_bias, kernel_initializer, bias_initializer)
        keep(self, dict(zip(_LINEAR, (*given, kernel_regularizer, bias_regularizer), strict=True)))
        self.bias_constraint = None

    def build(self, input_shape: Any) -> None:
        if isinstance(input_shape, dict):
            parts: Any = [(name, input_shape[name]) for name in sorted(input_shape)]
        elif all(isinstance(one, tf.TensorShape) for one in input_shape):
            parts = [(None, one) for one in input_shape]
        else:
            parts = [(None, input_shape)]
        self.dense_layers = [self._part(name, shape) for name, shape in parts]
        self.bias = add_parameters(self, "bias", (self.units,)) if self.use_bias else None
        Layer.build(self, input_shape)

    def _part(self, name: str | None, shape: Any) -> Dense:
        part = Dense(
            self.units,
            use_bias=False,
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            name=name,
        )
        part.build(shape)
        return part

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        values = self._by_part(inputs)
        found = tf.add_n(
            [part(value) for part, value in zip(self.dense_layers, values, strict=True)]
        )
        return self.activation(found if self.bias is None else tf.nn.bias_add(found, self.bias))

    def _by_part(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, dict):
            return list(inputs) if isinstance(inputs, list | tuple) else [inputs]
        missing = {part.name for part in self.dense_layers} - set(inputs)
        if missing:
            raise ValueError(
                f"LinearModel: `inputs` must have the keys it was built with, got {sorted(inputs)} "
                f"without {sorted(missing)}."
            )
        return [inputs[part.name] for part in self.dense_layers]

    def get_config(self) -> dict[str, Any]:
        return {**Layer.get_config(self), **written(self, _LINEAR)}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        return cls(**config)


class WideDeepModel(Model):
    """What a linear model and a network say of their inputs, added.

    Two optimizers train each its part: `compile(["sgd", "adam"], ...)`.

    >>> linear = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    >>> network = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model = tf.keras.experimental.WideDeepModel(linear, network)
    >>> model([tf.ones([1, 2]), tf.ones([1, 3])]).numpy()
    array([[5.]], dtype=float32)
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: Any, training: Any = None) -> Any:  # type: ignore[override]
        both = isinstance(inputs, list | tuple) and len(inputs) == 2
        wide, deep = inputs if both else (inputs, inputs)
        parts = self.linear_model(wide), self.dnn_model(deep, training=training)
        return tf.nest.map_structure(lambda x, y: self.activation(x + y), *parts)

    def train_step(self, data: Any) -> Any:
        if not isinstance(self.optimizer, list | tuple):
            return super().train_step(data)
        x, y, weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            prediction = self(x, training=True)
            loss = self.compute_loss(x, y, prediction, weight)
        parts = [part.trainable_variables for part in (self.linear_model, self.dnn_model)]
        gradients = tape.gradient(loss, parts)
        for optimizer, found, variables in zip(self.optimizer, gradients, parts, strict=True):
            optimizer.apply_gradients(zip(found, variables, strict=True))
        return self.compute_metrics(x, y, prediction, weight)

    def get_config(self) -> dict[str, Any]:
        return {
            **Layer.get_config(self),
            "linear_model": serialize_keras_object(self.linear_model),
            "dnn_model": serialize_keras_object(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        models = {
            name: deserialize(config[name], custom_objects=custom_objects)
            for name in ("linear_model", "dnn_model")
        }
        return cls(**{**config, **models})
