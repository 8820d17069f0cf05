"""`tf.RaggedTensorSpec`: the type of a ragged tensor."""

from __future__ import annotations

from typing import Any, Self

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import with_known_length
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.core.values.types import DTypeLike, ShapeLike


@register("tf.RaggedTensorSpec")
class RaggedTensorSpec(TypeSpec):
    """The type of a `RaggedTensor`.

    >>> tf.RaggedTensorSpec([2, None], tf.int32)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
        flat_values_spec: TypeSpec | None = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        self._dtype = _spec_dtype(dtype, flat_values_spec)
        self._flat_values_spec = flat_values_spec
        self._ragged_rank = _spec_rank(self._shape.rank, ragged_rank)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def ragged_rank(self) -> int:
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> TypeSpec | None:
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        """`tf.RaggedTensor`, or `tf.Tensor` where there is no partition."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of a ragged tensor."""
        flat = value.flat_values
        spec = None if isinstance(flat, Tensor) else getattr(flat, "_type_spec", None)
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype, spec)

    def _varying(self, shape: TensorShape) -> RaggedTensorSpec:
        kinds = self._dtype, self._ragged_rank, self._row_splits_dtype
        checked = RaggedTensorSpec(shape, *kinds)._shape
        if checked.rank is None:
            return RaggedTensorSpec(None, *kinds)
        ragged = [None] * self._ragged_rank  # rows may have any length, whatever the user says
        return RaggedTensorSpec([checked[0], *ragged, *checked[1 + self._ragged_rank :]], *kinds)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value has this type; without a partition, a tensor can have it."""
        if self._ragged_rank == 0:
            other = spec_or_value
            if isinstance(other, Tensor | TensorSpec):
                return self._dtype == other.dtype and self._shape.is_compatible_with(other.shape)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        basic = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return basic if self._flat_values_spec is None else (*basic, self._flat_values_spec)

    @property
    def _component_specs(self) -> Any:
        if self._ragged_rank <= 0:
            return [self._flat_values_spec or TensorSpec(self._shape, self._dtype)]
        known = self._shape.rank is not None
        flat = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
        rows = self._shape[0] if known else None
        dims = [None if rows is None else rows + 1] + [None] * (self._ragged_rank - 1)
        splits = [TensorSpec([d], self._row_splits_dtype) for d in dims]
        first = self._flat_values_spec or TensorSpec(flat if known else None, self._dtype)
        return [first, *splits]

    def _to_components(self, value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            return [value.flat_values, *value.nested_row_splits]
        return [value]

    def _from_components(self, components: Any) -> Any:
        if all(isinstance(part, TensorSpec) for part in components):
            return self
        value, *splits = components
        for level, part in reversed([*enumerate(splits, 1)]):
            length = self._shape[level] if self._shape.rank is not None else None
            rows = with_known_length(part, length)
            value = RaggedTensor(value, rows, internal=True)
        return value

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        if self._shape.rank == 0:
            raise ValueError(f"What has no rows cannot be taken apart: {self}.")
        # The rank of a part without partitions is negative, so that a batch of it is as before.
        return RaggedTensorSpec(
            self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype
        )


def _spec_dtype(dtype: DTypeLike, flat_values: Any) -> DType:
    if flat_values is None:
        if dtype is None:
            raise ValueError("RaggedTensorSpec: `dtype` or `flat_values_spec` must be given.")
        return as_dtype(dtype)
    if dtype is not None and as_dtype(dtype) != flat_values.dtype:
        raise ValueError(
            f"RaggedTensorSpec: `dtype` must be that of `flat_values_spec`, {flat_values.dtype}, "
            f"got {dtype}."
        )
    return flat_values.dtype  # type: ignore[no-any-return]


def _spec_rank(rank: int | None, ragged_rank: Any) -> int:
    if ragged_rank is None:
        if rank is None:
            raise ValueError(
                "RaggedTensorSpec: a `shape` of known rank or `ragged_rank` is needed."
            )
        return rank - 1
    if not isinstance(ragged_rank, int):
        raise TypeError(f"RaggedTensorSpec: `ragged_rank` must be an int, got {ragged_rank!r}.")
    if rank is not None and ragged_rank >= rank:
        raise ValueError(
            f"RaggedTensorSpec: `ragged_rank` must be less than the rank {rank}, got {ragged_rank}."
        )
    return ragged_rank


RaggedTensor._type_spec = property(RaggedTensorSpec.from_value)
