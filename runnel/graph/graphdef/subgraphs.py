"""Parts of a `GraphDef`: `tf.compat.v1.graph_util`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runnel.core.protos import messages
from runnel.core.values.dtypes import int32, string
from runnel.core.values.shape import TensorShape
from runnel.graph.build.operation import Operation
from runnel.graph.graphdef.references import VARIABLES

_COLOCATED = "_class"
_CHECKS = frozenset({"CheckNumerics"})
_PASSING = frozenset({"Identity", "StopGradient"})


def node_of(text: str) -> str:
    """The name of the node that an input of another names."""
    return text.removeprefix("^").partition(":")[0]


def _beside(node: Any) -> list[str]:
    """The nodes that a node wants to be on one device with."""
    if _COLOCATED not in node.attr:
        return []
    return [s.decode("utf-8").removeprefix("loc:@") for s in node.attr[_COLOCATED].list.s]


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """The part of a `GraphDef` that some nodes need.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(1.0, name="x")
    ...     y, z = tf.negative(x, name="y"), tf.exp(x, name="z")
    >>> made = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    >>> [node.name for node in made.node]
    ['x', 'y']
    """
    if not hasattr(graph_def, "node") or not hasattr(graph_def, "library"):
        raise TypeError(f"extract_sub_graph: a GraphDef is wanted, got {type(graph_def)}.")
    if isinstance(dest_nodes, str):
        raise TypeError(f"extract_sub_graph: `dest_nodes` is a list of names, got {dest_nodes!r}.")
    nodes = {node_of(node.name): node for node in graph_def.node}
    open_ = list(dest_nodes)
    for name in open_:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    kept: set[str] = set()
    while open_:
        name = open_.pop()
        if name not in kept:
            kept.add(name)
            open_ += [*map(node_of, nodes[name].input), *_beside(nodes[name])]
    made = messages.GraphDef(library=graph_def.library, versions=graph_def.versions)
    made.node.extend(node for name, node in nodes.items() if name in kept)
    return made


def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """A `GraphDef` without what only training needs: checks of numbers, and nodes that pass on.

    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.negative(tf.identity(tf.constant(1.0, name="x")), name="y")
    >>> made = tf.compat.v1.graph_util.remove_training_nodes(graph.as_graph_def())
    >>> [(node.name, list(node.input)) for node in made.node]
    [('x', []), ('y', ['x'])]
    """
    protected = set(protected_nodes or ())
    checks = {n.name for n in input_graph.node if n.op in _CHECKS and n.name not in protected}
    left = [
        _with_inputs(node, [t for t in node.input if t.removeprefix("^") not in checks])
        for node in input_graph.node
        if node.name not in checks
    ]
    waited_for = {t[1:] for node in left for t in node.input if t.startswith("^")}
    waiting = {node.name for node in left for t in node.input if t.startswith("^")}
    beside = {name for node in left for name in _beside(node)}
    passing = {
        node.name: node.input[0]
        for node in left
        if node.op in _PASSING and node.name not in protected | waited_for | waiting | beside
    }
    made = messages.GraphDef()
    made.node.extend(
        _with_inputs(node, [_behind(text, passing) for text in node.input])
        for node in left
        if node.name not in passing
    )
    return made


def _behind(text: str, passing: dict[str, str]) -> str:
    """What comes out of nodes that pass on what they get."""
    while text.removeprefix("^") in passing:
        text = passing[text.removeprefix("^")]
    return text


def _with_inputs(node: Any, inputs: list[str]) -> Any:
    made = messages.NodeDef.FromString(node.SerializeToString())
    del made.input[:]
    made.input.extend(inputs)
    return made


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node has no kernel for other devices: constants of strings and integers.

    >>> with tf.Graph().as_default():
    ...     x, y = tf.constant(1), tf.constant(1.0)
    >>> [tf.compat.v1.graph_util.must_run_on_cpu(each.op) for each in (x, y)]
    [True, False]
    """
    message = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and message.op in VARIABLES | {"VarHandleOp", "ReadVariableOp"}:
        return True
    words, numbers = string.enum, int32.enum
    if message.op == "Const":
        return message.attr["dtype"].type in (words, numbers)
    if message.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return bool(message.attr["T"].type == numbers)
    return bool(message.op == "Cast" and message.attr["SrcT"].type == numbers)


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """The shape of a tensor, or of the first output of an operation, by its name.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.ones([2, 3], name="x")
    >>> tf.compat.v1.graph_util.tensor_shape_from_node_def_name(graph, "x")
    TensorShape([2, 3])
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).shape  # type: ignore[no-any-return]
