"""Conversions between bytes and text: the small functions of `tf.compat`."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes, encoded if they were text.

    >>> tf.compat.as_bytes("é")
    b'\\xc3\\xa9'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected bytes or text, got {bytes_or_text!r}.")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Text, decoded if it was bytes."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected bytes or text, got {bytes_or_text!r}.")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Text, decoded if it was bytes."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Text: decoded bytes, or what `str` makes of any other value."""
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The text of a path object; other values as they are."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path
