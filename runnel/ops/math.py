"""Arithmetic, comparison, reduction: the ops of `tf.math` that programs use most."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import COMPLEX, FLOATS, NUMERIC, REAL, DType
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient, no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Gradients, Namespace, TensorLike
from runnel.ops.shapes import broadcast, reduced, same


@op("AddV2", "x: T, y: T -> z: T", T=NUMERIC, shape=broadcast)
def _add(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.add(x, y)


@RegisterGradient("AddV2", needs="")
def _add_grad(op: Any, dz: Tensor) -> Gradients:
    return dz, dz


@op("Sub", "x: T, y: T -> z: T", T=NUMERIC, shape=broadcast)
def _sub(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.subtract(x, y)


@RegisterGradient("Sub", needs="")
def _sub_grad(op: Any, dz: Tensor) -> Gradients:
    return dz, -dz


@op("Mul", "x: T, y: T -> z: T", T=NUMERIC, shape=broadcast)
def _mul(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.multiply(x, y)


@RegisterGradient("Mul", needs="x y")
def _mul_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return dz * conj(y), dz * conj(x)


def conj(x: Tensor) -> Tensor:
    return raw_ops.Conj(x) if x.dtype.is_complex else x


@op("RealDiv", "x: T, y: T -> z: T", T=NUMERIC, shape=broadcast)
def _real_div(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.divide(x, y).astype(x.dtype)


@RegisterGradient("RealDiv", needs="x y")
def _real_div_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = (conj(t) for t in op.inputs)
    return raw_ops.RealDiv(dz, y), dz * raw_ops.RealDiv(raw_ops.RealDiv(-x, y), y)


@op("Exp", "x: T -> y: T", T=FLOATS | COMPLEX, shape=same, heavy=True)
def _exp(xp: Namespace, x: Array) -> Array:
    return xp.exp(x)


@RegisterGradient("Exp", needs="outputs")
def _exp_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * conj(op.outputs[0])


@op("Neg", "x: T -> y: T", T=NUMERIC, shape=same)
def _neg(xp: Namespace, x: Array) -> Array:
    return xp.negative(x)


@RegisterGradient("Neg", needs="")
def _neg_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy


@op("Cast", "x: SrcT -> y: DstT", shape=same)
def _cast(xp: Namespace, x: Array, *, DstT: DType, Truncate: bool = False) -> Array:
    return x.astype(DstT.np_dtype)


@op("Sum", "input: T, axis: Tidx -> output: T", T=NUMERIC, static=("axis",), shape=reduced)
def _sum(xp: Namespace, input: Array, axis: np.ndarray, *, keep_dims: bool = False) -> Array:
    return xp.sum(input, axis=tuple(np.ravel(axis).tolist()), keepdims=keep_dims, dtype=input.dtype)


@RegisterGradient("Sum", needs="axis")
def _sum_grad(op: Any, dy: Tensor) -> Gradients:
    x, axis = op.inputs
    dims = x.shape._dims
    kept = list(dims)
    for a in np.ravel(axis._value).tolist():
        kept[a] = 1
    return raw_ops.BroadcastTo(raw_ops.Reshape(dy, np.array(kept, np.int32)), np.array(dims, np.int32)), None


@op("AddN", "inputs: N*T -> sum: T", T=NUMERIC)
def _add_n(xp: Namespace, inputs: list[Array]) -> Array:
    total = inputs[0]
    for x in inputs[1:]:
        total = xp.add(total, x)
    return total
