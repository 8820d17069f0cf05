"""Initializers by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runnel.keras.engine.naming import snake_case
from runnel.keras.initializers import constants, random_values, scaled_variance
from runnel.keras.initializers.base import Initializer
from runnel.keras.saving.lookup import Lookup

_SHORT = {
    "normal": random_values.RandomNormal,
    "uniform": random_values.RandomUniform,
    "zero": constants.Zeros,
    "one": constants.Ones,
}


@cache
def table() -> Mapping[str, Any]:
    """All names of initializers."""
    named: dict[str, Any] = dict(_SHORT)
    for module in (constants, random_values, scaled_variance):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, Initializer) and name[0] != "_":
                named[name] = named[snake_case(name)] = kind
    return named


_lookup = Lookup("initializer", table)


def serialize(initializer: Any, use_legacy_format: bool = False) -> Any:
    """The config of an initializer."""
    return _lookup.serialize(initializer, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The initializer of a config."""
    return _lookup.deserialize(config, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """An initializer from a name, a config, a class or itself.

    Args:
        identifier: a name, a config, a class, a function or an object; None gives None.

    >>> type(tf.keras.initializers.get("he_normal")).__name__
    'HeNormal'
    """
    return identifier() if isinstance(identifier, type) else _lookup.get(identifier)
