"""Ops on variables. The kernel gets the variable's current value for its handle (see `state=` of `op`)."""

from __future__ import annotations

from typing import Any

from runnel.core.dtypes import DType
from runnel.core.op import op
from runnel.core.registry import RegisterGradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Gradients, Namespace


@op("ReadVariableOp", "resource: resource -> value: dtype", state="read")
def _read(xp: Namespace, resource: Array, *, dtype: DType) -> Array:
    return resource


@RegisterGradient("ReadVariableOp")
def _read_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


@op("AssignVariableOp", "resource: resource, value: dtype ->", state="update")
def _assign(xp: Namespace, resource: Array, value: Array) -> Array:
    return value


@op("AssignAddVariableOp", "resource: resource, value: dtype ->", state="update")
def _assign_add(xp: Namespace, resource: Array, value: Array) -> Array:
    return xp.add(resource, value)


@op("AssignSubVariableOp", "resource: resource, value: dtype ->", state="update")
def _assign_sub(xp: Namespace, resource: Array, value: Array) -> Array:
    return xp.subtract(resource, value)
