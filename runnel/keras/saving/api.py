"""`save_model`, `load_model` and their like: which format a path means."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from runnel.keras.saving import archive, hdf5, hdf5_weights
from runnel.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)
from runnel.keras.saving.version import KERAS_VERSION


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None, **kwargs: Any
) -> None:
    """Write a model: `.keras` (a zip), `.h5` (HDF5), or else a SavedModel folder.

    >>> import tempfile, os
    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> tf.keras.models.save_model(model, path)
    >>> tf.keras.models.load_model(path).count_params()
    3
    """
    path = os.fspath(filepath)
    chosen = _format(path, save_format)
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{path} exists; pass overwrite=True to replace it.")
    if chosen == "keras":
        if kwargs:
            raise ValueError(
                "The following argument(s) are not supported with the native Keras format: "
                f"{list(kwargs)}"
            )
        archive.save(model, path)
    elif chosen == "h5":
        _warn_of_old_format()
        hdf5.save(model, path, include_optimizer=kwargs.get("include_optimizer", True))
    else:
        import runnel.keras.saving.saved_model as saved_model

        saved_model.save(model, path, **kwargs)


def _warn_of_old_format() -> None:
    warnings.warn(
        "You are saving your model as an HDF5 file via `model.save()`. This file format is "
        "considered legacy. We recommend using instead the native TF-Keras format, e.g. "
        "`model.save('my_model.keras')`.",
        stacklevel=4,
    )


def _format(path: str, save_format: str | None) -> str:
    if save_format:
        names = {"keras": "keras", "keras_v3": "keras", "h5": "h5", "hdf5": "h5", "tf": "tf"}
        chosen = names.get(save_format.lower().replace("tensorflow", "tf"))
        if chosen is None:
            raise ValueError(f"Unknown `save_format`: {save_format!r}. Use 'keras', 'h5' or 'tf'.")
        return chosen
    if path.endswith(".keras"):
        return "keras"
    return "h5" if path.endswith((".h5", ".hdf5")) else "tf"


def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """Read a model that `save_model` wrote, here or in TensorFlow."""
    path = os.fspath(filepath)
    if archive.is_archive(path):
        return archive.load(
            path, custom_objects=custom_objects, compile=compile, safe_mode=safe_mode
        )
    if hdf5_weights.is_hdf5(path):
        return hdf5.load(path, custom_objects=custom_objects, compile=compile)
    if not os.path.exists(path):
        raise OSError(f"No file or directory found at {path}")
    if path.endswith(".keras"):
        raise ValueError(f"File {path} is not a `.keras` zip archive; it may be damaged.")
    if os.path.isdir(path):
        import runnel.keras.saving.saved_model as saved_model

        return saved_model.load(path, custom_objects=custom_objects, compile=compile, **kwargs)
    raise OSError(f"Unable to load model: {path} is neither a `.keras` nor an HDF5 file.")


def save_weights(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    save_format: str | None = None,
    options: Any = None,
) -> None:
    """Write the weights of a model to a file or a checkpoint."""
    path = os.fspath(filepath)
    if path.endswith(".weights.h5"):
        archive.save_weights(model, path)
    elif save_format in ("h5", "hdf5") or (
        save_format is None and path.endswith((".h5", ".hdf5", ".keras"))
    ):
        hdf5_weights.save_file(model, path)
    else:
        import runnel as tf

        checkpoint = tf.train.Checkpoint(root=model)
        checkpoint.write(path, options=options)


def load_weights(
    model: Any,
    filepath: Any,
    skip_mismatch: bool = False,
    by_name: bool = False,
    options: Any = None,
) -> Any:
    """Read the weights of a model from a file or a checkpoint."""
    path = os.fspath(filepath)
    if archive.is_archive(path) or (path.endswith(".weights.h5") and hdf5_weights.is_hdf5(path)):
        if by_name:
            raise ValueError("`by_name` is only supported for legacy HDF5 weight files.")
        archive.load_weights(model, path, skip_mismatch=skip_mismatch)
        return None
    if hdf5_weights.is_hdf5(path):
        hdf5_weights.load_file(model, path, by_name=by_name, skip_mismatch=skip_mismatch)
        return None
    if by_name or skip_mismatch:
        raise NotImplementedError(
            "Weights may only be loaded based on topology into Models when loading "
            "TensorFlow-formatted weights."
        )
    if not os.path.exists(path + ".index"):
        raise FileNotFoundError(f"No weights found at {path}: neither a file nor a checkpoint.")
    import runnel as tf

    status = tf.train.Checkpoint(root=model).read(path, options=options)
    status.expect_partial()
    return status


def model_metadata(model: Any) -> dict[str, Any]:
    """What `to_json` writes."""
    config = serialize_keras_object(model)
    return {
        "class_name": config["class_name"],
        "config": config["config"],
        "keras_version": KERAS_VERSION,
        "backend": "tensorflow",
    }


def model_from_config(config: dict[str, Any], custom_objects: Any = None) -> Any:
    """A model from what `get_config` gave, with the name of its class.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> config = {"class_name": "Sequential", "config": model.get_config()}
    >>> tf.keras.models.model_from_config(config).count_params()
    3
    """
    from runnel.keras.layers.names import deserialize

    if isinstance(config, list):
        raise TypeError(f"`model_from_config` expects a dict, got a list: {config}")
    if "module" in config:
        return deserialize_keras_object(config, custom_objects)
    return deserialize(config, custom_objects=custom_objects)


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """A model from what `to_json` gave.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> tf.keras.models.model_from_json(model.to_json()).count_params()
    3
    """
    data = json.loads(json_string)
    return model_from_config(
        {key: data[key] for key in ("class_name", "config")}, custom_objects=custom_objects
    )
