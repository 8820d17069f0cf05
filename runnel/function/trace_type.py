"""What a trace depends on: tensors by dtype and shape, variables by identity, Python values by value."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from typing import Any

import numpy as np

from runnel.core import nest
from runnel.core.convert import convert_to_tensor
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.type_spec import TensorSpec
from runnel.core.variable import Variable


class ObjectKey:
    """Stands for a Python object in a key without keeping it alive; equal for the same object only."""

    __slots__ = ("_hash", "_id", "_ref")

    def __init__(self, value: Any) -> None:
        self._id = id(value)
        self._hash = hash(self._id)
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value  # cannot be referred to weakly: kept

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ObjectKey) and self._id == other._id and self._ref() is other._ref()
        )

    def __repr__(self) -> str:
        return f"<{type(self._ref()).__name__} object>"


def leaf_key(leaf: Any) -> Hashable:
    """The part of a trace's key that one argument contributes."""
    if type(leaf) is EagerTensor:
        return (leaf._dtype, leaf._value.shape)
    if isinstance(leaf, Tensor | TensorSpec):
        return (leaf.dtype, leaf.shape._dims)
    if isinstance(leaf, Variable):
        return ("variable", leaf.handle._id)
    if isinstance(leaf, float) and leaf != leaf:
        return (float, "nan")
    try:
        hash(leaf)
    except TypeError:
        return ("object", ObjectKey(leaf))
    if isinstance(leaf, bool | int | float | complex | str | bytes | type(None)):
        return (type(leaf), repr(leaf) if isinstance(leaf, float | complex) else leaf)
    return ("object", ObjectKey(leaf))


def structure_key(value: Any) -> Hashable:
    """The structure of nested arguments, without their leaves."""
    if isinstance(value, dict):
        return (dict, tuple((k, structure_key(value[k])) for k in sorted(value, key=repr)))
    if isinstance(value, list | tuple):
        return (type(value), tuple(structure_key(v) for v in value))
    spec = getattr(value, "_type_spec", None)
    return spec if spec is not None and not isinstance(value, Tensor | Variable) else None


def as_leaf(leaf: Any) -> Any:
    """NumPy arrays become tensors; all else stays."""
    return convert_to_tensor(leaf) if isinstance(leaf, np.ndarray | np.generic) else leaf


def describe_leaf(leaf: Any) -> Any:
    """A leaf as it is shown in signatures: a spec for a tensor, the value for the rest."""
    if isinstance(leaf, Tensor):
        return TensorSpec(leaf.shape, leaf.dtype)
    return leaf


def flatten(args: Any) -> list[Any]:
    return [as_leaf(leaf) for leaf in nest.flatten(args, expand_composites=True)]
