"""Types of values: `tf.TypeSpec`, `tf.TensorSpec`, and the registries that belong to them.

A spec knows how to take a value apart into its *components* (tensors, or values with specs of
their own, in any structure of `tf.nest`) and how to put it together again. Subclasses say what they
are by `_serialize`, the arguments that make an equal spec; comparing and joining are written once,
here, in terms of these.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from runnel.core.protos import messages
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape, as_shape


class TypeSpec(ABC):
    """The type of a tensor, of a composite tensor, or of another value made of tensors.

    >>> spec = tf.TensorSpec([None, 3], tf.int32)
    >>> spec.is_compatible_with(tf.constant([[1, 2, 3]]))
    True
    >>> spec.most_specific_common_supertype([tf.TensorSpec([2, 4], tf.int32)])
    TensorSpec(shape=(None, None), dtype=tf.int32, name=None)
    """

    # To a message and back: said by the module that writes structures with specs in them.
    _encoded: ClassVar[Callable[..., Any]]
    _decoded: ClassVar[Callable[..., Any]]

    @property
    @abstractmethod
    def value_type(self) -> Any:
        """The class of the values."""

    @abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """The constructor arguments that make an equal spec."""

    @property
    @abstractmethod
    def _component_specs(self) -> Any:
        """The specs of the components, in the structure that `_to_components` returns."""

    @abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The tensors and composite tensors that `value` is made of, in a structure."""

    @abstractmethod
    def _from_components(self, components: Any) -> Any:
        """The value that is made of these components."""

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> Self:
        return cls(*serialization)

    def _with_tensor_ranks_only(self) -> TypeSpec:
        """The type of values that have as many dimensions, of any size; libraries ask for it."""
        return self._deserialize(nest.map_structure(_rank_only, self._serialize()))

    def _varying(self, shape: TensorShape) -> TypeSpec:
        """The type of a loop variable like this one whose shape invariant is `shape`."""
        kind = type(self).__name__
        raise TypeError(f"while_loop: the invariant of such a variable is a {kind}, got {shape}.")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value has this type, or some value can have both this type and that spec."""
        spec = spec_or_value
        if not isinstance(spec, TypeSpec):
            spec = type_spec_from_value(spec_or_value)
        return self._all_leaves(spec, "is_compatible_with")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type is also one of type `other`."""
        return self._all_leaves(other, "is_subtype_of")

    def _all_leaves(self, other: Any, relation: str) -> bool:
        """Whether all leaves of the serializations stand in the relation, or are equal."""
        if type(self) is not type(other):
            return False
        mine, its = self._serialize(), other._serialize()
        try:
            nest.assert_same_structure(mine, its)
        except (TypeError, ValueError):
            return False
        return all(
            getattr(a, relation)(b) if hasattr(a, relation) else _equal(a, b)
            for a, b in zip(nest.flatten(mine), nest.flatten(its), strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The narrowest type that this one and all `others` are subtypes of, or None."""
        if any(type(other) is not type(self) for other in others):
            return None
        serialized = [other._serialize() for other in others]
        try:
            return self._deserialize(nest.map_structure(_join, self._serialize(), *serialized))
        except (_NoSupertype, TypeError, ValueError):
            return None

    def most_specific_compatible_type(self, other: Any) -> Self:
        """The same for one other type; ValueError if there is none."""
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"TypeSpec: no type includes both {self} and {other}")
        return common

    def flatten(self) -> list[TensorSpec]:
        """The specs of all tensors inside."""
        return [leaf for spec in nest.flatten(self._component_specs) for leaf in spec.flatten()]

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        return self.flatten()

    def to_tensors(self, value: Any) -> list[Any]:
        """All tensors inside `value`, one for each spec of `flatten()`."""
        specs = self._component_specs
        components = nest.flatten_up_to(specs, self._to_components(value), check_types=False)
        pairs = zip(nest.flatten(specs), components, strict=True)
        return [tensor for spec, part in pairs for tensor in spec.to_tensors(part)]

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return nest.flatten(self._to_components(value), expand_composites=True)

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The value made of the next tensors of an iterator, as many as `flatten()` has specs."""
        return self._rebuild(lambda spec: spec.from_tensors(tensors))

    def _from_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        return self.from_tensors(iter(tensor_list))

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A symbolic value of this type, made of the placeholders of the context.

        A context that gives specs in place of tensors gets the spec itself.
        """
        if getattr(placeholder_context, "gives_specs", False):
            for spec in self.flatten():
                spec.placeholder_value(placeholder_context)
            return self
        return self._rebuild(lambda spec: spec.placeholder_value(placeholder_context))

    def _rebuild(self, make: Callable[[TypeSpec], Any]) -> Any:
        return self._from_components(nest.map_structure(make, self._component_specs))

    def cast(self, value: Any, casting_context: Any) -> Any:
        """`value` with its components converted to this type; TypeError if that cannot be done."""
        if isinstance(value, TypeSpec) and getattr(casting_context, "allow_specs", False):
            if not value.is_subtype_of(self):
                raise TypeError(f"{type(self).__name__}.cast: {value!r} is not {self!r}")
            return value
        try:
            specs, components = self._component_specs, self._to_components(value)
        except AttributeError as error:  # a value of another class
            raise TypeError(f"{type(self).__name__}.cast: {value!r}: {error}") from None

        def convert(spec: TypeSpec, part: Any) -> Any:
            return spec.cast(part, casting_context)

        new = nest.map_structure_up_to(specs, convert, specs, components, check_types=False)
        return self._from_components(new)

    def experimental_as_proto(self) -> Any:
        """The spec as a `TypeSpecProto`, as SavedModels keep it."""
        return self._encoded()

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Self:
        """The spec that a `TypeSpecProto` holds."""
        return cls._deserialize(cls._decoded(proto.type_state))

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of the message that such a spec becomes."""
        return messages.TypeSpecProto

    @cached_property
    def _comparison_key(self) -> Any:
        return _key(self._serialize())

    def __make_cmp_key(self, value: Any) -> Any:  # TensorFlow Probability's specs call it so
        return _key(value)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, TypeSpec):
            return NotImplemented
        return bool(self._comparison_key == other._comparison_key)

    def __hash__(self) -> int:
        return hash((type(self), self._comparison_key))

    def __reduce__(self) -> Any:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


class _NoSupertype(Exception):
    """Two leaves have nothing in common."""


def _rank_only(part: Any) -> Any:
    """A part of a serialized spec, without the sizes in it."""
    if isinstance(part, TypeSpec):
        return part._with_tensor_ranks_only()
    if isinstance(part, TensorShape) and part.rank is not None:
        return TensorShape([None] * part.rank)
    return part


def _join(first: Any, *others: Any) -> Any:
    if hasattr(first, "most_specific_common_supertype"):
        common = first.most_specific_common_supertype(others)
        if common is None:
            raise _NoSupertype
        return common
    if not all(_equal(first, other) for other in others):
        raise _NoSupertype
    return first


def _equal(a: Any, b: Any) -> bool:
    return bool(_key(a) == _key(b))


def _key(value: Any) -> Any:
    """A stand-in for `value` that can be compared and hashed: no list, dict or array in it."""
    if isinstance(value, np.ndarray):
        return np.ndarray, value.shape, value.dtype, tuple(value.ravel().tolist())
    if isinstance(value, dict):
        return type(value), frozenset((key, _key(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_key, value))
    return value


SpecClass = TypeVar("SpecClass", bound=type[TypeSpec])

_BY_NAME: dict[str, type[TypeSpec]] = {}
_NAMES: dict[type[TypeSpec], str] = {}


def register(name: str) -> Callable[[SpecClass], SpecClass]:
    """A decorator that gives a TypeSpec class the name under which SavedModels know it.

    >>> @register("my_project.MaskedSpec")
    ... class MaskedSpec(tf.TensorSpec):
    ...     pass
    >>> lookup("my_project.MaskedSpec") is MaskedSpec
    True
    """
    if not isinstance(name, str):
        raise TypeError(f"register: `name` must be a string, got {name!r}")
    if not re.fullmatch(r"\w+(\.\w+)+", name):
        raise ValueError(f"register: `name` must look like 'my_project.MySpec', got {name!r}")

    def decorate(cls: SpecClass) -> SpecClass:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"register: only subclasses of TypeSpec have names, got {cls!r}")
        if cls in _NAMES:
            raise ValueError(f"register: {cls.__name__} already has the name {_NAMES[cls]!r}")
        if name in _BY_NAME:
            raise ValueError(f"register: {name!r} already names {_BY_NAME[name].__name__}")
        _BY_NAME[name] = cls
        _NAMES[cls] = name
        return cls

    return decorate


def get_name(cls: type[TypeSpec]) -> str:
    """The name that `register` gave to a class."""
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"get_name: only subclasses of TypeSpec have names, got {cls!r}")
    if cls not in _NAMES:
        raise ValueError(f"get_name: {cls.__name__} has no name; give it one with `register`")
    return _NAMES[cls]


def is_registered(name: str) -> bool:
    """Whether there is a class of that name."""
    return name in _BY_NAME


def lookup(name: str) -> type[TypeSpec]:
    """The class that was registered under `name`."""
    if not isinstance(name, str):
        raise TypeError(f"lookup: `name` must be a string, got {name!r}")
    if name not in _BY_NAME:
        raise ValueError(f"lookup: no TypeSpec is registered under {name!r}")
    return _BY_NAME[name]


class _TensorClass:
    """What `register_tensor` was told."""

    cls: type | None = None
    convert: Callable[..., Any] | None = None


def register_tensor(cls: type, convert: Callable[..., Any]) -> None:
    """Introduce the class of tensors and `convert(value, dtype=None)`, which makes one.

    Specs are below tensors in the order of imports and can only be told.
    """
    _TensorClass.cls = cls
    _TensorClass.convert = convert


def _to_tensor(value: Any, dtype: DType | None = None) -> Any:
    if _TensorClass.convert is None:
        raise TypeError("TypeSpec: values cannot be converted, for no tensor class is registered")
    return _TensorClass.convert(value, dtype=dtype)


def _is_tensor(value: Any) -> bool:
    if _TensorClass.cls is not None:
        return isinstance(value, _TensorClass.cls)
    return isinstance(getattr(value, "dtype", None), DType) and not isinstance(value, TypeSpec)


class BatchableTypeSpec(TypeSpec):
    """The type of values that can be stacked to a batch, and taken out of one.

    Stacked are the tensors of a value, unless a subclass says what else stands for it.
    """

    @abstractmethod
    def _batch(self, batch_size: int | None) -> TypeSpec:
        """The type of a batch of such values."""

    @abstractmethod
    def _unbatch(self) -> TypeSpec:
        """The type of the values in a batch of this type."""

    @property
    def _encoding_specs(self) -> Any:
        return self.flatten()

    def _encode(self, value: Any) -> Any:
        return self.to_tensors(value)

    def _decode_flat(self, tensors: Sequence[Any]) -> Any:
        """The value of an encoding given as a flat list."""
        return self.from_tensors(iter(tensors))


class DenseSpec(TypeSpec):
    """What the types of tensors and of variables have in common: a shape and a dtype."""

    _nest_leaf = True
    _shape: TensorShape
    _dtype: DType

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype


@register("tf.TensorSpec")
class TensorSpec(DenseSpec):
    """The shape and dtype of a tensor, and perhaps the name of an argument.

    Args:
        shape: the shape; None for sizes, or a rank, that may vary.
        dtype: the dtype.

    >>> tf.TensorSpec([2, None], tf.int32)
    TensorSpec(shape=(2, None), dtype=tf.int32, name=None)
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        if _TensorClass.cls is None:
            raise TypeError("TensorSpec.value_type: no tensor class is registered")
        return _TensorClass.cls

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Self:
        """The spec with the shape and dtype of another, under `name` or its own name.

        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2], tf.int32), name="x")
        TensorSpec(shape=(2,), dtype=tf.int32, name='x')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor; a symbolic tensor also gives its op's name.

        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        if not _is_tensor(tensor):
            kind = type(tensor).__name__
            raise ValueError(f"TensorSpec.from_tensor: `tensor` must be a tf.Tensor, got a {kind}")
        op = getattr(tensor, "op", None)
        return TensorSpec(tensor.shape, tensor.dtype, name or getattr(op, "name", None))

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether shapes and dtypes are compatible; a value other than a tensor never is."""
        if not (isinstance(spec_or_tensor, DenseSpec) or _is_tensor(spec_or_tensor)):
            return False
        return self._dtype.is_compatible_with(
            spec_or_tensor.dtype
        ) and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this spec also fits `other`; a named spec fits that name only."""
        return (
            isinstance(other, TensorSpec)
            and isinstance(self, type(other))
            and (not self._name or self._name == other._name)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def flatten(self) -> list[TensorSpec]:
        """The spec itself."""
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """`value` as a tensor, in a list."""
        return [self.cast(value, None)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The next tensor."""
        return next(tensors)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The symbolic tensor that `placeholder_context.placeholder(spec)` makes."""
        return placeholder_context.placeholder(self)

    def cast(self, value: Any, casting_context: Any) -> Any:
        """`value` as a tensor of this shape and dtype; TypeError if it does not fit."""
        if isinstance(value, TensorSpec) and getattr(casting_context, "allow_specs", False):
            tensor = value
        else:
            tensor = value if _is_tensor(value) else _to_tensor(value, self._dtype)
        if not self.is_compatible_with(tensor):
            got = f"a tensor of shape {tensor.shape} and dtype {tensor.dtype.name}"
            raise TypeError(f"TensorSpec.cast: {got} does not fit {self}")
        return tensor

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError(f"TensorSpec: {self} has no batch dimension to take off")
        return TensorSpec(self._shape[1:], self._dtype)

    def experimental_as_proto(self) -> Any:
        """The spec as a `TensorSpecProto`."""
        return messages.TensorSpecProto(
            name=self._name, shape=self._shape.as_proto(), dtype=self._dtype.enum
        )

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Self:
        """The spec that a `TensorSpecProto` holds."""
        shape = TensorShape.experimental_from_proto(proto.shape)
        return cls(shape, as_dtype(proto.dtype), proto.name or None)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        return messages.TensorSpecProto

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self) -> Any:
        return self

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, TensorSpec):
            return NotImplemented
        return (
            self._dtype is other._dtype
            and self._shape._dims == other._shape._dims
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape._dims, self._dtype))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, "
            f"name={self._name!r})"
        )


BatchableTypeSpec.register(TensorSpec)

Converter = Callable[[Any], Any]
_CONVERTERS: list[tuple[type, Converter, bool]] = []


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Converter, allow_subclass: bool = False
) -> None:
    """Let `tf.type_spec_from_value` use `converter_fn` for values of a class.

    The converter registered last is asked first; one that does not know the value returns
    NotImplemented.
    """
    _CONVERTERS.insert(0, (type_object, converter_fn, allow_subclass))


def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of a tensor, a composite tensor, or a value that can become a tensor.

    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    >>> tf.type_spec_from_value([1.0, 2.0])
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """
    spec = known_spec(value)
    if spec is not None:
        return spec
    try:
        tensor = _to_tensor(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise TypeError(f"type_spec_from_value: a {kind} has no TypeSpec, got {value!r}") from None
    return TensorSpec(tensor.shape, tensor.dtype)


def known_spec(value: Any) -> TypeSpec | None:
    """The spec of a value that has one without becoming a tensor first, such as an array.

    >>> known_spec([np.array([1, 2], np.int64)])
    TensorSpec(shape=(1, 2), dtype=tf.int64, name=None)
    """
    if _is_tensor(value):
        return TensorSpec(value.shape, value.dtype)
    if hasattr(type(value), "_type_spec"):
        return value._type_spec  # type: ignore[no-any-return]
    for cls, convert, subclasses in _CONVERTERS:
        if type(value) is cls or (subclasses and isinstance(value, cls)):
            spec = convert(value)
            if spec is not NotImplemented:
                return spec  # type: ignore[no-any-return]
    if isinstance(value, np.ndarray):
        return TensorSpec(value.shape, value.dtype)
    return _spec_of_list(value) if isinstance(value, list) and value else None


def _spec_of_list(values: list[Any]) -> TypeSpec | None:
    """The spec of a batch of values that have specs of one kind."""
    first = known_spec(values[0])
    if first is None or not hasattr(first, "_batch"):
        return None
    merged = first.most_specific_common_supertype([known_spec(value) for value in values[1:]])
    return None if merged is None else merged._batch(len(values))
