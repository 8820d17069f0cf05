"""`tf.compat.v1.keras`: Keras, with the sessions of its backend."""

import importlib
from typing import Any

from runnel import keras
from runnel.compat.v1.keras import backend as backend


def __getattr__(name: str) -> Any:
    """All else is Keras itself."""
    if name.startswith("__"):
        raise AttributeError(f"module 'runnel.compat.v1.keras' has no attribute {name!r}")
    return getattr(importlib.import_module("runnel.keras"), name)


def __dir__() -> list[str]:
    return sorted({*dir(keras), "backend"})
