"""The largest elements of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.backend.jax import lax
from runnel.backend.memory import LARGE
from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops, scoped
from runnel.core.values.dtypes import INDICES, REAL, DType, float32, int16, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.ordering import narrow_order
from runnel.ops.shapes import shape_of

_INDEX = frozenset({int32, int64})
_SMALL_K = 16  # values, up to which XLA finds them one after another


def largest(xp: Namespace, x: Array, k: int) -> Array:
    """Where the `k` largest elements of each row are, in descending order; ties in their order."""
    if xp is not np:
        if x.dtype.kind in "fiu":
            return lax.top_k(x, k)[1]
        return xp.argsort(x, axis=-1, stable=True, descending=True)[..., :k]
    if x.dtype.kind == "V":
        x = x.astype(np.float32)
    if k == 1:
        return np.argmax(x, axis=-1, keepdims=True)
    return narrow_order(x, k) if x.itemsize <= 4 else _wide_order(x)[..., :k]


def _wide_order(x: Array) -> Array:
    """The descending order of rows of numbers of 64 bits; ties in their order.

    NumPy's fast sort forgets the order of ties. Where there are any, their runs are numbered, and
    number and place are sorted as one integer.
    """
    mirrored = x[..., ::-1]  # ascending order of this, read backwards, is the descending one
    order = np.argsort(mirrored, axis=-1)
    ranked = np.take_along_axis(mirrored, order, -1)
    after, before = ranked[..., 1:], ranked[..., :-1]
    new = ~((after == before) | (before != before))
    if not new.all():
        order[..., 1:] |= np.cumsum(new, axis=-1) << 32
        order.sort(axis=-1)
        order &= 0xFFFFFFFF
    return x.shape[-1] - 1 - order[..., ::-1]


def _check(input: Array, k: Any, **attrs: Any) -> None:
    count = int(k)
    if not input.ndim:
        raise bad_shape("TopKV2", want="have at least one dimension", input=input)
    if not 0 <= count <= input.shape[-1]:
        raise bad_value("TopKV2", want=f"be in [0, {input.shape[-1]}]", k=count)


def _rule(input: Spec, k: Spec, **attrs: Any) -> list[Dims]:
    if input.rank == 0:
        raise bad_shape("TopKV2", want="have at least one dimension", input=input)
    if input.dims is None:
        return [None, None]
    count = None if k.value is None else int(k.value)
    columns = input.dims[-1]
    if count is not None and columns is not None and not 0 <= count <= columns:
        raise bad_value("TopKV2", want=f"be in [0, {columns}]", k=count)
    return [(*input.dims[:-1], count)] * 2


def _worth_compiling(values: Sequence[Array]) -> bool:
    """Whether XLA finds some elements of large rows before NumPy has sorted them all."""
    return values[0].size > LARGE and 1 < int(values[1]) <= _SMALL_K


def _is_for_numpy(values: Sequence[Any]) -> bool:
    """Whether large rows are sorted: 100 of 5,000 floats take NumPy 6 ms, XLA 127."""
    return values[0].size > LARGE and int(values[1]) > _SMALL_K


@op(
    "TopKV2",
    "input: T, k: Tk -> values: T, indices: index_type",
    index_type=INDICES | {int16},
    T=REAL,
    Tk=frozenset({int16, int32, int64}),
    static=("k",),
    shape=_rule,
    check=_check,
    heavy=_worth_compiling,
    host=_is_for_numpy,
)
def _top_k(
    xp: Namespace, input: Array, k: np.ndarray, *, sorted: bool = True, index_type: DType = int32
) -> list[Array]:
    index = largest(xp, input, int(k))
    return [xp.take_along_axis(input, index, axis=-1), index.astype(index_type.np_dtype)]


@RegisterGradient("TopKV2", needs="outputs")
def _top_k_gradient(op: Any, dy: Tensor, _: Any) -> Gradients:
    x = op.inputs[0]
    shape = shape_of(x)
    columns = np.int32(shape[-1]) if isinstance(shape, np.ndarray) else shape[-1]
    index = op.outputs[1]
    if index.dtype not in (int32, int64):
        index = raw_ops.Cast(index, DstT=int32)
    width = raw_ops.Cast(columns, DstT=index.dtype)
    chosen = raw_ops.Shape(index)[-1:]
    flat = raw_ops.Reshape(index, raw_ops.ConcatV2([np.array([-1], np.int32), chosen], np.int32(0)))
    rows = raw_ops.Shape(flat)[0]
    start = raw_ops.Range(0, rows, 1)
    offset = raw_ops.ExpandDims(raw_ops.Cast(start, DstT=index.dtype) * width, np.int32(-1))
    places = raw_ops.Reshape(flat + offset, np.array([-1, 1], np.int32))
    updates = raw_ops.Reshape(dy, np.array([-1], np.int32))
    total = raw_ops.Cast(raw_ops.Prod(shape, np.array([0], np.int32)), DstT=index.dtype)
    size = raw_ops.Reshape(total, np.array([1], np.int32))
    return raw_ops.Reshape(raw_ops.ScatterNd(places, updates, size), shape), None


class TopKV2(NamedTuple):
    """The largest elements of each row and where they are."""

    values: Tensor
    indices: Tensor


def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = int32,
    name: str | None = None,
) -> TopKV2:
    """The `k` largest elements of each row, in descending order, and where they are.

    Args:
        input: a tensor, or what can become one.
        k: how many.
        sorted: whether they come in descending order.
        index_type: the dtype of the places.

    >>> values, indices = tf.math.top_k([1.0, 9.0, 5.0], k=2)
    >>> values.numpy(), indices.numpy()
    (array([9., 5.], dtype=float32), array([1, 2], dtype=int32))
    """
    return TopKV2(*raw_ops.TopKV2(input, k, sorted=sorted, index_type=index_type, name=name))


def _in_top_k_rule(predictions: Spec, targets: Spec, *others: Spec, **attrs: Any) -> Dims:
    if predictions.rank not in (None, 2):
        raise bad_shape("InTopKV2", want="be a matrix", predictions=predictions)
    if targets.rank not in (None, 1):
        raise bad_shape("InTopKV2", want="be a vector", targets=targets)
    rows = targets.dims or (None,)
    have = predictions.dims[0] if predictions.dims else None
    if None not in (rows[0], have) and rows[0] != have:
        raise bad_shape("InTopKV2", want=f"have {have} elements", targets=targets)
    return rows if rows[0] is not None else (have,)


def _check_in_top_k(predictions: Array, targets: Array, *others: Array, **attrs: Any) -> None:
    _in_top_k_rule(Spec(predictions.shape, float32), Spec(targets.shape, int32))
    for k in others:
        if k.ndim:
            raise bad_shape("InTopKV2", want="be a scalar", k=k)


_AMONG: Any = {"T": _INDEX, "check": _check_in_top_k, "shape": _in_top_k_rule}


@op("InTopKV2", "predictions: float32, targets: T, k: T -> precision: bool", **_AMONG)
def _in_top_k(xp: Namespace, predictions: Array, targets: Array, k: Array) -> Array:
    classes = predictions.shape[1]
    if not classes:
        return xp.zeros(targets.shape, bool)
    valid = (targets >= 0) & (targets < classes)
    place = xp.clip(targets, 0, classes - 1)[:, None]
    own = xp.take_along_axis(predictions, place, axis=1)
    above = xp.sum(predictions > own, axis=1, dtype=np.int32)
    finite = xp.all(xp.isfinite(predictions), axis=1)
    return valid & finite & (above < k)


@op("InTopK", "predictions: float32, targets: T -> precision: bool", **_AMONG)
def _in_top_k_v1(xp: Namespace, predictions: Array, targets: Array, *, k: int) -> Array:
    return _in_top_k.kernel(xp, predictions, targets, np.asarray(k, targets.dtype))


@scoped("in_top_k")
def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Whether each target is among the `k` best predictions of its row.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy()
    array([ True, False])
    """
    return raw_ops.InTopKV2(predictions, targets, k, name=name)


def _nth_rule(input: Spec, n: Spec, **attrs: Any) -> Dims:
    if input.rank == 0:
        raise bad_shape("NthElement", want="have at least one dimension", input=input)
    return None if input.dims is None else input.dims[:-1]


def _check_nth(input: Array, n: Array, **attrs: Any) -> None:
    if not input.ndim:
        raise bad_shape("NthElement", want="have at least one dimension", input=input)
    if not 0 <= int(n) < input.shape[-1]:
        raise bad_value("NthElement", want=f"be in [0, {input.shape[-1]})", n=int(n))


@op("NthElement", "input: T, n: int32 -> values: T", T=REAL, shape=_nth_rule, check=_check_nth)
def _nth_element(xp: Namespace, input: Array, n: Array, *, reverse: bool = False) -> Array:
    place = input.shape[-1] - 1 - n if reverse else n
    if xp is not np:
        return xp.take(xp.sort(input, axis=-1), place, axis=-1)
    wide = input.astype(np.float32) if input.dtype.kind == "V" else input
    return np.partition(wide, int(place), axis=-1)[..., int(place)].astype(input.dtype, copy=False)


@RegisterGradient("NthElement", needs="input outputs")
def _nth_element_gradient(op: Any, dy: Tensor) -> Gradients:
    """A tie shares the gradient among all that are equal."""
    x = op.inputs[0]
    last = np.int32(-1)
    hit = raw_ops.Cast(raw_ops.Equal(x, raw_ops.ExpandDims(op.outputs[0], last)), DstT=x.dtype)
    count = raw_ops.Sum(hit, last, keep_dims=True)
    return hit / count * raw_ops.ExpandDims(dy, last), None
