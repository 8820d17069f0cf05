"""Rows dealt out to several tensors and brought together again: dynamic partition and stitch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.gathering import product
from runnel.ops.choices import at_least
from runnel.ops.shapes import shape_of

_SCALAR = np.zeros(0, np.int32)


def _partition_shapes(data: Spec, partitions: Spec, *, num_partitions: int) -> list[Any]:
    if data.dims is None or partitions.dims is None:
        return [[None] * num_partitions]
    depth = len(partitions.dims)
    front = data.dims[:depth]
    if len(front) < depth or any(
        None not in (d, p) and d != p for d, p in zip(front, partitions.dims, strict=True)
    ):
        want = f"start with the shape {partitions.shape} of partitions"
        raise bad_shape("DynamicPartition", want=want, data=data)
    return [[(None, *data.dims[depth:])] * num_partitions]


_FEW, _MANY = 3, 1 << 16  # partitions: what is found one after the other, and in one sort


@op(
    "DynamicPartition",
    "data: T, partitions: int32 -> outputs: num_partitions*T",
    host=True,
    shape=_partition_shapes,
    num_partitions=at_least(1),
)
def _dynamic_partition(
    xp: Namespace, data: Array, partitions: Array, *, num_partitions: int
) -> list[Array]:
    depth = len(partitions.shape)
    if data.shape[:depth] != partitions.shape:
        want = f"start with the shape {partitions.shape} of partitions"
        raise bad_shape("DynamicPartition", want=want, data=data)
    if partitions.size and not (partitions.min() >= 0 and partitions.max() < num_partitions):
        raise bad_value(
            "DynamicPartition", want=f"be in [0, {num_partitions})", partitions=partitions
        )
    if num_partitions <= _FEW or num_partitions > _MANY:
        return [data[partitions == i] for i in range(num_partitions)]
    flat = partitions.reshape(-1).astype(np.uint16)  # which NumPy sorts by its digits
    order = np.argsort(flat, kind="stable")
    ends = np.cumsum(np.bincount(flat, minlength=num_partitions))[:-1]
    rows = data.reshape(partitions.size, *data.shape[depth:])
    return np.split(np.take(rows, order, axis=0), ends)


@RegisterGradient("DynamicPartition", needs="partitions")
def _dynamic_partition_grad(op: Any, *dys: Tensor) -> Gradients:
    data, partitions = op.inputs
    shape = shape_of(partitions)
    count = raw_ops.Reshape(product(shape), _SCALAR)
    every = raw_ops.Reshape(raw_ops.Range(np.int32(0), count, np.int32(1)), shape)
    places = raw_ops.DynamicPartition(every, partitions, num_partitions=len(dys))
    stitched = raw_ops.DynamicStitch(places, list(dys))
    return raw_ops.Reshape(stitched, shape_of(data)), None


def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` in `num_partitions` tensors: row `i` goes to number `partitions[i]`.

    >>> [t.numpy().tolist() for t in tf.dynamic_partition([10, 20, 30], [1, 0, 1], 2)]
    [[20], [10, 30]]
    """
    return raw_ops.DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)  # type: ignore[no-any-return]


def _row_dims(op_name: str, indices: Sequence[Any], data: Sequence[Any]) -> Dims:
    """The dimensions of a row, which all of `data` must share."""
    found: Dims = None
    for index, values in zip(indices, data, strict=True):
        if index is None or values is None:
            continue
        front, row = values[: len(index)], tuple(values[len(index) :])
        if len(front) < len(index) or any(
            None not in (f, i) and f != i for f, i in zip(front, index, strict=True)
        ):
            raise bad_shape(
                op_name, want=f"start with the shape {index} of its indices", data=_shaped(values)
            )
        if (found is not None and len(found) != len(row)) or (
            found not in (None, row) and None not in (*found, *row)
        ):  # type: ignore[misc]
            raise bad_shape(op_name, want=f"all have rows of shape {found}", data=_shaped(values))
        found = row if found is None else found
    return found


def _shaped(dims: Any) -> Any:
    return np.broadcast_to(0, dims) if None not in dims else None


def _stitched(indices: list[Spec], data: list[Spec], *, op_name: str) -> Dims:
    row = _row_dims(op_name, [i.dims for i in indices], [d.dims for d in data])
    if row is None:
        return None
    if any(i.value is None for i in indices):
        return (None, *row)
    return (_row_count(op_name, [i.value for i in indices]), *row)


def _row_count(op_name: str, indices: Sequence[Any]) -> int:
    if any(i.size and i.min() < 0 for i in indices):
        raise bad_value(
            op_name, want="not be negative", indices=min(i.min() for i in indices if i.size)
        )
    return max((int(i.max()) + 1 for i in indices if i.size), default=0)


def _stitch(xp: Namespace, op_name: str, indices: list[Array], data: list[Array]) -> Array:
    """Later tensors win, and within one of them later rows."""
    row = _row_dims(op_name, [i.shape for i in indices], [d.shape for d in data])
    assert row is not None
    places = np.concatenate([np.ravel(i) for i in indices])
    rows = xp.concatenate(
        [d.reshape((math.prod(i.shape), *row)) for i, d in zip(indices, data, strict=True)]
    )
    count = _row_count(op_name, indices)
    last = np.full(count, -1)
    last[places] = np.arange(places.size)  # places given twice keep the last
    named = np.flatnonzero(last >= 0)
    empty = arrays.zeros(xp, (count, *rows.shape[1:]), rows.dtype)
    return arrays.scatter(xp, empty, named, rows[last[named]])


_STITCHED: Any = {"shape": _stitched, "static": ("indices",)}


@op("DynamicStitch", "indices: N*int32, data: N*T -> merged: T", N=at_least(1), **_STITCHED)
def _dynamic_stitch(xp: Namespace, indices: list[Array], data: list[Array]) -> Array:
    return _stitch(xp, "DynamicStitch", indices, data)


@op("ParallelDynamicStitch", "indices: N*int32, data: N*T -> merged: T", N=at_least(1), **_STITCHED)
def _parallel_dynamic_stitch(xp: Namespace, indices: list[Array], data: list[Array]) -> Array:
    return _stitch(xp, "ParallelDynamicStitch", indices, data)


@RegisterGradient("DynamicStitch", needs="indices")
@RegisterGradient("ParallelDynamicStitch", needs="indices")
def _dynamic_stitch_grad(op: Any, dy: Tensor) -> Gradients:
    indices = op.inputs[: len(op.inputs) // 2]
    return *([None] * len(indices)), *(raw_ops.GatherV2(dy, i, np.int32(0)) for i in indices)


def dynamic_stitch(
    indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None
) -> Tensor:
    """One tensor in which row `indices[m][i]` is `data[m][i]`; of two for a row the later wins.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)
    """
    return raw_ops.DynamicStitch(indices, data, name=name)  # type: ignore[no-any-return]
