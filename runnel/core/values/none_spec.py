"""`tf.NoneTensorSpec`: the type of None."""

from __future__ import annotations

from typing import Any

from runnel.core.values.type_spec import TypeSpec, register, register_type_spec_from_value_converter


@register("tf.NoneTensorSpec")
class NoneTensorSpec(TypeSpec):
    """The spec of None, as it stands in the elements of datasets.

    >>> tf.type_spec_from_value(None)
    NoneTensorSpec()
    """

    @property
    def value_type(self) -> Any:
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> Any:
        return []

    def _to_components(self, value: Any) -> Any:
        return []

    def _from_components(self, components: Any) -> Any:
        return None

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_compatible_type(self, other: Any) -> NoneTensorSpec:
        if type(other) is not NoneTensorSpec:
            raise ValueError(f"No type includes both None and {other}.")
        return self

    def _batch(self, batch_size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self

    @classmethod
    def from_value(cls, value: Any) -> NoneTensorSpec:
        """The spec, whatever the value."""
        return cls()

    def most_specific_compatible_shape(self, other: Any) -> NoneTensorSpec:
        """The same as `most_specific_compatible_type`."""
        return self.most_specific_compatible_type(other)


register_type_spec_from_value_converter(type(None), NoneTensorSpec.from_value)
