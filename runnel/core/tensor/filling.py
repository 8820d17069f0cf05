"""Tensors that hold one value everywhere, in eager mode and in graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor.convert import emit, number
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import NUMERIC, DType, bool, int32

_COUNTED = NUMERIC | {bool}
_MOST_ELEMENTS = 1000  # elements; a constant of a graph that would hold more is filled when it runs


def filled(name: str, dims: tuple[int, ...], value: Any, dtype: DType) -> Tensor:
    """`value` in a known shape."""
    if state.graph is None or math.prod(dims) < _MOST_ELEMENTS:
        return emit(np.full(dims, value, dtype.np_dtype), name, dtype)
    with scope_of_ops(name) as scope:
        shape = emit(np.array(dims, np.int32), "shape_as_tensor", int32)
        return raw_ops.Fill(shape, emit(np.array(value, dtype.np_dtype), None, dtype), name=scope)  # type: ignore[no-any-return]


def zeros_as(x: Any, name: str | None = None) -> Tensor:
    """Zeros in the shape and with the dtype of a tensor or a variable."""
    dims = None if state.graph is None else x.shape._dims
    if dims is None or None in dims or x.dtype not in _COUNTED:
        return raw_ops.ZerosLike(x, name=name)  # type: ignore[no-any-return]
    return filled(name or "zeros_like", dims, 0, x.dtype)


def known_ones(x: Any, name: str | None) -> Tensor | None:
    """Ones in the shape and with the dtype of a tensor or variable in a graph, if that is known."""
    dims = None if state.graph is None else x.shape._dims
    if dims is None or None in dims or x.dtype not in _COUNTED:
        return None
    return filled(name or "ones_like", dims, 1, x.dtype)


def ones_as(x: Any) -> Tensor:
    """Ones in the shape and with the dtype of a tensor, as gradients make them."""
    if state.graph is None:
        return raw_ops.OnesLike(x)  # type: ignore[no-any-return]
    dims, one = x.shape._dims, np.ones((), x._dtype.np_dtype)
    with scope_of_ops("ones_like") as scope:
        if dims is None or None in dims:
            shape = raw_ops.Shape(x)
        else:
            shape = emit(np.array(dims, np.int32), "Shape/shape_as_tensor", int32)
        return raw_ops.Fill(shape, emit(one, None, x._dtype), name=scope)  # type: ignore[no-any-return]


def number_of(value: float, dtype: DType, name: str | None = None) -> Tensor:
    """A number as a tensor: in a graph, as a constant of its own."""
    if state.graph is None:
        return number(value, dtype)
    return emit(np.array(value, dtype.np_dtype), name, dtype)
