"""`tf.experimental.DynamicRaggedShape`: a shape with ragged dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition, RowPartitionSpec
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


class DynamicRaggedShape:
    """Row partitions, and the shape of the flat values inside them.

    >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    >>> shape
    <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
    >>> shape[0].numpy()
    np.int32(2)
    """

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike = None,
        validate: bool = False,
        static_inner_shape: ShapeLike = None,
    ) -> None:
        if not all(isinstance(part, RowPartition) for part in row_partitions):
            raise TypeError("DynamicRaggedShape: `row_partitions` must be RowPartitions.")
        inner = convert_to_tensor(inner_shape, dtype_hint=dtypes.int64)
        wanted = _common_dtype(row_partitions, inner, dtype)
        self._row_partitions = tuple(part.with_dtype(wanted) for part in row_partitions)
        self._inner_shape: Tensor = (
            inner if inner.dtype is wanted else raw_ops.Cast(inner, DstT=wanted)
        )
        if inner.shape.rank not in (None, 1):
            raise ValueError(f"DynamicRaggedShape: `inner_shape` must be a vector, got {inner}.")
        if row_partitions and inner.shape.num_elements() == 0:
            raise ValueError("DynamicRaggedShape: `inner_shape` must have a dimension.")
        if validate:
            self._check_levels()
        self._static_inner = static_inner_shape

    def _check_levels(self) -> None:
        """ValueError where a partition is known not to cut up what is inside it."""
        inner = _vector(self._inner_shape)
        below: list[int | None] = [part.static_nrows for part in self._row_partitions[1:]]
        below.append(inner[0] if inner else None)
        for part, count in zip(self._row_partitions, below, strict=True):
            values = constant_value(part.nvals())
            if values is not None and count is not None and int(values) != count:
                raise ValueError(
                    f"DynamicRaggedShape: a partition of {int(values)} values is around {count}."
                )

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[Any],
        num_row_partitions: int | None = None,
        dtype: DTypeLike = dtypes.int64,
    ) -> DynamicRaggedShape:
        """The shape with a number for each uniform dimension, and row lengths for ragged ones.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 4])
        <DynamicRaggedShape lengths=[2, (3, 1), 4] num_row_partitions=1>
        """
        if not isinstance(lengths, list | tuple):
            raise ValueError(f"DynamicRaggedShape: `lengths` must be a list, got {lengths!r}.")
        ragged = [i for i, part in enumerate(lengths) if not isinstance(part, int | np.integer)]
        levels = max(ragged, default=0)
        if num_row_partitions is not None:
            if num_row_partitions < levels or num_row_partitions >= max(len(lengths), 1):
                raise ValueError(
                    f"DynamicRaggedShape: `num_row_partitions` must be at least {levels} and less "
                    f"than {len(lengths)}, got {num_row_partitions}."
                )
            levels = num_row_partitions
        if 0 in ragged:
            raise ValueError("DynamicRaggedShape: the outermost dimension cannot be ragged.")
        wanted = as_dtype(dtype)
        partitions, count = [], int(lengths[0]) if lengths else 0
        for part in lengths[1 : levels + 1]:
            partitions.append(_partition(part, count, wanted))
            count = count * int(part) if isinstance(part, int | np.integer) else int(sum(part))
        inner = [count, *lengths[levels + 1 :]] if lengths else []
        return cls(partitions, np.array(inner, wanted.np_dtype), wanted)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: DTypeLike = None
    ) -> DynamicRaggedShape:
        """The shape of scalars in the given rows."""
        if not row_partitions:
            raise ValueError("DynamicRaggedShape: `row_partitions` must not be empty.")
        return cls(row_partitions, raw_ops.ExpandDims(row_partitions[-1].nvals(), 0), dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike = None) -> DynamicRaggedShape:
        """The shape of a tensor, ragged or not."""
        if isinstance(t, RaggedTensor):
            wanted = t.row_splits.dtype if dtype is None else as_dtype(dtype)
            inner = raw_ops.Shape(t.flat_values, out_type=wanted)
            level: Any = t
            while isinstance(level, RaggedTensor):
                level._count_values()
                level = level.values
            return cls(t._nested_row_partitions, inner, wanted)
        wanted = dtypes.int32 if dtype is None else as_dtype(dtype)
        return cls([], raw_ops.Shape(convert_to_tensor(t), out_type=wanted), wanted)

    @property
    def dtype(self) -> DType:
        return self._inner_shape.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, the outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the flat values."""
        return self._inner_shape

    @property
    def inner_rank(self) -> int | None:
        """How many dimensions the flat values have."""
        return self._inner_shape.shape[0]

    @property
    def rank(self) -> int | None:
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    def is_uniform(self, axis: int) -> bool:
        """Whether a dimension is known to have one size."""
        if not isinstance(axis, int):
            raise TypeError(f"DynamicRaggedShape: `axis` must be an int, got {axis!r}.")
        if axis < 0:
            raise IndexError(f"DynamicRaggedShape: `axis` must not be negative, got {axis}.")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(
                f"DynamicRaggedShape: `axis` must be less than {self.rank}, got {axis}."
            )
        if axis == 0 or axis > self.num_row_partitions:
            return True
        return self._row_partitions[axis - 1].is_uniform()

    def __getitem__(self, index: Any) -> Any:
        """The size of a uniform dimension, or a part of the shape."""
        if isinstance(index, slice):
            return self._part(index)
        if not isinstance(index, int):
            raise TypeError(f"DynamicRaggedShape: indices are ints or slices, got {index!r}.")
        place = index
        if index < 0:
            if self.rank is None:
                raise ValueError("DynamicRaggedShape: the rank is not known.")
            place = index + self.rank
        if place < 0 or (self.rank is not None and place >= self.rank):
            raise IndexError(f"DynamicRaggedShape: index {index} is out of range.")
        if place == 0:
            first = self._row_partitions
            return first[0].nrows() if first else self._inner_shape[0]
        if place > self.num_row_partitions:
            return self._inner_shape[place - self.num_row_partitions]
        length = self._row_partitions[place - 1].uniform_row_length()
        if length is None:
            raise ValueError(f"Index {index} is not uniform")
        return length

    def _part(self, index: slice) -> Any:
        """The dimensions of a slice, which are uniform unless it begins at the front."""
        rank = self.rank
        if index.step not in (None, 1):
            raise IndexError(f"Cannot stride through a shape, got {index}.")
        if rank is None:
            raise ValueError("DynamicRaggedShape: its rank must be known for a slice of it.")
        start, stop, _ = index.indices(rank)
        if start == 0 and stop > self.num_row_partitions:
            inner = self._inner_shape[: stop - self.num_row_partitions]
            return DynamicRaggedShape(self._row_partitions, inner, self.dtype)
        if start == 0 and stop > 1:
            return DynamicRaggedShape.from_row_partitions(self._row_partitions[: stop - 1])
        sizes = [self[i] for i in range(start, stop)]
        values = raw_ops.Pack(sizes, axis=0) if sizes else np.zeros(0, self.dtype.np_dtype)
        return DynamicRaggedShape([], values, self.dtype)

    def static_lengths(self, ragged_lengths: bool = True) -> Any:
        """What is known of the dimensions, as in `from_lengths`; None for what is not.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).static_lengths()
        [2, (2, 1)]
        """
        found: list[Any] = []
        if self._row_partitions:
            found.append(self._row_partitions[0].static_nrows)
        for part in self._row_partitions:
            length = part.static_uniform_row_length
            if length is None and ragged_lengths:
                known = constant_value(part.row_lengths())
                length = None if known is None else tuple(known.tolist())  # type: ignore[assignment]
            found.append(length)
        inner = _vector(self._inner_shape)
        if inner is None:
            return [*found, ...]
        return found + (inner[1:] if self._row_partitions else inner)

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same shape with sizes of another dtype, int32 or int64."""
        wanted = as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"DynamicRaggedShape: `dtype` must be int32 or int64, got {wanted}.")
        return DynamicRaggedShape(self._row_partitions, self._inner_shape, wanted)

    def _to_tensor_shape(self) -> TensorShape:
        lengths = self.static_lengths(ragged_lengths=False)
        return TensorShape(None if ... in lengths else lengths)

    @property
    def static_inner_shape(self) -> TensorShape:
        inner = _vector(self._inner_shape)
        return TensorShape(inner)

    def __repr__(self) -> str:
        lengths = ", ".join(str(part) for part in self.static_lengths())
        return (
            f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"
        )

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        specs = tuple(part._type_spec for part in self._row_partitions)
        return DynamicRaggedShapeSpec(specs, self.static_inner_shape, self.dtype)


@register("tf.DynamicRaggedShapeSpec")
class DynamicRaggedShapeSpec(TypeSpec):
    """The type of a `DynamicRaggedShape`."""

    def __init__(
        self,
        row_partitions: Sequence[RowPartitionSpec],
        static_inner_shape: ShapeLike,
        dtype: DTypeLike,
    ) -> None:
        self._row_partitions = tuple(row_partitions)
        self._static_inner_shape = TensorShape(static_inner_shape)
        self._dtype = as_dtype(dtype)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def row_partitions(self) -> tuple[RowPartitionSpec, ...]:
        return self._row_partitions

    @property
    def static_inner_shape(self) -> TensorShape:
        return self._static_inner_shape

    @property
    def rank(self) -> int | None:
        inner = self._static_inner_shape.rank
        return None if inner is None else inner + len(self._row_partitions)

    @property
    def value_type(self) -> type:
        return DynamicRaggedShape

    def _serialize(self) -> tuple[Any, ...]:
        return self._row_partitions, self._static_inner_shape, self._dtype

    @property
    def _component_specs(self) -> Any:
        rank = self._static_inner_shape.rank
        return (TensorSpec([rank], self._dtype), self._row_partitions)

    def _to_components(self, value: Any) -> Any:
        return (value.inner_shape, value.row_partitions)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )

    def _from_components(self, components: Any) -> Any:
        inner, partitions = components
        if isinstance(inner, TypeSpec):
            return self
        result = object.__new__(DynamicRaggedShape)
        result._row_partitions = tuple(partitions)
        result._inner_shape = inner
        result._static_inner = self._static_inner_shape
        return result


DynamicRaggedShape.Spec = DynamicRaggedShapeSpec  # type: ignore[attr-defined]


def _common_dtype(parts: Sequence[RowPartition], inner: Tensor, dtype: DTypeLike) -> DType:
    if dtype is not None:
        return as_dtype(dtype)
    found = {part.dtype for part in parts} or {inner.dtype}
    return dtypes.int32 if found == {dtypes.int32} else dtypes.int64


def _partition(length: Any, count: int, dtype: DType) -> RowPartition:
    if isinstance(length, int | np.integer):
        size, rows = np.array(length, dtype.np_dtype), np.array(count, dtype.np_dtype)
        return RowPartition.from_uniform_row_length(size, nrows=rows, dtype=dtype)
    if len(length) != count:
        raise ValueError(
            f"DynamicRaggedShape: a ragged dimension inside {count} rows has {len(length)} lengths."
        )
    return RowPartition.from_row_lengths(np.array(length, dtype.np_dtype))


def _vector(shape: Tensor) -> list[Any] | None:
    """What is known of the elements of a vector."""
    if isinstance(shape, EagerTensor):
        return shape.numpy().tolist()  # type: ignore[no-any-return]
    known = constant_value(shape)
    if known is not None:
        return known.tolist()  # type: ignore[no-any-return]
    count = shape.shape[0] if shape.shape.rank else None
    return None if count is None else [None] * count
