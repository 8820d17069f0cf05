"""Layers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.models import model
from runnel.keras.engine.symbolic import added_tensors, op_layer, tensor_parts
from runnel.keras.metrics.base import Metric
from runnel.keras.saving.lookup import Lookup, lookups

_table: dict[str, Any] = {}
_lookup = lookups["layer"] = Lookup("layer", lambda: _table)


def add_names(namespace: Mapping[str, Any]) -> None:
    """Let the layers of a namespace be found by the names that they have there."""
    for name, value in namespace.items():
        if isinstance(value, type) and issubclass(value, Layer):
            _table[name] = value


for _module in (added_tensors, op_layer, tensor_parts, model):
    add_names(vars(_module))


def serialize(layer: Any, use_legacy_format: bool = False) -> Any:
    """The config of a layer."""
    if isinstance(layer, Metric):
        raise ValueError(
            f"{layer!r} is a metric: use `keras.metrics.serialize` and `keras.metrics.deserialize`."
        )
    return _lookup.serialize(layer, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The layer of a config.

    >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(3))
    >>> tf.keras.layers.deserialize(config).units
    3
    """
    if not config:
        raise ValueError(f"Cannot deserialize empty config. Received: config={config}")
    return _lookup.deserialize(config, custom_objects, use_legacy_format)
