"""What is checked of a `GraphDef` before its operations are made, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runnel.core.op.attributes import ATTRIBUTE_NAMES
from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.settings.build import GRAPH_DEF_VERSION
from runnel.graph.build.naming import VALID_NAME


def as_graph_def(graph_def: Any) -> Any:
    """The message as one of ours, whoever's class it is of."""
    if isinstance(graph_def, messages.GraphDef):
        return graph_def
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", None) != "tensorflow.GraphDef":
        raise TypeError(f"Argument `graph_def` must be a GraphDef proto, got {type(graph_def)}.")
    return messages.GraphDef.FromString(graph_def.SerializeToString())


def check_attributes(message: Any, producer_op_list: Any) -> None:
    """ValueError if a node has an attribute that is unknown here and not as it is by default."""
    defaults = {
        (definition.name, attr.name): attr.default_value.SerializeToString()
        for definition in producer_op_list.op
        for attr in definition.attr
        if attr.HasField("default_value")
    }
    bodies = [message.node, *[function.node_def for function in message.library.function]]
    for node in (node for nodes in bodies for node in nodes):
        known = _attribute_names(vars(raw_ops).get(node.op))
        for name, value in node.attr.items() if known else ():
            ours = name.startswith("_") or name in known
            if not ours and defaults.get((node.op, name)) != value.SerializeToString():
                raise ValueError(
                    f"NodeDef mentions attr {name!r} not in {node.op}: the node {node.name!r} has "
                    "a value for it that is not the default."
                )


def _attribute_names(op: Op | None) -> set[str]:
    """The attributes that an op has in graphs; none of an op that is not there."""
    if op is None:
        return set()
    arguments = (*op.inputs, *op.outputs)
    names = ATTRIBUTE_NAMES.get(op.name, {})
    kinds = {names.get(key, key) for key in op.kinds}
    return {*kinds, *[a.type for a in arguments], *[a.number for a in arguments if a.number]}


def checked_map(input_map: Any) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping) or not all(isinstance(k, str) for k in input_map):
        raise TypeError(f"Argument `input_map` must be a dictionary from strings, got {input_map}.")
    return {full_name(key): value for key, value in input_map.items()}


def checked_elements(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    elements = list(return_elements)
    if not all(isinstance(e, str) for e in elements):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings, got {return_elements}."
        )
    return elements


def check_version(versions: Any) -> None:
    if versions.min_consumer > GRAPH_DEF_VERSION:
        raise ValueError(
            f"The GraphDef needs version {versions.min_consumer} of the ops, and this is version "
            f"{GRAPH_DEF_VERSION}."
        )


def check_names(nodes: Sequence[Any]) -> None:
    for node in nodes:
        if not VALID_NAME.match(node.name):
            raise ValueError(f"{node.name!r} is not a valid name of an operation.")


def in_order(nodes: Sequence[Any]) -> Iterable[Any]:
    """The nodes, each after those it depends on, and otherwise in the order of the message."""
    by_name = {node.name: node for node in nodes}
    if len(by_name) != len(nodes):
        raise ValueError("Two nodes of the graph_def have the same name.")
    done: set[str] = set()
    for first in nodes:
        stack, open_ = [first.name], set()
        while stack:
            name = stack[-1]
            missing = [d for d in _depends_on(by_name[name]) if d in by_name and d not in done]
            if name in done or not missing:
                stack.pop()
                if name not in done:
                    done.add(name)
                    yield by_name[name]
            elif name in open_:
                raise ValueError(f"The node {name!r} depends on itself.")
            else:
                open_.add(name)
                stack.extend(reversed(missing))


def _depends_on(node: Any) -> list[str]:
    return [ref.removeprefix("^").split(":")[0] for ref in node.input]


def full_name(name: str) -> str:
    return name if ":" in name or name.startswith("^") else f"{name}:0"
