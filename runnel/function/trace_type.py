"""Trace types: what a trace depends on in each argument.

Tensors count by dtype and shape, and so do variables, except for which of them are the same one;
Python values by value, other objects by equality through a weak reference, nests by their
structure, composite tensors by their type spec. A class may speak for itself with
`__tf_tracing_type__`.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, MappingView, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from runnel.core.gradients.tape import note_read
from runnel.core.state.tracked_containers import TrackableDataStructure, unwrap
from runnel.core.state.variable import Variable
from runnel.core.state.variable_spec import VariableSpec
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, resource
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec


class TraceType(ABC):
    """The type of an argument of a `tf.function`: equal types share a trace.

    A type without tensors needs the abstract methods only.
    """

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace made for `other` also serves this type."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The narrowest type that this one and all `others` are subtypes of, or None."""

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What the Python function gets for this argument while it is traced."""

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...

    def flatten(self) -> list[TensorSpec]:
        """The specs of the tensors inside."""
        return []

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors inside `value`, one for each spec of `flatten()`."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """A value of this type made of the next tensors."""
        return self.placeholder_value(None)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as one of this type; TypeError if it is none."""
        if trace_type(value) != self:
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value


TraceType.register(TypeSpec)  # type: ignore[type-abstract]


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A class whose objects say themselves what a trace depends on in them."""

    def __tf_tracing_type__(self, context: Any) -> TraceType: ...


class _Constant(TraceType):
    """A type whose values are all alike, without tensors."""

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        return self if all(self == other for other in others) else None


class Literal(_Constant):
    """A Python value. Values of different classes differ: 1, 1.0 and True have a trace each."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = hash(value)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal) or type(self.value) is not type(other.value):
            return False
        if isinstance(self.value, float | complex):
            return repr(self.value) == repr(other.value)  # tells 0.0 from -0.0, and knows nan
        return bool(self.value == other.value)

    def __hash__(self) -> int:
        return 0 if self.value != self.value else self._hash

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Weakref(_Constant):
    """An object, which the trace does not keep alive. Objects that are equal share a trace."""

    __slots__ = ("_hash", "_name", "_ref")

    def __init__(self, value: Any) -> None:
        self._ref = weakref.ref(value)
        self._hash = hash(value)
        self._name = getattr(value, "__name__", f"{type(value).__name__} object")

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self._ref()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref):
            return False
        mine, its = self._ref(), other._ref()
        if mine is None or its is None:
            return self is other
        return mine is its or bool(mine == its)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Weakref[{self._name}]"


class VariableType(TraceType):
    """A variable of some shape and dtype, the `alias`-th different one of a call.

    If it is `pinned` it is that variable alone, since the function may also get at it in other
    ways than through the argument. Otherwise a trace takes the variable's handle as an input.
    """

    __slots__ = (
        "_hash",
        "_ref",
        "_stand_in",
        "_wider",
        "alias",
        "dtype",
        "handle",
        "pinned",
        "shape",
        "trainable",
    )

    def __init__(self, variable: Variable, alias: int = 0, *, pinned: bool = False) -> None:
        self.handle = variable.handle._id
        self.shape, self.dtype, self.trainable = variable.shape, variable.dtype, variable.trainable
        self.alias = alias
        self.pinned = pinned or type(variable) is not Variable
        self._stand_in: Variable | None = None  # kept alive by this type alone
        self._wider: VariableType | None = None
        self._ref = weakref.ref(variable)
        self._hash = hash((self.dtype, self.handle if self.pinned else alias))

    def pin(self) -> VariableType:
        """This very variable."""
        return VariableType(self.variable, self.alias, pinned=True)

    @property
    def variable(self) -> Any:
        return self._ref()

    def is_subtype_of(self, other: TraceType) -> bool:
        return self._is_like(other) and (
            self.pinned or self.shape.is_subtype_of(other.shape)  # type: ignore[attr-defined]
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TraceType | None:
        if not all(self._is_like(other) for other in others):
            return None
        shape = self.shape.most_specific_common_supertype([other.shape for other in others])
        return self if shape == self.shape else self._widened(shape)

    def _widened(self, shape: Any) -> VariableType:
        """The type of all such variables of a shape, known by one that nothing else uses.

        It is the same for each argument that is this variable.
        """
        if self._wider is None or self._wider.shape != shape:
            like = self.variable
            made = Variable._without_value(
                self.dtype,
                shape,
                like._name,
                self.trainable,
                like.synchronization,
                like.aggregation,
            )
            self._wider = VariableType(made, self.alias)
            self._wider._stand_in = made
        return self._wider

    def placeholder_value(self, placeholder_context: Any) -> Any:
        if getattr(placeholder_context, "gives_specs", False):
            for _ in self.flatten():
                placeholder_context.placeholder(TensorSpec([], resource))
            return self.variable if self.pinned else self._spec()
        if not self.pinned:
            spec = TensorSpec([], resource)
            spec._handle_data = self.variable.handle._value  # type: ignore[attr-defined]
            placeholder_context.take(self.variable, spec)
        return self.variable

    def _spec(self) -> VariableSpec:
        return VariableSpec(self.shape, self.dtype, self.trainable, self.alias)

    def flatten(self) -> list[TensorSpec]:
        return [] if self.pinned else [TensorSpec([], resource)]

    def to_tensors(self, value: Any) -> list[Any]:
        if not isinstance(value, Variable):
            raise TypeError(f"A call needs a variable for {self!r}, got {value!r}.")
        if self.pinned:
            return []
        note_read(value)
        return [value.handle]

    def cast(self, value: Any, cast_context: Any) -> Any:
        if not isinstance(value, Variable) or not VariableType(
            value, self.alias, pinned=self.pinned
        ).is_subtype_of(self):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value

    def _is_like(self, other: Any) -> bool:
        if not isinstance(other, VariableType) or self.pinned != other.pinned:
            return False
        if self.pinned:
            return self.handle == other.handle
        same = self.dtype is other.dtype and self.trainable == other.trainable
        return same and self.alias == other.alias

    def __eq__(self, other: object) -> bool:
        return self._is_like(other) and (
            self.pinned or self.shape._dims == other.shape._dims  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        alias = "" if self.pinned else f", alias_id={self.alias}"
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable}{alias})"
        )


def _alike(kind: type, other: type) -> bool:
    """Whether two kinds of containers are the same; named tuples are if they are called the same.

    A class of a program and the one that a SavedModel knows are two objects.
    """
    named = hasattr(kind, "_fields") and hasattr(other, "_fields")
    return kind is other or (named and kind.__name__ == other.__name__)


class Structure(TraceType):
    """A list, tuple, mapping or other container of `tf.nest`, with the types of its children.

    `metadata` is what a class with `__tf_flatten__` says of itself besides its children.
    """

    __slots__ = ("_hash", "_like", "keys", "kind", "metadata", "parts")

    def __init__(
        self, like: Any, keys: tuple[Any, ...], parts: tuple[TraceType, ...], metadata: Any = None
    ) -> None:
        self.kind = type(like)
        self.keys = keys
        self.parts = parts
        self.metadata = metadata
        self._like = like  # a container of this kind, empty of the caller's values
        self._hash = hash((self.kind, keys, parts))  # `metadata` need not be hashable

    def with_parts(self, parts: Sequence[Any]) -> Structure:
        return Structure(self._like, self.keys, tuple(parts), self.metadata)

    def rebuild(self, children: Sequence[Any]) -> Any:
        container = nest._PLAIN[self.kind]
        assert container is not None
        return container.rebuild(self._like, list(children))

    def children(self, value: Any) -> list[Any]:
        """The children of a value of this structure."""
        container = nest._PLAIN[type(value)]
        if container is None or not self._is_like(value):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        if tuple(container.keys(value)) != self.keys or _metadata(value) != self.metadata:
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return list(container.children(value))

    def _is_like(self, value: Any) -> bool:
        """Whether a value is of this kind of container; all mappings are alike."""
        if isinstance(self._like, Mapping):
            return isinstance(value, Mapping)
        if isinstance(value, range | MappingView):
            return self.kind is list
        return _alike(type(value), self.kind) or isinstance(value, TrackableDataStructure)

    def _matches(self, other: Any) -> bool:
        same = isinstance(other, Structure) and _alike(self.kind, other.kind)
        return same and self.keys == other.keys and bool(self.metadata == other.metadata)

    def is_subtype_of(self, other: TraceType) -> bool:
        return self._matches(other) and all(
            a.is_subtype_of(b)
            for a, b in zip(self.parts, other.parts, strict=True)  # type: ignore[attr-defined]
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TraceType | None:
        if not all(self._matches(other) for other in others):
            return None
        columns = zip(self.parts, *[other.parts for other in others], strict=True)
        joined = [first.most_specific_common_supertype(rest) for first, *rest in columns]
        return None if any(part is None for part in joined) else self.with_parts(joined)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.rebuild(
            [
                part.placeholder_value(placeholder_context.inside(key))
                for key, part in zip(self.keys, self.parts, strict=True)
            ]
        )

    def flatten(self) -> list[TensorSpec]:
        return [spec for part in self.parts for spec in part.flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        pairs = zip(self.parts, self.children(value), strict=True)
        return [tensor for part, child in pairs for tensor in part.to_tensors(child)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self.rebuild([part.from_tensors(tensors) for part in self.parts])

    def cast(self, value: Any, cast_context: Any) -> Any:
        pairs = zip(self.parts, self.children(value), strict=True)
        return self.rebuild([part.cast(child, cast_context) for part, child in pairs])

    def __eq__(self, other: object) -> bool:
        return self._matches(other) and self.parts == other.parts  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        if isinstance(self._like, dict):
            order = dict(zip(self.keys, self.parts, strict=True))
            items = ", ".join(f"[{key!r}, {order[key]!r}]" for key in self._like)
            return f"Dict[{items}]"
        if self.kind in (list, tuple):
            return f"{self.kind.__name__.title()}[{', '.join(map(repr, self.parts))}]"
        if self.metadata is not None:
            return f"CustomNestTraceType [metadata={self.metadata!r}, components={self.parts!r}]"
        pairs = zip(self.keys, self.parts, strict=True)
        return f"{self.kind.__name__}[{', '.join(f'[{k!r}, {p!r}]' for k, p in pairs)}]"


class TracingContext:
    """What `__tf_tracing_type__` is given: knows the variables among the arguments so far."""

    __slots__ = ("_aliases", "variables")

    def __init__(self) -> None:
        self.variables: dict[int, VariableType] = {}  # by the id of the handle
        self._aliases: dict[int, VariableType] = {}  # by the `alias_id` of a spec

    def variable_type(self, variable: Variable) -> VariableType:
        key = variable.handle._id
        if key not in self.variables:
            self.variables[key] = VariableType(variable, len(self.variables))
        return self.variables[key]

    def type_of_spec(self, spec: VariableSpec) -> VariableType:
        """The type of any variable that fits a spec: a new one, unless its `alias_id` was met."""
        if spec.alias_id in self._aliases:
            return self._aliases[spec.alias_id]
        made = spec.stand_in()
        found = self.variable_type(made)
        found._stand_in = made
        if spec.alias_id is not None:
            self._aliases[spec.alias_id] = found
        return found


def trace_type(value: Any, context: TracingContext | None = None) -> Any:
    """The trace type of an argument, one of those of a call if their `context` is given."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        return Literal(value)
    context = context or TracingContext()
    if isinstance(value, Variable):
        return context.variable_type(value)
    if isinstance(value, TypeSpec):
        return context.type_of_spec(value) if isinstance(value, VariableSpec) else value
    if isinstance(value, np.ndarray | np.generic):
        return TensorSpec(value.shape, value.dtype)
    if hasattr(type(value), "__tf_tracing_type__"):
        return _own_type(value, context)
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, TrackableDataStructure):
        value = unwrap(value)
    container = nest._PLAIN[type(value)]
    if container is not None:
        parts = tuple([trace_type(child, context) for child in container.children(value)])
        keys = tuple(container.keys(value))
        return Structure(_emptied(value, container), keys, parts, _metadata(value))
    return _object_type(value)


def _emptied(value: Any, container: Any) -> Any:
    if type(value) is dict:
        return dict.fromkeys(value)
    return container.rebuild(value, [None for _ in container.children(value)])


def _metadata(value: Any) -> Any:
    flatten = getattr(value, "__tf_flatten__", None)
    return None if flatten is None else flatten()[0]


def _own_type(value: Any, context: TracingContext) -> Any:
    found = value.__tf_tracing_type__(context)
    if not isinstance(found, TraceType):
        raise TypeError(
            f"__tf_tracing_type__ of {value!r} must return a tf.types.experimental.TraceType, got "
            f"{found!r}."
        )
    return found


def _object_type(value: Any) -> TraceType:
    if isinstance(value, DType | TensorShape | type):
        return Literal(value)
    if isinstance(value, weakref.ReferenceType):
        raise TypeError(f"tf.function cannot be called with {value!r}: pass the object itself.")
    try:
        return Weakref(value)
    except TypeError:
        pass  # cannot be referred to weakly, or cannot be hashed
    try:
        return Literal(value)
    except TypeError:
        raise TypeError(
            f"tf.function cannot tell which calls with {value!r} may share a trace: "
            f"{type(value).__name__} is not hashable. Make it hashable (a frozen dataclass, a "
            "tuple), give its class __tf_tracing_type__, or __tf_flatten__ and __tf_unflatten__ "
            "to take it apart."
        ) from None


def collect_tensors(kind: Any, value: Any, found: list[Any]) -> None:
    """Append to `found` the tensors inside `value`, whose trace type is `kind`."""
    if isinstance(value, Tensor):
        found.append(value)
    elif type(kind) is TensorSpec:
        found.append(convert_to_tensor(value, dtype=kind.dtype))
    elif isinstance(kind, Structure):
        for part, child in zip(kind.parts, kind.children(value), strict=True):
            collect_tensors(part, child, found)
    else:
        found.extend(kind.to_tensors(value))
