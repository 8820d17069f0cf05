"""Columns of words that a vocabulary numbers: a list, or a file with a word on each line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.columns.base import WordColumn, refuse_other_integers
from runnel.v1.columns.cache import to_sparse
from runnel.v1.columns.checks import checked_bucket_count, checked_key, checked_words
from runnel.v1.columns.serialization import Written, register_feature_column


class VocabularyColumn(WordColumn):
    """Words by a table, which is made once for each layer."""

    num_oov_buckets: int
    default_value: int

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> tf.SparseTensor:
        words = to_sparse(transformation_cache.get(self.key, state_manager))
        refuse_other_integers(self, words.dtype)
        checked_words(words.dtype, f"Feature {self.key}")
        kind = self.dtype
        if words.dtype.is_integer:
            kind, words = tf.int64, tf.cast(words, tf.int64)
        return self._table(kind, state_manager).lookup(words)  # type: ignore[no-any-return]

    def _table(self, kind: Any, state_manager: Any) -> Any:
        name = f"{self.key}_lookup"
        if state_manager is not None and state_manager.has_resource(self, name):
            return state_manager.get_resource(self, name)
        with tf.init_scope():
            table = self._new_table(kind, name)
        if state_manager is not None:
            state_manager.add_resource(self, name, table)
        return table

    def _new_table(self, kind: Any, name: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no table.")

    def _filled(self, initializer: Any, kind: Any, name: str) -> Any:
        if self.num_oov_buckets:
            return tf.lookup.StaticVocabularyTable(initializer, self.num_oov_buckets, kind, name)
        return tf.lookup.StaticHashTable(initializer, self.default_value, name)


class _File(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: Any
    num_oov_buckets: int
    dtype: Any
    default_value: int
    file_format: str | None = None


@register_feature_column
class VocabularyFileCategoricalColumn(VocabularyColumn, Written, _File):  # type: ignore[misc]
    """Words by the line of a file that they are on."""

    _dtypes = ("dtype",)

    @property
    def num_buckets(self) -> Any:
        return self.vocabulary_size + self.num_oov_buckets

    def _new_table(self, kind: Any, name: str) -> Any:
        if self.file_format == "tfrecord_gzip":
            words: Any = tf.data.TFRecordDataset(self.vocabulary_file, "GZIP")
            if kind != tf.string:
                words = words.map(lambda word: tf.strings.to_number(word, kind))
            return tf.data.experimental.index_table_from_dataset(
                words,
                num_oov_buckets=self.num_oov_buckets,
                vocab_size=self.vocabulary_size,
                default_value=self.default_value,
                key_dtype=kind,
                name=name,
            )
        initializer = tf.lookup.TextFileInitializer(
            self.vocabulary_file,
            kind,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
            vocab_size=self.vocabulary_size,
        )
        return self._filled(initializer, kind, name)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: Any = None,
    dtype: DTypeLike = tf.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Words that a file lists, one a line; others count as `default_value`, or by their hash.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> with open(path, "w") as file:
    ...     _ = file.write("cat\\ndog\\n")
    >>> kind = tf.feature_column.categorical_column_with_vocabulary_file("kind", path)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(kind)])
    >>> layer({"kind": [["dog"], ["cow"]]}).numpy()
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    if not vocabulary_file:
        raise ValueError(f"{key}: `vocabulary_file` is missing.")
    if not isinstance(vocabulary_file, str):
        raise TypeError(f"{key}: `vocabulary_file` must be a path, got {vocabulary_file!r}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = "tfrecord_gzip"
    if vocabulary_size is None:
        vocabulary_size = _counted(key, vocabulary_file, file_format)
    if not isinstance(vocabulary_size, tf.Tensor) and vocabulary_size < 1:
        raise ValueError(f"{key}: `vocabulary_size` must be positive, got {vocabulary_size}.")
    outside = checked_bucket_count(num_oov_buckets, default_value is not None, key)
    kind = tf.as_dtype(dtype)
    checked_words(kind, f"Column {key}")
    default = -1 if default_value is None else default_value
    return VocabularyFileCategoricalColumn(
        checked_key(key), vocabulary_file, vocabulary_size, outside, kind, default, file_format
    )


def _counted(key: str, path: str, file_format: str | None) -> Any:
    """How many words a file has."""
    if not tf.io.gfile.exists(path):
        raise ValueError(f"{key}: the `vocabulary_file` {path} does not exist.")
    if file_format == "tfrecord_gzip":
        count = tf.data.TFRecordDataset(path, "GZIP").reduce(0, lambda n, _: n + 1)
        return count.numpy() if tf.executing_eagerly() else count
    with tf.io.gfile.GFile(path, "rb") as file:
        return sum(1 for _ in file)


class _List(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: Any
    default_value: int
    num_oov_buckets: int


@register_feature_column
class VocabularyListCategoricalColumn(VocabularyColumn, Written, _List):  # type: ignore[misc]
    """Words by their place in a list."""

    _dtypes = ("dtype",)

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _new_table(self, kind: Any, name: str) -> Any:
        words = tf.constant(list(self.vocabulary_list), dtype=kind)
        places = tf.range(len(self.vocabulary_list), dtype=tf.int64)
        return self._filled(tf.lookup.KeyValueTensorInitializer(words, places), kind, name)


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Words of a list; others count as `default_value`, or by their hash.

    >>> kind = tf.feature_column.categorical_column_with_vocabulary_list(
    ...     "kind", ["cat", "dog"], num_oov_buckets=1
    ... )
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(kind)])
    >>> layer({"kind": [["dog"], ["cow"]]}).numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"{key}: `vocabulary_list` must not be empty, got {vocabulary_list}.")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"{key}: `vocabulary_list` has a word twice: {vocabulary_list}.")
    own = tf.as_dtype(np.array(vocabulary_list).dtype)
    outside = checked_bucket_count(num_oov_buckets, default_value != -1, key)
    checked_words(own, f"The vocabulary of {key}")
    kind = own if dtype is None else tf.as_dtype(dtype)
    if kind.is_integer != own.is_integer:
        raise ValueError(f"{key}: the dtype is {kind}, the vocabulary's is {own}.")
    checked_words(kind, f"Column {key}")
    return VocabularyListCategoricalColumn(
        checked_key(key), tuple(vocabulary_list), kind, default_value, outside
    )
