"""Datasets as graphs in bytes, elements by their number, datasets inside variants, and records."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.files.tfrecord import TFRecordWriter
from runnel.core.op import context
from runnel.core.protos import messages
from runnel.core.values.dtypes import variant
from runnel.core.values.errors import FailedPreconditionError, invalid
from runnel.core.values.types import Namespace
from runnel.data.dataset.random_access import element
from runnel.data.graph.dataset_ops.declaring import TYPES, declared, node_in, text
from runnel.data.graph.ops import IteratorResource, component_shapes, dataset_tensor
from runnel.data.graph.rewriting import tensorflow_form
from runnel.data.nodes.node import DatasetValue, Node
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.subgraphs import trace
from runnel.graph.graphdef.importing import import_graph_def
from runnel.graph.run.plan import Plan

_RESULT = "_Retval"  # the op of the node that says which tensor of a graph is the dataset


def _graph_def(node: Node) -> Any:
    """The graph that makes a dataset, with a node at its end that names it."""
    with context.building(None), context.unrecorded():
        graph = tensorflow_form(trace(lambda: dataset_tensor(node), "dataset", []))
    if graph.external_captures:
        names = [t.dtype.name for t in graph.external_captures]
        message = f"DatasetToGraph: functions of the dataset use what a graph cannot hold: {names}."
        raise FailedPreconditionError(None, None, message)
    found = graph.as_graph_def()
    result = found.node.add(name="dataset", op=_RESULT)
    result.input.append(graph.outputs[0].name)
    result.attr["T"].type = variant.enum
    result.attr["index"].i = 0
    return found


def _to_graph(xp: Namespace, input_dataset: Any, **attrs: Any) -> Any:
    node = node_in("DatasetToGraph", input_dataset)
    return np.array(_graph_def(node).SerializeToString(), object)


_INPUT = "input_dataset: variant"
declared(
    "DatasetToGraph",
    f"{_INPUT} -> graph: string",
    _to_graph,
    "stateful_whitelist: tuple[str, ...] = (), allow_stateful: bool = False",
    "strip_device_assignment: bool = False",
)
declared(
    "DatasetToGraphV2",
    f"{_INPUT} -> graph: string",
    _to_graph,
    "external_state_policy: int = 0, strip_device_assignment: bool = False",
)


def _from_graph(xp: Namespace, graph_def: Any) -> Any:
    content = np.asarray(graph_def).item()
    try:
        message = messages.GraphDef.FromString(content)
    except Exception:
        raise invalid("DatasetFromGraph: `graph_def` is not a graph.") from None
    results = [node for node in message.node if node.op == _RESULT]
    if not results:
        raise invalid("DatasetFromGraph: the graph does not say which tensor is the dataset.")
    wanted = results[0].input[0]
    kept = [node for node in message.node if node.op != _RESULT]
    del message.node[:]
    message.node.extend(kept)
    name = wanted if ":" in wanted else f"{wanted}:0"
    graph = FuncGraph("dataset")
    with context.building(graph):
        found = import_graph_def(message, return_elements=[name], name="")
    graph.outputs = list(found or ())
    values = Plan(graph, [], graph.outputs).program.interpret([])
    return DatasetValue(node_in("DatasetFromGraph", values[0]))


declared("DatasetFromGraph", "graph_def: string -> handle: variant", _from_graph)


class _Wrapped:
    """A dataset inside a variant, so that it can be an element of another."""

    shape = ()
    size = 1

    def __init__(self, dataset: DatasetValue) -> None:
        self.dataset = dataset


def _wrap(xp: Namespace, input_handle: Any) -> Any:
    return _Wrapped(DatasetValue(node_in("WrapDatasetVariant", input_handle)))


def _unwrap(xp: Namespace, input_handle: Any) -> Any:
    if not isinstance(input_handle, _Wrapped):
        raise invalid("UnwrapDatasetVariant: the variant must hold a wrapped dataset.")
    return input_handle.dataset


declared("WrapDatasetVariant", "input_handle: variant -> output_handle: variant", _wrap)
declared("UnwrapDatasetVariant", "input_handle: variant -> output_handle: variant", _unwrap)


def _element(xp: Namespace, dataset: Any, index: Any, **types: Any) -> Any:
    with context.building(None), context.unrecorded():
        return [element(node_in("GetElementAtIndex", dataset), int(index))]


declared(
    "GetElementAtIndex",
    "dataset: variant, index: int64 -> components: *output_types",
    _element,
    TYPES,
    effects="datasets",
    stateful=False,
    shape=component_shapes,
)


def _to_records(xp: Namespace, input_dataset: Any, filename: Any, compression: Any) -> None:
    iterator = IteratorResource(node_in("DatasetToTFRecord", input_dataset))
    with TFRecordWriter(text(filename), text(compression)) as writer:
        while (values := iterator.advance()) is not None:
            record = np.asarray(values[0])
            if len(values) != 1 or record.shape != () or record.dtype != object:
                raise invalid("DatasetToTFRecord: elements must be scalar strings.")
            writer.write(record.item())


for _name in ("DatasetToTFRecord", "ExperimentalDatasetToTFRecord"):
    declared(
        _name,
        "input_dataset: variant, filename: string, compression_type: string ->",
        _to_records,
        effects="writes files",
        shape=lambda *inputs: [],
    )
