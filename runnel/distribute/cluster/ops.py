"""Ops by which the processes of a cluster learn of each other: graphs are cut at them.

Each process runs the rest of a graph as it likes, compiled or not; only the order of these is the
same for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import UnavailableError
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.data.graph.rewriting import write_instead
from runnel.distribute.cluster.exchange import Exchange


class _Joined:
    """The cluster that this process is a part of."""

    exchange: Exchange | None = None


joined = _Joined()


def _exchange() -> Exchange:
    if joined.exchange is None:
        message = "Processes exchange values only under a MultiWorkerMirroredStrategy."
        raise UnavailableError(None, None, message)
    return joined.exchange


def _reduce(
    xp: Namespace,
    values: list[Array],
    *,
    T: tuple[DType, ...],
    kind: str,
    bytes_per_pack: int = 0,
    timeout_seconds: float = 0.0,
) -> Any:
    exchange = _exchange()
    arrays = [np.asarray(value) for value in values]
    with exchange.within(timeout_seconds):
        return [exchange.sums(arrays, bytes_per_pack) if kind == "sum" else exchange.first(arrays)]


def _join(xp: Namespace, value: Array, *, kind: str) -> Array:
    """The sum or the mean of the values of all processes, or that of the first."""
    exchange, own = _exchange(), np.asarray(value)
    if kind == "first":
        return exchange.first([own])[0]
    total = exchange.sums([own])[0]
    return total if kind == "sum" else (total / exchange.count).astype(own.dtype)


def _gather(xp: Namespace, value: Array, *, axis: int, timeout_seconds: float = 0.0) -> Any:
    exchange = _exchange()
    with exchange.within(timeout_seconds):
        return np.concatenate(exchange.gathered(np.asarray(value)), axis=axis)


def _same(values: list[Spec], **attrs: Any) -> list[list[Dims]]:
    return [[value.dims for value in values]]


def _joined_rows(value: Spec, *, axis: int, **attrs: Any) -> Dims:
    if value.dims is None:
        return None
    return tuple(None if i == axis % len(value.dims) else d for i, d in enumerate(value.dims))


process_reduce = Op(
    "ProcessAllReduce",
    "values: *T -> outputs: *T",
    _reduce,
    host=True,
    effects="queues",
    shape=_same,
)
process_join = Op(
    "ProcessJoin",
    "value: T -> output: T",
    _join,
    host=True,
    effects="queues",
    shape=lambda value, **attrs: value.dims,
)
write_instead("ProcessJoin", lambda operation, inputs: [raw_ops.Identity(inputs[0])])
process_gather = Op(
    "ProcessAllGather",
    "value: T -> output: T",
    _gather,
    host=True,
    effects="queues",
    shape=_joined_rows,
)
