"""Columns of categories: by hash, by number, with weights, crossed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.columns.base import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    WordColumn,
    WrappingColumn,
    refuse_other_integers,
)
from runnel.v1.columns.cache import tensor_or_sparse, to_sparse
from runnel.v1.columns.checks import checked_key, checked_words
from runnel.v1.columns.serialization import Written, register_feature_column


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: Any


@register_feature_column
class HashedCategoricalColumn(WordColumn, Written, _Hashed):  # type: ignore[misc]
    """Words by their hash."""

    _dtypes = ("dtype",)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.SparseTensor:
        words = to_sparse(transformation_cache.get(self.key, state_manager))
        checked_words(words.dtype, f"Feature {self.key}")
        refuse_other_integers(self, words.dtype)
        text = words.values if self.dtype == tf.string else tf.as_string(words.values)
        buckets = tf.strings.to_hash_bucket_fast(text, self.hash_bucket_size, name="lookup")
        return tf.SparseTensor(words.indices, buckets, words.dense_shape)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = tf.string
) -> HashedCategoricalColumn:
    """Words or integers, sorted into `hash_bucket_size` categories by their hash.

    >>> kind = tf.feature_column.categorical_column_with_hash_bucket("kind", 4)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(kind)])
    >>> layer({"kind": [["cat"], ["hen"]]}).numpy()
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]], dtype=float32)
    """
    if hash_bucket_size is None or hash_bucket_size < 1:
        raise ValueError(f"{key}: `hash_bucket_size` must be positive, got {hash_bucket_size}.")
    kind = tf.as_dtype(dtype)
    checked_key(key)
    checked_words(kind, f"Column {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, kind)


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


@register_feature_column
class IdentityCategoricalColumn(WordColumn, Written, _Identity):  # type: ignore[misc]
    """Integers that are the categories themselves."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: tf.io.VarLenFeature(tf.int64)}

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.SparseTensor:
        numbers = to_sparse(transformation_cache.get(self.key, state_manager))
        if not numbers.dtype.is_integer:
            raise ValueError(f"Feature {self.key} must be integers, got {numbers.dtype}.")
        values = tf.cast(numbers.values, tf.int64, name="values")
        if self.default_value is not None:
            outside = tf.logical_or(values < 0, values >= self.number_buckets, name="out_of_range")
            default = tf.cast(self.default_value, tf.int64)
            values = tf.where(
                outside, tf.fill(tf.shape(values), default, name="default_values"), values
            )
        return tf.SparseTensor(numbers.indices, values, numbers.dense_shape)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers below `num_buckets`; others count as `default_value`, if it is given.

    >>> day = tf.feature_column.categorical_column_with_identity("day", 3, default_value=0)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(day)])
    >>> layer({"day": [[2], [7]]}).numpy()
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """
    if num_buckets < 1:
        raise ValueError(f"{key}: `num_buckets` must be positive, got {num_buckets}.")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"{key}: `default_value` must be from 0 to {num_buckets - 1}, got {default_value}."
        )
    return IdentityCategoricalColumn(checked_key(key), num_buckets, default_value)


class _Weighted(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: Any


@register_feature_column
class WeightedCategoricalColumn(CategoricalColumn, WrappingColumn, Written, _Weighted):  # type: ignore[misc]
    """Categories that do not all count the same."""

    _dtypes = ("dtype",)

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(
                f"{self.name}: {self.weight_feature_key} is a feature of the categories already."
            )
        return {**spec, self.weight_feature_key: tf.io.VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> Any:
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        weights = self._weights(transformation_cache.get(self.weight_feature_key, state_manager))
        ids = to_sparse(transformation_cache.get(self.categorical_column, state_manager))
        return ids, weights

    def _weights(self, feature: Any) -> tf.SparseTensor:
        weights = tensor_or_sparse(feature)
        if self.dtype != weights.dtype:
            raise ValueError(
                f"Feature {self.weight_feature_key} must be {self.dtype}, got {weights.dtype}."
            )
        weights = to_sparse(weights, ignore=0.0)
        return weights if weights.dtype.is_floating else tf.cast(weights, tf.float32)  # type: ignore[no-any-return]

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(*transformation_cache.get(self, state_manager))


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: DTypeLike = tf.float32
) -> WeightedCategoricalColumn:
    """Categories with weights, which another feature holds in the same places.

    >>> tag = tf.feature_column.categorical_column_with_identity("tag", 3)
    >>> column = tf.feature_column.weighted_categorical_column(tag, "share")
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(column)])
    >>> layer({"tag": [[0, 2]], "share": [[0.25, 0.75]]}).numpy()
    array([[0.25, 0.  , 0.75]], dtype=float32)
    """
    kind = None if dtype is None else tf.as_dtype(dtype)
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise ValueError(f"The dtype of weights must be convertible to float, got {dtype}.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


class _Crossed(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


@register_feature_column
class CrossedColumn(CategoricalColumn, Written, _Crossed):  # type: ignore[misc]
    """Every combination of the categories of several features, by its hash."""

    _columns = ("keys",)

    @property
    def _is_v2_column(self) -> bool:
        return all(isinstance(key, (str, FeatureColumn)) for key in self.leaves())

    def leaves(self) -> Iterator[Any]:
        """What is crossed: features and columns, those of crosses inside of crosses too."""
        for key in self.keys:
            if isinstance(key, CrossedColumn):
                yield from key.leaves()
            else:
                yield key

    @property
    def name(self) -> str:
        return "_X_".join(sorted(k if isinstance(k, str) else k.name for k in self.leaves()))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            words = isinstance(key, str)
            spec |= {key: tf.io.VarLenFeature(tf.string)} if words else key.parse_example_spec
        return spec

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.SparseTensor:
        features = []
        for key in self.leaves():
            if isinstance(key, str):
                features.append(transformation_cache.get(key, state_manager))
                continue
            pair = key.get_sparse_tensors(transformation_cache, state_manager)
            if pair.weight_tensor is not None:
                raise ValueError(f"crossed_column: {key.name} has weights, which have no cross.")
            features.append(pair.id_tensor)
        return tf.sparse.cross_hashed(features, self.hash_bucket_size, self.hash_key)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """The combinations of several features, as categories by their hash.

    `keys` are names of features, or categorical columns other than hashed ones.

    >>> both = tf.feature_column.crossed_column(["animal", "place"], 5)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(both)])
    >>> layer({"animal": [["cat"]], "place": [["home"]]}).numpy()
    array([[0., 0., 0., 0., 1.]], dtype=float32)
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(
            f"crossed_column: `hash_bucket_size` must be positive, got {hash_bucket_size}."
        )
    if not keys or len(keys) < 2:
        raise ValueError(f"crossed_column: `keys` must be two or more, got {keys!r}.")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "crossed_column: `keys` must be names of features or categorical columns, got "
                f"{key!r}."
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "crossed_column: hashes of hashes collide more often; cross the feature by its "
                f"name, not the hashed column {key!r}."
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
