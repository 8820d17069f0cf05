"""Columns of sequences: one value for each step of each example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike
from .base import (
    CategoricalColumn,
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    WrappingColumn,
)
from .categorical import categorical_column_with_hash_bucket, categorical_column_with_identity
from .checks import checked_normalizer, checked_number, checked_shape
from .serialization import Written, register_feature_column
from .vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)


def sequence_lengths(sparse: tf.SparseTensor, num_elements: int = 1) -> tf.Tensor:
    """How many steps each row has: as far as its last value, `num_elements` of them a step."""
    with tf.name_scope("sequence_length"):
        row, place = sparse.indices[:, 0], sparse.indices[:, 1]
        last = tf.math.segment_max(place + tf.ones_like(place), row)
        steps = tf.cast(tf.math.ceil(last / num_elements), tf.int64)
        rows = tf.cast(sparse.dense_shape[:1], tf.int32)
        return tf.concat([steps, tf.zeros(rows - tf.shape(steps)[:1], tf.int64)], axis=0)


def refuse_sequence(column: Any, what: str) -> None:
    if isinstance(column.categorical_column, SequenceCategoricalColumn):
        raise ValueError(
            f"{what} {column.name}: sequences are for tf.keras.experimental.SequenceFeatures; take "
            f"a categorical_column_with_* here, not {column.categorical_column!r}."
        )


def want_sequence(column: Any, what: str) -> None:
    if not isinstance(column.categorical_column, SequenceCategoricalColumn):
        raise ValueError(
            f"{what} {column.name}: SequenceFeatures takes sequences; take one of "
            f"sequence_categorical_column_with_*, not {column.categorical_column!r}."
        )


class _Categorical(NamedTuple):
    categorical_column: Any


@register_feature_column
class SequenceCategoricalColumn(CategoricalColumn, WrappingColumn, Written, _Categorical):  # type: ignore[misc]
    """Sequences of categories."""

    @property
    def name(self) -> str:
        return str(self.categorical_column.name)

    @property
    def num_buckets(self) -> Any:
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        """The categories with a last dimension for those of one step."""
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        size = ids.dense_shape
        steps = raw_ops.Pack([size[0], size[1], tf.reduce_prod(size[2:])])
        ids = tf.sparse.reshape(ids, steps)
        return IdWeightPair(ids, None if weights is None else tf.sparse.reshape(weights, steps))


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Sequences of integers below `num_buckets`.

    >>> word = tf.feature_column.sequence_categorical_column_with_identity("word", 3)
    >>> layer = tf.keras.experimental.SequenceFeatures([tf.feature_column.indicator_column(word)])
    >>> steps, lengths = layer({"word": tf.sparse.from_dense([[2, 1], [1, 0]])})
    >>> lengths.numpy()
    array([2, 1])
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = tf.string
) -> SequenceCategoricalColumn:
    """Sequences of words, by their hash.

    >>> tf.feature_column.sequence_categorical_column_with_hash_bucket("word", 9).num_buckets
    9
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: Any = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = tf.string,
) -> SequenceCategoricalColumn:
    """Sequences of words that a file lists.

    >>> make = tf.feature_column.sequence_categorical_column_with_vocabulary_file
    >>> make("word", "words.txt", vocabulary_size=3).num_buckets
    3
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Sequences of words of a list.

    >>> make = tf.feature_column.sequence_categorical_column_with_vocabulary_list
    >>> make("word", ["a", "b"]).num_buckets
    2
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: Any
    normalizer_fn: Any


@register_feature_column
class SequenceNumericColumn(SequenceDenseColumn, Written, _Numeric):  # type: ignore[misc]
    """Sequences of numbers."""

    _dtypes = ("dtype",)

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        feature = transformation_cache.get(self.key, state_manager)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        numbers = transformation_cache.get(self, state_manager)
        dense = tf.sparse.to_dense(numbers, default_value=self.default_value)
        steps = tf.reshape(dense, tf.concat([tf.shape(dense)[:1], [-1], list(self.shape)], axis=0))
        size = self.variable_shape.num_elements() if numbers.shape.rank == 2 else 1
        return TensorSequenceLengthPair(steps, sequence_lengths(numbers, size or 1))


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = tf.float32,
    normalizer_fn: Any = None,
) -> SequenceNumericColumn:
    """Sequences of numbers, `shape` of them a step.

    >>> heat = tf.feature_column.sequence_numeric_column("heat")
    >>> layer = tf.keras.experimental.SequenceFeatures([heat])
    >>> steps, lengths = layer({"heat": tf.sparse.from_dense([[20.0, 21.0], [19.0, 0.0]])})
    >>> steps.shape, lengths.numpy()
    (TensorShape([2, 2, 1]), array([2, 1]))
    """
    dims = checked_shape(shape, key)
    kind = checked_number(dtype, key)
    normalizer = checked_normalizer(normalizer_fn)
    return SequenceNumericColumn(key, dims, default_value, kind, normalizer)
