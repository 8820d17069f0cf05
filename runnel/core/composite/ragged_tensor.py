"""`tf.RaggedTensor`: a tensor whose rows may have different lengths.

A ragged tensor is its *values*, laid out one after another, and a `RowPartition` that cuts them
into rows. The values are a tensor, or a ragged tensor in turn where more dimensions are ragged; the
innermost ones, a tensor always, are the *flat values*. Conversions are in `ragged_conversion.py`,
indexing in `ragged_indexing.py`; operators are put in place by `runnel/ops/ragged/operators.py`,
since they need the functions that broadcast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from runnel.core.composite import ragged_conversion, ragged_indexing
from runnel.core.composite.row_partition import RowPartition, after, require
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scoped import scoped
from runnel.core.settings.scopes import compares_objects
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike

RaggedLike: TypeAlias = "Tensor | RaggedTensor"


class RaggedTensor:
    """Rows of different lengths, in any number of dimensions.

    Args:
        values, row_partition: how one is held; programs use the `from_…` functions.
        internal: must be True: for Runnel alone.

    >>> rows = tf.ragged.constant([[1, 2], [], [3]])
    >>> rows
    <tf.RaggedTensor [[1, 2], [], [3]]>
    >>> rows.values.numpy(), rows.row_splits.numpy()
    (array([1, 2, 3], dtype=int32), array([0, 2, 2, 3]))
    """

    __array_priority__ = 100
    _type_spec: Any  # `RaggedTensorSpec` puts it in place

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if internal is not True:
            raise ValueError(
                "RaggedTensor: use a factory such as RaggedTensor.from_row_lengths() to make one."
            )
        self._values: Any = values
        self._row_partition: RowPartition = row_partition

    @classmethod
    def _from_row_partition(
        cls, values: Any, row_partition: RowPartition, validate: bool = True
    ) -> RaggedTensor:
        """`values` cut into rows; both have row splits of one dtype, int64 if either has."""
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"RaggedTensor: expected a RowPartition, got {row_partition!r}.")
        values = as_values(values)
        if isinstance(values, RaggedTensor) and values._row_partition.dtype != row_partition.dtype:
            row_partition = row_partition.with_dtype(dtypes.int64)
            values = values.with_row_splits_dtype(dtypes.int64)
        if validate:
            row_partition = _fitting(values, row_partition)
        return cls(values, row_partition, internal=True)

    @classmethod
    @scoped("RaggedFromRowSplits")
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

        >>> tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 3, 3, 5])
        <tf.RaggedTensor [[3, 1, 4], [], [1, 5]]>
        """
        rows = RowPartition.from_row_splits(row_splits, validate, dtype_hint=_hint(values))
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowLengths")
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row `i` has the next `row_lengths[i]` values.

        >>> tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [3, 0, 2])
        <tf.RaggedTensor [[3, 1, 4], [], [1, 5]]>
        """
        rows = RowPartition.from_row_lengths(row_lengths, validate, dtype_hint=_hint(values))
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowLimits")
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row `i` ends before `values[row_limits[i]]`.

        >>> tf.RaggedTensor.from_row_limits([3, 1, 4, 1, 5], [3, 3, 5])
        <tf.RaggedTensor [[3, 1, 4], [], [1, 5]]>
        """
        rows = RowPartition.from_row_limits(row_limits, validate, dtype_hint=_hint(values))
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowStarts")
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row `i` begins with `values[row_starts[i]]`.

        >>> tf.RaggedTensor.from_row_starts([3, 1, 4, 1, 5], [0, 3, 3])
        <tf.RaggedTensor [[3, 1, 4], [], [1, 5]]>
        """
        values = as_values(values)
        rows = RowPartition.from_row_starts(
            row_starts, count_of(values), validate, dtype_hint=_hint(values)
        )
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromValueRowIds")
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: TensorLike = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """`values[j]` is in row `value_rowids[j]`; the row numbers ascend.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4, 1, 5], [0, 0, 0, 2, 2], nrows=4)
        <tf.RaggedTensor [[3, 1, 4], [], [1, 5], []]>
        """
        rows = RowPartition.from_value_rowids(
            value_rowids, nrows, validate, dtype_hint=_hint(values)
        )
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromUniformRowLength")
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: TensorLike,
        nrows: TensorLike = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """All rows have `uniform_row_length` values.

        >>> tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 2)
        <tf.RaggedTensor [[[1], [2, 3]]]>
        """
        values = as_values(values)
        hint = _hint(values)
        if isinstance(uniform_row_length, Tensor) and not isinstance(values, RaggedTensor):
            hint = uniform_row_length.dtype
        rows = RowPartition.from_uniform_row_length(
            uniform_row_length, count_of(values, hint), nrows, validate, dtype_hint=hint
        )
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromNestedRowSplits")
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged dimensions at once, the outermost splits first.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]])
        <tf.RaggedTensor [[[1], [2, 3]]]>
        """
        result: Any = flat_values
        for splits in reversed(_listed("nested_row_splits", nested_row_splits)):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    @scoped("RaggedFromNestedRowlengths")
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged dimensions at once, the outermost lengths first.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[2], [1, 2]])
        <tf.RaggedTensor [[[1], [2, 3]]]>
        """
        result: Any = flat_values
        for lengths in reversed(_listed("nested_row_lengths", nested_row_lengths)):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    @scoped("RaggedFromNestedValueRowIds")
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Sequence[TensorLike],
        nested_nrows: Sequence[TensorLike] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged dimensions at once, the outermost row numbers first.

        >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]])
        <tf.RaggedTensor [[[1], [2, 3]]]>
        """
        nested = _listed("nested_value_rowids", nested_value_rowids)
        counts = [None] * len(nested) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(nested):
            raise ValueError(
                f"RaggedTensor: `nested_nrows` must have {len(nested)} elements as "
                f"`nested_value_rowids` has, got {len(counts)}."
            )
        result: Any = flat_values
        for rows, count in zip(reversed(nested), reversed(counts), strict=True):
            result = cls.from_value_rowids(result, rows, count, validate=validate)
        return result

    @classmethod
    def _from_nested_row_partitions(
        cls, flat_values: Any, partitions: Sequence[RowPartition], validate: bool = True
    ) -> Any:
        result = flat_values
        for partition in reversed(partitions):
            result = cls._from_row_partition(result, partition, validate)
        return result

    @classmethod
    @scoped("RaggedFromTensor")
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: Any = None,
        padding: TensorLike = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> RaggedTensor:
        """The rows of a tensor, cut to `lengths` or before the `padding` at their ends.

        >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)
        <tf.RaggedTensor [[5, 7], [0, 3]]>
        """
        dtype = as_dtype(row_splits_dtype)
        result: RaggedTensor = ragged_conversion.from_tensor(
            cls, tensor, lengths, padding, ragged_rank, dtype
        )
        return result

    @classmethod
    @scoped("RaggedFromSparse")
    def from_sparse(
        cls,
        st_input: Any,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> RaggedTensor:
        """The rows of a sparse matrix whose elements all stand at the beginning of their row.

        >>> tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[5, 7, 0], [3, 0, 0]]))
        <tf.RaggedTensor [[5, 7], [3]]>
        """
        result: RaggedTensor = ragged_conversion.from_sparse(
            cls, st_input, as_dtype(row_splits_dtype)
        )
        return result

    @property
    def dtype(self) -> DType:
        return self._values.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape: a ragged dimension is None."""
        rows = self._row_partition
        outer = TensorShape([rows.static_nrows, rows.static_uniform_row_length])
        return outer.concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """How many partitions there are: the number of ragged dimensions, or more."""
        inner = self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0
        return 1 + inner

    @property
    def values(self) -> Any:
        """All rows, one after another."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values, without any partition."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins in the values, and where the last one ends."""
        return self._row_partition.row_splits()

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length common to all rows, where the tensor was made with one."""
        return self._row_partition.uniform_row_length()

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        found, ragged = [], self
        while isinstance(ragged, RaggedTensor):
            found.append(ragged._row_partition)
            ragged = ragged._values
        return tuple(found)

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of all partitions, the outermost first."""
        return tuple(p.row_splits() for p in self._nested_row_partitions)

    @scoped("RaggedValueRowIds")
    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value."""
        self._count_values()
        return self._row_partition.value_rowids()

    @scoped("RaggedNestedValueRowIds")
    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row numbers of all partitions, the outermost first."""
        inner = self._values
        rest = inner.nested_value_rowids() if isinstance(inner, RaggedTensor) else ()
        return (self.value_rowids(), *rest)

    def _count_values(self) -> None:
        """Let the partition know how many values there are from their shape.

        The last row split says the same, but not before it is computed.
        """
        rows = self._row_partition
        if rows._nvals is None:
            rows._keep("_nvals", count_of(self._values, rows.dtype))

    @scoped("RaggedNRows")
    def nrows(self, out_type: DTypeLike = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        count = self._row_partition.nrows()
        wanted = count.dtype if out_type is None else as_dtype(out_type)
        return count if wanted is count.dtype else raw_ops.Cast(count, DstT=wanted)

    @scoped("RaggedRowStarts")
    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins in the values."""
        return self._row_partition.row_starts()

    @scoped("RaggedRowLimits")
    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends in the values."""
        return self._row_partition.row_limits()

    @scoped("RaggedRowLengths")
    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How long the rows of a dimension are.

        >>> tf.ragged.constant([[[1], [2, 3]], []]).row_lengths(axis=2)
        <tf.RaggedTensor [[1, 2], []]>
        """
        return ragged_conversion.row_lengths(self, axis)

    @scoped("RaggedNestedRowLengths")
    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of all partitions, the outermost first."""
        return tuple(p.row_lengths() for p in self._nested_row_partitions)

    @scoped("RaggedBoundingBox")
    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: DTypeLike = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds this one.

        >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape().numpy()
        array([2, 3])
        """
        dtype = self.row_splits.dtype if out_type is None else as_dtype(out_type)
        return ragged_conversion.bounding_shape(self, axis, dtype)

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows of other values, which may have more dimensions."""
        values = as_values(new_values)
        values.shape[:1].assert_is_compatible_with(self._values.shape[:1])
        rows = self._row_partition
        if isinstance(values, RaggedTensor) and rows.dtype is not values._row_partition.dtype:
            values = values.with_row_splits_dtype(dtypes.int64)
            rows = rows.with_dtype(dtypes.int64)
        return RaggedTensor(values, rows, internal=True)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same partitions around other flat values.

        >>> tf.ragged.constant([[1], [2, 3]]).with_flat_values(["a", "b", "c"])
        <tf.RaggedTensor [[b'a'], [b'b', b'c']]>
        """
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same tensor with row splits of another dtype, int32 or int64."""
        wanted = as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"RaggedTensor: `dtype` must be int32 or int64, got {wanted.name}.")
        if wanted is self._row_partition.dtype:
            return self
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(wanted)
        return RaggedTensor(inner, self._row_partition.with_dtype(wanted), internal=True)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The dimensions from `outer_axis` to `inner_axis` as one.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        return ragged_conversion.merge_dims(self, outer_axis, inner_axis)

    @scoped("RaggedToTensor")
    def to_tensor(
        self, default_value: TensorLike = None, name: str | None = None, shape: ShapeLike = None
    ) -> Tensor:
        """A tensor of the same rows, filled up with `default_value` or cut to `shape`.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(default_value=-1).numpy()
        array([[ 1,  2],
               [ 3, -1]], dtype=int32)
        """
        return ragged_conversion.to_tensor(self, default_value, shape)

    @scoped("RaggedToSparse")
    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor whose elements stand at the beginning of their rows.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return ragged_conversion.to_sparse(self)

    def numpy(self) -> np.ndarray[Any, Any]:
        """An array, of arrays where rows differ in length."""
        if not self._is_eager():
            raise ValueError("RaggedTensor.numpy: a ragged tensor of a graph has no value yet.")
        return ragged_conversion.nested_array(self)

    def to_list(self) -> list[Any]:
        """The rows as nested lists of Python values.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        if not self._is_eager():
            raise ValueError("RaggedTensor.to_list: a ragged tensor of a graph has no value yet.")
        return ragged_conversion.nested_list(self)

    def consumers(self) -> list[Any]:
        """The operations that use one of the tensors."""
        parts = [self.flat_values, *self.nested_row_splits]
        return [user for part in parts if hasattr(part, "consumers") for user in part.consumers()]

    def _is_eager(self) -> bool:
        parts = [self.flat_values, *self.nested_row_splits]
        return all(isinstance(part, EagerTensor) for part in parts)

    def __getitem__(rt_input, key: Any) -> Any:  # TensorFlow's name for `self`
        return ragged_indexing.getitem(rt_input, key)

    def __iter__(self) -> Iterator[Any]:
        if not self._is_eager():
            raise TypeError("A ragged tensor of a graph can be iterated by AutoGraph only.")
        count = len(self.row_splits) - 1
        return (self[i] for i in range(count))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        if compares_objects():
            return id(self)
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        if self._is_eager():
            return f"<tf.RaggedTensor {ragged_conversion.text(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"


def as_values(values: Any) -> Any:
    """What a partition may cut into rows: a ragged tensor, or something made into a tensor."""
    if isinstance(values, RaggedTensor):
        return values
    if hasattr(type(values), "_type_spec") and not hasattr(values, "_dtype"):
        return values
    return convert_to_tensor(values)


def count_of(values: Any, dtype: DType = dtypes.int64) -> Tensor:
    """How many rows `values` have, which is their first dimension."""
    if isinstance(values, RaggedTensor):
        return values.nrows(dtype)
    known = values.shape[0] if values.shape.rank else None
    if known is not None:
        return convert_to_tensor(np.array(known, dtype.np_dtype))
    return raw_ops.Shape(values, out_type=dtype)[0]  # type: ignore[no-any-return]


def _hint(values: Any) -> DType:
    """The dtype for row splits given as Python numbers: that of the inner ones."""
    return values._row_partition.dtype if isinstance(values, RaggedTensor) else dtypes.int64


def _fitting(values: Any, rows: RowPartition) -> RowPartition:
    """The partition, once it is sure that it cuts up exactly these values."""
    if rows.static_nvals is not None:
        values.shape[:1].assert_is_compatible_with([rows.static_nvals])
    count = count_of(values, rows.dtype)
    if rows.static_nvals is not None and values.shape[0] is not None:
        return rows  # compared above
    message = "RaggedTensor: the rows must have as many elements as there are values"
    splits = rows.row_splits()
    waiting = require(raw_ops.Equal(splits[-1], count), message, splits)
    if waiting:
        rows._row_splits = after(waiting, splits)
    return rows


def _listed(name: str, nested: Any) -> list[Any]:
    if not isinstance(nested, list | tuple):
        raise TypeError(f"RaggedTensor: `{name}` must be a list of tensors, got {nested!r}.")
    return list(nested)
