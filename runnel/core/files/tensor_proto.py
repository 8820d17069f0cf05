"""`tf.make_tensor_proto` and `tf.make_ndarray`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.protos import messages
from runnel.core.tensor.convert import to_array
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.array_protos import array_of, array_proto
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike = None,
    shape: ShapeLike = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """`values` as a `TensorProto`.

    >>> proto = tf.make_tensor_proto([1, 2], shape=[2, 1])
    >>> proto.tensor_content
    b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00'
    """
    if allow_broadcast and verify_shape:
        raise ValueError(
            "tf.make_tensor_proto: allow_broadcast and verify_shape exclude each other."
        )
    if isinstance(values, messages.TensorProto):
        return values
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, Tensor) and not hasattr(values, "_value"):
        raise TypeError(f"tf.make_tensor_proto: `values` must be known, got {values!r}.")
    wanted = None if dtype is None else as_dtype(dtype)
    array = _as_array(values, wanted)
    found = wanted or as_dtype(array.dtype)
    dims = array.shape if shape is None else tuple(d or 0 for d in TensorShape(shape).as_list())
    if (verify_shape or (allow_broadcast and array.size != 1)) and array.shape != dims:
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    if array.size > math.prod(dims) > 0:
        raise ValueError(f"Too many elements provided: {array.size} for the shape {dims}.")
    return array_proto(array, found, dims)


def _as_array(values: TensorLike, dtype: DType | None) -> np.ndarray[Any, Any]:
    if hasattr(values, "numpy"):
        values = np.asarray(values.numpy())
        if dtype is not None and as_dtype(values.dtype) is not dtype:
            raise TypeError(f"Expected {dtype.name}, but got a tensor of {values.dtype}.")
    try:
        return to_array(values, dtype)
    except ValueError as error:
        if "mixed types" in str(error) or "unsupported type" in str(error):
            raise TypeError(
                f"Failed to convert elements of {values!r} to Tensor. {error}"
            ) from None
        raise


def make_ndarray(tensor: Any) -> np.ndarray[Any, Any]:
    """The array that a `TensorProto` holds.

    >>> tf.make_ndarray(tf.make_tensor_proto([1.5, 2.5]))
    array([1.5, 2.5], dtype=float32)
    """
    return array_of(tensor)
