"""The types of linear operators, by which they are values made of tensors.

So `tf.nest` takes an operator apart, and functions, loops, branches and SavedModels pass it on. An
operator's components are those arguments of its constructor that are tensors or operators; the
rest, such as hints and sizes that are known, belongs to the type.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np

from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register

_STATIC = ("num_rows", "num_columns", "batch_shape")
"""Arguments that are tensors only where their values are not known."""


class LinearOperatorSpec(TypeSpec):
    """The type of operators of one class."""

    operator_class: ClassVar[Any]

    def __init__(
        self,
        param_specs: dict[str, Any],
        non_tensor_params: dict[str, Any],
        prefer_static_fields: tuple[str, ...] = (),
    ) -> None:
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = tuple(prefer_static_fields)

    @classmethod
    def of(cls, operator: Any) -> LinearOperatorSpec:
        """The type of an operator."""
        fields = {name: _field(operator, name) for name in _fields(cls.operator_class)}
        specs = {name: _spec(value) for name, value in fields.items() if _has_tensors(value)}
        others = {name: value for name, value in fields.items() if name not in specs}
        return cls(specs, others, tuple(name for name in _STATIC if name in fields))

    @property
    def value_type(self) -> Any:
        return self.operator_class

    def _serialize(self) -> tuple[Any, ...]:
        return self._param_specs, self._non_tensor_params, self._prefer_static_fields

    @property
    def _component_specs(self) -> Any:
        return self._param_specs

    def _to_components(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, self.operator_class):
            raise TypeError(f"Expected a {self.operator_class.__name__}, got {value!r}.")
        return {name: _field(value, name) for name in self._param_specs}

    def _from_components(self, components: dict[str, Any]) -> Any:
        return self.operator_class(**components, **self._non_tensor_params)


class HeldVariable(TypeSpec):
    """The type of one variable, inside an operator: it holds no tensors, and is passed as it is."""

    def __init__(self, variable: Variable) -> None:
        self._variable = variable

    @property
    def value_type(self) -> type:
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return (self._variable.ref(),)

    @property
    def _component_specs(self) -> Any:
        return ()

    def _to_components(self, value: Any) -> Any:
        return ()

    def _from_components(self, components: Any) -> Variable:
        return self._variable

    def cast(self, value: Any, casting_context: Any) -> Any:
        """The variable."""
        return value

    def __repr__(self) -> str:
        v = self._variable
        shown = f"shape={v.shape}, dtype={v.dtype!r}, trainable={v.trainable}, alias_id=None"
        return f"VariableSpec({shown})"


def make_spec(operator_class: Any, home: str = "tf.linalg") -> Any:
    """The class of the types of operators of a class, named as TensorFlow names it in files."""
    title = f"{operator_class.__name__}Spec"
    members = {"operator_class": operator_class, "__module__": operator_class.__module__}
    return register(f"{home}.{title}")(type(title, (LinearOperatorSpec,), members))


def _fields(operator_class: Any) -> list[str]:
    names = inspect.signature(operator_class.__init__).parameters
    return [name for name in names if name not in ("self", "name")]


def _field(operator: Any, name: str) -> Any:
    """An argument of the constructor, as the operator keeps it."""
    kept = next((a for a in (f"_{name}", name) if hasattr(operator, a)), None)
    value = operator.parameters[name] if kept is None else getattr(operator, kept)
    return TensorShape(value.tolist()) if isinstance(value, np.ndarray) else value


def _has_tensors(value: Any) -> bool:
    return any(
        isinstance(leaf, Tensor | Variable) or hasattr(type(leaf), "_type_spec")
        for leaf in nest.flatten(value)
    )


def _spec(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_spec(item) for item in value]
    if isinstance(value, Variable):
        return HeldVariable(value)
    return TensorSpec(value.shape, value.dtype) if isinstance(value, Tensor) else value._type_spec
