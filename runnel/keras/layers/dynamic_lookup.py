"""A vocabulary that learns from what comes in, and embeddings that follow it."""

from __future__ import annotations

import os
import random
import string
from typing import Any

import runnel as tf
from runnel.keras import initializers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.embedding import Embedding
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import deserialize_keras_object
from runnel.keras.utils.warmstarting import warmstart_embedding_matrix

_KINDS = (tf.string, tf.int32, tf.int64)


class DynamicLookup(Layer):
    """The numbers of words; counts which words come, so that the vocabulary can be renewed.

    The counts have room for a fifth more words than the vocabulary; the rarest words give way.

    >>> words = tf.constant(["wolf", "zebra"])
    >>> layer = tf.keras.layers.experimental.DynamicLookup(2, initial_vocabulary=words)
    >>> layer(tf.constant([["zebra", "panther"]])).numpy()
    array([[1, 2]])
    """

    def __init__(
        self,
        vocabulary_size: int,
        initial_vocabulary: Any,
        eviction_policy: str = "LFU",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size, self.eviction_policy = vocabulary_size, eviction_policy
        self.initial_vocabulary: Any = _first_words(vocabulary_size, initial_vocabulary)
        if not hasattr(self.initial_vocabulary, "dtype"):
            raise ValueError(f"`initial_vocabulary` must be a tensor, got {initial_vocabulary!r}.")
        self.vocabulary_dtype = self.initial_vocabulary.dtype
        if eviction_policy != "LFU":
            raise ValueError(
                f"{eviction_policy} eviction policy is currently unsupported by DynamicLookup "
                "layer. It currently only supports `LFU`"
            )
        self.internal_table_size = int(vocabulary_size * 1.2)
        counts = tf.zeros_like(self.initial_vocabulary, tf.int32)
        self.vocabulary_table_keys = self._table("keys", self.initial_vocabulary)
        self.vocabulary_table_values = self._table("values", counts)

    def _table(self, name: str, start: Any) -> tf.Variable:
        padded = _padded(start, self.internal_table_size)
        return tf.Variable(padded, trainable=False, name=f"vocabulary_table_{name}")

    def build(self, input_shape: Any = None) -> None:
        words = self.initial_vocabulary
        self.vocabulary = self.add_weight(
            "vocabulary",
            shape=words.shape,
            dtype=self.vocabulary_dtype,
            initializer=lambda shape, dtype=None, **kwargs: words,
            trainable=False,
        )
        super().build(input_shape)

    def call(self, inputs: Any, learn_vocab: bool = True) -> Any:
        flat = tf.reshape(inputs, [-1])
        if learn_vocab:
            unique, _ = tf.unique(flat)
            self.update_internal_vocabulary(tf.cast(unique, self.vocabulary_dtype))
        same = tf.equal(tf.expand_dims(flat, -1), self.vocabulary)
        place = tf.argmax(tf.cast(same, tf.int32), axis=-1)
        unknown = tf.constant(self.vocabulary_size, tf.int64)
        return tf.reshape(tf.where(tf.reduce_any(same, axis=-1), place, unknown), tf.shape(inputs))

    def update_internal_vocabulary(self, unique: Any) -> Any:
        """Count some words, each once; new ones take the places of the rarest."""
        keys = _without_padding(self.vocabulary_table_keys)
        counts = _without_padding(self.vocabulary_table_values)
        new = tf.sets.difference(tf.expand_dims(unique, 0), tf.expand_dims(keys, 0)).values
        surplus = tf.maximum(tf.size(keys) + tf.size(new) - self.internal_table_size, 0)
        _, rare = tf.nn.top_k(-counts, k=surplus)
        kept = tf.reduce_all(tf.not_equal(tf.expand_dims(tf.range(tf.size(keys)), 1), rare), axis=1)
        keys, counts = tf.boolean_mask(keys, kept), tf.boolean_mask(counts, kept)
        came = tf.reduce_any(tf.equal(tf.expand_dims(keys, 1), unique), axis=1)
        counts = tf.concat([counts + tf.cast(came, tf.int32), tf.ones_like(new, tf.int32)], 0)
        size = self.internal_table_size
        self.vocabulary_table_keys.assign(_padded(tf.concat([keys, new], 0), size))
        self.vocabulary_table_values.assign(_padded(counts, size))
        return unique

    def get_top_vocabulary(self, k: int) -> Any:
        """The words that came most often."""
        return _top(self.vocabulary_table_keys, self.vocabulary_table_values, k)

    def get_vocabulary(self) -> Any:
        """The words in the order of their numbers."""
        return self.vocabulary

    def get_config(self) -> dict[str, Any]:
        own = {
            "vocabulary_size": self.vocabulary_size,
            "initial_vocabulary": self.initial_vocabulary.numpy().tolist(),
            "eviction_policy": self.eviction_policy,
        }
        return {**super().get_config(), **own}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**_with_words(config))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(input_shape)

    def save_assets(self, dir_path: str) -> None:
        """Write the vocabulary to a file, one word a line."""
        _write_words(os.path.join(dir_path, "vocabulary.txt"), self.vocabulary)


class DynamicEmbedding(Layer):
    """Embeddings of words whose vocabulary can be renewed while a model trains.

    >>> words = tf.constant(["wolf", "zebra"])
    >>> layer = tf.keras.layers.experimental.DynamicEmbedding(2, 3, words)
    >>> layer(tf.constant([["zebra", "panther"]])).shape
    TensorShape([1, 2, 3])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        initial_vocabulary: Any,
        eviction_policy: str = "LFU",
        input_length: int | None = None,
        embedding_initializer: Any = "uniform",
        num_oov_indices: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.embedding_layer = Embedding(
            input_dim + num_oov_indices,
            output_dim,
            embeddings_initializer=embedding_initializer,
            input_length=input_length,
            **kwargs,
        )
        self.dynamic_lookup_layer = DynamicLookup(
            input_dim, initial_vocabulary, eviction_policy, **kwargs
        )
        self.embedding_initializer = embedding_initializer
        self.num_oov_indices = num_oov_indices

    def build(self, input_shape: Any = None) -> None:
        self.embedding_layer.build(input_shape)
        self.dynamic_lookup_layer.build(input_shape)
        super().build(input_shape)

    def call(self, inputs: Any, learn_vocab: bool = True) -> Any:
        return self.embedding_layer(self.dynamic_lookup_layer(inputs, learn_vocab=learn_vocab))

    def get_vocabulary(self) -> Any:
        """The words in the order of their embeddings."""
        return self.dynamic_lookup_layer.get_vocabulary()

    def get_config(self) -> dict[str, Any]:
        lookup, embedding = self.dynamic_lookup_layer, self.embedding_layer
        chosen = self.embedding_initializer
        own = {
            "input_dim": embedding.input_dim,
            "output_dim": embedding.output_dim,
            "input_length": embedding.input_length,
            "eviction_policy": lookup.eviction_policy,
            "initial_vocabulary": lookup.initial_vocabulary.numpy().tolist(),
            "embedding_initializer": (
                chosen if isinstance(chosen, str) else initializers.serialize(chosen)
            ),
            "num_oov_indices": self.num_oov_indices,
        }
        return {**super().get_config(), **own}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        words = config["input_dim"] - config["num_oov_indices"]  # a config counts all the rows
        return cls(**{**_with_words(config), "input_dim": words})

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.embedding_layer.compute_output_shape(input_shape)

    def save_assets(self, dir_path: str) -> None:
        """Write the first vocabulary to a file, one word a line."""
        path = os.path.join(dir_path, "initial_vocabulary.txt")
        _write_words(path, self.dynamic_lookup_layer.initial_vocabulary)

    def update_embeddings(self, strategy: Any) -> None:
        """Make the words that came most often the vocabulary; known ones keep their embeddings.

        There is one table of counts for all replicas, whatever the `strategy`.
        """
        lookup, embeddings = self.dynamic_lookup_layer, self.embedding_layer.embeddings
        keys, values = lookup.vocabulary_table_keys, lookup.vocabulary_table_values
        words = self.get_top_vocabulary(keys, values, lookup.vocabulary_size)
        unknown = tf.fill([self.num_oov_indices], _padding(words.dtype, "UNK"))
        matrix = warmstart_embedding_matrix(
            base_vocabulary=tf.convert_to_tensor(lookup.vocabulary),
            new_vocabulary=tf.concat([words, tf.cast(unknown, words.dtype)], axis=0),
            base_embeddings=tf.convert_to_tensor(embeddings),
            new_embeddings_initializer=self.embedding_initializer,
        )
        lookup.vocabulary.assign(words)
        embeddings.assign(matrix)

    def aggregate_lookup_table(self, keys_list: Any, values_list: Any) -> Any:
        """The counts of several tables added up."""
        keys, places, _ = tf.unique_with_counts(tf.reshape(keys_list, [-1]))
        counts = tf.reshape(values_list, [-1])
        return keys, tf.math.unsorted_segment_sum(counts, places, tf.size(keys))

    def get_top_vocabulary(self, keys: Any, values: Any, k: int) -> Any:
        """The words of a table that came most often."""
        return _top(keys, values, k)


def _with_words(config: dict[str, Any]) -> dict[str, Any]:
    """A config whose vocabulary is a tensor: in files, words are descriptions of bytes."""
    words = deserialize_keras_object(list(config["initial_vocabulary"]))
    return {**config, "initial_vocabulary": tf.constant(words)}


def _first_words(size: int, given: Any) -> tf.Tensor:
    """The words that are given, or as many made up of a type."""
    if tf.is_tensor(given):
        return given
    if given not in _KINDS:
        raise ValueError(
            "Either specify the initial vocabulary or provide a valid dtype. The dtype argument "
            "must be one of the following: tf.string, tf.int32, tf.int64."
        )
    if given != tf.string:
        return tf.random.uniform([size], 0, size, given)
    letters = string.ascii_letters
    return tf.constant(["".join(random.choices(letters, k=10)) for _ in range(size)])


def _padding(dtype: Any, word: str = "unk") -> Any:
    return word if dtype == tf.string else -1


def _padded(tensor: Any, size: int) -> Any:
    more = tf.maximum(size - tf.size(tensor), 0)
    return tf.pad(tensor, [[0, more]], constant_values=_padding(tensor.dtype))[:size]


def _without_padding(table: Any) -> Any:
    values = tf.convert_to_tensor(table)
    return tf.boolean_mask(values, tf.not_equal(values, _padding(values.dtype)))


def _top(keys: Any, values: Any, k: int) -> Any:
    _, places = tf.nn.top_k(values, k=tf.minimum(tf.size(keys), k))
    return tf.gather(keys, places)


def _write_words(path: str, words: Any) -> None:
    with tf.io.gfile.GFile(path, "w") as file:
        file.write("\n".join(str(word) for word in words.numpy().tolist()))
