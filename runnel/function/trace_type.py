"""Trace types: what a trace depends on in each argument.

On the reading path after `graph/run/plan.py`, before `function/function_type.py`.

Tensors count by dtype and shape, and so do variables, except for which of them are the same one;
Python values by value, other objects by equality through a weak reference, nests by their
structure, composite tensors by their type spec. A class may speak for itself with
`__tf_tracing_type__`.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from runnel.core.state.tracked_containers import TrackableDataStructure, unwrap
from runnel.core.state.variable import Variable
from runnel.core.state.variable_spec import VariableSpec
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.structure_type import Structure, emptied, metadata_of
from runnel.function.variable_type import TracingContext, VariableType


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


for _kind in (TypeSpec, Structure, VariableType):  # which have all its methods
    TraceType.register(_kind)


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
        return Structure(emptied(value, container), keys, parts, metadata_of(value))
    return _object_type(value)


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
