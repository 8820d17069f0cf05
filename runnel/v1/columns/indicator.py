"""`indicator_column`: which categories an example has, and how often."""

from __future__ import annotations

from typing import Any, NamedTuple

import runnel as tf
from runnel.v1.columns.base import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    WrappingColumn,
)
from runnel.v1.columns.sequence import refuse_sequence, sequence_lengths, want_sequence
from runnel.v1.columns.serialization import Written, register_feature_column


class _Indicator(NamedTuple):
    categorical_column: Any


@register_feature_column
class IndicatorColumn(DenseColumn, SequenceDenseColumn, WrappingColumn, Written, _Indicator):  # type: ignore[misc]
    """A number for each category: how often an example has it, or its weight."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        depth = int(self.categorical_column.num_buckets)
        if weights is not None:
            return _weighted(ids, weights, depth)
        hot = tf.one_hot(
            tf.sparse.to_dense(ids, default_value=-1), depth, on_value=1.0, off_value=0.0
        )
        return tf.reduce_sum(hot, axis=[-2])

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        refuse_sequence(self, "indicator_column")
        return transformation_cache.get(self, state_manager)  # type: ignore[no-any-return]

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        want_sequence(self, "indicator_column")
        dense = transformation_cache.get(self, state_manager)
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return TensorSequenceLengthPair(dense, sequence_lengths(ids))


def _weighted(ids: tf.SparseTensor, weights: tf.SparseTensor, depth: int) -> tf.Tensor:
    """The sum of the weights of each category; categories that there are not are left out."""
    category = tf.expand_dims(tf.cast(ids.values, tf.int64), -1)
    indices = tf.concat([ids.indices[:, :-1], category], axis=1)
    size = tf.concat([ids.dense_shape[:-1], [depth]], axis=0)
    found = tf.sparse.reorder(tf.SparseTensor(indices, weights.values, size))
    found = tf.sparse.slice(found, [0, 0], size)
    return tf.scatter_nd(found.indices, found.values, found.dense_shape)


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Categories as a vector with a number for each.

    >>> day = tf.feature_column.categorical_column_with_identity("day", 3)
    >>> column = tf.feature_column.indicator_column(day)
    >>> tf.keras.layers.DenseFeatures([column])({"day": [[2, 2], [0, 1]]}).numpy()
    array([[0., 0., 2.],
           [1., 1., 0.]], dtype=float32)
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(
            f"indicator_column: a categorical column is wanted, got {categorical_column!r}."
        )
    return IndicatorColumn(categorical_column)
