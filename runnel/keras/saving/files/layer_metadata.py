"""JSON about the layers and metrics of a SavedModel, of which they can be made again."""

from __future__ import annotations

import json
from typing import Any

import runnel as tf
from runnel.keras.engine import policy
from runnel.keras.saving.files import hdf5
from runnel.keras.saving.object_registration import get_registered_name
from runnel.keras.saving.serialization import NO_CONFIG, into_folder, serialize_keras_object
from runnel.keras.saving.version import KERAS_VERSION


def metadata_of(layer: Any, include_optimizer: bool) -> dict[str, Any]:
    """What is to be known of a layer, also of one that cannot say its config."""
    found = {"class_name": get_registered_name(type(layer)), "name": layer.name}
    found |= _config_of(layer)
    if isinstance(layer, tf.keras.metrics.Metric):
        return found | {"dtype": layer.dtype}
    found |= {
        "trainable": layer.trainable,
        "expects_training_arg": layer._call_spec.expects_training,
        "dtype": _policy(layer),
        "batch_input_shape": getattr(layer, "_batch_input_shape", None),
        "stateful": bool(getattr(layer, "stateful", False)),
        "must_restore_from_config": False,
        "preserve_input_structure_in_config": False,
        "autocast": layer._autocast,
        "build_input_shape": layer._build_input_shape,
    }
    if isinstance(layer, tf.keras.Model):
        found |= _of_model(layer, found, include_optimizer)
    return found


def _config_of(layer: Any) -> dict[str, Any]:
    try:
        with into_folder():
            config = hdf5._config_of(layer)
    except TypeError:
        return {}
    if "fn" in config:  # a metric around a function
        config["fn"] = hdf5._function_name(config["fn"])
    return {"config": config}


def _policy(layer: Any) -> Any:
    return serialize_keras_object(policy.serialize(layer.dtype_policy))


def _of_model(model: Any, found: dict[str, Any], include_optimizer: bool) -> dict[str, Any]:
    specs = model.save_spec()
    more = {
        "is_graph_network": model._network is not None,
        "full_save_spec": specs,
        "save_spec": None if specs is None else specs[0][0],
        "keras_version": KERAS_VERSION,
        "backend": "tensorflow",
    }
    if "config" in found:
        more["model_config"] = {key: found[key] for key in ("class_name", "config")}
    if include_optimizer and model.optimizer is not None and model._is_compiled:
        more["training_config"] = training_config(model)
    return more


def has_config(data: dict[str, Any]) -> bool:
    """Whether the metadata hold the config of their layer."""
    return data.get("config", NO_CONFIG) != NO_CONFIG


def class_names(data: dict[str, Any], identifier: str) -> list[str]:
    """The classes of which something can be made: its own, and that of any such model."""
    plain = {"_tf_keras_network": "Functional", "_tf_keras_sequential": "Sequential"}
    return [data["class_name"], *([plain[identifier]] if identifier in plain else [])]


def training_config(model: Any) -> dict[str, Any]:
    """How a model was compiled; metrics that have not met data are as they were given."""
    config = hdf5._training(model)
    for key in ("metrics", "weighted_metrics"):
        if config[key] is None:
            config[key] = hdf5._older((model._compile_arguments or {}).get(key))
    return config


def encode(data: Any) -> str:
    """JSON of a value with tuples, shapes and specs in it."""
    return json.dumps(_encoded(data), default=hdf5._plain)


def _encoded(value: Any) -> Any:
    if isinstance(value, tf.TensorShape):
        dims = None if value.rank is None else value.as_list()
        return {"class_name": "TensorShape", "items": dims}
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, tf.TypeSpec):
        name = tf.__internal__.type_spec.get_name(type(value))
        parts = _encoded(value._serialize())
        return {"class_name": "TypeSpec", "type_spec": name, "serialized": parts}
    if isinstance(value, tuple):
        return {"class_name": "__tuple__", "items": [_encoded(v) for v in value]}
    if isinstance(value, list):
        return [_encoded(v) for v in value]
    if isinstance(value, dict):
        return {key: _encoded(v) for key, v in value.items()}
    return value


def decode(text: str) -> Any:
    """What `encode` was given."""
    return _decoded(json.loads(text))


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(v) for v in value]
    if not isinstance(value, dict):
        return value
    name = value.get("class_name")
    if name == "TensorShape" and "items" in value:
        return tf.TensorShape(value["items"])
    if name == "__tuple__" and "items" in value:
        return tuple(_decoded(v) for v in value["items"])
    if name == "TypeSpec" and "type_spec" in value:
        kind = tf.__internal__.type_spec.lookup(value["type_spec"])
        return kind._deserialize(_decoded(value["serialized"]))
    return {key: _decoded(v) for key, v in value.items()}
