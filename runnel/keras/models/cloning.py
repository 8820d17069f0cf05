"""Copies of models with new weights."""

from __future__ import annotations

import inspect
from typing import Any

import runnel as tf
from runnel.keras.engine.models.model import Model
from runnel.keras.engine.models.sequential import Sequential
from runnel.keras.engine.symbolic.input_layer import InputLayer
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor


def clone_model(model: Any, input_tensors: Any = None, clone_function: Any = None) -> Any:
    """A model with the same layers and new weights.

    Args:
        model: the model to copy.
        input_tensors: what the copy begins with; None for new inputs.
        clone_function: from a layer to its copy; None makes one from its config.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> tf.keras.models.clone_model(model).count_params()
    3
    """
    if clone_function is not None and not callable(clone_function):
        raise ValueError(
            "clone_model: `clone_function` must be a function of a layer, got "
            f"{clone_function!r}. Leave it out to copy every layer by its config."
        )
    clone = clone_function or _cloned_layer
    if isinstance(model, Sequential):
        return _clone_sequential(model, input_tensors, clone)
    if model._network is None:
        if clone_function is not None or input_tensors is not None:
            raise ValueError(
                "A subclassed model can be cloned only by its get_config and from_config, without "
                "input_tensors or clone_function."
            )
        return type(model).from_config(model.get_config())
    return _clone_functional(model, input_tensors, clone)


def _cloned_layer(layer: Any) -> Any:
    return type(layer).from_config(layer.get_config())


def _clone_sequential(model: Any, input_tensors: Any, clone: Any) -> Any:
    own = type(model).__init__ is not Sequential.__init__
    made = (Sequential if own else type(model))(name=model.name)
    if input_tensors is not None:
        given = _checked_inputs(input_tensors)
        if len(given) != 1:
            raise ValueError(
                "To clone a Sequential model, `input_tensors` must be one tensor, got "
                f"{input_tensors!r}."
            )
        made.add(given[0])
    elif model._start is not None:
        made.add(_cloned_layer(model._start))
    clones = {id(layer): clone(layer) for layer in model.layers}
    for layer in model._stack:
        made.add(clones[id(layer)])
    return made


def _checked_inputs(input_tensors: Any) -> list[Any]:
    given = tf.nest.flatten(input_tensors)
    if wrong := [x for x in given if not isinstance(x, KerasTensor)]:
        raise ValueError(f"`input_tensors` must be outputs of `Input` or layers, got {wrong[0]!r}.")
    return given


def _clone_functional(model: Any, input_tensors: Any, clone: Any) -> Any:
    network = model._network
    given = [] if input_tensors is None else _checked_inputs(input_tensors)
    if len(given) > len(network.inputs):
        raise ValueError(
            f"The model has {len(network.inputs)} inputs, got {len(given)} `input_tensors`."
        )
    values: dict[int, Any] = dict(zip(map(id, network.inputs), given))
    for tensor, layer in [*zip(network.inputs, network.input_layers)][len(given) :]:
        values[id(tensor)] = InputLayer.from_config(layer.get_config()).output
    layers: dict[int, Any] = {}
    for node in network.nodes:
        flat = tf.nest.flatten(node.outputs)
        if node.is_input or all(id(t) in values for t in flat):
            continue
        layer = layers.setdefault(id(node.layer), None) or clone(node.layer)
        layers[id(node.layer)] = layer
        args, kwargs = tf.nest.map_structure(
            lambda x: values[id(x)] if isinstance(x, KerasTensor) else x,
            (node.call_args, node.call_kwargs),
        )
        outputs = layer(*args, **kwargs)
        values.update(zip(map(id, flat), tf.nest.flatten(outputs)))

    def swapped(structure: Any) -> Any:
        return tf.nest.map_structure(lambda t: values[id(t)], structure)

    kind = type(model) if _takes_any(type(model)) else Model
    ends = swapped([network.nested_inputs, network.nested_outputs])
    made = kind(*ends, name=model.name)
    if network.extra_outputs:
        made._add_ends(swapped(network.extra_outputs))
    return made


def _takes_any(kind: Any) -> bool:
    """Whether a class is made as `Model` is, or hands all arguments on."""
    kinds = {p.kind for p in inspect.signature(kind.__init__).parameters.values()}
    return {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds
