"""`tf.compat.v1.ragged`: ragged tensors that are fed, and as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.core.values.types import DTypeLike, ShapeLike
from runnel.graph.session.values import RaggedTensorValue
from runnel.ops.ragged.constants import parts
from runnel.v1.behavior.placeholders import placeholder as dense_placeholder
from runnel.v1.ops.arrays import name_scope


def placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: ShapeLike = None, name: str | None = None
) -> Any:
    """A ragged tensor whose parts every run must be fed, as a `RaggedTensorValue`.

    >>> value = tf.compat.v1.ragged.constant_value([[1, 2], [3]], dtype=np.int32)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.ragged.placeholder(tf.int32, 1)
    ...     session.run(tf.reduce_sum(x, axis=1), {x: value})
    array([3, 3], dtype=int32)
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder", []):
        shape = tf.TensorShape([None]).concatenate(value_shape)
        made: Any = dense_placeholder(dtype, shape, "flat_values")
        for n in reversed(range(ragged_rank)):
            splits = dense_placeholder(tf.int64, [None], f"row_splits_{n}")
            made = tf.RaggedTensor.from_row_splits(made, splits, validate=False)
    return made


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """The arrays of a nested list whose rows differ in length.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).row_splits
    array([0, 2, 3])
    """
    if isinstance(dtype, tf.DType):
        dtype = dtype.as_numpy_dtype
    values, nested, inner = parts(pylist, ragged_rank, inner_shape, row_splits_dtype)
    made: Any = np.array(values, dtype=dtype)
    if inner is not None and (nested or inner):
        made = made.reshape((len(values), *inner))
    for splits in reversed(nested):
        made = RaggedTensorValue(made, splits)
    return made
