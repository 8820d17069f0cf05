"""The graph of a functional model: which layers are called in which order on what."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import runnel as tf
from runnel.keras.engine import graph_mode
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.engine.symbolic.node import Node


class Network:
    """The calls between some inputs and some outputs, in an order in which they can be made."""

    def __init__(self, inputs: Any, outputs: Any, extra_outputs: Any = ()) -> None:
        self.extra_outputs = list(extra_outputs)  # of layers that only add a loss or a metric
        self.nested_inputs, self.nested_outputs = _unwrapped(inputs), _unwrapped(outputs)
        self.inputs: list[Any] = tf.nest.flatten(inputs)
        self.outputs: list[Any] = tf.nest.flatten(outputs)
        _check_ends(self.inputs, self.outputs)
        self.input_layers = [t._keras_history.layer for t in self.inputs]
        self.output_layers = [t._keras_history.layer for t in self.outputs]
        order = _Order(self.inputs, self.outputs)
        for tensor in self.extra_outputs:
            order.extend(tensor)
        self.nodes, self.layers, self.layer_depths = order.nodes, order.layers, order.layer_depths
        self.node_ids = {id(node) for node in self.nodes}
        _check_names(self.layers)
        self.input_names = [layer.name for layer in self.input_layers]
        self._plan = _Plan(self)

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that made the outputs, with a number where one made several."""
        counts: dict[str, int] = defaultdict(int)
        found = []
        for layer in self.output_layers:
            number = counts[layer.name]
            counts[layer.name] += 1
            found.append(f"{layer.name}_{number}" if number else layer.name)
        return found

    def run(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Call the layers on values."""
        flat = self._flat_inputs(inputs)
        if mask is not None:
            for tensor, given in zip(flat, tf.nest.flatten(mask)):
                if given is not None:
                    tensor._keras_mask = given
        outer = call_context.training
        if training is not None:
            call_context.training = training
        try:
            outputs = self._plan.run(flat)
        finally:
            call_context.training = outer
        if isinstance(self.nested_outputs, KerasTensor):
            return outputs[0]
        return tf.nest.pack_sequence_as(self.nested_outputs, outputs)

    def _flat_inputs(self, inputs: Any) -> list[Any]:
        if isinstance(inputs, tf.Tensor):
            flat = [inputs]
        elif isinstance(inputs, dict):
            flat = self._by_name(inputs)
        else:
            flat = tf.nest.flatten(inputs)
        if len(flat) != len(self.inputs):
            raise ValueError(
                f"The model expects {len(self.inputs)} inputs, but it received {len(flat)}: "
                f"{inputs}"
            )
        return [_conformed(value, wanted) for value, wanted in zip(flat, self.inputs)]

    def _by_name(self, inputs: dict[str, Any]) -> list[Any]:
        nested = self.nested_inputs
        names = sorted(nested) if isinstance(nested, dict) else self.input_names
        missing = [name for name in names if name not in inputs]
        if missing:
            raise ValueError(
                f'Missing data for input "{missing[0]}". You passed a data dictionary with keys '
                f"{list(inputs)}. Expected the following keys: {names}"
            )
        unknown = sorted(set(inputs) - set(names))
        if unknown:
            warnings.warn(
                f"Input dict contained keys {unknown} which did not match any model input. They "
                "will be ignored by the model.",
                stacklevel=2,
            )
        return [inputs[name] for name in names]


class _Plan:
    """The calls with numbers in place of tensors, so that running them is a short loop."""

    def __init__(self, network: Network) -> None:
        self._slots: dict[int, int] = {}
        self._inputs = [self._slot(t) for t in network.inputs]
        given = set(self._inputs)
        self._steps = [
            self._step(node)
            for node in network.nodes
            if not node.is_input
            and not all(self._slot(t) in given for t in tf.nest.flatten(node.outputs))
        ]
        self._outputs = [self._slot(t) for t in network.outputs]

    def _slot(self, tensor: Any) -> int:
        return self._slots.setdefault(id(tensor), len(self._slots))

    def _step(self, node: Node) -> tuple[Any, int, Any, list[int] | int]:
        """The layer, the slot of its only argument or -1, the call for other cases, the outputs."""
        single = len(node.call_args) == 1 and isinstance(node.call_args[0], KerasTensor)
        flat = tf.nest.flatten(node.outputs)
        if len(flat) == 1 and flat[0] is node.outputs:
            out: Any = self._slot(flat[0])
        else:
            out = [self._slot(t) if isinstance(t, KerasTensor) else -1 for t in flat]
        if single and not node.call_kwargs:
            return node.layer, self._slot(node.call_args[0]), None, out
        structure = (node.call_args, node.call_kwargs)
        leaves = tf.nest.flatten(structure)
        places = [self._slot(x) if isinstance(x, KerasTensor) else -1 for x in leaves]
        return node.layer, -1, (structure, leaves, places), out

    def run(self, flat: list[Any]) -> list[Any]:
        values: list[Any] = [None] * len(self._slots)
        for slot, value in zip(self._inputs, flat):
            values[slot] = value
        for layer, slot, call, out in self._steps:
            if slot >= 0:
                result = layer(values[slot])
            else:
                args, kwargs = _filled(call, values)
                result = layer(*args, **kwargs)
            if isinstance(out, int):
                values[out] = result
            else:
                for place, value in zip(out, tf.nest.flatten(result)):
                    if place >= 0:
                        values[place] = value
        if graph_mode.in_graph() and not call_context.symbolic:
            graph_mode.note_run(self._slots, values)
        return [values[slot] for slot in self._outputs]


def _filled(call: Any, values: list[Any]) -> Any:
    structure, leaves, places = call
    flat = [
        leaf if place < 0 else values[place] for leaf, place in zip(leaves, places, strict=True)
    ]
    return tf.nest.pack_sequence_as(structure, flat)


def _conformed(value: Any, wanted: Any) -> Any:
    """A value in the rank and dtype of the input that it is for."""
    if not isinstance(value, tf.Tensor):
        return value
    rank, reference = value.shape.rank, wanted.shape.rank
    mask = getattr(value, "_keras_mask", None)
    if rank is not None and reference is not None and rank != reference:
        if rank == reference - 1 and wanted.shape[-1] == 1:
            value = tf.expand_dims(value, axis=-1)
        elif rank == reference + 1 and value.shape[-1] == 1:
            value = tf.squeeze(value, axis=-1)
    if value.dtype is not wanted.dtype:
        value = tf.cast(value, wanted.dtype)
    if mask is not None:
        value._keras_mask = mask
    return value


def _unwrapped(ends: Any) -> Any:
    """A list of one tensor is that tensor to Keras: the model takes and gives it bare."""
    return ends[0] if isinstance(ends, list) and len(tf.nest.flatten(ends)) == 1 else ends


def _check_ends(inputs: list[Any], outputs: list[Any]) -> None:
    for tensor in inputs:
        if not isinstance(tensor, KerasTensor):
            raise ValueError(
                "Found unexpected instance while processing input tensors for keras functional "
                f"model. Expecting KerasTensor which is from tf.keras.Input(). Got: {tensor!r}"
            )
    if len({id(t) for t in inputs}) != len(inputs):
        raise ValueError(
            "The list of inputs passed to the model contains the same input multiple times: "
            f"{inputs}"
        )
    for tensor in outputs:
        if not isinstance(tensor, KerasTensor):
            raise ValueError(
                "Output tensors of a Functional model must be the output of a TensorFlow `Layer` "
                f"(thus holding past layer metadata). Found: {tensor!r}"
            )


def _check_names(layers: list[Any]) -> None:
    seen: set[str] = set()
    for layer in layers:
        if layer.name in seen:
            raise ValueError(
                f'The name "{layer.name}" is used more than once in the model. All layer names '
                "should be unique."
            )
        seen.add(layer.name)


class _Order:
    """Nodes and layers, those far from the outputs first, as Keras lists them."""

    def __init__(self, inputs: list[Any], outputs: list[Any]) -> None:
        self._inputs = inputs
        visited = _visit(inputs, outputs, {id(t) for t in inputs})
        self._node_depths: dict[int, int] = {}
        self.layer_depths: dict[int, int] = {}
        for node in reversed(visited.postorder):
            self._settle_depth(node, visited)
        found = {id(node): node for node in visited.postorder}
        first = [found[each] for each in self._node_depths]  # as met from the outputs
        self.nodes = sorted(first, key=self._from_last)
        self.layers = self._sorted_layers(visited)

    def _settle_depth(self, node: Any, visited: _visit) -> None:
        depths, layers = self._node_depths, self.layer_depths
        depth = max(depths.setdefault(id(node), 0), layers.get(id(node.layer), 0))
        layers[id(node.layer)] = depths[id(node)] = depth
        for tensor in node.keras_inputs if not visited.is_end(node) else ():
            parent = id(tensor.node)
            depths[parent] = max(depth + 1, depths.get(parent, 0))

    def _from_last(self, node: Any) -> int:
        return -self._node_depths[id(node)]

    def _sorted_layers(self, visited: _visit) -> list[Any]:
        order: dict[int, int] = {}
        for node in visited.preorder:
            order.setdefault(id(node.layer), len(order))
        known = {id(node.layer): node.layer for node in visited.postorder}
        for tensor in self._inputs:  # inputs that no output needs
            layer = tensor._keras_history.layer
            if id(layer) not in known:
                known[id(layer)] = layer
                self.layer_depths[id(layer)] = 0
                order[id(layer)] = -1
        depths = self.layer_depths
        return sorted(known.values(), key=lambda layer: (-depths[id(layer)], order[id(layer)]))

    def extend(self, output: Any) -> None:
        """Add what leads to one more output; it comes after all that was there."""
        more = _Order(self._inputs, [output])
        depths = self._node_depths
        for node in more.nodes:
            if id(node) not in depths:
                depths[id(node)] = min([0, *(depths[id(t.node)] for t in node.keras_inputs)]) - 1
                self.layer_depths.setdefault(id(node.layer), depths[id(node)])
                self.nodes.append(node)
        self.nodes.sort(key=self._from_last)
        self.layers += [layer for layer in more.layers if layer not in self.layers]


class _visit:
    """A walk from the outputs to the inputs, depth first."""

    def __init__(self, inputs: list[Any], outputs: list[Any], ends: set[int]) -> None:
        self._ends = ends
        self.preorder: list[Any] = []
        self.postorder: list[Any] = []
        self._done: set[int] = set()
        self._open: set[int] = set()
        for tensor in outputs:
            self._walk(tensor)

    def is_end(self, node: Any) -> bool:
        """Whether the model begins here: all outputs of the call are inputs of the model."""
        return all(id(t) in self._ends for t in tf.nest.flatten(node.outputs))

    def _walk(self, tensor: Any) -> None:
        """Without recursion, since models can be deep."""
        stack: list[tuple[Any, Any]] = []
        self._enter(tensor, stack)
        while stack:
            node, rest = stack[-1]
            for parent in rest:
                if self._enter(parent, stack):
                    break
            else:
                stack.pop()
                self._open.discard(id(node))
                self._done.add(id(node))
                self.postorder.append(node)

    def _enter(self, tensor: Any, stack: list[Any]) -> bool:
        node = tensor.node
        if id(node) in self._done:
            return False
        if id(node) in self._open:
            raise ValueError(f"Tensor {tensor} from layer {node.layer.name!r} is part of a cycle.")
        if node.is_input and id(tensor) not in self._ends:
            raise ValueError(
                f"Graph disconnected: cannot obtain value for tensor {tensor} at layer "
                f'"{node.layer.name}". Pass it among the inputs of the model.'
            )
        self._open.add(id(node))
        self.preorder.append(node)
        stack.append((node, iter(() if self.is_end(node) else node.keras_inputs)))
        return True
