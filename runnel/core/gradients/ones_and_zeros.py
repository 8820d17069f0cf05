"""The ones that a gradient begins with, and the zeros where none has come back."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.filling import filled, ones_as
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import resource, variant
from runnel.core.values.shape import TensorShape

if TYPE_CHECKING:
    Gradient = Tensor | IndexedSlices


def ones_like(tensor: Any) -> Tensor:
    if tensor._dtype is resource:
        tensor = _read(tensor)
    if type(tensor) is EagerTensor:
        return EagerTensor(_ones(tensor._value.shape, tensor._dtype.np_dtype), tensor._dtype)
    dims = tensor.shape._dims
    if dims is None or None in dims:
        return ones_as(tensor)
    return filled("ones", dims, 1, tensor._dtype)


def _ones(dims: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    return np.ones(dims, dtype) if dims else _one(dtype)


@functools.cache
def _one(dtype: Any) -> np.ndarray[Any, Any]:
    return np.ones((), dtype)


def zeros_like(tensor: Any, name: str = "zeros") -> Tensor:
    """Zeros of the shape of a tensor, a variable's handle, or a tensor whose value was let go."""
    dtype, dims = tensor._dtype, tensor.shape._dims
    if dtype is resource:
        variable = held(tensor)
        dtype, dims = variable.dtype, variable.static_shape._dims
    if dtype is variant or dims is None or None in dims:
        return raw_ops.ZerosLike(_read(tensor) if tensor._dtype is resource else tensor)  # type: ignore[no-any-return]
    return filled(name, dims, 0, dtype)


def unconnected(source: Any) -> Tensor:
    """The gradient of a source that nothing came back to, where zeros are asked for."""
    return zeros_like(source, "zeros_like")


def held(handle: Any) -> Any:
    """What a handle points to."""
    return handle._value if isinstance(handle, EagerTensor) else handle._handle_data


def _read(handle: Tensor) -> Tensor:
    return raw_ops.ReadVariableOp(handle, dtype=held(handle).dtype)  # type: ignore[no-any-return]


def shape_of_source(source: Any) -> TensorShape:
    """The shape of a tensor, or of the variable behind a handle."""
    shape: TensorShape = held(source).static_shape if source._dtype is resource else source.shape
    return shape
