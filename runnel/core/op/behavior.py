"""Which TensorFlow a program means: the switches of `tf.compat.v1`."""

from __future__ import annotations

from typing import Any

from runnel.core.op.context import state


class Behavior:
    """The switches of a program between TensorFlow 2 and 1."""

    tensor_equality = True  # `==` compares elements, not objects
    control_flow_v2 = True  # branches and bodies are graphs that number their ops anew
    resource_variables = True  # what `resource_variables_enabled` says


behavior = Behavior()


def compares_objects() -> bool:
    """Whether objects are compared: by the switch, and in a `tf.Graph` that is no function's."""
    if not behavior.tensor_equality:
        return True
    graph: Any = state.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    return graph is not None
