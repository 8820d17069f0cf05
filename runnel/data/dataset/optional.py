"""`tf.experimental.Optional`: an element that may be missing."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import variant
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.data.graph import ops
from runnel.data.run.structure import Structure, components


class Optional:
    """A value that may be missing, such as the element after the last.

    >>> optional = tf.experimental.Optional.from_value(42)
    >>> optional.has_value().numpy(), optional.get_value().numpy()
    (np.True_, np.int32(42))
    """

    def __init__(self, tensor: Tensor, structure: Structure) -> None:
        if not isinstance(tensor, Tensor) or not isinstance(structure, Structure):
            raise TypeError("Optionals are made by Optional.from_value and Optional.empty.")
        self._tensor = tensor
        self._structure = structure

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that has a value."""
        structure, tensors = components(value)
        return Optional(ops.optional_from_value(tensors, structure), structure)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional without a value, which would be of type `element_spec`."""
        return Optional(ops.optional_none.apply([], {}), Structure(element_spec))

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value."""
        return ops.optional_has_value.apply([self._tensor], {}, name)  # type: ignore[no-any-return]

    def get_value(self, name: str | None = None) -> Any:
        """The value; `tf.errors.InvalidArgumentError` if there is none."""
        tensors = ops.optional_get_value(self._tensor, self._structure, name)
        return self._structure.pack_tensors(tensors)

    @property
    def element_spec(self) -> Any:
        """The type of the value."""
        return self._structure.spec

    @property
    def value_structure(self) -> Any:
        """The former name of `element_spec`."""
        return self._structure.spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)


@register("tf.OptionalSpec")
class OptionalSpec(TypeSpec):
    """The type of an optional.

    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)
    """

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    @property
    def value_type(self) -> Any:
        return Optional

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The spec of an optional."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], variant)

    def _to_components(self, value: Any) -> Any:
        return value._tensor

    def _from_components(self, components: Any) -> Any:
        return Optional(components, Structure(self._element_spec))
