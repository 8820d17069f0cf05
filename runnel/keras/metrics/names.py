"""Metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runnel.keras.losses.names import functions
from runnel.keras.metrics import accuracies, losses_as_metrics, reductions
from runnel.keras.metrics.base import Metric
from runnel.keras.saving.lookup import Lookup

_MODULES = [accuracies, losses_as_metrics, reductions]


def register_module(module: Any) -> None:
    """Make the metrics of a further file known by name."""
    _MODULES.append(module)
    _table.cache_clear()


@cache
def _table() -> Mapping[str, Any]:
    found: dict[str, Any] = dict(functions())
    for module in _MODULES:
        for name, value in vars(module).items():
            metric = isinstance(value, type) and issubclass(value, Metric)
            own = getattr(value, "__module__", "") == module.__name__ and callable(value)
            if metric or (own and not isinstance(value, type) and not name.startswith("_")):
                found[name] = value
    return found


_lookup = Lookup("metric function", lambda: _table())


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """The name of a function, the config of an object."""
    return _lookup.serialize(metric, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The metric of a name or a config."""
    return _lookup.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """A metric from a name, a config, a class or itself.

    >>> type(tf.keras.metrics.get("CategoricalAccuracy")).__name__
    'CategoricalAccuracy'
    """
    return _lookup.get(identifier)
