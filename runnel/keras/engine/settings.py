"""What is true of all of Keras: the default float type, the fuzz factor, the image layout."""

from __future__ import annotations

from typing import Any

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_FORMATS = ("channels_last", "channels_first")


class Settings:
    """The switches, in one place so that they can be changed."""

    floatx = "float32"
    epsilon = 1e-7
    image_data_format = "channels_last"


def floatx() -> str:
    """The dtype of weights and of numbers that carry none.

    >>> tf.keras.backend.floatx()
    'float32'
    """
    return Settings.floatx


def set_floatx(value: str) -> None:
    """Make `value` the default dtype of floats."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown floatx value: {value}. Expected one of {set(_FLOATS)}")
    Settings.floatx = str(value)


def epsilon() -> float:
    """The small number that keeps divisions and logarithms finite.

    >>> tf.keras.backend.epsilon()
    1e-07
    """
    return Settings.epsilon


def set_epsilon(value: float) -> None:
    """Make `value` the fuzz factor."""
    Settings.epsilon = value


def image_data_format() -> str:
    """Where the channels of an image stand.

    >>> tf.keras.backend.image_data_format()
    'channels_last'
    """
    return Settings.image_data_format


def set_image_data_format(data_format: str) -> None:
    """Make `data_format` the default layout of images."""
    Settings.image_data_format = checked_data_format(data_format)


def checked_data_format(data_format: Any) -> str:
    """The layout, or the default one for None."""
    if data_format is None:
        return Settings.image_data_format
    chosen = str(data_format).lower()
    if chosen not in _FORMATS:
        raise ValueError(f"`data_format` must be one of {_FORMATS}, got {data_format!r}.")
    return chosen
