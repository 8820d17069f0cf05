"""What TensorFlow's internal modules about structures have beyond `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import runnel
from runnel.core.composite.composite_tensor import CompositeTensor
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
        made = {key: change(value) for key, value in structure.items()}
        return made if type(structure) is dict else type(structure)(made)  # type: ignore[call-arg]
    if is_attrs(structure):
        names = [attribute.name for attribute in structure.__attrs_attrs__]
        return type(structure)(**{name: change(getattr(structure, name)) for name in names})
    children = [change(value) for value in structure]
    return type(structure)(*children) if is_namedtuple(structure) else type(structure)(children)


def is_mapping(instance: Any) -> bool:
    return isinstance(instance, Mapping)


def is_attrs(instance: Any) -> bool:
    """Whether this is an object of a class of the package attrs."""
    return hasattr(type(instance), "__attrs_attrs__")


def sequence_like(instance: Any, args: Any) -> Any:
    """A container of the same kind with other children."""
    return nest.pack_sequence_as(
        nest.map_structure_up_to(_flags(instance), lambda _: True, instance), list(args)
    )


def _flags(structure: Any) -> Any:
    """A container of the same kind, whose children are leaves."""
    return _with_children(structure, lambda child: True)


def list_to_tuple(structure: Any) -> Any:
    """A structure with tuples in place of its lists."""
    if isinstance(structure, list):
        return tuple(map(list_to_tuple, structure))
    return _with_children(structure, list_to_tuple) if nest.is_nested(structure) else structure


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """The children of a container with their keys, in the order of `flatten`."""
    flags = nest.flatten_with_tuple_paths(_flags(iterable))
    return zip([path[0] for path, _ in flags], yield_value(iterable))


def yield_value(iterable: Any) -> Iterator[Any]:
    """The children of a container, in the order of `flatten`."""
    return iter(nest.flatten_up_to(_flags(iterable), iterable))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """`map_structure_up_to` of a function that is told the way to its leaves first."""
    kwargs.pop("check_types", None)
    if kwargs.pop("expand_composites", False):
        raise NotImplementedError(
            "map_structure_with_tuple_paths_up_to: `expand_composites` is not supported."
        )
    for tree in inputs:
        nest.assert_shallow_structure(shallow_tree, tree, check_types=False)
    paths = [path for path, _ in nest.flatten_with_tuple_paths(shallow_tree)]
    parts = [nest.flatten_up_to(shallow_tree, tree, check_types=False) for tree in inputs]
    results = [func(*each, **kwargs) for each in zip(paths, *parts)]
    return nest.pack_sequence_as(shallow_tree, results)


def convert_variables_to_tensors(values: Any) -> Any:
    """A structure in which variables have become what they hold, inside composite values too."""

    def convert(value: Any) -> Any:
        if isinstance(value, runnel.Variable):
            return runnel.convert_to_tensor(value)
        inside = getattr(value, "_convert_variables_to_tensors", None)
        return value if inside is None else inside()

    return nest.map_structure(convert, values)


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A composite value as it is, anything else as a tensor."""
    if isinstance(value, CompositeTensor) and not isinstance(value, runnel.Variable):
        if dtype is not None and hasattr(value, "dtype") and runnel.as_dtype(dtype) != value.dtype:
            raise ValueError(f"the value has the dtype {value.dtype.name}, not {dtype}")
        return value
    return runnel.convert_to_tensor(value, dtype, name=name)
