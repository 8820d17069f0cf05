"""What TensorFlow's internal modules about structures have beyond `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import runnel
from runnel.core.values import nest


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether this is a named tuple; with `strict`, one that is not derived from further."""
    found = nest.is_namedtuple(type(instance))
    return found and (not strict or type(instance).__base__ is tuple)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """The structure of what `traverse_fn` wants to look into: True where it goes no further."""
    told = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(told, bool):
            raise TypeError(f"traverse_fn of a leaf must return a bool, got {told!r}")
        return told
    if told is False:
        return False

    def further(part: Any) -> Any:
        return get_traverse_shallow_structure(traverse_fn, part, expand_composites)

    if told is True:
        return _with_children(structure, further)
    return nest.map_structure_up_to(
        told, lambda go, part: further(part) if go else False, told, structure
    )


def _with_children(structure: Any, change: Callable[[Any], Any]) -> Any:
    """The same container, with its children changed."""
    if isinstance(structure, Mapping):
        return {key: change(value) for key, value in structure.items()}
    children = [change(value) for value in structure]
    return type(structure)(*children) if is_namedtuple(structure) else type(structure)(children)


def convert_variables_to_tensors(values: Any) -> Any:
    """A structure in which variables have become what they hold."""

    def convert(value: Any) -> Any:
        return value.read_value() if isinstance(value, runnel.Variable) else value

    return nest.map_structure(convert, values)


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A composite value as it is, anything else as a tensor."""
    if isinstance(value, (runnel.RaggedTensor, runnel.SparseTensor, runnel.IndexedSlices)):
        if dtype is not None and runnel.as_dtype(dtype) != value.dtype:
            raise ValueError(f"the value has the dtype {value.dtype.name}, not {dtype}")
        return value
    return runnel.convert_to_tensor(value, dtype, name=name)
