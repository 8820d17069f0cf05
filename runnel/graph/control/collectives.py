"""Ops by which the replicas of a `ReplicatedCall` learn of each other."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.op import Op
from runnel.core.settings.meshes import AXIS
from runnel.core.values.types import Array, Dims, Namespace, Spec


def _apart(xp: Namespace, *values: Any, **attrs: Any) -> NoReturn:
    raise NotImplementedError(
        "Replicas exchange values inside a loop or a branch that cannot be compiled. Move the "
        "exchange (an optimizer's step, an all-reduce) out of it, or what the host has to do."
    )


def _no_kernel(xp: Namespace) -> NoReturn:
    _apart(xp)


def _reduce_kernel(xp: Namespace, value: Array, *, kind: str) -> NoReturn:
    _apart(xp)


def _gather_kernel(xp: Namespace, value: Array, *, count: int) -> NoReturn:
    _apart(xp)


def _scalar(*inputs: Spec) -> Dims:
    return ()


def _same(value: Spec, *, kind: str) -> Dims:
    return value.dims


def _stacked(value: Spec, *, count: int) -> Dims:
    return None if value.dims is None else (count, *value.dims)


def _lower_id(node: Any, values: list[Any], states: Any) -> Any:
    return xla.lax.axis_index(AXIS).astype(np.int32)


def _lower_row(node: Any, values: list[Any], states: Any) -> Any:
    return np.int32(0)  # a device has the row of its replica alone


def _lower_reduce(node: Any, values: list[Any], states: Any) -> Any:
    value = xla.jnp.asarray(values[0])
    if node.attrs["kind"] == "first":
        first = xla.lax.axis_index(AXIS) == 0
        value = xla.jnp.where(first, value, xla.jnp.zeros((), value.dtype))
    if value.dtype == bool:
        return xla.lax.psum(value.astype(np.int32), AXIS) > 0
    return xla.lax.psum(value, AXIS)


def _lower_gather(node: Any, values: list[Any], states: Any) -> Any:
    return xla.lax.all_gather(xla.jnp.asarray(values[0]), AXIS)


# They keep the order in which they were made, for all replicas must meet in the same one.
replica_id = Op(
    "ReplicaId", "-> id: int32", _no_kernel, stateful=True, lower=_lower_id, shape=_scalar
)
replica_row = Op(
    "ReplicaRow", "-> row: int32", _no_kernel, stateful=True, lower=_lower_row, shape=_scalar
)
all_reduce = Op(
    "ReplicaAllReduce",
    "value: T -> output: T",
    _reduce_kernel,
    stateful=True,
    lower=_lower_reduce,
    shape=_same,
)
all_gather = Op(
    "ReplicaAllGather",
    "value: T -> output: T",
    _gather_kernel,
    stateful=True,
    lower=_lower_gather,
    shape=_stacked,
)


def _sum(parts: list[Any], attrs: Any) -> Any:
    if attrs["kind"] == "first":
        return parts[0]
    return np.any(parts, axis=0) if parts[0].dtype == bool else sum(parts[1:], parts[0])


def stepped(op: Op, values: list[list[Any]], attrs: Any) -> list[Any]:
    """What such an op gives each replica, from the inputs of all, where they run one by one."""
    count = len(values)
    if op is replica_id or op is replica_row:
        return [np.int32(number) for number in range(count)]
    parts = [np.asarray(each[0]) for each in values]
    found = _sum(parts, attrs) if op is all_reduce else np.stack(parts)
    return [found] * count


COLLECTIVES = (replica_id, replica_row, all_reduce, all_gather)
