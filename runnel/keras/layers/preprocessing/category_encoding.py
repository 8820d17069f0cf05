"""`tf.keras.layers.CategoryEncoding`."""

from __future__ import annotations

import logging
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.settings import floatx
from .category_output import as_tensor, checked_mode, encoded, encoded_shape


class CategoryEncoding(Layer):
    """Integer categories as rows: which occur ("multi_hot", "one_hot") or how often ("count").

    >>> tf.keras.layers.CategoryEncoding(3)([[0, 2]]).numpy()
    array([[1., 0., 1.]], dtype=float32)
    """

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "max_tokens" in kwargs:
            logging.getLogger("absl").warning("`max_tokens` is now called `num_tokens`.")
            num_tokens = kwargs.pop("max_tokens")
        super().__init__(**({"dtype": floatx()} | kwargs))
        allowed = ("count", "one_hot", "multi_hot")
        self.output_mode = checked_mode(output_mode, allowed, "CategoryEncoding")
        if num_tokens is None:
            raise ValueError(
                "`num_tokens` must be given. If it is not known beforehand, use IntegerLookup."
            )
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be at least 1, got {num_tokens}.")
        self.num_tokens = num_tokens
        self.sparse = sparse

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        tokens = as_tensor(inputs)
        if count_weights is not None:
            if self.output_mode != "count":
                raise ValueError('`count_weights` only has a meaning with output_mode="count".')
            count_weights = as_tensor(count_weights, self.compute_dtype)
        values = tokens.values if isinstance(tokens, tf.SparseTensor) else tokens
        low, high = tf.reduce_min(values), tf.reduce_max(values)
        valid = (tf.cast(self.num_tokens, high.dtype) > high) & (low >= 0)
        message = f"Input values must be in the range 0 <= values < num_tokens={self.num_tokens}"
        with tf.control_dependencies([tf.Assert(valid, [message])]):
            return encoded(
                tokens,
                self.output_mode,
                depth=self.num_tokens,
                dtype=self.compute_dtype,
                sparse=self.sparse,
                count_weights=count_weights,
            )

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

    def compute_output_signature(self, input_spec: Any) -> Any:
        shape = self.compute_output_shape(input_spec.shape)
        kind = tf.SparseTensorSpec if self.sparse else tf.TensorSpec
        return kind(shape=shape, dtype=tf.int64)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "num_tokens": self.num_tokens,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
