"""Parts of a tensor by position: `tf.slice`, `tf.strided_slice`, and the ops behind `x[...]`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.op.context import state
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import INDICES, int16, int32
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.shaping import entries
from runnel.ops.shapes import same, shape_of

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@functools.lru_cache(maxsize=4096)
def numpy_index(
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> tuple[Any, ...]:
    """The arguments of StridedSlice as the index that NumPy takes; it always holds an ellipsis."""
    index: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(first)
        elif step == 0:
            raise bad_value("StridedSlice", want="not hold 0", strides=list(strides))
        else:
            index.append(
                slice(None if begin_mask & bit else first, None if end_mask & bit else last, step)
            )
    if ellipsis_mask == 0:
        index.append(Ellipsis)
    return tuple(index)


def _checked_index(
    op_name: str, begin: Any, end: Any, strides: Any, masks: tuple[int, ...]
) -> tuple[Any, ...]:
    if not begin.shape == end.shape == strides.shape or len(begin.shape) != 1:
        raise bad_shape(op_name, want="be vectors of one length, as end and strides", begin=begin)
    _, _, ellipsis_mask, _, _ = masks
    if ellipsis_mask & (ellipsis_mask - 1):
        raise bad_value(op_name, want="name one place at most", ellipsis_mask=ellipsis_mask)
    bounds = tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist())
    return numpy_index(*bounds, *masks)


def _out_of_bounds(op_name: str, shape: Any, index: tuple[Any, ...], error: Exception) -> Exception:
    shown = ", ".join("..." if i is Ellipsis else str(i) for i in index)
    message = (
        f"slice index out of bounds: [{shown}] of shape {tuple(shape)}: {error} [Op:{op_name}]"
    )
    return InvalidArgumentError(None, None, message)


def _sliced_dims(input: Spec, begin: Spec, end: Spec, strides: Spec, **masks: int) -> Dims:
    """By a rule for each dimension, since any number may be unknown."""
    firsts, lasts, steps = entries(begin), entries(end), entries(strides)
    count = next((len(e) for e in (firsts, lasts, steps) if e is not None), None)
    if input.dims is None or count is None:
        return None
    unknown = (None,) * count
    firsts, lasts, steps = firsts or unknown, lasts or unknown, steps or unknown
    used = sum(
        not masks[_MASKS[2]] >> i & 1 and not masks[_MASKS[3]] >> i & 1 for i in range(count)
    )
    if used > len(input.dims):
        raise bad_shape(
            "StridedSlice", want=f"have at least rank {used}, the number of indices", input=input
        )
    dims = list(input.dims)
    found: list[int | None] = []
    axis = 0
    for i in range(count):
        if masks["ellipsis_mask"] >> i & 1:
            skipped = len(dims) - used
            found.extend(dims[axis : axis + skipped])
            axis += skipped
        elif masks["new_axis_mask"] >> i & 1:
            found.append(1)
        elif masks["shrink_axis_mask"] >> i & 1:
            _check_bounds(firsts[i], dims[axis])
            axis += 1
        else:
            first, last = firsts[i], lasts[i]
            free = bool(masks["begin_mask"] >> i & 1), bool(masks["end_mask"] >> i & 1)
            found.append(_slice_size(dims[axis], first, last, steps[i], free))
            axis += 1
    return (*found, *dims[axis:])


def _check_bounds(index: int | None, size: int | None) -> None:
    if index is not None and size is not None and not -size <= index < size:
        raise bad_value("StridedSlice", want=f"be in [{-size}, {size})", index=index)


def _slice_size(
    size: int | None, first: int | None, last: int | None, step: int | None, free: tuple[bool, bool]
) -> int | None:
    if free == (True, True) and step in (1, -1):
        return size
    if (
        size is None
        or step is None
        or (first is None and not free[0])
        or (last is None and not free[1])
    ):
        return None
    return len(
        range(*slice(None if free[0] else first, None if free[1] else last, step).indices(size))
    )


@op(
    "StridedSlice",
    "input: T, begin: Index[1], end: Index[1], strides: Index[1] -> output: T",
    Index=INDICES | {int16},
    static=("begin", "end", "strides"),
    shape=_sliced_dims,
    moves=True,
    default_name="strided_slice",
    scope="strided_slice",
)
def _strided_slice(
    xp: Namespace,
    input: Array,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if not isinstance(begin, np.ndarray):
        return _slice_at(input, begin, dict(zip(_MASKS, masks, strict=True)))
    index = _checked_index("StridedSlice", begin, end, strides, masks)
    try:
        if xp is not np:  # JAX would take the nearest one there is
            np.broadcast_to(np.False_, input.shape)[index]
        return input[index]
    except IndexError as error:
        raise _out_of_bounds("StridedSlice", input.shape, index, error) from None


def _slice_at(x: Array, begin: Array, masks: dict[str, int]) -> Array:
    """`x[i, :, j]` in a compiled graph, where `begin` has values that are known when it runs."""
    count = begin.shape[0]
    whole = masks["begin_mask"] & masks["end_mask"]
    fixed = masks["ellipsis_mask"] | masks["new_axis_mask"] | masks["shrink_axis_mask"] | whole
    if fixed != (1 << count) - 1:
        raise NotImplementedError("StridedSlice: the ends of a slice must be known to compile it")
    used = sum(not (masks["ellipsis_mask"] | masks["new_axis_mask"]) >> i & 1 for i in range(count))
    axis = 0
    for i in range(count):
        if masks["ellipsis_mask"] >> i & 1:
            axis += len(x.shape) - used
        elif masks["new_axis_mask"] >> i & 1:
            x = lax.expand_dims(x, (axis,))
            axis += 1
        elif masks["shrink_axis_mask"] >> i & 1:
            x = lax.dynamic_index_in_dim(x, begin[i], axis, keepdims=False)
            used -= 1
        else:
            axis += 1
            used -= 1
    return x


@RegisterGradient("StridedSlice", needs="begin end strides")
def _strided_slice_grad(op: Any, dy: Tensor) -> Gradients:
    x, *bounds = op.inputs
    shape = shape_tensor(x)
    if bounds[0].dtype is not int32:
        shape = raw_ops.Cast(shape, DstT=bounds[0].dtype)
    places = [shape, *bounds]
    if state.graph is not None:
        known = [constant_value(t) for t in places]
        places = [t if v is None else v for t, v in zip(places, known, strict=True)]
    masks = {name: op.attrs[name] for name in _MASKS}
    return raw_ops.StridedSliceGrad(*places, dy, **masks), None, None, None


def _grad_shape(shape: Spec, *others: Spec, **masks: int) -> Dims:
    return entries(shape)


@op(
    "StridedSliceGrad",
    "shape: Index[1], begin: Index, end: Index, strides: Index, dy: T -> output: T",
    Index=INDICES,
    static=("shape", "begin", "end", "strides"),
    shape=_grad_shape,
    watched=0,
)
def _strided_slice_back(
    xp: Namespace,
    shape: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    dy: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = _checked_index("StridedSliceGrad", begin, end, strides, masks)
    dims = tuple(shape.tolist())
    try:
        cut = np.broadcast_to(np.int8(0), dims)[index].shape
    except IndexError as error:
        raise _out_of_bounds("StridedSliceGrad", dims, index, error) from None
    if dy.shape != cut:
        raise bad_shape("StridedSliceGrad", want=f"have shape {cut}", dy=dy)
    return _updated(xp, "StridedSliceGrad", arrays.zeros(xp, dims, dy.dtype), index, dy)


def _updated(xp: Namespace, op_name: str, x: Array, index: tuple[Any, ...], value: Array) -> Array:
    backwards = _axes_backwards(x.shape, index)
    if backwards is not None:  # XLA makes a map of such a scatter, and dies of its reverse
        return xp.flip(xp.broadcast_to(value, x.shape).astype(x.dtype), backwards)
    try:
        return arrays.scatter(xp, x, index, value)
    except IndexError as error:
        raise _out_of_bounds(op_name, x.shape, index, error) from None


def _axes_backwards(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The axes along which an index of every element goes backwards; None for any other index."""
    if Ellipsis in index:
        place = index.index(Ellipsis)
        between = (slice(None),) * (len(shape) - len(index) + 1)
        index = (*index[:place], *between, *index[place + 1 :])
    if not all(isinstance(item, slice) for item in index):
        return None
    spans = [range(size)[item] for size, item in zip(shape, index, strict=False)]
    if any(len(span) != size for size, span in zip(shape, spans, strict=False)):
        return None
    return tuple(axis for axis, span in enumerate(spans) if span.step < 0)


@RegisterGradient("StridedSliceGrad", needs="begin end strides")
def _strided_slice_back_grad(op: Any, dy: Tensor) -> Gradients:
    masks = {name: op.attrs[name] for name in _MASKS}
    begin, end, strides = op.inputs[1:4]
    return None, None, None, None, raw_ops.StridedSlice(dy, begin, end, strides, **masks)


@op(
    "TensorStridedSliceUpdate",
    "input: T, begin: Index, end: Index, strides: Index, value: T -> output: T",
    Index=INDICES,
    static=("begin", "end", "strides"),
    shape=same,
)
def _strided_slice_update(
    xp: Namespace,
    input: Array,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = _checked_index("TensorStridedSliceUpdate", begin, end, strides, masks)
    return _updated(xp, "TensorStridedSliceUpdate", input, index, value)


@RegisterGradient("TensorStridedSliceUpdate", needs="begin end strides")
def _strided_slice_update_grad(op: Any, dy: Tensor) -> Gradients:
    begin, end, strides = op.inputs[1:4]
    masks = {name: op.attrs[name] for name in _MASKS}
    part = raw_ops.StridedSlice(dy, begin, end, strides, **masks)
    rest = raw_ops.TensorStridedSliceUpdate(
        dy, begin, end, strides, raw_ops.ZerosLike(part), **masks
    )
    return rest, None, None, None, part


@op(
    "ResourceStridedSliceAssign",
    "ref: resource, begin: Index, end: Index, strides: Index, value: T ->",
    Index=INDICES,
    state="update",
    static=("begin", "end", "strides"),
    default_name="strided_slice",
)
def _resource_strided_slice_assign(
    xp: Namespace,
    ref: Array,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: Array,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = _checked_index("ResourceStridedSliceAssign", begin, end, strides, masks)
    return _updated(xp, "ResourceStridedSliceAssign", ref, index, value)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """What `x[begin:end:strides]` is made of; the masks say which entries mean something else.

    With a variable `var` the result has a method `assign`, which changes that part of it.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [1], [5], [2]).numpy()
    array([2, 4], dtype=int32)
    """
    first = convert_to_tensor(begin)
    step = raw_ops.OnesLike(first) if strides is None else strides
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    sliced: Tensor = raw_ops.StridedSlice(input_, first, end, step, **masks, name=name)
    if var is not None:

        def assign(value: TensorLike, name: str | None = None) -> Any:
            parts = (first, end, step, convert_to_tensor(value, dtype=var.dtype))
            raw_ops.ResourceStridedSliceAssign(var.handle, *parts, **masks, name=name)
            return var

        sliced.assign = assign
    return sliced


def _slice_dims(input: Spec, begin: Spec, size: Spec) -> Dims:
    firsts, sizes = entries(begin), entries(size)
    if input.dims is None:
        known = sizes or firsts
        return None if known is None else (None,) * len(known)
    rank = len(input.dims)
    for name, given in (("begin", firsts), ("size", sizes)):
        if given is not None and len(given) != rank:
            raise bad_shape(
                "Slice", want=f"have {len(given)} dimensions, as {name} has", input=input
            )
    firsts, sizes = firsts or (None,) * rank, sizes or (None,) * rank
    return tuple(_one_size(d, b, s) for d, b, s in zip(input.dims, firsts, sizes, strict=True))


def _one_size(dim: int | None, begin: int | None, size: int | None) -> int | None:
    if size == -1:
        if dim is None or begin is None:
            return None
        size = dim - begin
    if (
        dim is not None
        and size is not None
        and begin is not None
        and not 0 <= begin <= begin + size <= dim
    ):
        raise bad_value(
            "Slice", want=f"stay within a dimension of {dim} from {begin} on", size=size
        )
    return size


@op(
    "Slice",
    "input: T, begin: Index[1], size: Index[1] -> output: T",
    Index=INDICES,
    static=("begin", "size"),
    shape=_slice_dims,
    moves=True,
)
def _slice(xp: Namespace, input: Array, begin: np.ndarray, size: np.ndarray) -> Array:
    if not isinstance(begin, np.ndarray) and isinstance(size, np.ndarray) and -1 not in size:
        return lax.dynamic_slice(input, begin, size.tolist())
    for given in (begin, size):
        if given.ndim != 1:
            raise bad_shape("Slice", want="be a vector", begin=given)
    sizes = _slice_dims(
        Spec(input.shape, int32), Spec(begin.shape, int32, begin), Spec(size.shape, int32, size)
    )
    assert sizes is not None
    return input[(*[slice(b, b + s) for b, s in zip(begin.tolist(), sizes, strict=True)], ...)]


@RegisterGradient("Slice", needs="begin")
def _slice_grad(op: Any, dy: Tensor) -> Gradients:
    x, begin, _ = op.inputs
    before = raw_ops.Cast(begin, DstT=int32)
    after = raw_ops.Sub(raw_ops.Sub(shape_of(x), before), shape_of(dy))
    return raw_ops.Pad(dy, raw_ops.Pack([before, after], axis=1)), None, None


def slice_(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """The part of `input_` that starts at `begin` and has `size`; a size of -1 goes to the end.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    return raw_ops.Slice(input_, begin, size, name=name)  # type: ignore[no-any-return]
