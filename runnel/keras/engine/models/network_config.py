"""Functional models as plain data, and back."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.symbolic.added_tensors import AddLoss, AddMetric
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.saving.config_errors import checked_config
from runnel.keras.saving.lookup import lookups
from runnel.keras.saving.serialization import (
    deserialize_keras_object,
    in_safe_mode,
    serialize_keras_object,
)

_REST = "__args__"  # arguments without names, among those with names


def network_config(model: Any) -> dict[str, Any]:
    """The layers of a functional model, and how they are called on each other."""
    network = model._network
    places = _node_places(network)
    layers = []
    for layer in network.layers:
        config = serialize_keras_object(layer)
        config["name"] = layer.name
        config["inbound_nodes"] = [
            _node_config(node, places)
            for node in layer._inbound_nodes
            if id(node) in network.node_ids and not node.is_input
        ]
        layers.append(config)
    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": _ends(network.nested_inputs, places),
        "output_layers": _ends(network.nested_outputs, places),
    }


def _node_places(network: Any) -> dict[int, int]:
    """The number of each call among those of its layer that belong to the network."""
    places: dict[int, int] = {}
    for layer in network.layers:
        own = [node for node in layer._inbound_nodes if id(node) in network.node_ids]
        places.update((id(node), number) for number, node in enumerate(own, _first_number(layer)))
    return places


def _first_number(layer: Any) -> int:
    """Keras counts the call by which a model with inputs was made, but does not write it."""
    return int(getattr(layer, "_network", None) is not None)


def _reference(tensor: Any, places: dict[int, int]) -> list[Any]:
    history = tensor._keras_history
    return [history.layer.name, places.get(id(tensor.node), 0), history.tensor_index]


def _ends(nested: Any, places: dict[int, int]) -> Any:
    """References in the structure of the tensors; one by itself is in a list."""
    if isinstance(nested, KerasTensor):
        return [_reference(nested, places)]
    return _nested_ends(nested, places)


def _nested_ends(nested: Any, places: dict[int, int]) -> Any:
    if isinstance(nested, KerasTensor):
        return _reference(nested, places)
    if isinstance(nested, dict):
        return {key: _nested_ends(value, places) for key, value in nested.items()}
    found = [_nested_ends(part, places) for part in nested]
    return tuple(found) if isinstance(nested, tuple) else found


def _node_config(node: Any, places: dict[int, int]) -> Any:
    kwargs = {key: _argument(value, places) for key, value in node.call_kwargs.items()}
    names = node.layer._call_spec.names[1:]
    rest = [_argument(value, places) for value in node.call_args[1:]]
    if rest and not names and getattr(node.layer, "_preserve_structure", False):
        names = _function_arguments(node.layer)
    if names is not None:
        kwargs |= dict(zip(names, rest))
    elif rest:
        kwargs[_REST] = rest
    first = node.call_args[0] if node.call_args else None
    if getattr(node.layer, "_preserve_structure", False):
        return _preserved(first, kwargs, places)
    flat = tf.nest.flatten(first)
    references = [
        [*_reference(t, places), kwargs]
        if isinstance(t, KerasTensor)
        else ["_CONSTANT_VALUE", -1, _constant(t), kwargs]
        for t in flat
    ]
    if isinstance(first, dict):
        return dict(zip(sorted(first), references))
    return references


def _function_arguments(layer: Any) -> list[str] | None:
    """The names of the arguments after the first; None for those that have none, as `einsum`'s."""
    parameters = inspect.signature(layer.function).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return None
    return list(parameters)[1:]


def _preserved(first: Any, kwargs: dict[str, Any], places: dict[int, int]) -> Any:
    if isinstance(first, KerasTensor):
        return [*_reference(first, places), kwargs]
    if isinstance(first, list | tuple) and any(isinstance(t, KerasTensor) for t in first):
        return [
            [*_reference(t, places), kwargs]
            if isinstance(t, KerasTensor)
            else ["_CONSTANT_VALUE", -1, _constant(t), kwargs]
            for t in first
        ]
    return ["_CONSTANT_VALUE", -1, _constant(first), kwargs]


def _argument(value: Any, places: dict[int, int]) -> Any:
    if isinstance(value, KerasTensor):
        return _reference(value, places)
    if isinstance(value, list | tuple):
        return [_argument(v, places) for v in value]
    if isinstance(value, dict):
        return {k: _argument(v, places) for k, v in value.items()}
    return _constant(value)


def _constant(value: Any) -> Any:
    """A constant among the arguments; tensors and arrays are plain numbers, as tf_keras has it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tf.Tensor) and value.dtype != tf.string:
        return np.asarray(value).tolist()
    return serialize_keras_object(value)


def is_network_config(config: dict[str, Any]) -> bool:
    """Whether a config describes a functional model."""
    return all(key in config for key in ("layers", "input_layers", "output_layers"))


class _Rebuilding:
    """Makes the layers of a config, and calls them as soon as their inputs are there."""

    def __init__(self, config: dict[str, Any], custom_objects: Any) -> None:
        self._layers: dict[str, Any] = {}
        self._outputs: dict[tuple[str, int], list[Any]] = {}
        waiting: list[tuple[str, int, Any]] = []
        for data in checked_config(config, layers=list)["layers"]:
            checked_config(data, class_name=str)
            layer = _layer(data, custom_objects)
            name = data.get("name") or layer.name
            self._layers[name] = layer
            nodes = data.get("inbound_nodes") or []
            if layer._inbound_nodes and not nodes:
                self._note(name, 0, layer._inbound_nodes[0].outputs)
            first = 0 if any(map(_is_keras3, nodes)) else _first_number(layer)
            waiting += [(name, number, node) for number, node in enumerate(nodes, first)]
        self._call_all(waiting)

    def _note(self, name: str, number: int, outputs: Any) -> None:
        self._outputs[name, number] = tf.nest.flatten(outputs)

    def _call_all(self, waiting: list[tuple[str, int, Any]]) -> None:
        """Each layer's calls in their order, as soon as what they need is there."""
        while waiting:
            later: list[tuple[str, int, Any]] = []
            delayed: set[str] = set()
            for name, number, node in waiting:
                if name in delayed or not self._call(name, number, node):
                    delayed.add(name)
                    later.append((name, number, node))
            if len(later) == len(waiting):
                raise ValueError(
                    f"The model's config has calls on tensors that nothing makes: {later}"
                )
            waiting = later

    def _call(self, name: str, number: int, node: Any) -> bool:
        layer = self._layers[name]
        try:
            if _is_keras3(node):
                inputs, rest, kwargs = self._keras3_arguments(layer, node)
            else:
                (inputs, kwargs), rest = self._arguments(layer, node), ()
        except KeyError:
            return False
        if getattr(layer, "_preserve_structure", False) and isinstance(kwargs, dict):
            kwargs = {k: v for k, v in kwargs.items() if not (k == "name" and v is None)}
            rest = tuple(kwargs.pop(_REST, rest))
        if not isinstance(inputs, KerasTensor) and not _has_tensors(inputs):
            outputs = layer._call_symbolically(inputs, rest, kwargs)
        else:
            outputs = layer(inputs, *rest, **kwargs)
        self._note(name, number, outputs)
        return True

    def _keras3_arguments(self, layer: Any, node: Any) -> tuple[Any, tuple[Any, ...], Any]:
        """Keras 3 writes calls as they were made; what a call there has more is None."""
        first, *rest = [self._keras3_value(value) for value in node["args"]]
        kwargs = {key: self._keras3_value(value) for key, value in node["kwargs"].items()}
        known = layer._call_spec.names
        kwargs = {key: v for key, v in kwargs.items() if v is not None or key in known}
        return first, tuple(rest), kwargs

    def _keras3_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._keras3_value(part) for part in value]
        kind = value.get("class_name") if isinstance(value, dict) else None
        if kind == "__keras_tensor__":
            name, number, index = value["config"]["keras_history"]
            return self._outputs[name, number][index]
        if kind == "__slice__":
            return value["config"]  # the bounds by name, as slices of symbolic tensors are kept
        return deserialize_keras_object(value) if kind else value

    def _arguments(self, layer: Any, node: Any) -> tuple[Any, dict[str, Any]]:
        if isinstance(node, dict):
            parts = {key: self._input(value) for key, value in node.items()}
            kwargs = next(iter(parts.values()))[1]
            return {key: tensor for key, (tensor, _) in parts.items()}, kwargs
        if node and isinstance(node[0], str):
            return self._input(node)
        found = [self._input(part) for part in node]
        tensors = [tensor for tensor, _ in found]
        as_given = getattr(layer, "_preserve_structure", False)  # also a list of one
        return tensors[0] if len(tensors) == 1 and not as_given else tensors, found[0][1]

    def _input(self, data: Any) -> tuple[Any, dict[str, Any]]:
        name, number, index, *rest = data
        kwargs = {key: self._value(value) for key, value in (rest[0] if rest else {}).items()}
        if name == "_CONSTANT_VALUE":
            return deserialize_keras_object(index), kwargs
        return self._outputs[name, number][index], kwargs

    def _value(self, value: Any) -> Any:
        if self._is_reference(value):
            return self._outputs[value[0], value[1]][value[2]]
        if isinstance(value, list):
            return [self._value(v) for v in value]
        if isinstance(value, dict) and "class_name" in value:
            return deserialize_keras_object(value)
        if isinstance(value, dict):
            return {k: self._value(v) for k, v in value.items()}
        return value

    def _is_reference(self, value: Any) -> bool:
        return (
            isinstance(value, list | tuple)
            and len(value) in (3, 4)
            and isinstance(value[0], str)
            and value[0] in self._layers
            and isinstance(value[1], int)
        )

    def added(self) -> list[Any]:
        """What goes into the loss and the metrics, and nowhere else."""
        return [
            tensor
            for (name, _), tensors in self._outputs.items()
            if isinstance(self._layers[name], AddLoss | AddMetric)
            for tensor in tensors
        ]

    def end(self, data: Any) -> Any:
        """The tensors that a reference, or a list or dict of them, names."""
        if isinstance(data, dict):
            return {key: self.end(value) for key, value in data.items()}
        if data and isinstance(data[0], str):
            return self._outputs[data[0], data[1]][data[2]]
        found = [self.end(part) for part in data]
        return tuple(found) if isinstance(data, tuple) else found


def _is_keras3(node: Any) -> bool:
    return isinstance(node, dict) and set(node) == {"args", "kwargs"}


def _has_tensors(inputs: Any) -> bool:
    return any(isinstance(t, KerasTensor) for t in tf.nest.flatten(inputs))


def _layer(data: dict[str, Any], custom_objects: Any) -> Any:
    data = copy.copy(data)
    for key in ("inbound_nodes", "name"):
        data.pop(key, None)
    if "module" not in data:
        return lookups["layer"].deserialize(data, custom_objects=custom_objects)
    return deserialize_keras_object(data, custom_objects, safe_mode=in_safe_mode())


def network_from_config(config: dict[str, Any], custom_objects: Any = None) -> tuple[Any, Any, Any]:
    """Symbolic inputs and outputs of the model that a config describes, and other ends it has."""
    made = _Rebuilding(config, custom_objects)
    inputs, outputs = made.end(config["input_layers"]), made.end(config["output_layers"])
    return _single(inputs), _single(outputs), made.added()


def _single(ends: Any) -> Any:
    return ends[0] if isinstance(ends, list) and len(ends) == 1 else ends
