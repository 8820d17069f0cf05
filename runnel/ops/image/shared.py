"""What the functions on images share: their rank, their sizes, and batches of one image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.settings.arguments import integer
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import TensorLike


def at_least_3d(image: TensorLike, *, nonempty: bool = True) -> Tensor:
    """`image` as a tensor; ValueError where it is known to lack height, width or channels."""
    image = convert_to_tensor(image)
    dims = image.shape._dims
    if dims is None:
        return image
    if len(dims) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if nonempty and 0 in dims[-3:]:
        raise ValueError(f"The inner 3 dims of 'image.shape' must be > 0, got {image.shape}.")
    return image


def batched(image: Tensor, name: str = "image") -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """`image` with a batch axis in front, and the function that takes away an axis added here."""
    rank = image.shape.rank
    if rank is None:
        raise ValueError(f"'{name}' must have a known rank, 3 or 4. Use tf.ensure_shape.")
    if rank == 4:
        return image, lambda result: result
    if rank != 3:
        message = f"'{name}' (shape {image.shape}) must have either 3 or 4 dimensions."
        raise ValueError(message)
    first = np.int32(0)
    return raw_ops.ExpandDims(image, first), lambda result: raw_ops.Squeeze(result, axis=[0])


def sizes(image: Tensor) -> list[Any]:
    """The size of each axis: an int where it is known, else a scalar tensor."""
    dims = image.shape._dims
    if dims is None:
        raise ValueError(f"The rank of the image must be known, got {image!r}.")
    if None not in dims:
        return list(dims)
    shape = raw_ops.Shape(image)
    return [shape[i] if d is None else d for i, d in enumerate(dims)]


def require(condition: Any, message: str) -> None:
    """ValueError unless a condition holds; for a tensor InvalidArgumentError, perhaps later."""
    if not isinstance(condition, Tensor):
        if not condition:
            raise ValueError(message)
    elif not isinstance(condition, EagerTensor):
        raw_ops.Assert(condition, [message])
    elif not condition._value:
        raise InvalidArgumentError(None, None, message)


def whole(function: str, **argument: Any) -> Any:
    """A size or an offset: a tensor, or a Python integer."""
    ((name, value),) = argument.items()
    return value if isinstance(value, Tensor) else integer(function, name, value)


def int_vector(items: list[Any]) -> TensorLike:
    """Python integers and scalar tensors as one int32 vector."""
    if any(isinstance(item, Tensor) for item in items):
        return raw_ops.Pack([as_int32(item) for item in items], axis=0)
    if any(abs(item) >> 63 for item in items):
        raise ValueError(f"Sizes and offsets must fit 64 bits, got {items}.")
    return np.array(items, np.int64 if any(abs(item) >> 31 for item in items) else np.int32)


def as_int32(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value if value.dtype.name == "int32" else cast(value, convert_to_tensor(0).dtype)
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"Sizes and offsets must fit 32 bits, got {value}.")
    return np.int32(value)


def cast(x: Tensor, dtype: DType) -> Tensor:
    return x if x.dtype is dtype else raw_ops.Cast(x, DstT=dtype)
