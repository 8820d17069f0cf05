"""What the gradient of an unconnected source is."""

from __future__ import annotations

import enum
from typing import Any


class UnconnectedGradients(enum.Enum):
    """None, or zeros of the source's shape."""

    NONE = "none"
    ZERO = "zero"


def wants_zeros(unconnected_gradients: Any) -> bool:
    """Whether a caller, who may say it by name, asks for zeros."""
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        choices = ", ".join(repr(choice.value) for choice in UnconnectedGradients)
        raise ValueError(
            f"unconnected_gradients must be one of {choices}, got {unconnected_gradients!r}."
        ) from None
