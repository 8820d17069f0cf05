"""The graph of a function as a call runs it: a `GraphDef` with nodes for arguments and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.graphdef.export import argument_name, graph_def, unique


def called_form(
    graph: FuncGraph, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
) -> Any:
    """The `GraphDef`, with shapes: inputs are `_Arg` nodes, each output goes to a `_Retval`."""
    proto = graph_def(graph, add_shapes=True)  # TensorBoard writes shapes beside the edges
    places = {t.op.name: place for place, t in enumerate(inputs)}
    taken = {node.name for node in proto.node if node.name not in places}
    names = {t.op.name: unique(argument_name(t), taken) for t in inputs}
    for node in proto.node:
        renamed = [_renamed(ref, names) for ref in node.input]
        node.ClearField("input")
        node.input.extend(renamed)
        if node.name in places:
            _make_argument(node, names[node.name], places[node.name])
    results = _result_names(outputs, taken)
    for place, (tensor, name) in enumerate(zip(outputs, results, strict=True)):
        node = proto.node.add(name=name, op="_Retval", input=[_ref(tensor, names)])
        node.attr["T"].type = tensor.dtype.enum
        node.attr["index"].i = place
    return proto


def _renamed(ref: str, names: Mapping[str, str]) -> str:
    """A reference to a node, whose name may be another now."""
    mark, rest = ("^", ref[1:]) if ref.startswith("^") else ("", ref)
    name, colon, place = rest.partition(":")
    return f"{mark}{names.get(name, name)}{colon}{place}"


def _ref(tensor: SymbolicTensor, names: Mapping[str, str]) -> str:
    place = f":{tensor.value_index}" if tensor.value_index else ""
    return f"{names.get(tensor.op.name, tensor.op.name)}{place}"


def _make_argument(node: Any, name: str, place: int) -> None:
    """Turn a placeholder into the argument at a place."""
    dtype = node.attr["dtype"].type
    node.name, node.op = name, "_Arg"
    for key in ("dtype", "shape"):
        node.attr.pop(key)
    node.attr["T"].type = dtype
    node.attr["index"].i = place


def _result_names(outputs: Iterable[SymbolicTensor], taken: set[str]) -> list[str]:
    return [unique(f"{argument_name(t)}_RetVal", taken) for t in outputs]
