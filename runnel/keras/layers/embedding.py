"""`tf.keras.layers.Embedding`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.base_layer import Layer


class Embedding(Layer):
    """A vector for each of `input_dim` integers.

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
        if sparse:
            raise NotImplementedError("Embedding: sparse=True is not supported.")
        if "input_shape" not in kwargs:
            length = input_length if isinstance(input_length, list | tuple) else (input_length,)
            kwargs["input_shape"] = tuple(length)
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(
                "Both `input_dim` and `output_dim` should be positive, Received "
                f"input_dim = {input_dim} and output_dim = {output_dim}"
            )
        kwargs.setdefault("autocast", False)
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
        return tf.TensorShape(input_shape).concatenate(self.output_dim)

    def call(self, inputs: Any) -> Any:
        if inputs.dtype not in (tf.int32, tf.int64):
            inputs = tf.cast(inputs, tf.int32)
        outputs = tf.nn.embedding_lookup(self.embeddings, inputs)
        wanted = tf.as_dtype(self.compute_dtype)
        return outputs if outputs.dtype is wanted else tf.cast(outputs, wanted)

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
