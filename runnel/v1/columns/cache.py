"""The features of a batch by name, and what columns made of them: each once."""

from __future__ import annotations

import inspect
from typing import Any

import runnel as tf
from runnel.core.composite.sparse_tensor import SparseTensorValue
from runnel.core.op.raw import raw_ops
from runnel.v1.columns.base import FeatureColumn


class FeatureTransformationCache:
    """Features by name, and what columns made of them."""

    def __init__(self, features: dict[Any, Any]) -> None:
        self._features = features.copy()
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: Any = None) -> Any:
        """The feature of that name, or what that column makes."""
        if key not in self._made:
            self._made[key] = self._new(key, state_manager, training)
        return self._made[key]

    def _new(self, key: Any, state_manager: Any, training: Any) -> Any:
        if key in self._features:
            return as_feature(key, self._features[key])
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in the features: {sorted(self._features)}.")
        if not isinstance(key, FeatureColumn) and not hasattr(key, "transform_feature"):
            raise TypeError(f"A feature's name or a column is wanted, got {key!r}.")
        transform = key.transform_feature
        wants = "training" in inspect.signature(transform).parameters
        made = transform(self, state_manager, **({"training": training} if wants else {}))
        if made is None:
            raise ValueError(f"Column {key.name} made nothing of the features.")
        return made


def tensor_or_sparse(value: Any) -> Any:
    """A sparse tensor as it is, anything else as a tensor."""
    if isinstance(value, SparseTensorValue):
        return tf.SparseTensor.from_value(value)
    return value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value)


def as_feature(key: Any, value: Any) -> Any:
    """A feature with a dimension of its own beside the batch's."""
    feature = tensor_or_sparse(value)
    known = feature.shape.rank
    if known == 0:
        raise ValueError(f"Feature {key} must have a batch dimension, got a scalar: {feature}")
    if known is not None:
        return _with_width(feature) if known == 1 else feature
    if isinstance(feature, tf.SparseTensor):
        ranks = tf.shape(feature.dense_shape)[0]
    else:
        ranks = tf.rank(feature)
    message = f"Feature {key} must have a batch dimension, got a scalar."
    with tf.control_dependencies([tf.debugging.assert_positive(ranks, message=message)]):
        return tf.cond(ranks == 1, lambda: _with_width(feature), lambda: feature)


def _with_width(feature: Any) -> Any:
    if not isinstance(feature, tf.SparseTensor):
        return tf.expand_dims(feature, -1)
    rows = feature.dense_shape[0]
    return tf.sparse.reshape(feature, raw_ops.Pack([rows, tf.convert_to_tensor(1, tf.int64)]))


def to_sparse(value: Any, ignore: Any = None) -> tf.SparseTensor:
    """What is not empty, as a sparse tensor: no word, -1 and 0.0 are nothing."""
    tensor = tensor_or_sparse(value)
    if isinstance(tensor, tf.SparseTensor):
        return tensor
    with tf.name_scope("to_sparse_input"):
        if ignore is None:
            ignore = "" if tensor.dtype == tf.string else -1 if tensor.dtype.is_integer else 0
        nothing = tf.cast(ignore, tensor.dtype, name="ignore_value")
        indices = tf.where(tf.not_equal(tensor, nothing), name="indices")
        values = tf.gather_nd(tensor, indices, name="values")
        size = tf.shape(tensor, out_type=tf.int64, name="dense_shape")
        return tf.SparseTensor(indices, values, size)
