"""Trace types of variables: any of a shape and dtype, or one alone."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from runnel.core.gradients.variable_reads import note_read
from runnel.core.state.variable import Variable
from runnel.core.state.variable_spec import VariableSpec
from runnel.core.values.dtypes import resource
from runnel.core.values.type_spec import TensorSpec


class VariableType:
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

    def is_subtype_of(self, other: Any) -> bool:
        return self._is_like(other) and (self.pinned or self.shape.is_subtype_of(other.shape))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> VariableType | None:
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
            given = like._name, self.trainable, like.synchronization
            made = Variable._without_value(self.dtype, shape, *given, like.aggregation)
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

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self.placeholder_value(None)

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
        return self._is_like(other) and (self.pinned or self.shape._dims == other.shape._dims)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        alias = "" if self.pinned else f", alias_id={self.alias}"
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable}{alias})"
        )


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
