"""The type of a variable as an argument of a function, as SavedModels name it."""

from __future__ import annotations

from typing import Any

from runnel.core.dtypes import as_dtype, resource
from runnel.core.dtypes import float32 as _float32
from runnel.core.shape import TensorShape
from runnel.core.type_spec import TensorSpec, TypeSpec
from runnel.core.types import DTypeLike, ShapeLike
from runnel.core.variable import Variable


class VariableSpec(TypeSpec):
    """A variable of some shape and dtype. A file holds no variable that could be the argument of a
    loaded function, so that nothing fits it.
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike = _float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._trainable = trainable
        self._alias_id = alias_id

    @property
    def value_type(self) -> type:
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self._trainable, self._alias_id)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], resource)

    def _to_components(self, value: Any) -> Any:
        raise TypeError(f"{value!r} cannot be an argument of a function that was loaded.")

    def _from_components(self, components: Any) -> Any:
        raise TypeError("A variable cannot be made of a handle.")
