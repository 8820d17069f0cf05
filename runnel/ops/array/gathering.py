"""Slices of a tensor by index: `tf.gather` and `tf.gather_nd`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import int16, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import element
from runnel.ops.array.shaping import one_axis
from runnel.ops.guards import FIRST_AXIS, ROWS, indices_along
from runnel.ops.shapes import shape_of

INDICES = frozenset({int16, int32, int64})
_FIRST = np.int32(0)
_FLAT = np.array([-1], np.int32)


def check_range(op_name: str, indices: Array, size: int) -> None:
    """Raise unless every index is in [0, size)."""
    if indices.size == 1:
        fine = 0 <= indices.item() < size
    else:  # negative ones look huge
        fine = not indices.size or indices.view(f"u{indices.itemsize}").max() < size
    if not fine:
        raise bad_value(op_name, want=f"be in [0, {size})", indices=indices)


def batch_count(op_name: str, batch_dims: int, rank: int) -> int:
    """`batch_dims` counted from the front."""
    if not -rank <= batch_dims <= rank:
        raise bad_value(op_name, want=f"be in [{-rank}, {rank}]", batch_dims=batch_dims)
    return batch_dims + rank if batch_dims < 0 else batch_dims


def _places(params: Any, indices: Any, axis: Any, batch_dims: int) -> tuple[int, int]:
    """The axis and the number of batch dimensions, both from the front, after their checks."""
    if not batch_dims:
        return one_axis("GatherV2", axis, len(params)), 0
    batch = batch_count("GatherV2", batch_dims, len(indices))
    place = one_axis("GatherV2", axis, len(params))
    if batch > place:
        raise bad_value("GatherV2", want=f"be at most axis {place}", batch_dims=batch)
    for i in range(batch):
        if None not in (params[i], indices[i]) and params[i] != indices[i]:
            want = f"have the size {params[i]} of params in batch dimension {i}"
            raise bad_shape("GatherV2", want=want, indices=Spec(tuple(indices), int32))
    return place, batch


def _gathered(params: Spec, indices: Spec, axis: Spec, *, batch_dims: int = 0) -> Dims:
    if params.dims is None or indices.dims is None:
        return None
    if axis.value is None:
        batch = batch_count("GatherV2", batch_dims, len(indices.dims))
        return (None,) * (len(params.dims) - 1 + len(indices.dims) - batch)
    place, batch = _places(params.dims, indices.dims, axis.value, batch_dims)
    return (*params.dims[:place], *indices.dims[batch:], *params.dims[place + 1 :])


def _axis_of(params: Array, indices: Array, axis: Array, *, batch_dims: int = 0) -> int:
    return _places(params.shape, indices.shape, axis, batch_dims)[0]


def _check_gather(params: Array, indices: Array, axis: Array, *, batch_dims: int = 0) -> None:
    if axis.ndim > 1:
        raise bad_shape("GatherV2", want="be a scalar", axis=axis)
    place, _ = _places(params.shape, indices.shape, axis, batch_dims)
    check_range("GatherV2", indices, params.shape[place])


@op(
    "GatherV2",
    "params: Tparams[1+], indices: Tindices, axis: Taxis[0!] -> output: Tparams",
    Taxis=INDICES - {int16},
    Tindices=INDICES,
    static=("axis",),
    shape=_gathered,
    check=_check_gather,
    guard=indices_along(_axis_of),
)
def _gather_v2(
    xp: Namespace, params: Array, indices: Array, axis: np.ndarray, *, batch_dims: int = 0
) -> Array:
    place, batch = _places(params.shape, indices.shape, axis, batch_dims)
    return gather_batched(xp, params, indices, place, batch)


def gather_batched(xp: Namespace, params: Array, indices: Array, axis: int, batch: int) -> Array:
    """`params[b, :, indices[b]]`, for each `b` of the leading dimensions that both have."""
    if xp is not np and not indices.ndim and params.shape[axis]:
        return element(params, indices, axis)
    if not batch:
        found = xp.take(params, indices, axis=axis)
        return np.array(found, object) if isinstance(found, bytes) else found  # a single string
    rank, free = len(params.shape), len(indices.shape) - batch
    front = xp.moveaxis(params, axis, batch)
    count = math.prod(params.shape[:batch])
    rows = front.reshape((count, *front.shape[batch:]))
    each = indices.reshape((count, math.prod(indices.shape[batch:])))
    found = rows[xp.arange(count)[:, None], each]
    shape = (*indices.shape, *front.shape[batch + 1 :])
    order = [
        *range(batch),
        *range(batch + free, axis + free),
        *range(batch, batch + free),
        *range(axis + free, rank - 1 + free),
    ]
    return xp.transpose(found.reshape(shape), order)


@RegisterGradient("GatherV2", needs="indices axis")
def _gather_v2_grad(op: Any, dy: Tensor) -> Gradients:
    params, indices, axis = op.inputs
    place, batch = constant_value(axis), op.attrs["batch_dims"]
    if place is not None and int(place) == 0 and batch == 0:
        return _rows(params, indices, dy), None, None  # type: ignore[return-value]
    if place is None or params.ndim is None or indices.ndim is None:
        return _gather_back_of_any_rank(params, indices, axis, batch, dy), None, None
    batch = batch + indices.ndim if batch < 0 else batch
    return _gather_back(params, indices, int(place) % params.ndim, batch, dy), None, None


def _gather_back_of_any_rank(
    params: Tensor, indices: Tensor, axis: Tensor, batch_dims: int, dy: Tensor
) -> Tensor:
    """The gradient of `params` where a graph knows neither their rank nor perhaps the axis."""
    shape, places = raw_ops.Shape(params), raw_ops.Shape(indices)
    axis = raw_ops.FloorMod(raw_ops.Cast(axis, DstT=int32), raw_ops.Size(shape))
    batch = raw_ops.FloorMod(np.int32(batch_dims), raw_ops.Size(places) + 1 - (batch_dims < 0))
    batches, outer = (raw_ops.Prod(part, _FIRST) for part in (shape[:batch], shape[batch:axis]))
    count, inner = shape[axis], raw_ops.Prod(shape[axis + 1 :], _FIRST)
    taken = raw_ops.Prod(places[batch:], _FIRST)
    swap = np.array([0, 2, 1, 3], np.int32)
    blocks = raw_ops.Transpose(
        raw_ops.Reshape(dy, raw_ops.Pack([batches, outer, taken, inner])), swap
    )
    first = raw_ops.Range(np.int32(0), batches, np.int32(1)) * count  # row of each batch
    rows = raw_ops.Reshape(raw_ops.Cast(indices, DstT=int32), raw_ops.Pack([batches, taken]))
    rows = rows + raw_ops.ExpandDims(first, np.int32(1))
    flat = raw_ops.Reshape(blocks, raw_ops.Pack([batches * taken, outer, inner]))
    total = raw_ops.UnsortedSegmentSum(flat, raw_ops.Reshape(rows, _FLAT), batches * count)
    summed = raw_ops.Reshape(total, raw_ops.Pack([batches, count, outer, inner]))
    return raw_ops.Reshape(raw_ops.Transpose(summed, swap), shape)


def _rows(params: Tensor, indices: Tensor, dy: Tensor) -> IndexedSlices:
    shape = shape_of(params)
    rows = join(_FLAT, shape[1:])
    dense = shape if isinstance(shape, Tensor) else convert_to_tensor(shape)
    return IndexedSlices(raw_ops.Reshape(dy, rows), raw_ops.Reshape(indices, _FLAT), dense)


def join(*parts: Any) -> Any:
    """Shapes, arrays or tensors, one after another; an array where all are."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts).astype(np.int32)
    return raw_ops.ConcatV2([part for part in parts if not _is_empty(part)], _FIRST)


def _is_empty(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.size == 0


def product(shape: Any) -> Any:
    """The number of elements in a shape, as a vector of one element."""
    if isinstance(shape, np.ndarray):
        return np.array([math.prod(shape.tolist())], np.int32)
    return raw_ops.Prod(shape, np.array([0], np.int32), keep_dims=True)


def _gather_back(params: Tensor, indices: Tensor, axis: int, batch: int, dy: Tensor) -> Tensor:
    """Add each slice of `dy` to where it came from; batch and axis are one dimension of rows."""
    assert params.ndim is not None and indices.ndim is not None
    free = indices.ndim - batch
    order = [
        *range(batch),
        *range(axis, axis + free),
        *range(batch, axis),
        *range(axis + free, params.ndim - 1 + free),
    ]
    turned = raw_ops.Transpose(dy, np.array(order, np.int32))
    shape, index_shape = shape_of(params), shape_of(indices)
    rest = join(shape[batch:axis], shape[axis + 1 :])
    size, groups = shape[axis : axis + 1], product(shape[:batch])
    flat = raw_ops.Reshape(
        raw_ops.Cast(indices, DstT=int32), join(product(index_shape[:batch]), _FLAT)
    )
    starts = raw_ops.Range(_FIRST, raw_ops.Reshape(groups, np.zeros(0, np.int32)), np.int32(1))
    flat = raw_ops.AddV2(
        flat, raw_ops.Reshape(raw_ops.Mul(starts, size), np.array([-1, 1], np.int32))
    )
    rows = raw_ops.Reshape(flat, np.array([-1, 1], np.int32))
    total = raw_ops.ScatterNd(
        rows,
        raw_ops.Reshape(turned, join(product(index_shape), rest)),
        join(raw_ops.Mul(groups, size), rest),
    )
    front = raw_ops.Reshape(total, join(shape[:batch], size, rest))
    back = [*range(batch), *range(batch + 1, axis + 1), batch, *range(axis + 1, params.ndim)]
    return raw_ops.Transpose(front, np.array(back, np.int32))  # type: ignore[no-any-return]


@op(
    "Gather",
    "params: Tparams[1+], indices: Tindices -> output: Tparams",
    Tindices=INDICES - {int16},
    check=lambda params, indices, validate_indices=True: check_range(
        "Gather", indices, params.shape[0]
    ),
    guard=FIRST_AXIS,
)
def _gather_v1(
    xp: Namespace, params: Array, indices: Array, *, validate_indices: bool = True
) -> Array:
    return xp.take(params, indices, axis=0)


@RegisterGradient("Gather", needs="indices")
def _gather_v1_grad(op: Any, dy: Tensor) -> Gradients:
    return _rows(op.inputs[0], op.inputs[1], dy), None  # type: ignore[return-value]


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: TensorLike = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` along `axis` that `indices` name; the first `batch_dims` go in step.

    `validate_indices` has no effect, as in TensorFlow: indices are always checked.

    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    >>> tf.gather([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
    [[2], [3]]
    """
    if axis is None:
        if batch_dims is None:
            raise ValueError("gather: `batch_dims` must be an integer, got None.")
        axis = batch_dims
    if (
        not isinstance(params, Tensor)
        and constant_value(axis) == 0
        and hasattr(params, "sparse_read")
    ):
        return params.sparse_read(indices, name=name)  # type: ignore[no-any-return]
    return raw_ops.GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)  # type: ignore[no-any-return]


def _gathered_nd(params: Spec, indices: Spec, *, bad_indices_policy: str = "") -> Dims:
    if indices.dims is not None and not indices.dims:
        raise bad_shape("GatherNd", want="have rank 1 or more", indices=indices)
    if params.dims is None or indices.dims is None or indices.dims[-1] is None:
        return None
    if indices.dims[-1] > len(params.dims):
        want = f"end in at most {len(params.dims)}, the rank of params"
        raise bad_shape("GatherNd", want=want, indices=indices)
    return (*indices.dims[:-1], *params.dims[indices.dims[-1] :])


def flat_index(xp: Namespace, indices: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The places of rows of coordinates when `shape` is flat, and which are in range.

    A row out of range gets the place after the last.
    """
    rows = indices.reshape((math.prod(indices.shape[:-1]), len(shape)))
    place, good = xp.zeros(len(rows), np.int64), xp.ones(len(rows), bool)
    for i, size in enumerate(shape):
        column = rows[:, i].astype(np.int64)
        good = good & (column >= 0) & (column < size)
        place = place * np.int64(size) + column
    return xp.where(good, place, math.prod(shape)), good


def check_rows(
    op_name: str, indices: Array, shape: tuple[int, ...], bad_indices_policy: str = ""
) -> None:
    """Raise unless every row of `indices` names a place in a tensor of `shape`."""
    if bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        want = "be '', 'DEFAULT', 'ERROR' or 'IGNORE'"
        raise bad_value(op_name, want=want, bad_indices_policy=bad_indices_policy)
    depth = indices.shape[-1] if indices.shape else 0
    if bad_indices_policy == "IGNORE" or not indices.size or depth > len(shape):
        return
    low, high = indices.reshape(-1, depth).min(axis=0), indices.reshape(-1, depth).max(axis=0)
    for i in range(depth):
        if low[i] < 0 or high[i] >= shape[i]:
            want = f"be in [0, {shape[i]}) in column {i}, to index shape {tuple(shape)}"
            raise bad_value(op_name, want=want, indices=indices)


def _check_gather_nd(params: Array, indices: Array, *, bad_indices_policy: str = "") -> None:
    if not params.size and math.prod(indices.shape[:-1]):
        raise bad_shape("GatherNd", want="have elements", params=params)
    check_rows("GatherNd", indices, params.shape, bad_indices_policy)


@op(
    "GatherNd",
    "params: Tparams[1+?], indices: Tindices -> output: Tparams",
    Tindices=INDICES,
    shape=_gathered_nd,
    check=_check_gather_nd,
    guard=ROWS,
)
def _gather_nd(
    xp: Namespace, params: Array, indices: Array, *, bad_indices_policy: str = ""
) -> Array:
    shape = _gathered_nd(Spec(params.shape, int32), Spec(indices.shape, int32))
    assert shape is not None
    depth = indices.shape[-1]
    if bad_indices_policy == "IGNORE":
        return _gather_good(xp, params, indices).reshape(shape)
    if xp is np and depth:  # they have been found to be in range
        return params[tuple(np.moveaxis(indices, -1, 0))].reshape(shape)
    place, _ = flat_index(xp, indices, params.shape[:depth])
    flat = params.reshape((math.prod(params.shape[:depth]), *params.shape[depth:]))
    return xp.take(flat, place, axis=0).reshape(shape)


def _gather_good(xp: Namespace, params: Array, indices: Array) -> Array:
    """Rows of zeros for the indices that are out of range."""
    depth = indices.shape[-1]
    place, good = flat_index(xp, indices, params.shape[:depth])
    flat = params.reshape((math.prod(params.shape[:depth]), *params.shape[depth:]))
    found = xp.take(flat, xp.where(good, place, 0), axis=0)
    mask = good.reshape((-1,) + (1,) * (len(flat.shape) - 1))
    return xp.where(mask, found, xp.zeros((), params.dtype))


@RegisterGradient("GatherNd", needs="indices")
def _gather_nd_grad(op: Any, dy: Tensor) -> Gradients:
    params, indices = op.inputs
    policy = op.attrs["bad_indices_policy"]
    if policy != "IGNORE" and indices.ndim == 2 and indices.shape[-1] == 1:
        dense = convert_to_tensor(shape_of(params))
        return IndexedSlices(dy, raw_ops.Squeeze(indices, axis=[-1]), dense), None  # type: ignore[return-value]
    shape = raw_ops.Cast(shape_of(params), DstT=indices.dtype)
    return raw_ops.ScatterNd(indices, dy, shape, bad_indices_policy=policy), None


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The slices of `params` whose coordinates are the last dimension of `indices`.

    Args:
        params: the tensor that is read.
        indices: places, in the last axis.
        batch_dims: how many axes in front the two have in common.
        bad_indices_policy: "ERROR", or "IGNORE" to leave out what is outside.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
    array([3, 2], dtype=int32)
    """
    batch = constant_value(batch_dims)
    if batch is None:
        raise ValueError("tf.gather_nd: `batch_dims` must be a Python number.")
    if int(batch):
        return _batch_gather_nd(
            convert_to_tensor(params), convert_to_tensor(indices), int(batch), name
        )
    if not isinstance(params, Tensor) and hasattr(params, "gather_nd") and not bad_indices_policy:
        return params.gather_nd(indices, name=name)  # type: ignore[no-any-return]
    return raw_ops.GatherNd(params, indices, bad_indices_policy=bad_indices_policy, name=name)  # type: ignore[no-any-return]


def _batch_gather_nd(params: Tensor, indices: Tensor, batch: int, name: str | None) -> Tensor:
    """Each batch dimension becomes one more column of the indices."""
    if params.ndim is None or indices.ndim is None:
        return _open_batch_gather_nd(params, indices, batch, name)
    if not 0 <= batch < min(params.ndim, indices.ndim):
        raise ValueError(
            f"tf.gather_nd: `batch_dims` = {batch} must be less than the ranks of `params`, "
            f"{params.ndim}, and `indices`, {indices.ndim}."
        )
    shape = shape_of(indices)
    column = join(shape[:-1], np.array([1], np.int32))
    columns = [_counting(shape, axis, indices.ndim, indices.dtype, column) for axis in range(batch)]
    return raw_ops.GatherNd(params, raw_ops.ConcatV2([*columns, indices], np.int32(-1)), name=name)  # type: ignore[no-any-return]


def _open_batch_gather_nd(params: Tensor, indices: Tensor, batch: int, name: str | None) -> Tensor:
    """The same where ranks are not known: the batch is one dimension, and the rows another."""
    sizes, shape = raw_ops.Shape(params), raw_ops.Shape(indices)
    first, last = np.array([0], np.int32), shape[-1:]
    count = raw_ops.Prod(shape[:batch], first, keep_dims=True)
    rows = raw_ops.Prod(shape[batch:-1], first, keep_dims=True)
    one = np.array([1], np.int32)
    batches = raw_ops.Range(np.int32(0), count[0], np.int32(1))
    batches = raw_ops.Reshape(raw_ops.Cast(batches, DstT=indices.dtype), join(count, one, one))
    column = raw_ops.BroadcastTo(batches, join(count, rows, one))
    flat = raw_ops.Reshape(indices, join(count, rows, last))
    table = raw_ops.Reshape(params, join(count, sizes[batch:]))
    found = raw_ops.GatherNd(table, raw_ops.ConcatV2([column, flat], np.int32(2)))
    return raw_ops.Reshape(found, join(shape[:-1], sizes[batch + last[0] :]), name=name)  # type: ignore[no-any-return]


def _counting(shape: Any, axis: int, rank: int, dtype: dtypes.DType, column: Any) -> Tensor:
    """The position along `axis`, for every row of indices."""
    end = raw_ops.Reshape(shape[axis : axis + 1], np.zeros(0, np.int32))
    count = raw_ops.Cast(raw_ops.Range(_FIRST, end, np.int32(1)), DstT=dtype)
    place = np.array([-1 if i == axis else 1 for i in range(rank)], np.int32)
    return raw_ops.BroadcastTo(raw_ops.Reshape(count, place), column)  # type: ignore[no-any-return]


def _coordinates_shape(indices: Spec, dims: Spec) -> Dims:
    if dims.dims is not None and len(dims.dims) != 1:
        raise bad_shape("UnravelIndex", want="have rank 1", dims=dims)
    count = None if dims.dims is None else dims.dims[0]
    return None if indices.dims is None else (count, *indices.dims)


def _check_places(indices: Array, dims: Array) -> None:
    if dims.size and dims.min() <= 0:
        raise bad_value("UnravelIndex", want="hold positive sizes", dims=dims)
    check_range("UnravelIndex", np.asarray(indices), math.prod(dims.tolist()))


@op(
    "UnravelIndex",
    "indices: Tidx[0-1?], dims: Tidx -> output: Tidx",
    Tidx=frozenset({int32, int64}),
    static=("dims",),
    shape=_coordinates_shape,
    check=_check_places,
)
def _unravel_index(xp: Namespace, indices: Array, dims: np.ndarray) -> Array:
    steps = np.array([math.prod(dims[i + 1 :].tolist()) for i in range(dims.size)], dims.dtype)
    column = (-1,) + (1,) * len(indices.shape)
    return (indices[None] // steps.reshape(column) % dims.reshape(column)).astype(indices.dtype)


def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """The coordinates, in a tensor of shape `dims`, of elements given by their flat place.

    >>> tf.unravel_index([2, 5, 7], [3, 3]).numpy()
    array([[0, 1, 2],
           [2, 2, 1]], dtype=int32)
    """
    return raw_ops.UnravelIndex(indices, dims, name=name)  # type: ignore[no-any-return]
