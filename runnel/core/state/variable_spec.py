"""The type of a variable, by which functions, SavedModels and `tf.type_spec_from_value` know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from runnel.core.state.variable import Variable, VariableAggregation, VariableSynchronization
from runnel.core.values.dtypes import as_dtype, resource
from runnel.core.values.dtypes import float32 as _float32
from runnel.core.values.shape import as_shape
from runnel.core.values.type_spec import (
    DenseSpec,
    TensorSpec,
    register_type_spec_from_value_converter,
)
from runnel.core.values.types import DTypeLike, ShapeLike


class VariableSpec(DenseSpec):
    """A variable of some shape and dtype.

    Among the arguments of a function, those with the same `alias_id` are one variable.

    >>> tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike = _float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value: Variable) -> Self:
        """The type of a variable, whichever it is in a call."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def name(self) -> None:
        """None: variables of one type have names of their own."""

    @property
    def value_type(self) -> type:
        """`tf.Variable`."""
        return Variable

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every variable of this type is also one of type `other`."""
        self._check_alias("is_subtype_of", other)
        return super().is_subtype_of(other)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The narrowest type that includes all; None if they are trained or shared differently."""
        for other in others:
            self._check_alias("most_specific_common_supertype", other)
        return super().most_specific_common_supertype(others)

    def _check_alias(self, question: str, other: Any) -> None:
        if type(other) is type(self) and (self.alias_id is None) != (other.alias_id is None):
            raise NotImplementedError(
                f"VariableSpec.{question}: both types must have an `alias_id` or none of them, "
                f"got {self!r} and {other!r}."
            )

    def cast(self, value: Any, casting_context: Any) -> Any:
        """The variable itself; TypeError for another value or a variable of another type."""
        if not isinstance(value, Variable) or not self._includes(value):
            raise TypeError(f"VariableSpec.cast: {value!r} is not {self!r}")
        return value

    def _includes(self, variable: Variable) -> bool:
        own = VariableSpec(variable.shape, variable.dtype, variable.trainable, self.alias_id)
        return own.is_subtype_of(self)

    def stand_in(self) -> Variable:
        """A variable of this type without a value, for a trace that takes any."""
        given = "Variable", self.trainable, VariableSynchronization.AUTO
        return Variable._without_value(self._dtype, self._shape, *given, VariableAggregation.NONE)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], resource)]

    def _to_components(self, value: Variable) -> Any:
        return [value.handle]

    def _from_components(self, components: Sequence[Any]) -> Variable:
        made = self.stand_in()
        (made._handle,) = components
        return made

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"trainable={self.trainable!r}, alias_id={self.alias_id!r})"
        )


class _OfEach:
    """`_type_spec` of variables, but not of their class: `tf.nest` knows composites by that."""

    def __get__(self, variable: Variable | None, owner: type) -> VariableSpec:
        if variable is None:
            raise AttributeError("_type_spec")
        return VariableSpec.from_value(variable)


Variable._type_spec = _OfEach()  # type: ignore[attr-defined]
register_type_spec_from_value_converter(Variable, VariableSpec.from_value, allow_subclass=True)
