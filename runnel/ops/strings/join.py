"""Strings joined: with each other, along an axis, by segments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops, scoped
from runnel.core.values import errors
from runnel.core.values.dtypes import int32, int64
from runnel.core.values.errors import OutOfRangeError, bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import attribute_bytes, packed
from runnel.ops.shapes import reduced


def _join_shape(inputs: Sequence[Spec], **attrs: Any) -> Dims:
    if any(x.dims is None for x in inputs):
        return None
    dims: Dims = ()
    for x in inputs:
        if x.dims:
            dims = _merged(dims, x) if dims else x.dims
    return dims


def _merged(dims: tuple[int | None, ...], x: Spec) -> Dims:
    assert x.dims is not None
    pairs = list(zip(dims, x.dims, strict=False))
    if len(dims) != len(x.dims) or any(None not in (a, b) and a != b for a, b in pairs):
        raise bad_shape("StringJoin", want=f"be scalars or have the shape {dims}", inputs=x)
    return tuple(b if a is None else a for a, b in pairs)


@op("StringJoin", "inputs: N*string -> output: string", shape=_join_shape)
def _join(xp: Namespace, inputs: list[Array], *, separator: str = "") -> Array:
    shape = next((x.shape for x in inputs if x.ndim), ())
    for x in inputs:
        if x.ndim and x.shape != shape:
            raise bad_shape("StringJoin", want=f"be scalars or have the shape {shape}", inputs=x)
    if shape == ():
        return packed([attribute_bytes(separator).join([x.item() for x in inputs])], ())
    columns = [x.ravel().tolist() if x.ndim else repeat(x.item()) for x in inputs]
    return packed(list(map(attribute_bytes(separator).join, zip(*columns, strict=False))), shape)


no_gradient("StringJoin")


def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors joined element by element; a scalar goes with every element.

    >>> tf.strings.join([["a", "b"], "c", ["d", "e"]], separator="-").numpy()
    array([b'a-c-d', b'b-c-e'], dtype=object)
    """
    return raw_ops.StringJoin(inputs, separator=separator, name=name)  # type: ignore[no-any-return]


def _reduce_shape(inputs: Spec, reduction_indices: Spec, *, keep_dims: bool, **attrs: Any) -> Dims:
    axes, rank = reduction_indices.value, inputs.rank
    if axes is not None and rank is not None:
        for axis in np.ravel(axes).tolist():
            if not -rank <= axis < rank:
                message = f"ReduceJoin: `axis` must be in [{-rank}, {rank}), got {axis}."
                raise (
                    ValueError(message)
                    if errors.tracing()
                    else OutOfRangeError(None, None, message)
                )
        counted = [a % rank for a in np.ravel(axes).tolist()]
        if len(set(counted)) < len(counted) and not errors.tracing():
            want = "name each dimension once"
            raise bad_value("ReduceJoin", want=want, reduction_indices=axes)
    return reduced(inputs, reduction_indices, op_name="ReduceJoin", keep_dims=keep_dims)


@op(
    "ReduceJoin",
    "inputs: string, reduction_indices: int32[0-1] -> output: string",
    static=("reduction_indices",),
    shape=_reduce_shape,
)
def _reduce_join(
    xp: Namespace,
    inputs: Array,
    reduction_indices: Array,
    *,
    keep_dims: bool = False,
    separator: str = "",
) -> Array:
    specs = [Spec(v.shape, int32, v) for v in (inputs, np.asarray(reduction_indices))]
    shape: Any = _reduce_shape(*specs, keep_dims=keep_dims)
    axes = [int(a) % inputs.ndim for a in np.ravel(reduction_indices)]
    kept = [a for a in range(inputs.ndim) if a not in axes]
    moved = inputs.transpose(kept + axes[::-1])  # the first of the axes runs fastest
    rows = int(np.prod([inputs.shape[a] for a in kept], dtype=int))
    flat = moved.reshape(rows, moved.size // rows if rows else 0)
    glue = attribute_bytes(separator)
    return packed([glue.join(row) for row in flat.tolist()], shape)


no_gradient("ReduceJoin")


@scoped("ReduceJoin")
def reduce_join(
    inputs: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings along one or more axes joined; in reading order if `axis` is None.

    With several axes, the first runs fastest.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="+").numpy()
    array([b'a+b', b'c+d'], dtype=object)
    """
    x = convert_to_tensor(inputs)
    return raw_ops.ReduceJoin(  # type: ignore[no-any-return]
        x,
        _last_first(x) if axis is None else axis,
        keep_dims=keepdims,
        separator=separator,
        name=name,
    )


def _last_first(x: Tensor) -> TensorLike:
    """All axes, the last one first."""
    rank = x.shape.rank
    if rank is None:
        return raw_ops.Range(raw_ops.Rank(x) - 1, -1, -1)
    return np.arange(rank - 1, -1, -1, dtype=np.int32)


def _segments_shape(
    inputs: Spec, segment_ids: Spec, num_segments: Spec, *, separator: str = ""
) -> Dims:
    count = None if num_segments.value is None else int(num_segments.value)
    if count is not None and count < 0:
        raise bad_value("UnsortedSegmentJoin", want="not be negative", num_segments=count)
    if inputs.dims is None or segment_ids.dims is None:
        return None
    if not TensorShape(inputs.dims[: len(segment_ids.dims)]).is_compatible_with(segment_ids.shape):
        want = f"have a shape that begins with {segment_ids.shape}, that of `segment_ids`"
        raise bad_shape("UnsortedSegmentJoin", want=want, inputs=inputs)
    return (count, *inputs.dims[len(segment_ids.dims) :])


def _check_segments(
    inputs: Array, segment_ids: Array, num_segments: Array, *, separator: str
) -> None:
    name, count = "UnsortedSegmentJoin", int(num_segments)
    if not segment_ids.ndim:
        raise bad_shape(name, want="have one dimension at least", segment_ids=segment_ids)
    if count < 0:
        raise bad_value(name, want="not be negative", num_segments=count)
    if inputs.ndim < segment_ids.ndim:
        want = f"{name}: `inputs` must have as many dimensions as `segment_ids`, {segment_ids.ndim}"
        raise OutOfRangeError(None, None, f"{want}, got shape {inputs.shape}.")
    if inputs.shape[: segment_ids.ndim] != segment_ids.shape:
        want = f"have a shape that begins with {segment_ids.shape}, that of `segment_ids`"
        raise bad_shape(name, want=want, inputs=inputs)
    if segment_ids.size and not 0 <= segment_ids.min() <= segment_ids.max() < count:
        raise bad_value(name, want=f"be in [0, {count})", segment_ids=segment_ids)


@op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments[0] -> output: string",
    Tindices=frozenset({int32, int64}),
    Tnumsegments=frozenset({int32, int64}),
    static=("num_segments",),
    shape=_segments_shape,
    check=_check_segments,
)
def _segment_join(
    xp: Namespace, inputs: Array, segment_ids: Array, num_segments: Array, *, separator: str = ""
) -> Array:
    inner = inputs.shape[segment_ids.ndim :]
    width = int(np.prod(inner, dtype=int))
    segments, glue = segment_ids.ravel(), attribute_bytes(separator)
    rows = inputs.reshape(segments.size, width)[np.argsort(segments, kind="stable")]
    limits = np.cumsum(np.bincount(segments, minlength=int(num_segments))).tolist()
    result = np.empty((int(num_segments), width), object)
    for place, column in enumerate(rows.T):
        strings = column.tolist()
        result[:, place] = [glue.join(strings[a:b]) for a, b in pairwise([0, *limits])]
    return result.reshape(int(num_segments), *inner)


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings of each segment joined; `segment_ids` says to which one a string belongs.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator=":").numpy()
    array([b'b', b'a:c'], dtype=object)
    """
    return raw_ops.UnsortedSegmentJoin(  # type: ignore[no-any-return]
        inputs, segment_ids, num_segments, separator=separator, name=name
    )
