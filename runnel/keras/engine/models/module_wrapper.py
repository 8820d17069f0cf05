"""`tf.Module`s as layers of a `Sequential` model."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.call_spec import CallSpec


class ModuleWrapper(Layer):
    """A layer that calls a module, and has its variables as weights.

    >>> class Twice(tf.Module):
    ...     def __call__(self, x):
    ...         return 2 * x
    >>> model = tf.keras.Sequential([Twice()])
    >>> model(tf.ones([1, 2])).numpy()
    array([[2., 2.]], dtype=float32)
    """

    def __init__(self, module: tf.Module, method_name: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        names = ("__call__", "call") if method_name is None else (method_name,)
        found = [name for name in names if hasattr(module, name)]
        if not found:
            raise ValueError(
                f"A module in a Sequential model is called by {' or '.join(names)}, which "
                f"{module!r} does not have."
            )
        self._module = module
        self._call_name = found[0]
        self._call_spec = CallSpec(getattr(module, found[0]))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._module, self._call_name)(*args, **kwargs)
