"""Values written to given places: `tf.scatter_nd` and the `tf.tensor_scatter_nd_*` functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.op.traits import Guard
from runnel.core.values.dtypes import DType, int32, int64, uint16
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, ShapeLike, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.gathering import INDICES, check_rows, flat_index
from runnel.ops.array.shaping import entries
from runnel.ops.guards import ROWS, rows_in_range
from runnel.ops.shapes import shape_of

WIDE_INDICES = frozenset({int32, int64})


def scatter_rows(
    xp: Namespace, x: Array, indices: Array, updates: Array, how: str, policy: str = ""
) -> Array:
    """`x` with the slices that the rows of `indices` name combined with `updates`."""
    depth = indices.shape[-1]
    place, _ = flat_index(xp, indices, x.shape[:depth])
    rows, rest = math.prod(x.shape[:depth]), x.shape[depth:]
    flat = x.reshape((rows, *rest))
    values = updates.reshape((place.shape[0], *rest))
    if policy != "IGNORE":
        return arrays.scatter(xp, flat, place, values, how).reshape(x.shape)
    spare = xp.concatenate(
        [flat, arrays.zeros(xp, (1, *rest), x.dtype)]
    )  # for what is to be dropped
    return arrays.scatter(xp, spare, place, values, how)[:rows].reshape(x.shape)


def check_updates(op_name: str, x: Any, indices: Any, updates: Any) -> None:
    """Raise unless `updates` has one slice of `x` for each row of `indices`; all are dimensions."""
    if not indices:
        raise bad_shape(op_name, want="have rank 1 or more", indices=Spec((), int32))
    depth = indices[-1]
    if x is None or updates is None or depth is None:
        return
    if depth > len(x):
        want = f"end in at most {len(x)}, the rank of what is updated"
        raise bad_shape(op_name, want=want, indices=Spec(tuple(indices), int32))
    wanted = (*indices[:-1], *x[depth:])
    if len(wanted) != len(updates) or any(
        None not in (w, u) and w != u for w, u in zip(wanted, updates, strict=True)
    ):
        raise bad_shape(op_name, want=f"have shape {wanted}", updates=Spec(tuple(updates), int32))


def _scatter_nd_shape(indices: Spec, updates: Spec, shape: Spec, **attrs: Any) -> Dims:
    wanted = entries(shape)
    if wanted is not None and any(d is not None and d < 0 for d in wanted):
        raise bad_value("ScatterNd", want="hold no negative sizes", shape=shape.value)
    if indices.dims is not None:
        check_updates("ScatterNd", wanted, indices.dims, updates.dims)
    return wanted


def _check_scatter_nd(
    indices: Array, updates: Array, shape: Array, *, bad_indices_policy: str = ""
) -> None:
    dims = tuple(shape.tolist())
    if indices.shape and not indices.shape[-1] and updates.size:
        raise bad_shape("ScatterNd", want="end in 1 or more", indices=indices)
    check_updates("ScatterNd", dims, indices.shape, updates.shape)
    check_rows("ScatterNd", indices, dims, bad_indices_policy)


def _places_fine(
    xp: Namespace, indices: Array, updates: Array, shape: Array, *, bad_indices_policy: str = ""
) -> Any:
    return rows_in_range(xp, indices, tuple(shape.tolist()), bad_indices_policy)


_PLACES = Guard(_places_fine, ROWS.want)


@op(
    "ScatterNd",
    "indices: Tindices, updates: T[1+], shape: Tindices[1] -> output: T",
    Tindices=INDICES,
    static=("shape",),
    shape=_scatter_nd_shape,
    check=_check_scatter_nd,
    guard=_PLACES,
)
def _scatter_nd(
    xp: Namespace,
    indices: Array,
    updates: Array,
    shape: np.ndarray,
    *,
    bad_indices_policy: str = "",
) -> Array:
    empty = arrays.zeros(xp, tuple(shape.tolist()), updates.dtype)
    how = "max" if np.dtype(updates.dtype) == np.bool_ else "add"
    return scatter_rows(xp, empty, indices, updates, how, bad_indices_policy)


@RegisterGradient("ScatterNd", needs="indices")
def _scatter_nd_grad(op: Any, dy: Tensor) -> Gradients:
    policy = op.attrs["bad_indices_policy"]
    return None, raw_ops.GatherNd(dy, op.inputs[0], bad_indices_policy=policy), None


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of `shape` with `updates` added at the places that the rows of `indices` name.

    Args:
        indices: where: integers.
        updates: what is added.
        shape: the shape of the result.
        bad_indices_policy: "ERROR", or "IGNORE" to leave out what is outside.

    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 5], [4]).numpy()
    array([ 0, 15,  0, 20], dtype=int32)
    """
    return raw_ops.ScatterNd(
        indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name
    )  # type: ignore[no-any-return]


def _updated_shape(
    tensor: Spec, indices: Spec, updates: Spec, *, op_name: str, **attrs: Any
) -> Dims:
    if indices.dims is not None:
        check_updates(op_name, tensor.dims, indices.dims, updates.dims)
    return tensor.dims


def _check(op_name: str) -> Any:
    def check(
        tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
    ) -> None:
        check_updates(op_name, tensor.shape, indices.shape, updates.shape)
        check_rows(op_name, indices, tensor.shape, bad_indices_policy)

    return check


_SIGNATURE = "tensor: T[1+], indices: Tindices, updates: T -> output: T"


def _declare(name: str, how: str, Tindices: frozenset[DType] = WIDE_INDICES) -> None:
    @op(name, _SIGNATURE, Tindices=Tindices, shape=_updated_shape, check=_check(name), guard=ROWS)
    def kernel(
        xp: Namespace,
        tensor: Array,
        indices: Array,
        updates: Array,
        *,
        bad_indices_policy: str = "",
    ) -> Array:
        return scatter_rows(xp, tensor, indices, updates, how, bad_indices_policy)


_declare("TensorScatterUpdate", "set", INDICES | {uint16})
_declare("TensorScatterAdd", "add")
_declare("TensorScatterSub", "subtract")
_declare("TensorScatterMax", "max")
_declare("TensorScatterMin", "min")


@RegisterGradient("TensorScatterUpdate", needs="indices")
def _tensor_scatter_update_grad(op: Any, dy: Tensor) -> Gradients:
    indices = op.inputs[1]
    taken = raw_ops.GatherNd(dy, indices)
    return raw_ops.TensorScatterUpdate(dy, indices, raw_ops.ZerosLike(taken)), None, taken


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of `tensor` with the slices that the rows of `indices` name replaced by `updates`.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]).numpy()
    array([10,  2, 30], dtype=int32)
    """
    return raw_ops.TensorScatterUpdate(tensor, indices, updates, name=name)  # type: ignore[no-any-return]


@RegisterGradient("TensorScatterAdd", needs="indices", slices=True)
def _tensor_scatter_add_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, None, raw_ops.GatherNd(dy, op.inputs[1])


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` with `updates` added to the slices that the rows of `indices` name.

    >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20]).numpy()
    array([31,  2,  3], dtype=int32)
    """
    policy = bad_indices_policy
    return raw_ops.TensorScatterAdd(tensor, indices, updates, bad_indices_policy=policy, name=name)  # type: ignore[no-any-return]


@RegisterGradient("TensorScatterSub", needs="indices", slices=True)
def _tensor_scatter_sub_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, None, -raw_ops.GatherNd(dy, op.inputs[1])


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` with `updates` subtracted from the slices that the rows of `indices` name.

    >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0]], [10]).numpy()
    array([-9,  2,  3], dtype=int32)
    """
    policy = bad_indices_policy
    return raw_ops.TensorScatterSub(tensor, indices, updates, bad_indices_policy=policy, name=name)  # type: ignore[no-any-return]


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which the slices that `indices` name are no less than `updates`.

    >>> tf.tensor_scatter_nd_max([1, 2, 3], [[0], [2]], [10, 0]).numpy()
    array([10,  2,  3], dtype=int32)
    """
    policy = bad_indices_policy
    return raw_ops.TensorScatterMax(tensor, indices, updates, bad_indices_policy=policy, name=name)  # type: ignore[no-any-return]


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """A copy of `tensor` in which the slices that `indices` name are no greater than `updates`.

    >>> tf.tensor_scatter_nd_min([1, 2, 3], [[0], [2]], [10, 0]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    policy = bad_indices_policy
    return raw_ops.TensorScatterMin(tensor, indices, updates, bad_indices_policy=policy, name=name)  # type: ignore[no-any-return]


@RegisterGradient("TensorScatterMax")
@RegisterGradient("TensorScatterMin")
def _tensor_scatter_extreme_grad(op: Any, dy: Tensor) -> Gradients:
    """The gradient is shared by all that have the extreme value: old element and updates."""
    tensor, indices, updates = op.inputs
    result = op.outputs[0]
    kept = raw_ops.Cast(raw_ops.Equal(tensor, result), DstT=dy.dtype)
    won = raw_ops.Cast(raw_ops.Equal(updates, raw_ops.GatherNd(result, indices)), DstT=dy.dtype)
    shape = raw_ops.Cast(shape_of(tensor), DstT=indices.dtype)
    winners = kept + raw_ops.ScatterNd(indices, won, shape)
    share = dy / raw_ops.Maximum(winners, raw_ops.OnesLike(winners))
    return share * kept, None, raw_ops.GatherNd(share, indices) * won


@op(
    "ScatterNdNonAliasingAdd",
    "input: T[1+], indices: Tindices, updates: T -> output: T",
    Tindices=WIDE_INDICES,
    shape=_updated_shape,
    check=_check("ScatterNdNonAliasingAdd"),
    guard=ROWS,
)
def _scatter_nd_add(
    xp: Namespace, input: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    return scatter_rows(xp, input, indices, updates, "add", bad_indices_policy)


@RegisterGradient("ScatterNdNonAliasingAdd", needs="indices")
def _scatter_nd_add_grad(op: Any, dy: Tensor) -> Gradients:
    return dy, None, raw_ops.GatherNd(dy, op.inputs[1])
