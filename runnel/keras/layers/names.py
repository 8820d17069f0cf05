"""Layers by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.saving.lookup import Lookup


@cache
def _table() -> Mapping[str, Any]:
    from runnel.keras import layers, models  # late: this file is one of theirs
    from runnel.keras.engine.models import functional
    from runnel.keras.engine.symbolic import added_tensors, op_layer, tensor_parts

    found = {}
    experimental = layers.experimental
    spaces = (added_tensors, op_layer, tensor_parts, functional, models)
    for module in (*spaces, experimental.preprocessing, experimental, layers):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Layer):
                found[name] = value
    return found


def activation_layers() -> Mapping[str, Any]:
    """Layers that can be named as activations."""
    names = ("ReLU", "LeakyReLU", "PReLU", "ELU", "ThresholdedReLU", "Softmax")
    return {name: _table()[name] for name in names if name in _table()}


_lookup = Lookup("layer", lambda: _table())


def serialize(layer: Any, use_legacy_format: bool = False) -> Any:
    """The config of a layer."""
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
