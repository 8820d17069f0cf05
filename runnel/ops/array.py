from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.dtypes import DType, int32
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Gradients, Namespace
from runnel.ops.shapes import same


@op("Identity", "input: T -> output: T", shape=same)
def _identity(xp: Namespace, input: Array) -> Array:
    return input


@RegisterGradient("Identity", needs="")
def _identity_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


@op("Const", "-> output: dtype")
def _const(xp: Namespace, *, value: Any, dtype: DType) -> Array:
    return value


@op("Reshape", "tensor: T, shape: Tshape -> output: T", static=("shape",))
def _reshape(xp: Namespace, tensor: Array, shape: np.ndarray) -> Array:
    return xp.reshape(tensor, tuple(np.ravel(shape).tolist()))


@RegisterGradient("Reshape", needs="")
def _reshape_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Reshape(dy, np.array(op.inputs[0].shape.as_list(), np.int32)), None


@op("BroadcastTo", "input: T, shape: Tidx -> output: T", static=("shape",))
def _broadcast_to(xp: Namespace, input: Array, shape: np.ndarray) -> Array:
    return xp.broadcast_to(input, tuple(np.ravel(shape).tolist()))


@RegisterGradient("BroadcastTo", needs="")
def _broadcast_to_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, None


@op("Pack", "values: N*T -> output: T")
def _pack(xp: Namespace, values: list[Array], *, axis: int = 0) -> Array:
    return xp.stack(values, axis=axis)


@op("ConcatV2", "values: N*T, axis: Tidx -> output: T", static=("axis",))
def _concat(xp: Namespace, values: list[Array], axis: np.ndarray) -> Array:
    return xp.concatenate(values, axis=int(axis))
