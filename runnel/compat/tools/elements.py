"""`data.util.nest`: structures as elements of datasets have them, in which a list is a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.values import nest


class _Leaf:
    """Around a list: to `tf.nest` it is one value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _marked(structure: Any) -> Any:
    """The structure with its lists as leaves."""
    if isinstance(structure, list):
        return _Leaf(structure)
    if not nest.is_nested(structure):
        return structure
    if isinstance(structure, dict):
        return type(structure)((key, _marked(value)) for key, value in structure.items())
    children = [_marked(value) for value in structure]
    made = type(structure)
    return made(*children) if nest.is_namedtuple(made) else made(children)


def _plain(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, _Leaf) else leaf


def is_nested(structure: Any) -> bool:
    """Whether this is a structure: a tuple or a dict, not a list."""
    return not isinstance(structure, list) and nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, lists among them."""
    return [_plain(leaf) for leaf in nest.flatten(_marked(structure))]


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: Any) -> Any:
    """The structure of what `func` makes of the leaves, lists among them."""

    def call(*leaves: Any) -> Any:
        return func(*map(_plain, leaves))

    return nest.map_structure(call, *map(_marked, structure), **check_types_dict)
