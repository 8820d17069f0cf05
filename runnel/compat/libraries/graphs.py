"""Operations by their messages, copies of graphs, records on tapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import runnel
from runnel.compat.tools.graphs import get_enclosing_xla_context
from runnel.core.gradients.tape import record
from runnel.core.op import context
from runnel.graph.graphdef.importing import create_operation


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
