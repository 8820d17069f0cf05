"""`grappler.tf_optimizer`: graphs as messages, made simpler before they are converted."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf

_LARGEST = 10 * 2**20  # bytes of a value that takes an operation's place


def OptimizeGraph(
    config_proto: Any,
    metagraph: Any,
    verbose: bool = True,
    graph_id: Any = b"graph_to_optimize",
    cluster: Any = None,
    strip_default_attributes: bool = False,
) -> Any:
    """The `GraphDef` of a meta graph with constants in the place of what can be computed now.

    Args:
        config_proto: its rewriter options say whether constants are folded. Of the others nothing
            is to be done: calls are inlined when functions are traced.
        metagraph: the graph, with the nodes that are fetched as its collection `train_op`.
        verbose: whether the log tells what was folded.
        graph_id: the name of the graph in the log.
        cluster: must be None: what is made does not depend on devices.
        strip_default_attributes: must be False.
    """
    if cluster is not None:
        raise NotImplementedError("OptimizeGraph: cluster is not supported.")
    if strip_default_attributes:
        raise NotImplementedError("OptimizeGraph: strip_default_attributes is not supported.")
    made = type(metagraph.graph_def)()
    made.CopyFrom(metagraph.graph_def)
    options = config_proto.graph_options.rewrite_options
    known = {} if _is_off(options) else _known(made, _fetched(metagraph))
    for node in made.node:
        if node.name in known:
            node.CopyFrom(known[node.name])
    if verbose:
        tf.get_logger().info("OptimizeGraph: %r, %d constants folded", graph_id, len(known))
    return made


def _is_off(options: Any) -> bool:
    named = list(options.optimizers)
    return options.disable_meta_optimizer or bool(named and "constfold" not in named)


def _fetched(metagraph: Any) -> set[str]:
    names = metagraph.collection_def["train_op"].node_list.value
    return {name.split(":")[0] for name in names}


def _known(graph_def: Any, fetched: set[str]) -> dict[str, Any]:
    """Constants in the place of operations with one result, by name."""
    found: dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="")
    for operation in graph.get_operations():
        if operation.name in fetched or not operation.inputs or len(operation.outputs) != 1:
            continue
        value = tf.get_static_value(operation.outputs[0])
        if isinstance(value, np.ndarray) and value.nbytes <= _LARGEST:
            found[operation.name] = _constant(operation.name, value)
    return found


def _constant(name: str, value: Any) -> Any:
    with tf.Graph().as_default() as graph:
        tf.constant(value, name="value")
    (node,) = graph.as_graph_def().node
    node.name = name
    return node
