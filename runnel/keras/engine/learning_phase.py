"""Whether everything trains or infers, for programs that say so once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.keras.engine.graph_mode import learning_phase_of_graph
from runnel.keras.engine.naming import when_cleared


class _Phase:
    value: Any = None


def learning_phase() -> Any:
    """1 for training, 0 for inference, which is the default; in a plain graph a tensor to feed."""
    if _Phase.value is not None:
        return _Phase.value
    return learning_phase_of_graph() if tf.__internal__.graphs.builds_graph() else 0


def global_learning_phase_is_set() -> bool:
    """Whether `set_learning_phase` was called."""
    return _Phase.value is not None


def set_learning_phase(value: Any) -> None:
    """Make everything train (1) or infer (0)."""
    if value not in (0, 1):
        raise ValueError(f"Expected learning phase to be 0 or 1. Got: {value}")
    _Phase.value = value


@contextmanager
def learning_phase_scope(value: Any) -> Iterator[None]:
    """While everything trains or infers."""
    outer = _Phase.value
    set_learning_phase(value)
    try:
        yield
    finally:
        _Phase.value = outer


def _reset() -> None:
    _Phase.value = None


when_cleared(_reset)
