"""Functions that are one layer of a functional model, and not the many that their body calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from runnel.keras.engine.symbolic.keras_tensor import has_keras_tensors
from runnel.keras.engine.symbolic.op_layer import call_as_layer


def symbolic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function be called on symbolic tensors although it asks for more than their shapes.

    A function that only hands its arguments on to TensorFlow needs this not: those are layers then.
    """

    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        if has_keras_tensors(args, kwargs):
            return call_as_layer(either, args, kwargs)
        return function(*args, **kwargs)

    return either
