"""The layout of an element: its nest of type specs, and the flat values that stages pass on.

Between stages an element is a list of NumPy values, one per tensor; nobody wraps them in tensors
until a user sees them. Tuples, mappings and the like are structure; a list becomes a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.none_spec import NoneTensorSpec
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, known_spec, type_spec_from_value

Values = list[Any]


class Structure:
    """How an element is laid out."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.leaves: list[TypeSpec] = nest.flatten(spec)
        for leaf in self.leaves:
            if not isinstance(leaf, TypeSpec):
                raise TypeError(f"An element spec is made of tf.TypeSpecs, got {leaf!r} in {spec}.")
        self.widths = [len(leaf.flatten()) for leaf in self.leaves]
        self.flat: list[TensorSpec] = [part for leaf in self.leaves for part in leaf.flatten()]
        self.dtypes: list[DType] = [part.dtype for part in self.flat]
        self.single = len(self.flat) == 1 and isinstance(spec, TensorSpec)
        self.plain = all(isinstance(leaf, TensorSpec) for leaf in self.leaves)
        self._assemble = _assembler(spec)

    def pack(self, values: Sequence[Any]) -> Any:
        """The element of flat NumPy values, as a user sees it."""
        if self.single:
            return EagerTensor(values[0], self.dtypes[0])
        return self._assemble(iter([EagerTensor(v, d) for v, d in zip(values, self.dtypes)]))

    def pack_tensors(self, tensors: Sequence[Any]) -> Any:
        """The element of flat tensors, symbolic or not."""
        return self._assemble(iter(tensors))

    def flatten(self, element: Any) -> list[Tensor]:
        """The flat tensors of an element of this structure."""
        parts = nest.flatten_up_to(self.spec, element, check_types=False)
        return [t for leaf, part in zip(self.leaves, parts) for t in leaf.to_tensors(part)]

    def map_leaves(self, function: Callable[[TypeSpec], TypeSpec]) -> Structure:
        """The structure whose leaves are what `function` makes of these."""
        return Structure(nest.map_structure(function, self.spec))

    def arguments(self, element: Any) -> tuple[Any, ...]:
        """How a user's function gets an element: a tuple becomes several arguments."""
        return element if type(self.spec) is tuple else (element,)

    def groups(self, values: Sequence[Any]) -> list[list[Any]]:
        """The flat values of each leaf."""
        rest = iter(values)
        return [[next(rest) for _ in range(width)] for width in self.widths]

    def __repr__(self) -> str:
        return f"Structure({self.spec!r})"


def _assembler(spec: Any) -> Callable[[Iterator[Any]], Any]:
    """A function from the flat tensors to the nest; faster than `tf.nest` for tuples and dicts."""
    if isinstance(spec, TypeSpec):
        return next if isinstance(spec, TensorSpec) else spec.from_tensors
    if type(spec) is tuple:
        parts = [_assembler(child) for child in spec]
        return lambda tensors: tuple([part(tensors) for part in parts])
    if type(spec) is dict:
        named = [(key, _assembler(spec[key])) for key in sorted(spec)]
        if [key for key, _ in named] == list(spec):
            return lambda tensors: {key: part(tensors) for key, part in named}
    leaves = [_assembler(leaf) for leaf in nest.flatten(spec)]
    return lambda tensors: nest.pack_sequence_as(spec, [leaf(tensors) for leaf in leaves])


def is_structure(value: Any) -> bool:
    """Whether a value is taken apart: everything that `tf.nest` does but lists."""
    return nest.is_nested(value) and (
        isinstance(value, tuple | Mapping) or not isinstance(value, Sequence)
    )


def components(element: Any) -> tuple[Structure, list[Tensor]]:
    """The structure of any element, and its flat tensors."""
    normal = normalized(element)
    spec = nest.map_structure(_spec_of, normal)
    structure = Structure(spec)
    return structure, structure.flatten(normal)


def normalized(element: Any) -> Any:
    """The element with all its leaves as tensors or composite tensors."""
    if is_structure(element):
        container = nest._PLAIN[type(element)]
        assert container is not None
        return container.rebuild(element, [normalized(c) for c in container.children(element)])
    if element is None or isinstance(element, Tensor):
        return element
    if isinstance(element, range):
        return tuple(convert_to_tensor(number) for number in element)
    if isinstance(element, Variable):
        return element.value()
    if _is_composite(element):
        return element
    if isinstance(element, list) and element and hasattr(element[0], "_variant_tensor"):
        return _datasets(element)
    spec = known_spec(element)
    return convert_to_tensor(element, spec.dtype if isinstance(spec, TensorSpec) else None)


def _datasets(datasets: list[Any]) -> Any:
    """Several datasets as one value with a row for each."""
    held = np.empty(len(datasets), object)
    held[:] = [raw(dataset._variant_tensor) for dataset in datasets]
    spec = datasets[0]._type_spec._batch(len(datasets))
    return spec.from_tensors(iter([EagerTensor(held, spec.flatten()[0].dtype)]))


def _is_composite(value: Any) -> bool:
    return isinstance(getattr(type(value), "_type_spec", None), property) or hasattr(
        value, "_type_spec"
    )


def _spec_of(leaf: Any) -> TypeSpec:
    return NoneTensorSpec() if leaf is None else type_spec_from_value(leaf)


def raw(tensor: Any) -> Any:
    """The value of an eager tensor as stages pass it on."""
    if not isinstance(tensor, EagerTensor):
        raise ValueError(f"A value is needed that is not known while tracing: {tensor!r}.")
    value = tensor._value
    return value if isinstance(value, np.generic) or hasattr(value, "shape") else np.asarray(value)


def row(array: Any, index: int) -> Any:
    """Element `index` along the first dimension; a string stays an array."""
    found = array[index]
    if array.dtype == object and not isinstance(found, np.ndarray):
        return boxed(found)
    return found


def boxed(text: bytes) -> np.ndarray[Any, Any]:
    """A string as the array of rank 0 that a string tensor holds."""
    box = np.empty((), object)
    box[()] = text
    return box


def legacy_spec(types: Any, shapes: Any = None) -> Any:
    """The nest of TensorSpecs of separate nests of dtypes and shapes."""
    types = normal_types(types)
    leaves = nest.flatten(types)
    if shapes is None:
        flat = [TensorShape(None)] * len(leaves)
    else:
        flat = [TensorShape(s) for s in _shapes_up_to(types, shapes)]
    return nest.pack_sequence_as(types, [TensorSpec(s, d) for s, d in zip(flat, leaves)])


def normal_types(types: Any) -> Any:
    """A nest of dtypes."""
    if isinstance(types, list):
        raise TypeError(f"A nest of dtypes is made of tuples and dicts, got the list {types!r}.")
    return nest.map_structure(as_dtype, types)


def _shapes_up_to(types: Any, shapes: Any) -> list[Any]:
    if not nest.is_nested(types):
        return [shapes]
    if isinstance(types, Mapping):
        return [s for key in sorted(types) for s in _shapes_up_to(types[key], shapes[key])]
    return [
        s for child, part in zip(types, shapes, strict=True) for s in _shapes_up_to(child, part)
    ]
