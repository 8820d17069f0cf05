"""`tf.xla`: what is compiled."""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """`experimental` is of TensorFlow 1, whose library is loaded when it is asked for."""
    if name == "experimental":
        return importlib.import_module("runnel.xla.experimental")
    raise AttributeError(f"There is no tf.xla.{name} in Runnel.", name=name, obj=None)


def __dir__() -> list[str]:
    return ["experimental"]
