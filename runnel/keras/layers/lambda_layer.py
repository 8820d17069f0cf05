"""A function of the user's as a layer, and how its code goes into a config."""

from __future__ import annotations

import inspect
import logging
import sys
import types
import warnings
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.saving import lambda_code
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.object_registration import get_registered_object
from runnel.keras.saving.serialization import reading_safely

_FUNCTIONS = ("function", "output_shape", "mask")  # the arguments that may be code


class Lambda(Layer):
    """A function as a layer.

    Args:
        function: a function of the inputs, perhaps also of `mask` and `training`.
        output_shape: the shape of the output, or a function of the input's; None finds out.
        mask: the mask of the output, or a function that gives it.
        arguments: further keyword arguments of the function.

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
        # A variable among them is no weight of the layer's, as `_check_variables` warns.
        self.arguments: Any = tf.__internal__.tracking.NoDependency(arguments or {})
        self.function = function
        self.mask = mask
        self._output_shape = output_shape
        self._already_warned = False
        takes = _parameters(function)
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
        made: list[Any] = []

        def noting(creator: Any, **options: Any) -> Any:
            made.append(creator(**options))
            return made[-1]

        with tf.GradientTape() as tape, tf.variable_creator_scope(noting):
            outputs = function(inputs, **kwargs)
        self._check_variables(made, tape.watched_variables())
        return outputs

    def _check_variables(self, made: list[Any], used: Any) -> None:
        """A variable that is not the layer's would be made anew in each call, or not be trained."""
        kept = {id(weight) for weight in self.weights} if made or used else set()
        made = [v for v in made if id(v) not in kept and "StateVar" not in v.name]
        if made:
            raise ValueError(
                f"The following Variables were created within a Lambda layer ({self.name}) but are "
                f"not tracked by it: {made}. Write a subclass of Layer that makes them in `build`."
            )
        used = [v for v in used if id(v) not in kept]
        if used and not self._already_warned:
            self._already_warned = True
            logging.getLogger("absl").warning(
                "Lambda layer %s uses variables that it does not track, and that will not be "
                "trained with it: %s. Write a subclass of Layer instead.",
                self.name,
                used,
            )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return _as_shapes(self._output_shape(_as_tuples(input_shape)))
        batch = tf.nest.flatten(_as_shapes(input_shape))[0][:1]
        return tf.nest.map_structure(batch.concatenate, _as_shapes(self._output_shape))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name, value in zip(_FUNCTIONS, self._functions(), strict=True):
            if name != "mask" or value is not None:
                kind_key, module_key = _keys(name)
                config[name], config[kind_key], config[module_key] = _function_config(value)
        return {**config, "arguments": dict(self.arguments)}

    def _functions(self) -> tuple[Any, Any, Any]:
        return self.function, self._output_shape, self.mask

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        for name in _FUNCTIONS:
            kind_key, module_key = _keys(name)
            kind, module = config.pop(kind_key, "raw"), config.pop(module_key, None)
            if name in config:
                config[name] = _function_of(config[name], kind, module, custom_objects)
        arguments = dict(config.get("arguments") or {})
        for key, value in arguments.items():
            if isinstance(value, dict) and value.get("type") == "ndarray":
                arguments[key] = np.array(value["value"])
        return cls(**{**config, "arguments": arguments})


def _parameters(function: Any) -> list[str]:
    try:
        return inspect.getfullargspec(function).args
    except TypeError:  # a function written in C
        return []


def _as_shapes(value: Any) -> Any:
    """Tuples and lists of sizes as shapes, in the structure of lists and dicts around them."""
    if isinstance(value, dict):
        return {key: _as_shapes(shape) for key, shape in value.items()}
    if isinstance(value, list | tuple) and not all(isinstance(v, int | None) for v in value):
        return [_as_shapes(shape) for shape in value]
    return tf.TensorShape(value)


def _as_tuples(value: Any) -> Any:
    return tf.nest.map_structure(lambda shape: tuple(shape.as_list()), _as_shapes(value))


def _keys(name: str) -> tuple[str, str]:
    """Where a config says of which kind the value is, and in which module it was defined."""
    return f"{name}_type", "module" if name == "function" else f"{name}_module"


def _function_config(function: Any) -> tuple[Any, str, Any]:
    """As Keras writes it: functions of Python by their code, other callables by their name."""
    if isinstance(function, types.FunctionType):
        return lambda_code.dump(function), "lambda", function.__module__
    if callable(function):
        return function.__name__, "function", function.__module__
    return function, "raw", None


def _function_of(value: Any, kind: str, module: Any, custom_objects: Any) -> Any:
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
    if reading_safely():
        raise ValueError(
            "Requested the deserialization of a Lambda layer with a Python `lambda` inside it. "
            "This carries a potential risk of arbitrary code execution and thus it is disallowed "
            "by default. If you trust the source of the saved model, you can pass "
            "`safe_mode=False` to the loading function in order to allow it."
        )
    dumped = value["config"]["value"] if isinstance(value, dict) else value  # Keras 3 has a dict
    return lambda_code.load(dumped, _scope(module, custom_objects))


def _scope(module: Any, custom_objects: Any) -> dict[str, Any]:
    """The globals of code from a file: those of the module it comes from, if that is loaded."""
    scope: dict[str, Any] = {"tf": tf, "np": np, "__builtins__": __builtins__}
    if module in sys.modules:
        scope |= vars(sys.modules[module])
    elif module is not None:
        warnings.warn(
            f"{module} is not loaded, but a Lambda layer uses it. It may cause errors.",
            UserWarning,
            stacklevel=5,
        )
    return scope | (custom_objects or {})
