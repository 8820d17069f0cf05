"""SavedModel folders: the format of `tf.saved_model`, with `keras_metadata.pb` beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.training.containers import build_compiled
from runnel.keras.optimizers.names import create_variables
from runnel.keras.saving.call_specs import known_specs
from runnel.keras.saving.files import hdf5, layer_metadata
from runnel.keras.saving.files.reviving import Revival
from runnel.keras.saving.files.saved_functions import saving_traces
from runnel.keras.saving.files.state_tree import states
from runnel.keras.saving.model_config import model_from_config

_ASSETS = os.path.join("assets.extra", "keras")


def save(model: Any, path: str, **kwargs: Any) -> None:
    """Write a folder that `tf.saved_model.load` and `load_model` read, here and in TensorFlow."""
    include_optimizer = kwargs.pop("include_optimizer", True)
    signatures = kwargs.pop("signatures", None)
    options = kwargs.pop("options", None)
    traces = bool(kwargs.pop("save_traces", True))
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    if not model.built:
        _try_call(model, *known_specs(model))
    build_compiled(model)
    arguments = (include_optimizer, signatures, options)
    fill = lambda place: _write(model, place, *arguments)  # noqa: E731
    with saving_traces(traces):
        tf.__internal__.saved_model.replace_model(path, fill)


def _write(model: Any, path: str, include_optimizer: bool, signatures: Any, options: Any) -> None:
    """Write the files into a folder without a model."""
    internal = tf.__internal__.saved_model
    with _without_optimizer(model, include_optimizer):
        objects = internal.save_and_return_nodes(model, path, signatures, options)
    nodes = [
        internal.KerasNode(
            number,
            ".".join(["root", *place.split("/")]) if number else "root",
            item._object_identifier,
            layer_metadata.encode(layer_metadata.metadata_of(item, include_optimizer)),
        )
        for number, (item, place) in enumerate(objects)
        if isinstance(item, tf.keras.layers.Layer)
    ]
    internal.write_keras_metadata(path, nodes)
    for place, thing in _with_assets(model, path):
        os.makedirs(place, exist_ok=True)
        thing.save_assets(place)


def load(path: str, custom_objects: Any = None, compile: bool = True, **kwargs: Any) -> Any:
    """Read a folder that `save` wrote; another is given as what it can be called with."""
    options = kwargs.pop("options", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    path = tf.__internal__.saved_model.content_folder(path)
    nodes = tf.__internal__.saved_model.read_keras_metadata(path)
    root = next((node for node in nodes or () if node.number == 0), None)
    data = {} if root is None else layer_metadata.decode(root.metadata)
    model = None if root is None else _made(data, root.identifier, custom_objects)
    if model is None:
        objects = tf.__internal__.saved_model.load_and_return_nodes(path, options=options)
        if root is None:
            return Restored(objects[0])
        model = Revival(nodes, objects, custom_objects).root()
    training = data.get("training_config")
    if compile and training is not None:
        if not hasattr(model, "compile"):
            raise ValueError(f"{path} is damaged: it says how to train what is no model.")
        model.compile(**hdf5._arguments(training, custom_objects), from_serialized=True)
        build_compiled(model)
        create_variables(model.optimizer, model.trainable_variables)
    for place, thing in _with_assets(model, path):
        if os.path.isdir(place):
            thing.load_assets(place)
    variables = os.path.join(path, "variables", "variables")
    tf.train.Checkpoint(root=model).read(variables).expect_partial()
    for layer in model._flatten_layers(include_self=False):
        layer.finalize_state()
    return model


def _with_assets(model: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The layers that keep files, such as vocabularies, each with the folder for these."""
    for inner, thing in states(model):
        if hasattr(thing, "save_assets") and hasattr(thing, "load_assets"):
            yield os.path.join(path, _ASSETS, *inner.split("/")), thing


@contextmanager
def _without_optimizer(model: Any, include_optimizer: bool) -> Iterator[None]:
    """While the optimizer is no part of a model, unless it is wanted."""
    optimizer = model.optimizer
    if include_optimizer or optimizer is None:
        yield
        return
    model.optimizer = None
    try:
        yield
    finally:
        model.optimizer = optimizer


def _made(data: dict[str, Any], identifier: str, custom_objects: Any) -> Any:
    """A model of its class and config, or of its layers; None if these are not known."""
    if not layer_metadata.has_config(data):
        return None
    for class_name in layer_metadata.class_names(data, identifier):
        try:
            model = _of_config(class_name, data["config"], custom_objects)
        except (TypeError, ValueError):
            continue
        if not model.built:
            _build(model, data)
        return model
    return None


def _of_config(class_name: str, config: Any, custom_objects: Any) -> Any:
    return model_from_config({"class_name": class_name, "config": config}, custom_objects)


def _build(model: Any, data: dict[str, Any]) -> None:
    """Make the weights, by a trial of the call."""
    specs = data.get("full_save_spec")
    if specs is None:
        model.build(data["build_input_shape"])
        return
    _try_call(model, *specs)


def _try_call(model: Any, args: Any, kwargs: Any) -> None:
    trial = tf.function(lambda *args, **kwargs: model(*args, **kwargs), autograph=False)
    trial.get_concrete_function(*args, **kwargs)


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
