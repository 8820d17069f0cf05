"""What the gradient of an unconnected source is."""

from __future__ import annotations

import enum


class UnconnectedGradients(enum.Enum):
    """None, or zeros of the source's shape."""

    NONE = "none"
    ZERO = "zero"
