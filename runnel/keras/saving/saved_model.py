"""SavedModel folders: the format of `tf.saved_model`, with the architecture beside it."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.saving import hdf5
from runnel.keras.saving.serialization import serialize_keras_object

_CONFIG = "keras_config.json"


def save(model: Any, path: str, **kwargs: Any) -> None:
    """Write a folder that `tf.saved_model.load` and `load_model` read."""
    include_optimizer = kwargs.pop("include_optimizer", True)
    signatures = kwargs.pop("signatures", None)
    options = kwargs.pop("options", None)
    kwargs.pop("save_traces", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    from runnel.keras.saving.export import serving_module

    module = serving_module(model)
    tf.saved_model.save(module, path, signatures=signatures or module.serving, options=options)
    _write_config(model, path, include_optimizer)


def _write_config(model: Any, path: str, include_optimizer: bool) -> None:
    """What is needed to make the model again, where it can say so."""
    try:
        config = serialize_keras_object(model)
    except (NotImplementedError, TypeError) as error:
        warnings.warn(
            f"The architecture of {model.name} is not saved: {error}. Only `tf.saved_model.load` "
            "can read the folder.",
            stacklevel=4,
        )
        return
    if not include_optimizer:
        config.pop("compile_config", None)
    with open(os.path.join(path, _CONFIG), "w") as file:
        json.dump(config, file, default=hdf5._plain)
    from runnel.keras.saving import archive

    archive.save_weights(model, os.path.join(path, "keras.weights.h5"))


def load(path: str, custom_objects: Any = None, compile: bool = True, **kwargs: Any) -> Any:
    """Read a folder that `save` wrote; another is given as what it can be called with."""
    place = os.path.join(path, _CONFIG)
    if not os.path.exists(place):
        return Restored(tf.saved_model.load(path))
    from runnel.keras.saving import archive
    from runnel.keras.saving.serialization import deserialize_keras_object

    with open(place) as file:
        config = json.load(file)
    if not compile:
        config.pop("compile_config", None)
    model = deserialize_keras_object(config, custom_objects)
    archive.load_weights(model, os.path.join(path, "keras.weights.h5"))
    return model


class Restored:
    """A SavedModel without Keras's own data: callable, and a source of predictions."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded
        self.variables = getattr(loaded, "variables", [])
        self.signatures = getattr(loaded, "signatures", {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if callable(self._loaded):
            return self._loaded(*args, **kwargs)
        serve = self.signatures["serving_default"]
        names = list(serve.structured_input_signature[1])
        given = dict(zip(names, args)) | kwargs
        return serve(**{name: tf.convert_to_tensor(value) for name, value in given.items()})

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The outputs for some data, as arrays."""
        return tf.nest.map_structure(np.asarray, self(tf.convert_to_tensor(x)))
