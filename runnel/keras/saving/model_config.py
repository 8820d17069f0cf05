"""Models as text: the name of a class, and its config."""

from __future__ import annotations

import json
from typing import Any

from runnel.keras.saving.config_errors import checked_config, reads_config
from runnel.keras.saving.files.untrusted import check_config
from runnel.keras.saving.lookup import lookups
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from runnel.keras.saving.version import KERAS_VERSION


def model_metadata(model: Any) -> dict[str, Any]:
    """What `to_json` writes."""
    config = serialize_keras_object(model)
    return {
        "class_name": config["class_name"],
        "config": config["config"],
        "keras_version": KERAS_VERSION,
        "backend": "tensorflow",
    }


@reads_config
def model_from_config(config: dict[str, Any], custom_objects: Any = None) -> Any:
    """A model from what `get_config` gave, with the name of its class.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> config = {"class_name": "Sequential", "config": model.get_config()}
    >>> tf.keras.models.model_from_config(config).count_params()
    3
    """
    if isinstance(config, list):
        raise TypeError(f"`model_from_config` expects a dict, got a list: {config}")
    check_config(checked_config(config, class_name=str, config=(dict, list)))
    if "module" in config:
        return deserialize_keras_object(config, custom_objects)
    return lookups["layer"].deserialize(config, custom_objects=custom_objects)


@reads_config
def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """A model from what `to_json` gave.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> tf.keras.models.model_from_json(model.to_json()).count_params()
    3
    """
    data = checked_config(json.loads(json_string), class_name=str, config=(dict, list))
    return model_from_config(
        {key: data[key] for key in ("class_name", "config")}, custom_objects=custom_objects
    )
