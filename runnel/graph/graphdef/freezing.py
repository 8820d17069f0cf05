"""`convert_variables_to_constants`: a `GraphDef` with the values of variables in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from runnel.core.protos import messages
from runnel.core.settings.scopes import control_dependencies, init_scope
from runnel.graph.graphdef.frozen import Frozen, FrozenLibrary, constant, held_by
from runnel.graph.graphdef.references import DT_RESOURCE, VARIABLES, variable_name
from runnel.graph.graphdef.subgraphs import extract_sub_graph

_HANDLES = frozenset({"VarHandleOp"})


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> Any:
    """The part of a graph that some nodes need, with the values that variables have in a session.

    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     y = tf.negative(v, name="y")
    ...     session.run(v.initializer)
    ...     made = tf.compat.v1.graph_util.convert_variables_to_constants(
    ...         session, graph.as_graph_def(), ["y"]
    ...     )
    >>> [(node.name, node.op) for node in made.node]
    [('v', 'Const'), ('y/ReadVariableOp', 'Identity'), ('y', 'Neg')]
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    wanted = {
        node.name: node
        for node in part.node
        if node.op in VARIABLES | _HANDLES
        and _is_wanted(node.name, variable_names_whitelist, variable_names_blacklist)
    }
    values = sess.run([_read_in(sess, node) for node in wanted.values()])
    return with_values(part, dict(zip(wanted, values)))


def with_values(graph_def: Any, values: Mapping[str, Any]) -> Any:
    """A `GraphDef` with constants in the place of nodes that are variables, or captured values."""
    nodes = {node.name: node for node in graph_def.node}
    constants = {name: constant(name, value, _kind(nodes[name])) for name, value in values.items()}
    library = FrozenLibrary(graph_def.library)
    handles = {name: held_by(m) for name, m in constants.items() if _is_handle(nodes[name])}
    frozen = Frozen(nodes, handles, library)
    made = messages.GraphDef(versions=graph_def.versions)
    for node in graph_def.node:
        made.node.extend([constants[node.name]] if node.name in values else frozen.replaced(node))
    made.library.CopyFrom(library.used())
    return made


def _is_handle(node: Any) -> bool:
    return node.op in VARIABLES | _HANDLES or _kind(node) is None


def _kind(node: Any) -> int | None:
    """The number of the dtype of what a node holds, if it says so."""
    kind: int = node.attr["dtype"].type
    return None if kind == DT_RESOURCE else kind


def _is_wanted(name: str, only: Collection[str] | None, never: Collection[str] | None) -> bool:
    title = variable_name(name)
    return (only is None or title in only) and (never is None or title not in never)


def _read_in(sess: Any, node: Any) -> Any:
    """A tensor that a session reads a variable by."""
    tensor = sess.graph.get_tensor_by_name(f"{node.name}:0")
    if tensor.op.type not in _HANDLES:
        return tensor
    for reader in tensor.consumers():
        if reader.type == "ReadVariableOp" and not reader.control_inputs:
            return reader.outputs[0]
    with sess.graph.as_default(), init_scope(), control_dependencies(None):
        return sess.graph.create_op(
            "ReadVariableOp",
            [tensor],
            attrs={"dtype": messages.AttrValue(type=node.attr["dtype"].type)},
        ).outputs[0]
