"""`tf.compat.v1.keras.backend`: Keras's backend, with its session."""

import importlib
from typing import Any

from runnel.keras.engine.graph_mode import get_session as get_session
from runnel.keras.engine.graph_mode import set_session as set_session


def __getattr__(name: str) -> Any:
    """All else is that of Keras itself."""
    if name.startswith("__"):
        raise AttributeError(f"module 'runnel.compat.v1.keras.backend' has no attribute {name!r}")
    return getattr(importlib.import_module("runnel.keras.backend"), name)


def __dir__() -> list[str]:
    return sorted({*dir(importlib.import_module("runnel.keras.backend")), *globals()})
