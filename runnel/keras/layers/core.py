"""Small layers without weights: activation, dropout, masking, functions of the user's."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations
from runnel.keras.engine.base_layer import Layer
from runnel.keras.engine.random_generator import RandomGenerator
from runnel.keras.saving import lambda_code
from runnel.keras.saving.object_registration import get_registered_object
from runnel.keras.saving.serialization import in_safe_mode


class Activation(Layer):
    """An activation function as a layer.

    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class RandomLayer(Layer):
    """A base of layers that draw random numbers."""

    def __init__(
        self, seed: int | None = None, force_generator: bool = False, **kwargs: Any
    ) -> None:
        rng_type = kwargs.pop("rng_type", None)
        super().__init__(**kwargs)
        self._random_generator = RandomGenerator(
            seed, rng_type="stateful" if force_generator else rng_type
        )


class Dropout(RandomLayer):
    """Zeros at some places during training, the others scaled up to keep the sum.

    >>> layer = tf.keras.layers.Dropout(0.5, seed=1)
    >>> layer(tf.ones([3])).numpy()
    array([1., 1., 1.], dtype=float32)
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        if isinstance(rate, int | float) and not 0 <= rate <= 1:
            raise ValueError(
                f"Invalid value {rate} received for `rate`, expected a value between 0 and 1."
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self.supports_masking = True

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        shape = tf.shape(inputs)
        return tf.stack(
            [shape[i] if value is None else value for i, value in enumerate(self.noise_shape)]
        )

    def call(self, inputs: Any, training: Any = None) -> Any:
        if isinstance(self.rate, int | float) and self.rate == 0:
            return tf.identity(inputs)
        return when_training(
            training,
            lambda: self._random_generator.dropout(
                inputs, self.rate, noise_shape=self._noise_shape(inputs)
            ),
            lambda: tf.identity(inputs),
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        own = {"rate": self.rate, "noise_shape": self.noise_shape, "seed": self.seed}
        return {**super().get_config(), **own}


def when_training(training: Any, yes: Any, no: Any) -> Any:
    """One of two functions' results; `training` may be a tensor, and None means no."""
    if training is None:
        from runnel.keras.engine.learning_phase import learning_phase

        training = learning_phase()
    if isinstance(training, tf.Tensor | tf.Variable):
        return tf.cond(tf.cast(training, tf.bool), yes, no)
    return yes() if training else no()


class Masking(Layer):
    """Masks the steps in which all features have a given value.

    >>> x = tf.constant([[[1.0], [0.0]]])
    >>> tf.keras.layers.Masking()(x)._keras_mask.numpy()
    array([[ True, False]])
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        kept = tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * tf.cast(kept, inputs.dtype)
        outputs._keras_mask = tf.squeeze(kept, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mask_value": self.mask_value}


class Lambda(Layer):
    """A function as a layer.

    >>> tf.keras.layers.Lambda(lambda x: x ** 2)(tf.constant(3.0)).numpy()
    np.float32(9.0)
    """

    def __init__(
        self,
        function: Any,
        output_shape: Any = None,
        mask: Any = None,
        arguments: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.arguments = arguments or {}
        self.function = function
        if mask is not None:
            self.supports_masking = True
        self.mask = mask
        self._output_shape = output_shape
        takes = getattr(getattr(function, "__code__", None), "co_varnames", ())
        self._call_spec.expects_mask = "mask" in takes
        self._call_spec.expects_training = "training" in takes

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        kwargs = dict(self.arguments)
        if self._call_spec.expects_mask:
            kwargs["mask"] = mask
        if self._call_spec.expects_training:
            kwargs["training"] = training
        function = self.function
        if not tf.executing_eagerly():
            function = tf.__internal__.autograph.tf_convert(function)
        return function(inputs, **kwargs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return tf.TensorShape(self._output_shape(input_shape))
        return tf.TensorShape([tf.TensorShape(input_shape)[0], *self._output_shape])

    def get_config(self) -> dict[str, Any]:
        function, kind, module = _function_config(self.function)
        shape, shape_kind, shape_module = _function_config(self._output_shape)
        config = {
            **super().get_config(),
            "function": function,
            "function_type": kind,
            "module": module,
            "output_shape": shape,
            "output_shape_type": shape_kind,
            "output_shape_module": shape_module,
        }
        if self.mask is not None:
            mask, mask_kind, mask_module = _function_config(self.mask)
            config |= {"mask": mask, "mask_type": mask_kind, "mask_module": mask_module}
        return config | {"arguments": self.arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        for name, place in (
            ("function", "module"),
            ("output_shape", "output_shape_module"),
            ("mask", "mask_module"),
        ):
            config.pop(place, None)
            kind = config.pop("function_type" if name == "function" else f"{name}_type", "raw")
            if name in config:
                config[name] = _function_of(config[name], kind, custom_objects)
        arguments = config.get("arguments") or {}
        for key, value in arguments.items():
            if isinstance(value, dict) and value.get("type") == "ndarray":
                arguments[key] = np.array(value["value"])
        return cls(**config)


def _function_config(function: Any) -> tuple[Any, str, Any]:
    if isinstance(function, types.LambdaType) and function.__name__ == "<lambda>":
        value = {"class_name": "__lambda__", "config": {"value": lambda_code.dump(function)}}
        return value, "lambda", function.__module__
    if callable(function):
        return function.__name__, "function", function.__module__
    return function, "raw", None


def _function_of(value: Any, kind: str, custom_objects: Any) -> Any:
    if kind == "function":
        found = get_registered_object(value, custom_objects)
        if found is None:
            raise ValueError(
                f"Unknown function {value!r} in a Lambda layer: pass it as `custom_objects`, or "
                "register it with `keras.saving.register_keras_serializable`."
            )
        return found
    if kind != "lambda":
        return value
    if in_safe_mode():
        raise ValueError(
            "Requested the deserialization of a Lambda layer with a Python `lambda` inside it. "
            "This carries a potential risk of arbitrary code execution and thus it is disallowed "
            "by default. If you trust the source of the saved model, you can pass "
            "`safe_mode=False` to the loading function in order to allow it."
        )
    dumped = value["config"]["value"] if isinstance(value, dict) else value
    return lambda_code.load(dumped, {"tf": tf, "np": np, "__builtins__": __builtins__})
