"""Losses by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runnel.keras.losses import crossentropy, hinges, regression
from runnel.keras.losses.base import Loss
from runnel.keras.saving.lookup import Lookup

SHORT_NAMES = {
    "bce": "binary_crossentropy",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
    "kullback_leibler_divergence": "kl_divergence",
    "logcosh": "log_cosh",
    "huber_loss": "huber",
    "bce_focal": "binary_focal_crossentropy",
}


@cache
def functions() -> Mapping[str, Any]:
    """The losses that are functions, by all their names."""
    found = {}
    for module in (crossentropy, hinges, regression):
        for name, value in vars(module).items():
            own = callable(value) and getattr(value, "__module__", "") == module.__name__
            if own and not isinstance(value, type) and not name.startswith("_"):
                found[name] = value
    for short, name in SHORT_NAMES.items():
        found[short] = found[short.upper()] = found[name]
    return found


@cache
def _table() -> Mapping[str, Any]:
    found = dict(functions())
    for module in (crossentropy, hinges, regression):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Loss):
                found[name] = value
    return found


_lookup = Lookup("loss function", _table)


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """The config of an object or of a function; in the older format, the name of a function."""
    return _lookup.serialize(loss, use_legacy_format)


def deserialize(name: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The loss of a name or a config."""
    return _lookup.deserialize(name, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """A loss from a name or a config; a class or a function is itself.

    >>> tf.keras.losses.get("mse") is tf.keras.losses.mean_squared_error
    True
    """
    return _lookup.get(identifier)
