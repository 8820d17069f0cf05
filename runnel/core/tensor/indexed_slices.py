"""`tf.IndexedSlices`: some rows of a tensor, all others being zero; the gradient of a gather."""

from __future__ import annotations

from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.core.values.types import DTypeLike, ShapeLike


class IndexedSlices:
    """`dense[indices[i]] += values[i]` for all `i`, of a tensor of shape `dense_shape`.

    >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(slices).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        if self._dense_shape is None:
            return TensorShape(None)
        value = constant_value(self._dense_shape)
        if value is None:
            return TensorShape([None] * (self._dense_shape.shape[0] or 0))
        return TensorShape([int(d) for d in value])

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def name(self) -> str:
        return self._values.name

    @property
    def device(self) -> str:
        return self._values.device

    @property
    def op(self) -> Any:
        return self._values.op

    @property
    def graph(self) -> Any:
        return self._values.graph

    def consumers(self) -> list[Any]:
        return self._values.consumers()  # type: ignore[attr-defined,no-any-return]

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    __repr__ = __str__

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        dense = None if self._dense_shape is None else self._dense_shape.dtype
        shape = TensorShape([None]).concatenate(self._values.shape[1:])
        return IndexedSlicesSpec(
            shape.merge_with(self.shape),
            self.dtype,
            self._indices.dtype,
            dense,
            self._indices.shape,
        )

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        """The dense tensor: rows of the same index are added up."""
        if self._dense_shape is None:
            raise ValueError(
                "IndexedSlices without dense_shape cannot become a tensor: the number of rows "
                "is not known."
            )
        first = self._dense_shape[0]
        dense: Tensor = raw_ops.UnsortedSegmentSum(self._values, self._indices, first)
        return dense


class IndexedSlicesSpec(TypeSpec):
    """The type of an `IndexedSlices`."""

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64,
        dense_shape_dtype: DTypeLike = None,
        indices_shape: ShapeLike = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = (
            None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        )
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    def _varying(self, shape: TensorShape) -> IndexedSlicesSpec:
        """The invariant is the shape of `values`."""
        dense = TensorShape([None]).concatenate(shape[1:])
        kinds = self._values_dtype, self._indices_dtype, self._dense_shape_dtype
        return IndexedSlicesSpec(dense, *kinds, shape[:1])

    @property
    def _component_specs(self) -> Any:
        rows = (
            self._indices_shape.concatenate(self._shape[1:])
            if self._shape.rank is not None
            else None
        )
        specs = [
            TensorSpec(rows, self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value: Any) -> Any:
        if value.dense_shape is None:
            return (value.values, value.indices)
        return (value.values, value.indices, value.dense_shape)

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)
