"""Each value once: `tf.unique`, `tf.unique_with_counts`, and the difference of two lists."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.dtypes import INDICES, DType, int32
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import packed
from runnel.kernels.text.flat_text import flat_text
from runnel.kernels.text.pieces import first_alike
from runnel.ops.array.shaping import WIDE, one_axis

_STRINGS_FOR_NUMPY = 4096  # strings; fewer are compared one by one
_INTEGERS_FOR_PYTHON = 64  # integers; up to so many, a dictionary of Python is faster


def _unique(x: Array, axis: int | None) -> tuple[Array, Array, Array]:
    """The distinct elements, or slices, in order of first appearance; where each is; how often."""
    if axis is not None:
        return _unique_slices(x, axis)
    if x.dtype == object:
        return _unique_strings(x)
    if x.dtype.kind in "iu" and len(x) <= _INTEGERS_FOR_PYTHON:
        return _numbered(x)
    model = _first_places(x)
    first = model == np.arange(len(x))
    place = (first.cumsum() - 1)[model]
    return x[first], place, np.bincount(place)


def _unique_slices(x: Array, axis: int) -> tuple[Array, Array, Array]:
    rows = np.moveaxis(x, axis, 0)
    if x.size and x.dtype.kind in "biuf" and not (x.dtype.kind == "f" and np.isnan(x).any()):
        return _unique_rows(x, axis, rows.reshape(len(rows), -1))
    values, first, place, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return np.take(values, order, axis=axis), rank[place.reshape(-1)], counts[order]


def _unique_rows(x: Array, axis: int, rows: Array) -> tuple[Array, Array, Array]:
    """The same for numbers that are equal if their bytes are: np.unique takes 8 times as long."""
    plain = np.ascontiguousarray(rows + 0.0 if rows.dtype.kind == "f" else rows)  # no -0.0
    keys = plain.view(f"V{plain.itemsize * plain.shape[1]}")[:, 0].tolist()
    places: dict[Any, int] = defaultdict(count().__next__)
    place = np.fromiter(map(places.__getitem__, keys), np.int64, len(keys))
    first = np.empty(len(places), np.int64)
    first[place[::-1]] = np.arange(len(keys))[::-1]
    return np.take(x, first, axis=axis), place, np.bincount(place)


def _first_places(x: Array) -> Array:
    """For each number, where the first like it is."""
    if x.dtype.kind in "iu":
        low, high = int(x.min()), int(x.max())
        if high - low < len(x):
            return _first_places_near(x, low, high - low + 1)
    order = x.argsort(kind="stable")
    ordered, new = x[order], np.ones(len(x), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    places = np.empty_like(order)
    places[order] = order[new][new.cumsum() - 1]
    return places


def _first_places_near(x: Array, low: int, span: int) -> Array:
    """The same for integers that lie closer together than they are many: a table of all of them."""
    wide = x if x.dtype == np.uint64 else x.astype(np.int64)
    number = (wide - wide.dtype.type(low)).astype(np.int64)
    first = np.empty(span, np.int64)
    first[number[::-1]] = np.arange(len(x))[::-1]  # of several, the last that is written stays
    return first[number]


def _unique_strings(x: Array) -> tuple[Array, Array, Array]:
    text = flat_text(x) if len(x) >= _STRINGS_FOR_NUMPY else None
    if text is None or text.has_zeros:
        return _numbered(x)
    model = first_alike(text.text, text.starts, text.sizes)
    seen = np.full(len(model), len(model))  # where what stands for a string is met first
    seen[model[::-1]] = np.arange(len(model))[::-1]
    order = np.argsort(seen, kind="stable")[: np.count_nonzero(seen < len(model))]
    numbers = np.empty_like(model)
    distinct, numbers[order], _ = _numbered(x[order])  # some may still be the same
    place = numbers[model]
    return distinct, place, np.bincount(place, minlength=len(distinct))


def _numbered(x: Array) -> tuple[Array, Array, Array]:
    values = x.tolist()
    places: dict[Any, int] = defaultdict(count().__next__)  # a new value gets the next number
    place = np.fromiter(map(places.__getitem__, values), np.int64, len(values))
    distinct = packed(list(places)) if x.dtype == object else np.array(list(places), x.dtype)
    return distinct, place, np.bincount(place, minlength=len(places))


def _vector(op_name: str, x: Array) -> Array:
    if len(x.shape) != 1:
        raise bad_shape(op_name, want="have rank 1", x=x)
    return x


def _unique_shapes(x: Spec, *, op_name: str, out_idx: DType) -> list[Dims]:
    if x.dims is not None and len(x.dims) != 1:
        raise bad_shape(op_name, want="have rank 1", x=x)
    shapes: list[Dims] = [(None,), x.dims, (None,)]
    return shapes if op_name.endswith("Counts") else shapes[:2]


@op("Unique", "x: T -> y: T, idx: out_idx", out_idx=WIDE, host=True, shape=_unique_shapes)
def _unique_plain(xp: Namespace, x: Array, *, out_idx: DType = int32) -> list[Array]:
    y, place, _ = _unique(_vector("Unique", x), None)
    return [y, place.astype(out_idx.np_dtype)]


_PLACES: Any = {"host": True, "out_idx": WIDE}


@op(
    "UniqueWithCounts",
    "x: T -> y: T, idx: out_idx, count: out_idx",
    shape=_unique_shapes,
    **_PLACES,
)
def _unique_counted(xp: Namespace, x: Array, *, out_idx: DType = int32) -> list[Array]:
    y, place, counts = _unique(_vector("UniqueWithCounts", x), None)
    return [y, place.astype(out_idx.np_dtype), counts.astype(out_idx.np_dtype)]


def _unique_axis_shapes(x: Spec, axis: Spec, *, op_name: str, out_idx: DType) -> list[Dims]:
    y: Dims = None
    if x.dims is not None and axis.value is None:
        y = (None,) * len(x.dims)
    elif x.dims is not None and axis.value is not None:
        place = one_axis(op_name, axis.value, len(x.dims)) if axis.value.size else 0
        y = (*x.dims[:place], None, *x.dims[place + 1 :])
    return [y, (None,), (None,)][: 3 if "Counts" in op_name else 2]


def _unique_axis(op_name: str, x: Array, axis: Array) -> tuple[Array, Array, Array]:
    if not axis.size:
        return _unique(_vector(op_name, x), None)
    return _unique(x, one_axis(op_name, axis, len(x.shape)))


_ALONG_AXIS: Any = {"Taxis": INDICES, "host": True, "out_idx": WIDE, "shape": _unique_axis_shapes}


@op("UniqueV2", "x: T, axis: Taxis[1?] -> y: T, idx: out_idx", **_ALONG_AXIS)
def _unique_along(xp: Namespace, x: Array, axis: Array, *, out_idx: DType = int32) -> list[Array]:
    y, place, _ = _unique_axis("UniqueV2", x, axis)
    return [y, place.astype(out_idx.np_dtype)]


@op(
    "UniqueWithCountsV2",
    "x: T, axis: Taxis[1?] -> y: T, idx: out_idx, count: out_idx",
    **_ALONG_AXIS,
)
def _unique_along_counted(
    xp: Namespace, x: Array, axis: Array, *, out_idx: DType = int32
) -> list[Array]:
    y, place, counts = _unique_axis("UniqueWithCountsV2", x, axis)
    return [y, place.astype(out_idx.np_dtype), counts.astype(out_idx.np_dtype)]


class Unique(NamedTuple):
    """The distinct values, and for each element the place of its value among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """As `Unique`, and how often each value occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def unique(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of appearance, and where each is among them.

    Args:
        x: a tensor, or what can become one.
        out_idx: int32 or int64.

    >>> y, idx = tf.unique([4, 4, 2, 4])
    >>> y.numpy(), idx.numpy()
    (array([4, 2], dtype=int32), array([0, 0, 1, 0], dtype=int32))
    """
    return Unique(*raw_ops.Unique(x, out_idx=out_idx, name=name))


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None
) -> UniqueWithCounts:
    """As `tf.unique`, and how often each distinct element occurs.

    >>> tf.unique_with_counts([4, 4, 2, 4]).count.numpy()
    array([3, 1], dtype=int32)
    """
    return UniqueWithCounts(*raw_ops.UniqueWithCounts(x, out_idx=out_idx, name=name))


def _difference_shapes(x: Spec, y: Spec, **attrs: Any) -> list[Dims]:
    for spec in (x, y):
        if spec.dims is not None and len(spec.dims) != 1:
            raise bad_shape("ListDiff", want="have rank 1", x=spec)
    return [(None,), (None,)]


@op("ListDiff", "x: T, y: T -> out: T, idx: out_idx", shape=_difference_shapes, **_PLACES)
def _list_diff(xp: Namespace, x: Array, y: Array, *, out_idx: DType = int32) -> list[Array]:
    _vector("ListDiff", x), _vector("ListDiff", y)
    kept = np.flatnonzero(~np.isin(x, y))
    return [x[kept], kept.astype(out_idx.np_dtype)]
