"""Whole models in one HDF5 file: `.h5`."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import losses, metrics, optimizers
from runnel.keras.engine.training.containers import build_compiled
from runnel.keras.engine.weight_budget import weights_limited_to
from runnel.keras.optimizers.names import create_variables, older_name, variables_of
from runnel.keras.saving.call_specs import older_spec_config, spec_from
from runnel.keras.saving.files import hdf5_weights, keras3
from runnel.keras.saving.files.archive import replacing
from runnel.keras.saving.files.untrusted import check_config, opened_hdf5, stored_weights
from runnel.keras.saving.model_config import model_from_config
from runnel.keras.saving.object_registration import (
    custom_object_scope,
    get_registered_name,
    get_registered_object,
)
from runnel.keras.saving.serialization import inner_config, serialize_keras_object
from runnel.keras.saving.version import KERAS_VERSION

_user_level = tf.__internal__.tracebacks.user_level

_NEW_KEYS = ("module", "registered_name", "build_config")


def save(model: Any, path: str, include_optimizer: bool = True) -> None:
    """Write architecture, weights, and how the model was compiled."""
    import h5py

    if model._network is None and not model._is_sequential:
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models: use the `.keras` format, "
            "or save_weights."
        )
    model._assert_weights_created()
    build_compiled(model)
    with replacing(path) as target, h5py.File(target, "w") as file:
        config = {"class_name": type(model).__name__, "config": _config_of(model)}
        file.attrs["model_config"] = json.dumps(config, default=_plain).encode()
        file.attrs["keras_version"] = KERAS_VERSION.encode()
        file.attrs["backend"] = b"tensorflow"
        hdf5_weights.save(file.create_group("model_weights"), model)
        if include_optimizer and model.optimizer is not None and model._is_compiled:
            file.attrs["training_config"] = json.dumps(_training(model), default=_plain).encode()
            _save_optimizer(file, model.optimizer)


def _config_of(model: Any) -> Any:
    """The config with layers in the older form, without modules."""
    return _older_layers(inner_config(model))


def _older_layers(config: Any) -> Any:
    if not isinstance(config, dict) or "layers" not in config:
        return config
    layers = []
    for layer in config["layers"]:
        kept = {key: value for key, value in layer.items() if key not in _NEW_KEYS}
        kept["class_name"] = layer.get("registered_name") or layer["class_name"]
        kept["config"] = _older_layers(kept["config"])
        if "type_spec" in kept["config"]:
            kept["config"] = {**kept["config"], "type_spec": spec_from(kept["config"]["type_spec"])}
        layers.append(kept)
    return {**config, "layers": layers}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, tf.TensorShape):
        return value.as_list()
    if isinstance(value, tf.TypeSpec):
        return older_spec_config(value)
    raise TypeError(f"{value!r} cannot be saved.")


def _training(model: Any) -> dict[str, Any]:
    arguments = model._compile_arguments or {}
    optimizer = model.optimizer
    metrics, weighted = map(_older, model.compiled_metrics.saved_metrics)
    return {
        "loss": _older(arguments.get("loss")),
        "metrics": metrics,
        "weighted_metrics": weighted,
        "loss_weights": arguments.get("loss_weights"),
        "optimizer_config": {
            "class_name": older_name(optimizer),
            "config": serialize_keras_object(optimizer)["config"],
        },
    }


def _older(thing: Any) -> Any:
    """Losses and metrics with the names of their classes alone."""
    if isinstance(thing, list | tuple):
        return [_older(x) for x in thing]
    if isinstance(thing, dict):
        return {key: _older(value) for key, value in thing.items()}
    if hasattr(thing, "get_config"):
        config = {
            key: _function_name(value) if key == "fn" else value
            for key, value in thing.get_config().items()
        }
        return {"class_name": get_registered_name(type(thing)), "config": config}
    return get_registered_name(thing) if callable(thing) else thing


def _function_name(value: Any) -> Any:
    if callable(value):
        return get_registered_name(value)
    return value["config"] if isinstance(value, dict) else value


def _save_optimizer(file: Any, optimizer: Any) -> None:
    weights = variables_of(optimizer)
    if not weights:
        return
    group = file.create_group("optimizer_weights")
    hdf5_weights.save_names(group, "weight_names", [w.name for w in weights])
    for weight in weights:
        group.create_dataset(weight.name, data=np.asarray(weight.numpy()))


def load(path: str, custom_objects: Any = None, compile: bool = True) -> Any:
    """Read a whole model."""
    with opened_hdf5(path) as file:
        text = file.attrs.get("model_config")
        if text is None:
            raise ValueError(f"No model config found in the file at {path}.")
        config = _parsed(text, "model config", path)
        if keras3.is_keras3(file.attrs.get("keras_version")):
            config = keras3.translated(config)
        check_config(config)
        with weights_limited_to(stored_weights(file)):
            model = model_from_config(config, custom_objects=custom_objects)
        hdf5_weights.load(file["model_weights"], model)
        if compile:
            _compile(model, file, custom_objects)
    return model


def _parsed(text: Any, what: str, path: str) -> Any:
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text)
    except ValueError as error:
        raise ValueError(f"The {what} in {path} is damaged: {error}") from error


def _compile(model: Any, file: Any, custom_objects: Any) -> None:
    text = file.attrs.get("training_config")
    if text is None:
        warnings.warn(
            "No training configuration found in the save file, so the model was *not* compiled. "
            "Compile it manually.",
            stacklevel=_user_level(),
        )
        return
    training = _parsed(text, "training config", file.filename)
    check_config(training)
    newer = keras3.is_keras3(file.attrs.get("keras_version"))  # which keeps metrics as they came
    if newer:
        training = keras3.translated(training)
    model.compile(**_arguments(training, custom_objects), from_serialized=not newer)
    build_compiled(model)
    if "optimizer_weights" in file:
        optimizer = model.optimizer
        create_variables(optimizer, model.trainable_variables)
        group = file["optimizer_weights"]
        names = hdf5_weights.load_names(group, "weight_names")
        if len(names) > len(variables_of(optimizer)):  # Keras 3 counts the learning rate among them
            names = [name for name in names if not name.endswith("/learning_rate")]
        found = [np.asarray(group[name]) for name in names]
        if len(found) == len(variables_of(optimizer)):
            optimizer.set_weights(found)
        else:
            warnings.warn(
                "Error in loading the saved optimizer state. As a result, your model is starting "
                "with a freshly initialized optimizer.",
                stacklevel=_user_level(),
            )


def _arguments(training: dict[str, Any], custom_objects: Any) -> dict[str, Any]:
    with custom_object_scope(custom_objects or {}):
        return {
            "optimizer": optimizers.deserialize(training["optimizer_config"]),
            "loss": _newer(losses.deserialize, training.get("loss")),
            "metrics": _newer(_metric, training.get("metrics")),
            "weighted_metrics": _newer(_metric, training.get("weighted_metrics")),
            "loss_weights": training.get("loss_weights"),
        }


def _newer(deserialize: Any, config: Any) -> Any:
    if config is None:
        return None
    if isinstance(config, list):
        return [_newer(deserialize, x) for x in config]
    if isinstance(config, dict) and "class_name" not in config:
        return {key: _newer(deserialize, value) for key, value in config.items()}
    return deserialize(config)


def _metric(config: Any) -> Any:
    """A metric; a name that Keras knows stays one, since `compile` reports under it."""
    if isinstance(config, str):
        return get_registered_object(config) or config
    return metrics.deserialize(config)
