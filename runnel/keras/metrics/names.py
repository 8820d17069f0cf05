"""Metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runnel.keras.losses.names import functions
from runnel.keras.metrics import (
    accuracies,
    auc,
    best_thresholds,
    confusion_counts,
    f_scores,
    losses_as_metrics,
    overlaps,
    py_metric,
    reductions,
    regression,
)
from runnel.keras.metrics.base import Metric
from runnel.keras.saving.lookup import Lookup, lookups

_MODULES = (
    accuracies,
    auc,
    best_thresholds,
    confusion_counts,
    f_scores,
    losses_as_metrics,
    overlaps,
    py_metric,
    reductions,
    regression,
)
_SHORT_NAMES = {
    "acc": accuracies.accuracy,
    "ACC": accuracies.accuracy,
    "cosine_proximity": regression.cosine_similarity,
}


@cache
def _table() -> Mapping[str, Any]:
    found: dict[str, Any] = {**functions(), **_SHORT_NAMES}
    for module in _MODULES:
        for name, value in vars(module).items():
            if not name.startswith("_") and _is_own(value, module):
                found[name] = value
    return found


def _is_own(value: Any, module: Any) -> bool:
    """Whether a metric, or a function that can be one, was made in this file."""
    if isinstance(value, type):
        return issubclass(value, Metric)
    return callable(value) and getattr(value, "__module__", "") == module.__name__


_lookup = lookups["metric"] = Lookup("metric function", lambda: _table())


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """The config of an object or of a function; in the older format, the name of a function."""
    return _lookup.serialize(metric, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The metric of a name or a config."""
    return _lookup.deserialize(config, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """A metric from a name or a config; a class or a function is itself.

    >>> type(tf.keras.metrics.get("CategoricalAccuracy")).__name__
    'CategoricalAccuracy'
    """
    return _lookup.get(identifier)
