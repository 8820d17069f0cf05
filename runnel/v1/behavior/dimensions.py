"""Dimensions that programs of TensorFlow 1 get from shapes: objects, and not numbers."""

from __future__ import annotations

from runnel.core.settings.user_code import is_ours
from runnel.core.values.shape import show_dimensions


def enable_v2_tensorshape() -> None:
    """The dimensions of shapes are numbers and None."""
    show_dimensions(None)


def disable_v2_tensorshape() -> None:
    """The dimensions of shapes are objects of the class `Dimension`, except to this library."""
    show_dimensions(lambda frame: not is_ours(frame))
