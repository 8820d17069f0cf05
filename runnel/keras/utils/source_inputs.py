"""The inputs that a symbolic tensor was made of."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.symbolic.keras_tensor import KerasTensor


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """The tensors of `keras.Input` that `tensor` depends on; without a history, itself.

    >>> x = tf.keras.Input((2,))
    >>> tf.keras.utils.get_source_inputs(x * 2.0 + 1.0)[0] is x
    True
    """
    if not isinstance(tensor, KerasTensor):
        return [tensor]
    if layer is None or node_index is not None:
        found = getattr(tensor, "_keras_history", None)
        if found is None:
            return [tensor]
        layer, node_index = found.layer, found.node_index
    if not layer._inbound_nodes:
        return [tensor]
    node = layer._inbound_nodes[node_index or 0]
    if node.is_input:
        return [tensor]
    sources: list[Any] = []
    for parent in node.keras_inputs:
        for source in get_source_inputs(parent):
            if not any(source is known for known in sources):
                sources.append(source)
    return sources
