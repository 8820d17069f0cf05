"""Small integer vectors, such as shapes and axes, as inputs of ops."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.dtypes import int32


def vector(numbers: tuple[int, ...]) -> Any:
    """An int32 vector: a tensor, made once for the same numbers; an array for a graph."""
    return _kept(numbers) if state.graph is None else np.array(numbers, np.int32)


def shape_tensor(x: Any) -> Any:
    """The shape of a tensor as one: a constant, in eager mode a kept one, where it is known."""
    dims = x._value.shape if type(x) is EagerTensor else x.shape._dims
    if dims is None or None in dims:
        return raw_ops.Shape(x)
    if state.graph is None:
        return _kept(dims)
    return raw_ops.Const(value=np.array(dims, np.int32), dtype=int32, name="Shape")


@functools.lru_cache(4096)
def _kept(numbers: tuple[int, ...]) -> EagerTensor:
    return EagerTensor(np.array(numbers, np.int32), int32)
