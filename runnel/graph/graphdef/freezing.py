"""`convert_variables_to_constants`: a `GraphDef` with the values of variables in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from runnel.core.files.tensor_proto import make_tensor_proto
from runnel.core.protos import messages
from runnel.core.settings.scopes import control_dependencies, init_scope
from runnel.graph.graphdef.references import VARIABLES, variable_name
from runnel.graph.graphdef.subgraphs import extract_sub_graph, node_of

_HANDLES = frozenset({"VarHandleOp"})
_PASSING = frozenset({"Identity", "Enter", "Switch"})  # which hand handles on


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
    nodes = {node.name: node for node in part.node}
    wanted = [
        node.name
        for node in part.node
        if node.op in VARIABLES | _HANDLES
        and _is_wanted(node.name, variable_names_whitelist, variable_names_blacklist)
    ]
    values = dict(zip(wanted, sess.run([_read_in(sess, nodes[name]) for name in wanted])))
    frozen = _Frozen(nodes, values)
    made = messages.GraphDef(library=part.library, versions=part.versions)
    for node in part.node:
        made.node.extend(frozen.replaced(node))
    return made


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


class _Frozen:
    def __init__(self, nodes: dict[str, Any], values: dict[str, Any]) -> None:
        self._nodes, self._values = nodes, values

    def _source(self, text: str) -> str | None:
        """The variable whose handle a tensor is, if its value is known."""
        name = node_of(text)
        while name in self._nodes and self._nodes[name].op in _PASSING:
            name = node_of(self._nodes[name].input[0])
        return name if name in self._values else None

    def replaced(self, node: Any) -> list[Any]:
        """What stands in the place of a node."""
        if node.name in self._values:
            return [_constant(node.name, self._values[node.name], node.attr["dtype"].type)]
        source = self._source(node.input[0]) if node.input else None
        if source is None:
            if any(self._source(t) for t in node.input if not t.startswith("^")):
                raise self._refused(node)
            return [node]
        kind = self._nodes[source].attr["dtype"].type
        if self._nodes[source].op in VARIABLES:
            return [node]
        if node.op == "ReadVariableOp":
            return [_changed(node, "Identity", list(node.input), {"T": kind})]
        if node.op in _PASSING:
            return [_changed(node, node.op, list(node.input), {"T": kind})]
        if node.op == "ResourceGather":
            axis = _constant(f"{node.name}/axis", int(node.attr["batch_dims"].i), 3)
            data = [t for t in node.input if not t.startswith("^")]
            waits = [t for t in node.input if t.startswith("^")]
            kinds = {"Tparams": kind, "Taxis": 3, "Tindices": node.attr["Tindices"].type}
            made = _changed(node, "GatherV2", [*data, axis.name, *waits], kinds)
            made.attr["batch_dims"].i = node.attr["batch_dims"].i
            return [axis, made]
        raise self._refused(node)

    def _refused(self, node: Any) -> ValueError:
        return ValueError(
            f"convert_variables_to_constants: the node {node.name!r} ({node.op}) wants a variable, "
            "and not only its value. Leave the variable in, by `variable_names_blacklist`."
        )


def _constant(name: str, value: Any, kind: int) -> Any:
    made = messages.NodeDef(name=name, op="Const")
    made.attr["dtype"].type = kind
    made.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype=kind))
    return made


def _changed(node: Any, op: str, inputs: list[str], kinds: dict[str, int]) -> Any:
    made = messages.NodeDef(name=node.name, op=op, device=node.device, input=inputs)
    for key in ("frame_name", "is_constant", "parallel_iterations", "_class"):
        if key in node.attr:
            made.attr[key].CopyFrom(node.attr[key])
    for key, kind in kinds.items():
        made.attr[key].type = kind
    return made
