"""Weights in the older HDF5 layout: a group for each layer of the model."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.saving.files.archive import replacing
from runnel.keras.saving.files.old_weights import as_now
from runnel.keras.saving.files.untrusted import opened_hdf5
from runnel.keras.saving.version import KERAS_VERSION

_user_level = tf.__internal__.tracebacks.user_level

_HEADER_LIMIT = 64512  # bytes; HDF5 keeps attributes in an object header of 64 KB
_MAGIC = b"\x89HDF\r\n\x1a\n"


def is_hdf5(path: str) -> bool:
    """Whether a file is HDF5."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == _MAGIC


def save_names(group: Any, name: str, names: list[str]) -> None:
    """Keep a list of names as an attribute, in several where it is long."""
    data = np.asarray([n.encode("utf-8") for n in names])
    parts = 1
    while any(part.nbytes > _HEADER_LIMIT for part in np.array_split(data, parts)):
        parts += 1
    if parts == 1:
        group.attrs[name] = [n.encode("utf-8") for n in names]
        return
    for number, part in enumerate(np.array_split(data, parts)):
        group.attrs[f"{name}{number}"] = part


def load_names(group: Any, name: str) -> list[str]:
    """The names that `save_names` kept."""
    if name in group.attrs:
        found = list(group.attrs[name])
    else:
        found, number = [], 0
        while f"{name}{number}" in group.attrs:
            found += list(group.attrs[f"{name}{number}"])
            number += 1
    return [n.decode("utf-8") if isinstance(n, bytes) else str(n) for n in found]


def weights_of(layer: Any) -> list[Any]:
    """Weights in the order of these files: trainable ones first."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def save_group(group: Any, weights: list[Any]) -> None:
    """Put weights under their names."""
    save_names(group, "weight_names", [w.name for w in weights])
    for weight in weights:
        group.create_dataset(weight.name, data=np.asarray(weight.numpy()))


def save(group: Any, model: Any) -> None:
    """Put the weights of a model into a group."""
    _refuse_tables(model)
    save_names(group, "layer_names", [layer.name for layer in model.layers])
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = KERAS_VERSION.encode()
    for layer in sorted(model.layers, key=lambda layer: layer.name):
        save_group(group.create_group(layer.name), weights_of(layer))
    own = [*model._trainable_weights, *model._non_trainable_weights]
    save_group(group.create_group("top_level_model_weights"), own)


def _refuse_tables(model: Any) -> None:
    """A vocabulary that a layer has learnt is no weight, and would be lost."""
    for layer in model._flatten_layers():
        if getattr(layer, "learns_vocabulary", False):
            raise NotImplementedError(
                f"HDF5 files hold weights only, and the vocabulary of the layer {layer.name!r} is "
                'none: use save_format="tf" or a .keras file, or make the layer with `vocabulary`.'
            )


def values(group: Any) -> list[Any]:
    """The weights in a group."""
    return [np.asarray(group[name]) for name in load_names(group, "weight_names")]


def load(group: Any, model: Any) -> None:
    """Set the weights of a model, layer by layer in order."""
    layers = [layer for layer in model.layers if weights_of(layer)]
    names = [
        name for name in load_names(group, "layer_names") if load_names(group[name], "weight_names")
    ]
    if len(names) != len(layers):
        raise ValueError(
            "Layer count mismatch when loading weights from file. Model expected "
            f"{len(layers)} layers, found {len(names)} saved layers."
        )
    pairs: list[tuple[Any, Any]] = []
    version = _version(group)
    for layer, name in zip(layers, names):
        found = as_now(layer, values(group[name]), version)
        pairs += _pairs(layer.name, weights_of(layer), found, name)
    if "top_level_model_weights" in group:
        own = [*model._trainable_weights, *model._non_trainable_weights]
        pairs += _pairs("top-level", own, values(group["top_level_model_weights"]), "top-level")
    _assign(pairs)
    for layer in model._flatten_layers(include_self=False):
        layer.finalize_state()


def _version(group: Any) -> str:
    """The version of Keras that wrote a file; the first ones did not say."""
    version = group.attrs.get("keras_version", "1")
    return str(version.decode() if isinstance(version, bytes) else version)


def _pairs(name: str, weights: list[Any], found: list[Any], saved: str) -> list[tuple[Any, Any]]:
    if len(weights) != len(found):
        raise ValueError(
            f"Weight count mismatch for layer {name} ({saved} in the save file). Layer expects "
            f"{len(weights)} weight(s). Received {len(found)} saved weight(s)"
        )
    return list(zip(weights, found))


def _assign(pairs: list[tuple[Any, Any]]) -> None:
    for variable, value in pairs:
        if not variable.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Shape mismatch in weight {variable.name}: it expects shape "
                f"{tuple(variable.shape)}, the saved one has {value.shape}."
            )
    for variable, value in pairs:
        variable.assign(value)


def load_by_name(group: Any, model: Any, skip_mismatch: bool = False) -> None:
    """Set the weights of the layers whose names are in the file."""
    by_name: dict[str, list[Any]] = {}
    for layer in model.layers:
        by_name.setdefault(layer.name, []).append(layer)
    for name in load_names(group, "layer_names"):
        for layer in by_name.get(name, ()):
            weights = weights_of(layer)
            found = as_now(layer, values(group[name]), _version(group))
            fits = len(weights) == len(found) and all(
                tuple(w.shape) == v.shape for w, v in zip(weights, found)
            )
            if not fits and skip_mismatch:
                warnings.warn(
                    f"Skipping loading of weights for layer {layer.name}: the saved ones differ in "
                    "number or shape.",
                    stacklevel=_user_level(),
                )
                continue
            _assign(_pairs(layer.name, weights, found, name))


def save_file(model: Any, path: str) -> None:
    """Write the weights of a model to a file."""
    import h5py

    model._assert_weights_created()
    with replacing(path) as target, h5py.File(target, "w") as file:
        save(file, model)


def load_file(model: Any, path: str, by_name: bool = False, skip_mismatch: bool = False) -> None:
    """Read the weights of a model from a file, also from one that holds the whole model."""
    model._assert_weights_created()
    if skip_mismatch and not by_name:
        raise ValueError(
            "When calling model.load_weights, skip_mismatch can only be set to True when by_name "
            "is True."
        )
    with opened_hdf5(path) as file:
        whole = "layer_names" not in file.attrs and "model_weights" in file
        group = file["model_weights"] if whole else file
        if by_name:
            load_by_name(group, model, skip_mismatch)
        else:
            load(group, model)
