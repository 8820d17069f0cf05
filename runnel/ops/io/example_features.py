"""What to expect of a feature: `tf.io.FixedLenFeature` and its family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype


class FixedLenFeature(NamedTuple):
    """A feature of always the same shape; without a default it must be there.

    Args:
        shape: the shape of the feature.
        dtype: int64, float32 or string.
        default_value: what stands for a feature that is missing; None makes that an error.

    >>> tf.io.FixedLenFeature([2], tf.float32)
    FixedLenFeature(shape=[2], dtype=tf.float32, default_value=None)
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """Any number of values of one shape, as a dense tensor, padded in a batch.

    >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).allow_missing
    True
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """Any number of values, as a sparse tensor.

    >>> tf.io.VarLenFeature(tf.string)
    VarLenFeature(dtype=tf.string)
    """

    dtype: Any


class _SparseFeature(NamedTuple):
    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class SparseFeature(_SparseFeature):
    """A sparse tensor whose indices and values are features of their own.

    >>> tf.io.SparseFeature("index", "value", tf.float32, size=100).size
    100
    """

    __slots__ = ()


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


def _renamed(kind: type, name: str) -> Any:
    kind.__name__ = kind.__qualname__ = name
    return kind


class _RaggedFeature(NamedTuple):
    dtype: Any
    value_key: str | None
    partitions: tuple[Any, ...]
    row_splits_dtype: Any
    validate: bool


class RaggedFeature(_RaggedFeature):
    """Any number of values, as a ragged tensor; `partitions` cut them further into rows.

    >>> feature = tf.io.RaggedFeature(
    ...     tf.int64, value_key="x", partitions=[tf.io.RaggedFeature.RowLengths("n")]
    ... )
    >>> feature.partitions[0].key
    'n'
    """

    __slots__ = ()

    RowSplits: ClassVar[Any] = _renamed(_RowSplits, "RowSplits")
    RowLengths: ClassVar[Any] = _renamed(_RowLengths, "RowLengths")
    RowStarts: ClassVar[Any] = _renamed(_RowStarts, "RowStarts")
    RowLimits: ClassVar[Any] = _renamed(_RowLimits, "RowLimits")
    ValueRowIds: ClassVar[Any] = _renamed(_ValueRowIds, "ValueRowIds")
    UniformRowLength: ClassVar[Any] = _renamed(_UniformRowLength, "UniformRowLength")

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Sequence[Any] = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"RaggedFeature: `value_key` must be a string, got {value_key!r}.")
        splits = as_dtype(row_splits_dtype)
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"RaggedFeature: row splits are int32 or int64, got {splits.name}.")
        if not isinstance(partitions, list | tuple):
            raise TypeError(f"RaggedFeature: `partitions` must be a list, got {partitions!r}.")
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                raise TypeError(f"RaggedFeature: {partition!r} is no partition.")
        if not isinstance(validate, bool):
            raise TypeError(f"RaggedFeature: `validate` must be a bool, got {validate!r}.")
        return super().__new__(cls, as_dtype(dtype), value_key, tuple(partitions), splits, validate)


_PARTITIONS = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength)
