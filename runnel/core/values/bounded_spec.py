"""`BoundedTensorSpec`: a TensorSpec that also says how small and how large elements may be."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from runnel.core.protos import messages
from runnel.core.values.array_protos import array_of, array_proto
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.shape import TensorShape, broadcast_shapes
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register


@register("tf.BoundedTensorSpec")
class BoundedTensorSpec(TensorSpec):
    """A TensorSpec that also says how small and how large the elements may be.

    `minimum` and `maximum` are numbers, or arrays that broadcast to the shape.
    """

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, value: Any) -> np.ndarray[Any, Any]:
        if value is None:
            raise ValueError(f"BoundedTensorSpec: `{which}` must be a number or array, got None")
        bound = np.array(value, self._dtype.np_dtype)
        bound.setflags(write=False)
        try:
            broadcast_shapes(bound.shape, self._shape._dims)
        except ValueError:
            raise ValueError(
                f"BoundedTensorSpec: `{which}` must broadcast to shape {self._shape}, "
                f"got shape {bound.shape}"
            ) from None
        return bound

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The smallest allowed values; read-only."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The largest allowed values; read-only."""
        return self._maximum

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Self:
        """The spec with the bounds of another, or with those of its dtype if it has none."""
        low = getattr(spec, "minimum", None)
        high = getattr(spec, "maximum", None)
        return cls(
            spec.shape,
            spec.dtype,
            spec.dtype.min if low is None else low,
            spec.dtype.max if high is None else high,
            name or spec.name,
        )

    def experimental_as_proto(self) -> Any:
        """The spec as a `BoundedTensorSpecProto`."""
        return messages.BoundedTensorSpecProto(
            name=self._name,
            shape=self._shape.as_proto(),
            dtype=self._dtype.enum,
            minimum=array_proto(self._minimum, self._dtype),
            maximum=array_proto(self._maximum, self._dtype),
        )

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Self:
        """The spec that a `BoundedTensorSpecProto` holds."""
        shape = TensorShape.experimental_from_proto(proto.shape)
        low, high = array_of(proto.minimum), array_of(proto.maximum)
        return cls(shape, as_dtype(proto.dtype), low, high, proto.name or None)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        return messages.BoundedTensorSpecProto

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __eq__(self, other: object) -> bool:
        return TypeSpec.__eq__(self, other)

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        plain = super().__repr__().removesuffix(")")
        return f"{plain}, minimum={self._minimum!r}, maximum={self._maximum!r})"
