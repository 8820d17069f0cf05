"""`tf.keras.layers.Embedding`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer


class Embedding(Layer):
    """A vector for each of `input_dim` integers.

    The integers may be in a `tf.SparseTensor`; what it leaves out has the vector of 0. With
    `sparse` the vectors come in a `tf.SparseTensor`.

    Args:
        input_dim: how many integers there are: the largest, plus one.
        output_dim: the size of the vectors.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: what the vectors
            begin with, a penalty on them, and a function that they go through after each update.
        activity_regularizer: a penalty on the outputs, added to the loss.
        mask_zero: whether 0 only fills up, and is masked.
        input_length: the length of the sequences, if it is always the same.
        sparse: whether the result is a `tf.SparseTensor`.

    >>> layer = tf.keras.layers.Embedding(10, 3)
    >>> layer(tf.constant([[1, 2]])).shape
    TensorShape([1, 2, 3])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs:
            length = input_length if isinstance(input_length, list | tuple) else (input_length,)
            kwargs["input_shape"] = tuple(length)
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(
                "Both `input_dim` and `output_dim` should be positive, Received "
                f"input_dim = {input_dim} and output_dim = {output_dim}"
            )
        if sparse and mask_zero:
            raise ValueError("`mask_zero` cannot be enabled when `sparse` is: Embedding.")
        kwargs["autocast"] = False  # floats become integers as they are
        self._use_one_hot_matmul = kwargs.pop("use_one_hot_matmul", False)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length
        self.sparse = sparse

    def build(self, input_shape: Any = None) -> None:
        self.embeddings = self.add_weight(
            "embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
            experimental_autocast=False,
        )
        super().build(input_shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        dims = tf.TensorShape(input_shape)
        if self.input_length is not None:
            length = self.input_length
            inner = tf.TensorShape(length if isinstance(length, list | tuple) else [length])
            if not inner.is_compatible_with(dims[1:]):
                raise ValueError(
                    f'"input_length" is {length}, but received input has shape {input_shape}'
                )
            dims = dims[:1].concatenate(inner.merge_with(dims[1:]))
        return dims.concatenate(self.output_dim)

    def call(self, inputs: Any) -> Any:
        if inputs.dtype not in (tf.int32, tf.int64):
            inputs = tf.cast(inputs, tf.int32)
        if isinstance(inputs, tf.SparseTensor):
            outputs = self._of_sparse(inputs)
        elif self._use_one_hot_matmul:
            chosen = tf.one_hot(inputs, self.input_dim, dtype=self.embeddings.dtype)
            outputs = tf.matmul(chosen, self.embeddings)
        else:
            outputs = tf.nn.embedding_lookup(self.embeddings, inputs)
        if self.sparse and not isinstance(outputs, tf.SparseTensor):
            outputs = tf.sparse.from_dense(outputs)
        wanted = tf.as_dtype(self.compute_dtype)
        return outputs if outputs.dtype is wanted else tf.cast(outputs, wanted)

    def _of_sparse(self, inputs: Any) -> Any:
        if not self.sparse:
            return tf.nn.safe_embedding_lookup_sparse(
                self.embeddings, tf.sparse.expand_dims(inputs, axis=-1), default_id=0
            )
        vectors = tf.nn.embedding_lookup(self.embeddings, inputs.values)
        places = tf.repeat(inputs.indices, self.output_dim, axis=0)
        within = tf.tile(tf.range(self.output_dim, dtype=tf.int64), tf.shape(inputs.values))
        return tf.SparseTensor(
            tf.concat([places, within[:, None]], axis=1),
            tf.reshape(vectors, [-1]),
            tf.concat([inputs.dense_shape, [self.output_dim]], axis=0),
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            "embeddings_initializer": initializers.serialize(self.embeddings_initializer),
            "embeddings_regularizer": regularizers.serialize(self.embeddings_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "embeddings_constraint": constraints.serialize(self.embeddings_constraint),
            "mask_zero": self.mask_zero,
            "input_length": self.input_length,
        }
