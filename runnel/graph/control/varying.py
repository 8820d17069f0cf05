"""The types that loop variables have in every iteration, as `shape_invariants` say."""

from __future__ import annotations

from typing import Any

from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, type_spec_from_value
from runnel.ops.resources.tensor_array import TensorArray


def kept_types(structure: Any, given: Any = None) -> list[TypeSpec]:
    """The type of each loop variable, composite or not, by what is given in their structure."""
    if given is None:
        return [type_spec_from_value(value) for value in nest.flatten(structure)]
    try:
        invariants = nest.flatten_up_to(structure, given, check_types=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"while_loop: shape_invariants must have the structure of loop_vars. {error}"
        ) from None
    return [_kept(v, i) for v, i in zip(nest.flatten(structure), invariants, strict=True)]


def _kept(value: Any, invariant: Any) -> TypeSpec:
    own = type_spec_from_value(value)
    if invariant is None:
        return own
    if isinstance(invariant, TypeSpec):
        if not invariant.is_compatible_with(value):
            raise TypeError(f"while_loop: the invariant {invariant} does not fit {value!r}.")
        return invariant
    shape = TensorShape(invariant)
    if isinstance(value, TensorArray):
        return _of_array(own, shape)
    return TensorSpec(shape, own.dtype) if isinstance(own, TensorSpec) else own._varying(shape)


def _of_array(own: TypeSpec, shape: TensorShape) -> TypeSpec:
    """The type of an array, which is a scalar that may hold elements of any shape."""
    if not shape.is_compatible_with(()):
        raise ValueError(f"while_loop: the shape_invariant of a TensorArray is [], got {shape}.")
    return own


def shapes_of(types: list[TypeSpec]) -> list[TensorShape]:
    """The shapes of all tensors in loop variables of such types."""
    return [part.shape for part in nest.flatten(types, expand_composites=True)]


def packing(structure: Any, types: list[TypeSpec]) -> Any:
    """The structure of the loop variables, with the types of composite ones in their places."""
    leaves = [
        value if isinstance(kind, TensorSpec) or isinstance(value, TensorArray) else kind
        for value, kind in zip(nest.flatten(structure), types, strict=True)
    ]
    return nest.pack_sequence_as(structure, leaves)
