"""Rows of a tensor picked and combined in segments: `tf.sparse.segment_*`.

Each is a product of a sparse matrix with the rows, which have weight 1 in a sum, and 1/n or
1/sqrt(n) in a segment of n rows otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values import dtypes
from runnel.core.values.dtypes import FLOATS, REAL
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.shapes import shape_of
from runnel.ops.sparse.matmul import weighted_rows

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _weights(xp: Namespace, segment_ids: Array, count: int, kind: str, dtype: Any) -> Array:
    """How much each picked row counts in its segment."""
    if kind == "Sum":
        return xp.ones(segment_ids.shape, dtype)
    wide = np.float32 if dtype.itemsize == 2 else dtype
    ones = xp.ones(segment_ids.shape, wide)
    size = scatter(xp, xp.zeros(count, wide), segment_ids, ones, "add")[segment_ids]
    return 1 / (xp.sqrt(size) if kind == "SqrtN" else size)


def _segmented(
    xp: Namespace, data: Array, indices: Array, segment_ids: Array, count: int, kind: str
) -> Array:
    flat = data.reshape(len(data), -1) if data.size else data.reshape(len(data), 0)
    weights = _weights(xp, segment_ids, count, kind, data.dtype)
    found = _combined(xp, segment_ids, indices, weights, count, flat)
    return found.reshape(count, *data.shape[1:])


def _combined(
    xp: Namespace, target: Array, source: Array, weights: Array, count: int, rows: Array
) -> Array:
    """`weighted_rows`, with halves counted as float32 and rounded once."""
    if rows.dtype.itemsize != 2 or rows.dtype.kind in "iu":
        return weighted_rows(xp, target, source, weights.astype(rows.dtype), count, rows)
    wide = rows.astype(np.float32)
    found = weighted_rows(xp, target, source, weights.astype(np.float32), count, wide)
    return found.astype(rows.dtype)


def _check_segments(op_name: str) -> Callable[..., None]:
    def check(
        data: Array,
        indices: Array,
        segment_ids: Array,
        *count: Array,
        sparse_gradient: bool = False,
    ) -> None:
        if data.ndim < 1:
            raise bad_shape(op_name, want="have rows", data=data)
        _check_ids(op_name, indices, segment_ids)
        limit = int(count[0]) if count else None
        if limit is not None and limit < 0:
            raise bad_value(op_name, want="not be negative", num_segments=limit)
        if limit is not None and len(segment_ids) and segment_ids[-1] >= limit:
            raise bad_value(op_name, want=f"be below {limit}", segment_ids=segment_ids)
        if len(indices) and (indices.min() < 0 or indices.max() >= len(data)):
            raise bad_value(op_name, want=f"be in [0, {len(data)})", indices=indices)

    return check


def _check_ids(op_name: str, indices: Array, segment_ids: Array) -> None:
    if indices.ndim != 1:
        raise bad_shape(op_name, want="be a vector", indices=indices)
    if segment_ids.shape != indices.shape:
        want = f"be a vector of {len(indices)} ids, one for each index"
        raise bad_shape(op_name, want=want, segment_ids=segment_ids)
    ids = segment_ids
    if len(ids) and (ids[0] < 0 or (ids[1:] < ids[:-1]).any()):
        raise bad_value(op_name, want="increase from 0 or more", segment_ids=ids)


def _rule(
    data: Spec,
    indices: Spec,
    segment_ids: Spec,
    *count: Spec,
    op_name: str,
    sparse_gradient: bool = False,
) -> Dims:
    for name, spec in (("indices", indices), ("segment_ids", segment_ids)):
        if spec.rank not in (None, 1):
            raise bad_shape(op_name, want="be a vector", **{name: spec})  # type: ignore[arg-type]
    if not indices.shape.is_compatible_with(segment_ids.shape):
        want = f"have an id for each index, the shape {indices.shape}"
        raise bad_shape(op_name, want=want, segment_ids=segment_ids)
    if data.dims is None:
        return None
    if not data.dims:
        raise bad_shape(op_name, want="have rows", data=data)
    known = count[0].value if count else None
    rows = None if known is None else int(known)
    if not count and segment_ids.value is not None:
        rows = int(segment_ids.value[-1]) + 1 if len(segment_ids.value) else 0
    return (rows, *data.dims[1:])


def _last(segment_ids: Array) -> int:
    return int(segment_ids[-1]) + 1 if len(segment_ids) else 0


_PLAIN = "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T"
_COUNTED = (
    "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments[0] -> output: T"
)
_BACK = (
    "grad: T[1+], indices: Tidx[1], segment_ids: Tsegmentids[1], output_dim0: int32[0] -> output: T"
)
_SPARSE_BACK = (
    "grad: T[1+], indices: Tidx[1], segment_ids: Tsegmentids[1], dense_output_dim0: int32[0] "
    "-> output: T, sorted_unique_indices: Tidx"
)


def _check_back(op_name: str) -> Callable[..., None]:
    def check(grad: Array, indices: Array, segment_ids: Array, count: Array) -> None:
        _check_ids(op_name, indices, segment_ids)
        if len(segment_ids) and segment_ids[-1] >= len(grad):
            raise bad_value(op_name, want=f"be below {len(grad)}", segment_ids=segment_ids)
        if len(indices) and (indices.min() < 0 or indices.max() >= int(count)):
            raise bad_value(op_name, want=f"be in [0, {int(count)})", indices=indices)

    return check


def _back_rule(grad: Spec, indices: Spec, segment_ids: Spec, output_dim0: Spec) -> Dims:
    if grad.dims is None:
        return None
    rows = None if output_dim0.value is None else int(output_dim0.value)
    return (rows, *grad.dims[1:])


def _sparse_back_rule(
    grad: Spec, indices: Spec, segment_ids: Spec, dense_output_dim0: Spec
) -> list[Dims]:
    return [None if grad.dims is None else (None, *grad.dims[1:]), (None,)]


def _returned(
    xp: Namespace, grad: Array, indices: Array, segment_ids: Array, count: int, kind: str
) -> Array:
    """The gradient of a segmented sum by its rows."""
    flat = grad.reshape(len(grad), -1) if grad.size else grad.reshape(len(grad), 0)
    weights = _weights(xp, segment_ids, len(grad), kind, grad.dtype)
    found = _combined(xp, indices, segment_ids, weights, count, flat)
    return found.reshape(count, *grad.shape[1:])


def _declare(kind: str) -> None:
    """The five ops of one kind, which differ in the weights alone."""
    name = f"SparseSegment{kind}"
    allowed = {"T": REAL if kind == "Sum" else FLOATS, "Tidx": _INDEX, "Tsegmentids": _INDEX}
    halves = {**allowed, "T": FLOATS}

    @op(name, _PLAIN, host=True, shape=_rule, check=_check_segments(name), **allowed)
    def plain(
        xp: Namespace,
        data: Array,
        indices: Array,
        segment_ids: Array,
        *,
        sparse_gradient: bool = False,
    ) -> Array:
        return _segmented(np, data, indices, segment_ids, _last(segment_ids), kind)

    counted_name = f"{name}WithNumSegments"

    @op(
        counted_name,
        _COUNTED,
        static=("num_segments",),
        shape=_rule,
        check=_check_segments(counted_name),
        Tnumsegments=_INDEX,
        **allowed,
    )
    def counted(
        xp: Namespace,
        data: Array,
        indices: Array,
        segment_ids: Array,
        num_segments: Array,
        *,
        sparse_gradient: bool = False,
    ) -> Array:
        return _segmented(xp, data, indices, segment_ids, int(num_segments), kind)

    @op(
        f"{name}Grad",
        _BACK,
        static=("output_dim0",),
        shape=_back_rule,
        check=_check_back(f"{name}Grad"),
        **halves,
    )
    def back(
        xp: Namespace, grad: Array, indices: Array, segment_ids: Array, output_dim0: Array
    ) -> Array:
        return _returned(xp, grad, indices, segment_ids, int(output_dim0), kind)

    @op(
        f"{name}GradV2",
        _SPARSE_BACK,
        host=True,
        shape=_sparse_back_rule,
        check=_check_back(f"{name}GradV2"),
        **halves,
    )
    def sparse_back(
        xp: Namespace, grad: Array, indices: Array, segment_ids: Array, dense_output_dim0: Array
    ) -> list[Array]:
        unique, place = np.unique(indices, return_inverse=True)
        return [_returned(np, grad, place, segment_ids, len(unique), kind), unique]

    def gradient(op: Any, dy: Tensor) -> Any:
        data, indices, segment_ids, *rest = op.inputs
        rows = raw_ops.Shape(data)[0]
        if not op.attrs["sparse_gradient"]:
            found = getattr(raw_ops, f"{name}Grad")(dy, indices, segment_ids, rows)
        else:
            values, places = getattr(raw_ops, f"{name}GradV2")(dy, indices, segment_ids, rows)
            found = IndexedSlices(values, places, convert_to_tensor(shape_of(data)))
        return found, None, None, *[None for _ in rest]

    for each in (name, counted_name):
        RegisterGradient(each, needs="data indices segment_ids")(gradient)


for _kind in ("Sum", "Mean", "SqrtN"):
    _declare(_kind)


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sum, in each segment, of the rows of `data` that `indices` picks.

    `sparse_gradient` makes the gradient a `tf.IndexedSlices`.

    >>> tf.sparse.segment_sum([[1.0], [2.0], [3.0]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[4.],
           [2.]], dtype=float32)
    """
    return _segments("Sum", data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The mean, in each segment, of the rows of `data` that `indices` picks.

    >>> tf.sparse.segment_mean([[1.0], [2.0], [3.0]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[2.],
           [2.]], dtype=float32)
    """
    return _segments("Mean", data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sum of the picked rows of each segment, divided by the root of their number.

    >>> tf.sparse.segment_sqrt_n([[2.0], [4.0]], [0, 0, 0, 0], [0, 0, 0, 0]).numpy()
    array([[4.]], dtype=float32)
    """
    return _segments("SqrtN", data, indices, segment_ids, num_segments, name, sparse_gradient)


def _segments(
    kind: str,
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None,
    sparse_gradient: bool,
) -> Tensor:
    ids = [convert_to_tensor(v, dtype_hint=dtypes.int32) for v in (indices, segment_ids)]
    attrs: Any = {"sparse_gradient": sparse_gradient, "name": name}
    if num_segments is None:
        return getattr(raw_ops, f"SparseSegment{kind}")(data, *ids, **attrs)  # type: ignore[no-any-return]
    counted = getattr(raw_ops, f"SparseSegment{kind}WithNumSegments")
    return counted(data, *ids, num_segments, **attrs)  # type: ignore[no-any-return]
