"""Labels and predictions as tensors, also where a functional model is being made of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor


def as_tensor(value: Any) -> Any:
    """A tensor; of a `KerasTensor`, what a layer that makes a tensor of it will give."""
    if not isinstance(value, KerasTensor):
        return tf.convert_to_tensor(value)
    from runnel.keras.engine.symbolic.op_layer import (
        call_function,  # late: layers know their losses
    )

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
            from runnel.keras import backend  # late: it is made of these functions

            return getattr(backend, name)(target, output, *args, **kwargs)

        return called

    return decorate
