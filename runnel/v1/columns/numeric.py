"""Columns of numbers: as they are, or by the buckets between boundaries."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike
from .base import CategoricalColumn, DenseColumn, FeatureColumn, IdWeightPair
from .checks import checked_default, checked_key, checked_normalizer, checked_number, checked_shape
from .serialization import Written, register_feature_column


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Any


@register_feature_column
class NumericColumn(DenseColumn, Written, _Numeric):  # type: ignore[misc]
    """Numbers as they are, perhaps by a function of the user's."""

    _dtypes = ("dtype",)
    _objects = {"normalizer_fn": dict}

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: tf.io.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        feature = transformation_cache.get(self.key, state_manager)
        if isinstance(feature, tf.SparseTensor):
            raise ValueError(
                f"numeric_column {self.key}: the feature must be a tensor, got a SparseTensor."
            )
        if self.normalizer_fn is not None:
            feature = self.normalizer_fn(feature)
        return tf.cast(feature, tf.float32)  # type: ignore[no-any-return]

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        return transformation_cache.get(self, state_manager)  # type: ignore[no-any-return]


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: DTypeLike = tf.float32,
    normalizer_fn: Any = None,
) -> NumericColumn:
    """A feature of numbers, `shape` of them for each example.

    >>> age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x / 10.0)
    >>> tf.keras.layers.DenseFeatures([age])({"age": [30.0, 45.0]}).numpy()
    array([[3. ],
           [4.5]], dtype=float32)
    """
    dims = checked_shape(shape, key)
    kind = checked_number(dtype, key)
    default = checked_default(dims, default_value, kind, key)
    normalizer = checked_normalizer(normalizer_fn)
    return NumericColumn(checked_key(key), dims, default, kind, normalizer)


class _Bucketized(NamedTuple):
    source_column: Any
    boundaries: tuple[float, ...]


@register_feature_column
class BucketizedColumn(DenseColumn, CategoricalColumn, Written, _Bucketized):  # type: ignore[misc]
    """Which of the buckets between boundaries a number is in."""

    _columns = ("source_column",)

    @property
    def _is_v2_column(self) -> bool:
        return isinstance(self.source_column, FeatureColumn)

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return dict(self.source_column.parse_example_spec)

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    @property
    def _buckets(self) -> int:
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([*self.source_column.shape, self._buckets])

    @property
    def num_buckets(self) -> int:
        return self._buckets * int(self.source_column.shape[0])

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        numbers = transformation_cache.get(self.source_column, state_manager)
        found: tf.Tensor = raw_ops.Bucketize(
            numbers, boundaries=[float(b) for b in self.boundaries]
        )
        return found

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        buckets = tf.cast(transformation_cache.get(self, state_manager), tf.int64)
        return tf.one_hot(buckets, self._buckets, on_value=1.0, off_value=0.0)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        """Each of the numbers of an example has buckets of its own."""
        buckets = transformation_cache.get(self, state_manager)
        rows, width = tf.shape(buckets)[0], int(self.source_column.shape[0])
        row = tf.repeat(tf.range(rows), width)
        place = tf.tile(tf.range(width), [rows])
        ids = tf.reshape(buckets, [-1]) + self._buckets * place
        indices = tf.cast(tf.stack([row, place], axis=1), tf.int64)
        size = tf.cast(tf.stack([rows, width]), tf.int64)
        return IdWeightPair(tf.SparseTensor(indices, ids, size), None)


def bucketized_column(source_column: NumericColumn, boundaries: Any) -> BucketizedColumn:
    """The bucket of each number of a numeric column, as an indicator or as a category.

    >>> age = tf.feature_column.numeric_column("age")
    >>> column = tf.feature_column.bucketized_column(age, [18, 65])
    >>> tf.keras.layers.DenseFeatures([column])({"age": [3.0, 65.0]}).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            f"bucketized_column: `source_column` must be of numeric_column, got {source_column!r}."
        )
    if len(source_column.shape) > 1:
        raise ValueError(
            "bucketized_column: `source_column` must have one dimension, got the shape "
            f"{source_column.shape}."
        )
    if not boundaries:
        raise ValueError("bucketized_column: `boundaries` must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(
        a >= b for a, b in itertools.pairwise(boundaries)
    ):
        raise ValueError(
            f"bucketized_column: `boundaries` must be a rising list, got {boundaries!r}."
        )
    return BucketizedColumn(source_column, tuple(boundaries))
