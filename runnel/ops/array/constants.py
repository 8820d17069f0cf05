"""Tensors made of little: constants, fillings, ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import (
    RegisterGradient,
    Tensor,
    convert_to_tensor,
    no_gradient,
    op,
    raw_ops,
    scoped,
)
from runnel.core.op.context import state
from runnel.core.settings.arguments import check_room
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor.convert import emit, to_array, unread
from runnel.core.tensor.filling import filled, known_ones, zeros_as
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor_list import is_list
from runnel.core.values import dtypes
from runnel.core.values.dtypes import FLOATS, INDICES, NUMERIC, DType, as_dtype, float32, int32
from runnel.core.values.errors import ResourceExhaustedError, bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import (
    Array,
    Dims,
    DTypeLike,
    Gradients,
    Namespace,
    ShapeLike,
    Spec,
    TensorLike,
)
from runnel.kernels import arrays
from runnel.ops.array.shaping import WIDE, entries, index_operand
from runnel.ops.shapes import same, shape_of

RANGES = frozenset(dtypes.REAL - {dtypes.uint8})


def _value_shape(*, value: Any, dtype: DType) -> Dims:
    return tuple(np.shape(value))


@op("Const", "-> output: dtype", shape=_value_shape)
def _const(xp: Namespace, *, value: Any, dtype: DType) -> Array:
    return np.asarray(value, dtype.np_dtype)


no_gradient("Const")


_SCALARS = ((), (1,))  # outside graphs, as in TensorFlow, one element is as good as a scalar


def _filled(dims: Spec, value: Spec) -> Dims:
    if dims.dims is not None and len(dims.dims) > 1:
        raise bad_shape("Fill", want="have rank 1", dims=dims)
    if value.dims not in (None, ()):
        raise bad_shape("Fill", want="be a scalar", value=value)
    wanted = entries(dims)
    if wanted is not None and any(d is not None and d < 0 for d in wanted):
        raise bad_value("Fill", want="hold no negative sizes", dims=dims.value)
    return wanted


@op(
    "Fill",
    "dims: index_type[1], value: T -> output: T",
    index_type=WIDE,
    static=("dims",),
    shape=_filled,
    watched=0,
)
def _fill(xp: Namespace, dims: np.ndarray, value: Array) -> Array:
    if value.shape not in _SCALARS:
        raise bad_shape("Fill", want="be a scalar", value=value)
    sizes = tuple(np.atleast_1d(dims).tolist())
    check_room("Fill", sizes, value.dtype.itemsize)
    return xp.broadcast_to(value.reshape(()), sizes)


@RegisterGradient("Fill", needs="")
def _fill_grad(op: Any, dy: Tensor) -> Gradients:
    return None, raw_ops.Sum(dy, _every_axis(dy))


def _every_axis(x: Tensor) -> Any:
    if x.ndim is not None:
        return np.arange(x.ndim, dtype=np.int32)
    return raw_ops.Range(np.int32(0), raw_ops.Rank(x), np.int32(1))


def fill(dims: ShapeLike, value: TensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `dims` with `value` everywhere.

    Args:
        dims: the shape of the result.
        value: what stands everywhere.
        layout: of DTensor only; must be None.

    >>> tf.fill([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    _refuse_layout("fill", layout)
    return raw_ops.Fill(index_operand(dims), value, name=name)  # type: ignore[no-any-return]


def _refuse_layout(function: str, layout: Any) -> None:
    if layout is not None:
        raise NotImplementedError(f"tf.{function} does not support layout: it belongs to DTensor.")


def zeros(
    shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros (False, or empty strings) in a shape.

    Args:
        shape: the shape of the result, as a list or a tensor.
        dtype: the dtype of the result.
        layout: of DTensor only; must be None.

    >>> tf.zeros([2, 3]).numpy()
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    _refuse_layout("zeros", layout)
    return _constant_fill(
        "zeros", shape, arrays.zeros(np, (), as_dtype(dtype).np_dtype), as_dtype(dtype), name
    )


def ones(
    shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """Ones (or True) in a shape.

    Args:
        shape: the shape of the result, as a list or a tensor.
        dtype: the dtype of the result.
        layout: of DTensor only; must be None.

    >>> tf.ones([3], tf.int32).numpy()
    array([1, 1, 1], dtype=int32)
    """
    _refuse_layout("ones", layout)
    if as_dtype(dtype) is dtypes.string:
        raise TypeError("tf.ones: strings have no one; use tf.fill.")
    return _constant_fill(
        "ones", shape, np.ones((), as_dtype(dtype).np_dtype), as_dtype(dtype), name
    )


def _constant_fill(
    function: str, shape: ShapeLike, value: Array, dtype: DType, name: str | None
) -> Tensor:
    """`value` in a shape: a constant where the shape is a Python value, else the op Fill."""
    if dtype in (dtypes.resource, dtypes.variant):
        raise TypeError(f"{function}: `dtype` must be that of numbers or strings, got {dtype!r}.")
    known = None if isinstance(shape, Operators) else _plain_dims(shape)
    if known is None:
        with scope_of_ops(name or function) as scope:
            dims = _vector_of_dims(shape)
            return raw_ops.Fill(dims, emit(value, dtype=dtype), name=scope)  # type: ignore[no-any-return]
    if any(d < 0 for d in known):
        raise bad_value("Fill", want="hold no negative sizes", shape=list(known))
    check_room(function, known, dtype.size)
    try:
        return filled(name or function, known, value, dtype)
    except MemoryError as error:
        raise ResourceExhaustedError(None, None, f"{function}: {error}.") from None


def _vector_of_dims(shape: Any) -> Tensor:
    """A shape that is a tensor, or a list with tensors in it."""
    if not isinstance(shape, Operators):
        return convert_to_tensor(shape, int32)
    flat: Any = shape if shape.ndim == 1 else raw_ops.Reshape(shape, np.array([-1], np.int32))
    return flat  # type: ignore[no-any-return]


def _plain_dims(shape: Any) -> tuple[int, ...] | None:
    """A shape of Python and NumPy numbers; None where a tensor is among them."""
    if type(shape) in (list, tuple) and all(type(d) is int for d in shape):
        return tuple(shape)
    if isinstance(shape, TensorShape):
        return tuple(shape.as_list())  # type: ignore[arg-type]
    if isinstance(shape, list | tuple) and any(isinstance(d, Operators) for d in shape):
        return None
    array = to_array(shape, None if isinstance(shape, np.ndarray) else int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"A shape must hold integers, got {shape!r}.")
    if array.ndim > 1:
        raise bad_shape("Fill", want="be a vector", dims=array)
    return tuple(int(d) for d in array.ravel())


@op("ZerosLike", "x: T -> y: T", shape=same, elementwise=True, default_name="zeros_like")
def _zeros_like(xp: Namespace, x: Array) -> Array:
    return x.zeros(xp) if is_list(x) else arrays.zeros(xp, x.shape, x.dtype)


no_gradient("ZerosLike")


def zeros_like(
    input: TensorLike, dtype: DTypeLike = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros in the shape, and unless `dtype` says otherwise with the dtype, of `input`.

    Args:
        input: a tensor, or what can become one.
        dtype: the dtype; None is that of `input`.
        layout: of DTensor only; must be None.

    >>> tf.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)
    """
    _refuse_layout("zeros_like", layout)
    x = unread(input)
    if dtype is None or as_dtype(dtype) is x.dtype:
        return zeros_as(x, name)
    return zeros(shape_of(x), dtype, name=name or "zeros_like")


@op(
    "OnesLike",
    "x: T -> y: T",
    T=NUMERIC | {dtypes.bool},
    shape=same,
    elementwise=True,
    default_name="ones_like",
)
def _ones_like(xp: Namespace, x: Array) -> Array:
    return xp.ones(x.shape, x.dtype)


no_gradient("OnesLike")


def ones_like(
    input: TensorLike, dtype: DTypeLike = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Ones in the shape, and unless `dtype` says otherwise with the dtype, of `input`.

    Args:
        input: a tensor, or what can become one.
        dtype: the dtype; None is that of `input`.
        layout: of DTensor only; must be None.

    >>> tf.ones_like([1.5, 2.5], dtype=tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    _refuse_layout("ones_like", layout)
    x = unread(input)
    if dtype is None or as_dtype(dtype) is x.dtype:
        known = known_ones(x, name)
        return raw_ops.OnesLike(x, name=name) if known is None else known
    return ones(shape_of(x), dtype, name=name or "ones_like")


def _empty_shape(shape: Spec, **attrs: Any) -> Dims:
    if shape.value is not None:
        return tuple(shape.value.tolist())
    if shape.partial is not None:
        return tuple(shape.partial)
    rank = shape.dims[0] if shape.dims else None
    return None if rank is None else (None,) * rank


@op(
    "Empty",
    "shape: int32[1] -> output: dtype",
    static=("shape",),
    stateful=True,
    shape=_empty_shape,
)
def _empty(xp: Namespace, shape: np.ndarray, *, dtype: DType, init: bool = False) -> Array:
    return arrays.zeros(xp, tuple(shape.tolist()), dtype.np_dtype)


def _range_values(start: Array, limit: Array, delta: Array) -> Array:
    """Counted in the width of the dtype and added up as floats are: `start + i * delta`."""
    for name, bound in (("start", start), ("limit", limit), ("delta", delta)):
        if np.ndim(bound):
            raise bad_shape("Range", want="be a scalar", **{name: bound})
    dtype = start.dtype
    if delta == 0:
        raise bad_value("Range", want="not be zero", delta=delta)
    if (limit - start > 0) != (delta > 0) and limit != start and dtype.kind != "u":
        order = "at most" if delta > 0 else "at least"
        raise bad_value(
            "Range", want=f"be {order} limit {limit} for a delta of {delta}", start=start
        )
    if dtype.kind in "iu":
        if limit < start and delta > 0:
            raise bad_value("Range", want=f"be at most limit {limit}", start=start)
        begin, end, stride = int(start), int(limit), int(delta)
        check_room("Range", (abs((end - begin) // stride),), 8)
        return np.arange(begin, end, stride, dtype=dtype)
    wide: Any = np.float64 if dtype.itemsize == 8 else np.float32
    first, last, step = (np.asarray(v, wide) for v in (start, limit, delta))
    size = abs((last - first) / step)
    if not math.isfinite(size):
        raise bad_value("Range", want="be finite, as delta must be above 0", limit=limit)
    count = math.ceil(size)
    check_room("Range", (count,), 8)
    return (first + np.arange(count).astype(wide) * step).astype(dtype)


def _range_shape(start: Spec, limit: Spec, delta: Spec) -> Dims:
    for name, bound in (("start", start), ("limit", limit), ("delta", delta)):
        if bound.dims:
            raise bad_shape("Range", want="be a scalar", **{name: bound})  # type: ignore[arg-type]
    if start.value is None or limit.value is None or delta.value is None:
        return (None,)
    return _range_values(start.value, limit.value, delta.value).shape


@op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
    Tidx=RANGES,
    static=("start", "limit", "delta"),
    shape=_range_shape,
)
def _range(xp: Namespace, start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> Array:
    bounds = (v.reshape(()) if np.shape(v) in _SCALARS else v for v in (start, limit, delta))
    return _range_values(*bounds)


no_gradient("Range")

_RANGE_ORDER = {
    d: i
    for i, d in enumerate(
        (int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, float32, dtypes.float64)
    )
}


def range(
    start: TensorLike,
    limit: TensorLike = None,
    delta: TensorLike = 1,
    dtype: DTypeLike = None,
    name: str = "range",
) -> Tensor:
    """The numbers from `start` (0) up to, and without, `limit`, in steps of `delta`.

    Args:
        start: the first number; with one argument this is `limit`, and the first is 0.
        limit: where it ends; not part of the result.
        delta: the distance of the numbers.
        dtype: the dtype; None is that of the arguments.

    >>> tf.range(5).numpy()
    array([0, 1, 2, 3, 4], dtype=int32)
    >>> tf.range(1.0, 2.0, 0.25).numpy()
    array([1.  , 1.25, 1.5 , 1.75], dtype=float32)
    """
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else as_dtype(dtype)
    if state.graph is None:
        return _range_between((start, limit, delta), wanted, name)
    with state.graph.name_scope(name) as scope:
        return _range_between((start, limit, delta), wanted, scope)


def _range_between(
    bounds: tuple[TensorLike, ...], wanted: DType | None, name: str | None
) -> Tensor:
    ends = [
        v if isinstance(v, Tensor) else convert_to_tensor(v, wanted, name=title)
        for v, title in zip(bounds, ("start", "limit", "delta"), strict=True)
    ]
    if wanted is None:
        found = [t.dtype for t in ends]
        unknown = [d for d in found if d not in _RANGE_ORDER]
        wanted = unknown[0] if unknown else max(found, key=_RANGE_ORDER.__getitem__)
    ends = [t if t.dtype is wanted else raw_ops.Cast(t, DstT=wanted) for t in ends]
    return raw_ops.Range(*ends, name=name)  # type: ignore[no-any-return]


def _linspace_shape(start: Spec, stop: Spec, num: Spec) -> Dims:
    if num.value is None:
        return (None,)
    if num.value.size != 1 or int(num.value.reshape(())) <= 0:
        raise bad_value("LinSpace", want="be greater than 0", num=num.value)
    for name, end in (("start", start), ("stop", stop)):
        if end.dims not in (None, ()):
            raise bad_shape("LinSpace", want="be a scalar", **{name: end})  # type: ignore[arg-type]
    return (int(num.value.reshape(())),)


@op(
    "LinSpace",
    "start: T[0], stop: T[0], num: Tidx[0!] -> output: T",
    Tidx=INDICES,
    T=FLOATS,
    static=("num",),
    shape=_linspace_shape,
)
def _linspace(xp: Namespace, start: Array, stop: Array, num: np.ndarray) -> Array:
    spec = Spec((), int32, np.asarray(num))
    (count,) = _linspace_shape(Spec(start.shape, float32), Spec(stop.shape, float32), spec)  # type: ignore[misc]
    assert count is not None
    if count == 1:
        return xp.reshape(start, (1,))
    check_room("LinSpace", (count,), 8)
    step = (stop - start) / np.asarray(count - 1, start.dtype)
    inner = start + step * np.arange(count - 1).astype(start.dtype)
    return xp.concatenate([inner, xp.reshape(stop, (1,))]).astype(start.dtype)


no_gradient("LinSpace")


@scoped("linspace")
def linspace(
    start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None, axis: int = 0
) -> Tensor:
    """`num` numbers in equal steps from `start` to `stop`, both included, along a new axis.

    Args:
        start: the first value.
        stop: the last value.
        num: how many there are.
        axis: where the new axis comes, if `start` and `stop` are tensors.

    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop, dtype=first.dtype)
    if first.dtype.is_integer:
        wide = dtypes.float64
        first, last = raw_ops.Cast(first, DstT=wide), raw_ops.Cast(last, DstT=wide)
    shape = raw_ops.BroadcastArgs(shape_of(first), shape_of(last))
    first, last = raw_ops.BroadcastTo(first, shape), raw_ops.BroadcastTo(last, shape)
    count = convert_to_tensor(num, int32) if not isinstance(num, Operators) else num
    if count.ndim not in (0, None):
        raise bad_shape("LinSpace", want="be a scalar", num=count)
    place = _new_axis(first, axis)
    known = constant_value(count)
    if known is not None and int(known) <= 0:
        return _no_steps(first, int(known), place)
    if known is not None and int(known) == 1:
        return raw_ops.ExpandDims(first, place, name=name)  # type: ignore[no-any-return]
    if known is not None and first.shape.is_fully_defined():
        check_room("LinSpace", (*first.shape.as_list(), int(known)), first.dtype.size)
    return _linspace_between(first, last, count, place, name)


def _new_axis(x: Tensor, axis: Any) -> Any:
    """The place of a new axis counted from the front: a number, or a tensor where not known."""
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    rank = x.ndim
    if rank is None or known is None:
        return raw_ops.FloorMod(axis, raw_ops.Rank(x) + 1)
    if not -rank - 1 <= known <= rank:
        raise bad_value("LinSpace", want=f"be in [{-rank - 1}, {rank}]", axis=known)
    return np.int32(known % (rank + 1))


def _one_hot_axes(first: Tensor, place: Any, on: int, off: int) -> Any:
    """A vector over the axes of `first` and the new one, `on` in its place and `off` elsewhere."""
    if first.ndim is not None and not isinstance(place, Tensor):
        return np.where(np.arange(first.ndim + 1) == place, on, off).astype(np.int32)
    axes = raw_ops.Range(np.int32(0), raw_ops.Rank(first) + 1, np.int32(1))
    return raw_ops.SelectV2(raw_ops.Equal(axes, place), np.int32(on), np.int32(off))


def _no_steps(first: Tensor, count: int, place: Any) -> Tensor:
    if count < 0:
        raise bad_value("LinSpace", want="not be negative", num=count)
    column = raw_ops.ExpandDims(first, place)
    start = _one_hot_axes(first, place, 0, 0)
    return raw_ops.Slice(column, start, _one_hot_axes(first, place, 0, -1))  # type: ignore[no-any-return]


def _linspace_between(
    first: Tensor, last: Tensor, count: Any, place: Any, name: str | None
) -> Tensor:
    dtype = first.dtype
    gaps = raw_ops.Sub(count, np.array(1, np.int32 if count.dtype is int32 else np.int64))
    step = (last - first) / raw_ops.Cast(gaps, DstT=dtype)
    zero, one = (np.array(v, count.dtype.np_dtype) for v in (0, 1))
    steps = raw_ops.Cast(raw_ops.Range(zero, gaps, one), DstT=dtype)
    column = _one_hot_axes(first, place, -1, 1)
    start, end, slope = (raw_ops.ExpandDims(t, place) for t in (first, last, step))
    inner = start + slope * raw_ops.Reshape(steps, column)
    return raw_ops.ConcatV2([inner, end], place, name=name)  # type: ignore[no-any-return]
