"""Operations by their messages, copies of graphs, records on tapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import runnel
from runnel.compat.tools.graphs import get_enclosing_xla_context
from runnel.core.gradients.tape import record
from runnel.core.op import context
from runnel.graph.graphdef.importing import Functions, create_operation


def create_c_op(
    graph: Any,
    node_def: Any,
    inputs: Sequence[Any],
    control_inputs: Sequence[Any],
    op_def: Any = None,
    extract_traceback: bool = True,
) -> Any:
    """An operation of a graph, by its message."""
    flat = runnel.nest.flatten(list(inputs))
    with graph.control_dependencies(list(control_inputs)), graph.device(node_def.device):
        return create_operation(graph, node_def.op, flat, node_def.attr, node_def.name, op_def)


def record_gradient(
    op_name: str, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
) -> None:
    """Tell the active tapes of an op that ran, or was added to the graph, behind their backs."""
    named = dict(zip(attrs[::2], attrs[1::2], strict=True))
    record(getattr(runnel.raw_ops, op_name), list(inputs), named, list(outputs))


def execute_fn_for_device(
    device_branch_fns: Mapping[str, Callable[[], Any]],
    default_fn: Callable[[], Any],
    name: str = "execute_fn",
) -> Any:
    """What the function for the kind of device gives that ops run on; `default_fn` for others.

    Compiled functions, those with `jit_compile`, have `default_fn`, as in TensorFlow.
    """
    if get_enclosing_xla_context() is not None:
        return default_fn()
    placed = runnel.DeviceSpec.from_string(context.state.device or "").device_type
    kind = placed or runnel.config.list_logical_devices()[0].device_type
    branches = {device.upper(): function for device, function in device_branch_fns.items()}
    with runnel.name_scope(name):
        return branches.get(kind.upper(), default_fn)()


def graph_defs_equal(graph_def_1: Any, graph_def_2: Any, treat_nan_as_equal: bool = False) -> bool:
    """Whether two graphs have the same nodes and functions, in whatever order."""
    for place, message in enumerate((graph_def_1, graph_def_2), 1):
        if not hasattr(message, "node") or not hasattr(message, "library"):
            raise TypeError(f"graph_defs_equal: graph_def_{place} is no GraphDef: {message!r}")
    return _comparable(graph_def_1, treat_nan_as_equal) == _comparable(
        graph_def_2, treat_nan_as_equal
    )


def function_def_to_graph(
    fdef: Any,
    input_shapes: Sequence[Any] | None = None,
    structured_input_signature: Any = None,
    structured_outputs: Any = None,
    propagate_device_spec: bool = False,
    include_library_functions: bool = False,
) -> Any:
    """The graph of a function, by its message. What it calls is a function of the current graph.

    Args:
        fdef: the function.
        input_shapes: shapes of its arguments, in place of those that the message knows.
        structured_input_signature: what the graph is to say of its arguments.
        structured_outputs: the structure of its results; a list, if None.
        propagate_device_spec: whether operations keep their devices. Devices of graphs are names
            only, and kept in any case.
        include_library_functions: must be False.
    """
    if include_library_functions:
        raise NotImplementedError(
            "function_def_to_graph: include_library_functions=True is not supported."
        )
    copy = type(fdef)()
    copy.CopyFrom(fdef)
    _set_shapes(copy, input_shapes)
    current = context.state.graph
    library = runnel.compat.v1.GraphDef().library
    library.function.extend(
        known.definition for known in (current._functions if current else {}).values()
    )
    functions = Functions(library)
    functions.add(copy)
    graph = functions.graph(copy.signature.name)
    if structured_input_signature is not None:
        graph.structured_input_signature = structured_input_signature
    if structured_outputs is not None:
        graph.structured_outputs = structured_outputs
    return graph


def _set_shapes(function: Any, shapes: Sequence[Any] | None) -> None:
    """Give the arguments of a message shapes of their own."""
    for place, shape in enumerate(shapes or ()):
        if shape is not None:
            shapes_of = function.arg_attr[place].attr["_output_shapes"].list
            del shapes_of.shape[:]
            shapes_of.shape.append(runnel.TensorShape(shape).as_proto())


def _comparable(graph_def: Any, treat_nan_as_equal: bool) -> tuple[Any, ...]:
    nodes = {node.name: _node(node, treat_nan_as_equal) for node in graph_def.node}
    functions = {
        function.signature.name: (
            function.signature.SerializeToString(deterministic=True),
            {node.name: _node(node, treat_nan_as_equal) for node in function.node_def},
            dict(function.ret),
            dict(function.control_ret),
        )
        for function in graph_def.library.function
    }
    versions = (graph_def.versions.producer, graph_def.versions.min_consumer)
    return nodes, functions, versions


def _node(node: Any, treat_nan_as_equal: bool) -> Any:
    """A node with its control inputs in order; the message, or the bytes of it, NaN like NaN."""
    copy = type(node)()
    copy.CopyFrom(node)
    data = [name for name in copy.input if not name.startswith("^")]
    control = sorted(name for name in copy.input if name.startswith("^"))
    copy.input[:] = data + control
    return copy.SerializeToString(deterministic=True) if treat_nan_as_equal else copy
