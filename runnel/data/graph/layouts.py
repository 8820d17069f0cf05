"""Datasets whose elements are laid out as TensorFlow's graphs expect them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.values.type_spec import TensorSpec
from runnel.data.graph.element_tensors import decode, encode, is_plain, tensor_specs
from runnel.data.nodes.mapping import Map
from runnel.data.nodes.node import Node
from runnel.data.nodes.taking import Relabelled
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure


def encoded(node: Node) -> Node:
    """The dataset with TensorFlow's tensors for elements; itself if there is no difference."""
    structure = node.structure
    if is_plain(structure):
        return node

    def layout(*parts: Any) -> Any:
        element = parts if type(structure.spec) is tuple else parts[0]
        return tuple(encode(structure, structure.flatten(element)))

    return Map(node, UserFunction(layout, structure, name="layout"))


def decoded(node: Node, spec: Any) -> Node:
    """The dataset with elements of a type, whose tensors it has in one layout or the other."""
    if node.structure.spec == spec:
        return node
    structure = Structure(spec)
    if _fits(node.structure, structure.flat):
        return Relabelled(node, structure)
    if not _fits(node.structure, tensor_specs(structure)):
        return node

    def layout(*parts: Any) -> Any:
        return structure.pack_tensors(decode(structure, parts))

    return Map(node, UserFunction(layout, node.structure, name="layout"))


def _fits(structure: Structure, specs: Sequence[TensorSpec]) -> bool:
    """Whether the tensors of an element may be of these types."""
    return len(specs) == len(structure.flat) and all(
        spec.is_compatible_with(found) for spec, found in zip(specs, structure.flat)
    )
