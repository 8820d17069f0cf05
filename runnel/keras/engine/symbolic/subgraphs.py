"""Models that begin in the middle of other models."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.models.network import Network
from runnel.keras.engine.symbolic.input_layer import InputLayer
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.engine.symbolic.node import Node


def begun_at_inputs(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """The same ends, if the model begins at `keras.Input`s; else those of a copy that does.

    The layers are shared with the model that was cut: they have one more call each.
    """
    starts = tf.nest.flatten(inputs)
    if all(not isinstance(t, KerasTensor) or t.node.is_input for t in starts):
        return inputs, outputs
    copies = {id(t): t if t.node.is_input else _input_like(t) for t in starts}

    def copied(structure: Any) -> Any:
        return tf.nest.map_structure(
            lambda x: copies[id(x)] if isinstance(x, KerasTensor) else x, structure
        )

    for node in Network(inputs, outputs).nodes:
        made = tf.nest.flatten(node.outputs)
        if node.is_input or all(id(t) in copies for t in made):
            continue
        args, kwargs = copied((node.call_args, node.call_kwargs))
        copies |= {id(t): _alike(t) for t in made if isinstance(t, KerasTensor)}
        Node(node.layer, args, kwargs, copied(node.outputs))
    return copied(inputs), copied(outputs)


def _input_like(tensor: Any) -> Any:
    spec = tensor.type_spec
    if type(spec) is not tf.TensorSpec or spec.shape.rank is None:
        return InputLayer(type_spec=spec).output
    batch, *dims = spec.shape.as_list()
    return InputLayer(dims, batch, spec.dtype).output


def _alike(tensor: Any) -> Any:
    made = KerasTensor(tensor.type_spec, tensor._inferred_value, tensor.name)
    made._keras_mask = tensor._keras_mask
    return made
