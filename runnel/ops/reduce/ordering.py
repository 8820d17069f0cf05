"""Order: sorting, searching in what is sorted, reversing, rolling."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import INDICES, DType, int32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.gathering import join
from runnel.ops.array.shaping import WIDE, entries, index_operand, one_axis
from runnel.ops.shapes import same, shape_of


@scoped("sort")
def sort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order along an axis.

    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    return _along(convert_to_tensor(values), axis, direction, 0)


@scoped("argsort")
def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that would sort along an axis; equal elements keep their order.

    Args:
        values: a tensor of numbers.
        axis: the axis that is sorted.
        direction: "ASCENDING" or "DESCENDING".
        stable: whether equals keep their order; they always do.

    >>> tf.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return _along(convert_to_tensor(values), axis, direction, 1)


def _along(x: Tensor, axis: Any, direction: str, part: int) -> Tensor:
    """Sort along any axis: TopKV2 knows the last one only, and descending order."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"`direction` must be 'ASCENDING' or 'DESCENDING', got {direction!r}.")
    known = constant_value(axis)
    if known is None:
        raise ValueError("`axis` must be known when the op is made.")
    if known.shape != () or known.dtype.kind not in "iuf":
        raise ValueError(f"sort: `axis` must be an integer, got {axis!r}.")
    place = int(known)
    rank = x.ndim
    if rank is None or place in (-1, rank - 1):
        return _along_last(x, direction, part)
    if not -rank <= place < rank:
        raise bad_value("TopKV2", want=f"be in [{-rank}, {rank})", axis=place)
    order = list(range(rank))
    order[place], order[-1] = order[-1], order[place]
    swap = np.array(order, np.int32)
    return raw_ops.Transpose(_along_last(raw_ops.Transpose(x, swap), direction, part), swap)  # type: ignore[no-any-return]


def _along_last(x: Tensor, direction: str, part: int) -> Tensor:
    count = raw_ops.GatherV2(shape_of(x), np.int32(-1) + raw_ops.Rank(x), np.int32(0))
    if direction == "DESCENDING":
        return raw_ops.TopKV2(x, count)[part]  # type: ignore[no-any-return]
    values, indices = raw_ops.TopKV2(_turned(x), count)
    return indices if part else _turned(values)  # type: ignore[no-any-return]


def _turned(x: Tensor) -> Tensor:
    """`x` in the opposite order of magnitude, without overflow."""
    if x.dtype.is_unsigned:
        return raw_ops.Sub(np.array(x.dtype.max, x.dtype.np_dtype), x)  # type: ignore[no-any-return]
    if x.dtype.is_integer:
        return raw_ops.Sub(np.array(-1, x.dtype.np_dtype), x)  # type: ignore[no-any-return]
    return raw_ops.Neg(x)  # type: ignore[no-any-return]


def _bound_shape(sorted_inputs: Spec, values: Spec, *, op_name: str, **attrs: Any) -> Dims:
    for name, spec in (("sorted_inputs", sorted_inputs), ("values", values)):
        if spec.dims is not None and len(spec.dims) != 2:
            raise bad_shape(op_name, want="have rank 2", **{name: spec})  # type: ignore[arg-type]
    rows = sorted_inputs.dims[0] if sorted_inputs.dims else None
    if rows is not None and values.dims and values.dims[0] not in (None, rows):
        raise bad_shape(op_name, want=f"have {rows} rows", values=values)
    return values.dims


def _bounds(
    xp: Namespace, op_name: str, rows: Array, values: Array, side: str, dtype: DType
) -> Array:
    _bound_shape(Spec(rows.shape, int32), Spec(values.shape, int32), op_name=op_name)
    return arrays.search_rows(xp, rows, values, side).astype(dtype.np_dtype)


_BOUNDS = "sorted_inputs: T, values: T -> output: out_type"


@op("LowerBound", _BOUNDS, out_type=WIDE, shape=_bound_shape)
def _lower_bound(
    xp: Namespace, sorted_inputs: Array, values: Array, *, out_type: DType = int32
) -> Array:
    return _bounds(xp, "LowerBound", sorted_inputs, values, "left", out_type)


@op("UpperBound", _BOUNDS, out_type=WIDE, shape=_bound_shape)
def _upper_bound(
    xp: Namespace, sorted_inputs: Array, values: Array, *, out_type: DType = int32
) -> Array:
    return _bounds(xp, "UpperBound", sorted_inputs, values, "right", out_type)


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Where each value would go into a sorted sequence (the last axis) so that it stays sorted.

    >>> tf.searchsorted([1, 3, 5], [3, 4], side="right").numpy()
    array([2, 2], dtype=int32)
    """
    rows = convert_to_tensor(sorted_sequence)
    wanted = convert_to_tensor(values)
    count, each = (
        raw_ops.GatherV2(shape_of(t), np.array([-1], np.int32) + raw_ops.Rank(t), np.int32(0))
        for t in (rows, wanted)
    )
    flat = [
        raw_ops.Reshape(t, join(np.array([-1], np.int32), n))
        for t, n in ((rows, count), (wanted, each))
    ]
    bounds = {"left": raw_ops.LowerBound, "right": raw_ops.UpperBound}
    if side not in bounds:
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: side = '{side}'."
        )
    found = bounds[side](*flat, out_type=out_type, name=name)
    return raw_ops.Reshape(found, shape_of(wanted))  # type: ignore[no-any-return]


def _reversed_shape(tensor: Spec, axis: Spec) -> Dims:
    places = entries(axis)
    if tensor.dims and 0 not in tensor.dims and places is not None and None not in places:
        found = [one_axis("ReverseV2", a, len(tensor.dims)) for a in places]
        if len(set(found)) != len(found):
            raise bad_value("ReverseV2", want="name each dimension once", axis=places)
    return tensor.dims


@op(
    "ReverseV2",
    "tensor: T, axis: Tidx[1] -> output: T",
    Tidx=WIDE,
    static=("axis",),
    shape=_reversed_shape,
)
def _reverse_v2(xp: Namespace, tensor: Array, axis: np.ndarray) -> Array:
    nothing = not tensor.shape or 0 in tensor.shape
    return tensor if nothing else xp.flip(tensor, tuple(axis.tolist()))


@RegisterGradient("ReverseV2", needs="axis")
def _reverse_v2_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.ReverseV2(dy, op.inputs[1]), None


@op("Reverse", "tensor: T, dims: bool[1] -> output: T", static=("dims",), shape=same)
def _reverse_v1(xp: Namespace, tensor: Array, dims: np.ndarray) -> Array:
    if dims.shape != (len(tensor.shape),):
        raise bad_shape("Reverse", want=f"have {len(tensor.shape)} elements", dims=dims)
    return xp.flip(tensor, tuple(np.flatnonzero(dims).tolist()))


@RegisterGradient("Reverse", needs="dims")
def _reverse_v1_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Reverse(dy, op.inputs[1]), None


def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` read backwards along the given axes.

    >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy()
    array([[2, 1],
           [4, 3]], dtype=int32)
    """
    return raw_ops.ReverseV2(tensor, index_operand(axis), name=name)  # type: ignore[no-any-return]


def _sequence_shape(input: Spec, seq_lengths: Spec, *, seq_dim: int, batch_dim: int = 0) -> Dims:
    if input.dims is None:
        return None
    rank = len(input.dims)
    if seq_dim == batch_dim:
        raise bad_value(
            "ReverseSequence", want=f"differ from batch_dim {batch_dim}", seq_dim=seq_dim
        )
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if not 0 <= axis < rank:
            raise bad_value("ReverseSequence", want=f"be in [0, {rank})", **{name: axis})  # type: ignore[arg-type]
    if seq_lengths.dims is not None:
        size = input.dims[batch_dim]
        if len(seq_lengths.dims) != 1 or (
            None not in (size, seq_lengths.dims[0]) and size != seq_lengths.dims[0]
        ):
            raise bad_shape(
                "ReverseSequence", want=f"have {size} elements", seq_lengths=seq_lengths
            )
        if size is None:
            dims = list(input.dims)
            dims[batch_dim] = seq_lengths.dims[0]
            return tuple(dims)
    return input.dims


def _check_sequence(input: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int = 0) -> None:
    _sequence_shape(
        Spec(input.shape, int32),
        Spec(seq_lengths.shape, int32),
        seq_dim=seq_dim,
        batch_dim=batch_dim,
    )
    size = input.shape[seq_dim]
    if seq_lengths.size and (seq_lengths.min() < 0 or seq_lengths.max() > size):
        raise bad_value("ReverseSequence", want=f"be in [0, {size}]", seq_lengths=seq_lengths)


@op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen[1] -> output: T",
    Tlen=INDICES,
    shape=_sequence_shape,
    check=_check_sequence,
)
def _reverse_sequence(
    xp: Namespace, input: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int = 0
) -> Array:
    rank = len(input.shape)
    places = np.arange(input.shape[seq_dim]).reshape(
        [-1 if i == seq_dim else 1 for i in range(rank)]
    )
    lengths = seq_lengths.astype(np.int64).reshape(
        [-1 if i == batch_dim else 1 for i in range(rank)]
    )
    source = xp.where(places < lengths, lengths - 1 - places, places)
    return xp.take_along_axis(input, xp.broadcast_to(source, input.shape), axis=seq_dim)


@RegisterGradient("ReverseSequence", needs="seq_lengths")
def _reverse_sequence_grad(op: Any, dy: Tensor) -> Gradients:
    axes = {name: op.attrs[name] for name in ("seq_dim", "batch_dim")}
    return raw_ops.ReverseSequence(dy, op.inputs[1], **axes), None


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """For each entry of the batch, its first `seq_lengths[i]` steps backwards, then the rest.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    if seq_axis is None:
        raise TypeError("tf.reverse_sequence needs `seq_axis`, an integer.")
    return raw_ops.ReverseSequence(
        input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name
    )  # type: ignore[no-any-return]


def _rolled_shape(input: Spec, shift: Spec, axis: Spec) -> Dims:
    if input.dims == ():
        raise bad_shape("Roll", want="have rank 1 or more", input=input)
    if not shift.shape.is_compatible_with(axis.shape):
        raise bad_shape("Roll", want=f"have the shape {axis.shape} of axis", shift=shift)
    if input.dims is not None and axis.value is not None:
        for place in np.ravel(axis.value):
            one_axis("Roll", place, len(input.dims))
    return input.dims


@op(
    "Roll",
    "input: T, shift: Tshift[0-1], axis: Taxis[0-1] -> output: T",
    Taxis=INDICES,
    Tshift=INDICES,
    static=("axis",),
    shape=_rolled_shape,
)
def _roll(xp: Namespace, input: Array, shift: Array, axis: np.ndarray) -> Array:
    _rolled_shape(Spec(input.shape, int32), Spec(shift.shape, int32), Spec(axis.shape, int32, axis))
    if axis.shape == ():
        return xp.roll(input, shift, int(axis))
    return xp.roll(input, shift, tuple(axis.tolist())) if axis.size else input


@RegisterGradient("Roll", needs="shift axis")
def _roll_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Roll(dy, -op.inputs[1], op.inputs[2]), None, None


def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """The elements moved on along the given axes; what leaves at the end comes back at the start.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy()
    array([4, 1, 2, 3], dtype=int32)
    """
    return raw_ops.Roll(input, shift, axis, name=name)  # type: ignore[no-any-return]
