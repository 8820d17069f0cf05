"""One call of a layer on symbolic tensors: an edge of a functional model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.keras.engine.symbolic.keras_tensor import History, KerasTensor


class Node:
    """A call: the layer, its arguments with `KerasTensor`s in them, and its outputs."""

    def __init__(
        self, layer: Any, call_args: Any = (), call_kwargs: Any = None, outputs: Any = None
    ) -> None:
        inputs = [outputs] if (not call_args and not call_kwargs) else None
        self.layer = layer
        self.is_input = inputs is not None
        self.outputs = outputs
        self.call_args = tuple(call_args)
        self.call_kwargs = dict(call_kwargs or {})
        self.keras_inputs = [
            x
            for x in tf.nest.flatten((self.call_args, self.call_kwargs))
            if isinstance(x, KerasTensor)
        ]
        layer._inbound_nodes.append(self)
        for tensor in self.keras_inputs:
            tensor._keras_history.layer._outbound_nodes.append(self)
        index = len(layer._inbound_nodes) - 1
        for place, tensor in enumerate(tf.nest.flatten(outputs)):
            if isinstance(tensor, KerasTensor):
                tensor._keras_history = History(layer, index, place)
                tensor.node = self

    @property
    def parent_nodes(self) -> list[Node]:
        """The calls that made the inputs."""
        return [tensor.node for tensor in self.keras_inputs]

    @property
    def input_tensors(self) -> Any:
        if self.is_input:
            return self.outputs
        return self.call_args[0] if self.call_args else self.keras_inputs

    @property
    def output_tensors(self) -> Any:
        return self.outputs

    @property
    def input_shapes(self) -> Any:
        return tf.nest.map_structure(lambda t: tuple(t.shape), self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        return tf.nest.map_structure(lambda t: tuple(t.shape), self.outputs)

    @property
    def flat_output_ids(self) -> list[int]:
        return [id(t) for t in tf.nest.flatten(self.outputs)]

    @property
    def inbound_layers(self) -> Any:
        """The layers that made the inputs."""
        if self.is_input:
            return []
        return [tensor._keras_history.layer for tensor in self.keras_inputs]

    @property
    def outbound_layer(self) -> Any:
        return self.layer

    def iterate_inbound(self) -> Iterator[tuple[Any, int, int, Any]]:
        """For each input: layer, call, output, tensor."""
        for tensor in self.keras_inputs:
            yield (*tensor._keras_history, tensor)
