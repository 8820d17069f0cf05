"""`framework.convert_to_constants`: concrete functions with values in the place of variables."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.state.resource import VariableResource
from runnel.core.values.dtypes import resource
from runnel.graph.graphdef.freezing import with_values
from runnel.v1.behavior.wrapping import WrappedFunction, wrap_function

_LOWERED = "_lower_using_switch_merge"


def convert_variables_to_constants_v2(
    func: Any, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> WrappedFunction:
    """A concrete function whose variables, and other captured tensors, are constants of its graph.

    Args:
        func: the concrete function. It stays as it is.
        lower_control_flow: whether loops and branches are marked to be taken apart when TensorFlow
            runs the graph.
        aggressive_inlining: whether the message has no calls of functions either. In the function
            there are none in any case.
    """
    return convert_variables_to_constants_v2_as_graph(
        func, lower_control_flow, aggressive_inlining
    )[0]


def convert_variables_to_constants_v2_as_graph(
    func: Any, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> tuple[WrappedFunction, Any]:
    """The same, and the `GraphDef` of the function."""
    places = [inside.op.name for _, inside in func.graph.captures]
    captured = dict(zip(places, func.captured_inputs, strict=True))
    values = {name: _value(outer) for name, outer in captured.items() if _has_value(outer)}
    graph_def = with_values(func.graph.as_graph_def(), values)
    for nodes in (graph_def.node, *(f.node_def for f in graph_def.library.function)):
        for node in nodes:
            if _LOWERED in node.attr:
                node.attr[_LOWERED].b = lower_control_flow
    feeds = [t.name for t in func.inputs if t.op.name not in values]
    fetches = [t.name for t in func.outputs]
    whole = wrap_function(lambda: tf.graph_util.import_graph_def(graph_def, name=""), [])
    pruned = whole.prune(feeds, fetches)
    return pruned, pruned.graph.as_graph_def() if aggressive_inlining else graph_def


def _has_value(captured: Any) -> bool:
    """Whether a captured tensor is a value or a variable's handle, and not that of a table."""
    return captured.dtype is not resource or isinstance(captured._value, VariableResource)


def _value(captured: Any) -> Any:
    return captured._value.read() if captured.dtype is resource else captured.numpy()
