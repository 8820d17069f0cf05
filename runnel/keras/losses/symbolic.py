"""Labels and predictions as tensors, also where a functional model is being made of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.engine.symbolic.op_layer import call_function

functions_of_backend: dict[str, Callable[..., Any]] = {}
"""What `tf.keras.backend`, which is loaded later, makes of the functions here."""


def as_tensor(value: Any) -> Any:
    """A tensor; of a `KerasTensor`, what a layer that makes a tensor of it will give."""
    if not isinstance(value, KerasTensor):
        return tf.convert_to_tensor(value)
    return call_function(tf.convert_to_tensor, value)


def layer_of_backend(name: str) -> Callable[[Any], Any]:
    """For a function that looks for the logits behind its inputs, and so has to be one layer.

    On `KerasTensor`s it becomes the layer that the function `name` of `tf.keras.backend` makes.
    """

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def called(target: Any, output: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(target, KerasTensor) and not isinstance(output, KerasTensor):
                return function(target, output, *args, **kwargs)
            return functions_of_backend[name](target, output, *args, **kwargs)

        return called

    return decorate
