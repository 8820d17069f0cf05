"""Tensors that are fed."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> tf.Tensor:
    """A tensor that every run must be fed.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     session.run(tf.reduce_sum(x), {x: [1.0, 2.0]})
    np.float32(3.0)
    """
    if state.graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    return raw_ops.Placeholder(dtype=tf.as_dtype(dtype), shape=tf.TensorShape(shape), name=name)  # type: ignore[no-any-return]


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> tf.Tensor:
    """A tensor that has a value of its own where a run does not feed it."""
    shape = tf.TensorShape(shape)
    if state.graph is None:
        tensor = tf.convert_to_tensor(input)
        if not shape.is_compatible_with(tensor.shape):
            raise ValueError(f"placeholder_with_default: {tensor.shape} does not fit {shape}.")
    return raw_ops.PlaceholderWithDefault(input=input, shape=shape, name=name)  # type: ignore[no-any-return]


def sparse_placeholder(
    dtype: DTypeLike, shape: Any = None, name: str | None = None
) -> tf.SparseTensor:
    """A sparse tensor whose parts every run must be fed."""
    if state.graph is None:
        raise RuntimeError("tf.sparse_placeholder() is not compatible with eager execution.")
    title = "" if name is None else f"{name}/"
    known = None if shape is None else tf.TensorShape(shape)
    rank = None if known is None else known.rank
    dense: Any
    if known is not None and known.is_fully_defined():
        dense = tf.convert_to_tensor(known.as_list(), tf.int64, name=f"{title}shape")
    else:
        dense = placeholder(tf.int64, [rank], f"{title}shape")
    values = placeholder(dtype, [None], f"{title}values")
    indices = placeholder(tf.int64, [None, rank], f"{title}indices")
    return tf.SparseTensor(indices, values, dense)
