"""`tf.keras.layers.Hashing` and `tf.keras.layers.HashedCrossing`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.settings import floatx
from runnel.keras.layers.preprocessing.category_output import (
    as_tensor,
    check_integer,
    check_sparse,
    checked_mode,
    encoded,
    encoded_shape,
    expanded,
    map_values,
)
from runnel.keras.layers.preprocessing.discretization import index_dtype, same_kind_of_spec


class Hashing(Layer):
    """Strings or integers as numbers of bins, by their hash.

    >>> tf.keras.layers.Hashing(3)([["A"], ["B"], ["C"]]).numpy().tolist()
    [[1], [0], [1]]
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if num_bins is None or num_bins <= 0:
            raise ValueError(f"`num_bins` must be positive, got {num_bins}.")
        allowed = ("int", "one_hot", "multi_hot", "count")
        mode = checked_mode(output_mode, allowed, type(self).__name__)
        super().__init__(**(kwargs | {"dtype": index_dtype(mode, kwargs.get("dtype"))}))
        check_sparse(mode, sparse)
        self.num_bins = num_bins
        self.mask_value = mask_value
        self.strong_hash = salt is not None
        self.salt = [salt, salt] if isinstance(salt, int) else salt
        if salt is not None and not (isinstance(self.salt, list | tuple) and len(self.salt) == 2):
            raise ValueError(f"`salt` must be an integer or two of them, got {salt}.")
        self.output_mode = mode
        self.sparse = sparse

    def call(self, inputs: Any) -> Any:
        return encoded(
            map_values(self._bins, as_tensor(inputs)),
            self.output_mode,
            depth=self.num_bins,
            dtype=self.compute_dtype,
            sparse=self.sparse,
        )

    def _bins(self, values: tf.Tensor) -> tf.Tensor:
        masked = self.mask_value is not None and self.num_bins > 1
        count = self.num_bins - masked  # bin 0 is kept for the mask
        texts = tf.as_string(values) if values.dtype.is_integer else values
        if self.strong_hash:
            bins = tf.strings.to_hash_bucket_strong(texts, count, key=list(self.salt))
        else:
            bins = tf.strings.to_hash_bucket_fast(texts, count)
        if not masked:
            return bins
        return tf.where(tf.equal(values, self.mask_value), tf.zeros_like(bins), bins + 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_signature(self, input_spec: Any) -> Any:
        return same_kind_of_spec(input_spec, input_spec.shape, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "num_bins": self.num_bins,
            "salt": self.salt,
            "mask_value": self.mask_value,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


class HashedCrossing(Layer):
    """Combinations of several features as numbers of bins, by their hash.

    >>> layer = tf.keras.layers.HashedCrossing(5)
    >>> layer((tf.constant(["A", "B"]), tf.constant([101, 101]))).shape
    TensorShape([2])
    """

    def __init__(
        self, num_bins: int, output_mode: str = "int", sparse: bool = False, **kwargs: Any
    ) -> None:
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = tf.int64 if output_mode == "int" else floatx()
        super().__init__(**kwargs)
        check_integer(output_mode, self.compute_dtype)
        self.output_mode = checked_mode(output_mode, ("int", "one_hot"), type(self).__name__)
        self.num_bins = num_bins
        self.sparse = sparse

    def call(self, inputs: Any) -> Any:
        _check_several(inputs)
        features = [as_tensor(x) for x in inputs]
        _check_features(features)
        rank = features[0].shape.rank
        for _ in range(2 - rank):
            features = [expanded(x, -1) for x in features]
        crossed = tf.sparse.to_dense(tf.sparse.cross_hashed(features, self.num_bins))
        bins = tf.reshape(crossed, [[], [-1], [-1, 1]][rank])
        return encoded(
            bins, self.output_mode, self.num_bins, dtype=self.compute_dtype, sparse=self.sparse
        )

    def compute_output_shape(self, input_shapes: Any) -> tf.TensorShape:
        _check_several(input_shapes)
        return encoded_shape(input_shapes[0], self.output_mode, self.num_bins)

    def compute_output_signature(self, input_specs: Any) -> Any:
        shape = self.compute_output_shape([spec.shape for spec in input_specs])
        kind = tf.SparseTensorSpec if self.sparse else tf.TensorSpec
        return kind(shape=shape, dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "num_bins": self.num_bins,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


def _check_several(inputs: Any) -> None:
    if not isinstance(inputs, list | tuple) or len(inputs) < 2:
        raise ValueError(f"`HashedCrossing` takes a list of two or more inputs, got {inputs}.")


def _check_features(features: list[Any]) -> None:
    if any(isinstance(x, tf.RaggedTensor | tf.SparseTensor) for x in features):
        raise ValueError(f"The inputs of `HashedCrossing` must be dense, got {features}.")
    first = features[0].shape.as_list()
    if len(first) > 2 or (len(first) == 2 and first[-1] != 1):
        raise ValueError(
            "The inputs of `HashedCrossing` have the shape (), (batch,) or (batch, 1), got "
            f"{first}."
        )
    if any(x.shape.as_list() != first for x in features):
        raise ValueError(
            "The inputs of `HashedCrossing` must have one shape, got "
            f"{[x.shape for x in features]}."
        )
    if not all(x.dtype.is_integer or x.dtype == tf.string for x in features):
        raise ValueError(
            "The inputs of `HashedCrossing` must be integers or strings, got "
            f"{[x.dtype for x in features]}."
        )
