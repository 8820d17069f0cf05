"""The calls of a layer on symbolic tensors, as its users see them."""

from __future__ import annotations

from typing import Any

import runnel as tf


class LayerNodes:
    """Part of `Layer`: `input`, `output` and their like, which functional models have."""

    name: Any
    built: bool
    _inbound_nodes: list[Any]
    _outbound_nodes: list[Any]

    @property
    def inbound_nodes(self) -> list[Any]:
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        return self._outbound_nodes

    def _of_first_node(self, what: str) -> Any:
        if not self._inbound_nodes:
            kind = what.split("_")[0]
            raise AttributeError(f"Layer {self.name} is not connected, no {kind} to return.")
        return getattr(self._inbound_nodes[0], what)

    def _common(self, what: str) -> Any:
        """The shapes that all calls have."""
        kind = what.split("_")[0]
        if not self._inbound_nodes:
            raise AttributeError(
                f'The layer "{self.name}" has never been called and thus has no defined {kind} '
                "shape. Only layers of functional and sequential models have one."
            )
        found = [getattr(node, what) for node in self._inbound_nodes]
        if any(shape != found[0] for shape in found):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes with different {kind} shapes. '
                f"Use `get_{kind}_shape_at(node_index)` instead."
            )
        return found[0]

    @property
    def input(self) -> Any:
        """The symbolic input of the first call."""
        return self._of_first_node("input_tensors")

    @property
    def output(self) -> Any:
        """The symbolic output of the first call."""
        return self._of_first_node("output_tensors")

    @property
    def input_shape(self) -> Any:
        return self._common("input_shapes")

    @property
    def output_shape(self) -> Any:
        return self._common("output_shapes")

    def _at(self, node_index: int, what: str) -> Any:
        if not self._inbound_nodes:
            raise RuntimeError(
                f"The layer {self.name} has never been called and thus has no defined {what}."
            )
        if not 0 <= node_index < len(self._inbound_nodes):
            raise ValueError(
                f"Asked to get {what} at node {node_index}, but the layer has only "
                f"{len(self._inbound_nodes)} inbound nodes."
            )
        return getattr(self._inbound_nodes[node_index], what)

    def get_input_at(self, node_index: int) -> Any:
        """The symbolic input of one call."""
        return self._at(node_index, "input_tensors")

    def get_output_at(self, node_index: int) -> Any:
        """The symbolic output of one call."""
        return self._at(node_index, "output_tensors")

    def get_input_shape_at(self, node_index: int) -> Any:
        return self._at(node_index, "input_shapes")

    def get_output_shape_at(self, node_index: int) -> Any:
        return self._at(node_index, "output_shapes")

    def get_input_mask_at(self, node_index: int) -> Any:
        return _masks(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        return _masks(self.get_output_at(node_index))

    @property
    def input_mask(self) -> Any:
        return _masks(self.input)

    @property
    def output_mask(self) -> Any:
        return _masks(self.output)


def _masks(tensors: Any) -> Any:
    if isinstance(tensors, list):
        return [getattr(t, "_keras_mask", None) for t in tensors]
    return tf.nest.map_structure(lambda t: getattr(t, "_keras_mask", None), tensors)
