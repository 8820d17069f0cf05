"""Max and average pooling, with their gradients.

The kernels go over the elements of the window one by one, each a strided view of all windows: XLA
fuses that into one loop. For [64,28,28,32] in windows of 2x2 the gradient of a maximum takes 0.6 ms
so, and 23 ms with XLA's select-and-scatter.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.dtypes import FLOATS, REAL, DType, bfloat16, float32, half, int32, int64
from runnel.core.dtypes import uint32, uint64
from runnel.core.errors import bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.convolution import not_implemented
from runnel.ops.primitives import scatter
from runnel.ops.shapes import shape_of
from runnel.ops.windows import (
    MANY_TAPS,
    Window,
    channels_first,
    last,
    lowest,
    make_window,
    pairs,
    patches,
    restored,
    taps,
    unpatches,
    untaps,
    window,
)

_MAX_TYPES = REAL - {uint32, uint64}
_FLOAT3D = frozenset({half, bfloat16, float32})
_INDEX = frozenset({int32, int64})


def _check_lists(name: str, rank: int, data_format: str, **lists: Sequence[int]) -> None:
    for key, values in lists.items():
        if len(values) != rank:
            raise bad_value(name, want=f"have {rank} elements", **{key: tuple(values)})
        if any(v < 1 for v in values):
            raise bad_value(name, want="be positive", **{key: tuple(values)})
        if values[0] != 1:
            raise not_implemented(name, f"pooling over the batch, as {key}={tuple(values)} asks for")


def _last_list(values: Sequence[int], data_format: str) -> tuple[int, ...]:
    """Values for all dimensions but the batch, the channels last."""
    if channels_first(data_format):
        return (*values[2:], values[1])
    return tuple(values[1:])


def _pool_dims(
    name: str,
    dims: Dims,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str,
    explicit: Sequence[int] = (),
) -> Dims:
    rank = len(ksize) if len(ksize) == 5 else 4
    _check_lists(name, rank, data_format, ksize=ksize, strides=strides)
    if dims is not None and len(dims) != rank:
        raise bad_shape(
            name, want=f"have {rank} dimensions", input=np.empty([d or 0 for d in dims])
        )
    batch, *rest = dims if dims is not None else (None,) * rank
    sizes = (*rest[1:], rest[0]) if channels_first(data_format) else rest
    found, _ = window(
        name,
        sizes,
        _last_list(ksize, data_format),
        _last_list(strides, data_format),
        padding,
        None,
        _with_channels(explicit, data_format),
    )
    if channels_first(data_format):
        return (batch, found[-1], *found[:-1])
    return (batch, *found)


def _with_channels(explicit: Sequence[int], data_format: str) -> tuple[tuple[int, int], ...] | None:
    found = pairs(explicit, data_format)
    return None if found is None else (*found, (0, 0))


@functools.lru_cache(4096)
def _pool_window(
    name: str,
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    explicit: tuple[int, ...] = (),
) -> tuple[Window, Dims]:
    """Where the windows lie, and the shape of the output.

    Where channels are pooled too they count as one more spatial dimension.
    """
    dims = _pool_dims(name, shape, ksize, strides, padding, data_format, explicit)
    kernel, steps = _last_list(ksize, data_format), _last_list(strides, data_format)
    sizes = (*shape[2:], shape[1]) if channels_first(data_format) else shape[1:]
    given = _with_channels(explicit, data_format)
    if kernel[-1] == steps[-1] == 1:
        sizes, kernel, steps = sizes[:-1], kernel[:-1], steps[:-1]
        given = given[:-1] if given else None
    return make_window(name, sizes, kernel, steps, padding, None, given), dims


def _enter(xp: Namespace, x: Array, w: Window, data_format: str) -> Array:
    """`x` with the dimensions of the window in the middle and one of channels last."""
    moved = last(xp, x, data_format)
    return moved[..., None] if len(w.sizes) == x.ndim - 1 else moved


def _leave(xp: Namespace, y: Array, w: Window, rank: int, data_format: str) -> Array:
    return restored(xp, y[..., 0] if len(w.sizes) == rank - 1 else y, data_format)


def _checked(name: str, array: Array, want: Dims, argument: str) -> None:
    if array.shape != want:
        raise bad_shape(name, want=f"have shape {want}", **{argument: array})


def window_max(xp: Namespace, x: Array, w: Window) -> Array:
    fill = lowest(x.dtype)
    if w.count > MANY_TAPS:
        return xp.max(patches(xp, x, w, fill), axis=-2)
    return functools.reduce(xp.maximum, taps(xp, x, w, fill))


def first_largest(xp: Namespace, x: Array, w: Window) -> Array:
    """The number of the element of each window that is the largest; of several the first."""
    fill = lowest(x.dtype)
    if w.count > MANY_TAPS:
        return xp.argmax(patches(xp, x, w, fill), axis=-2).astype(np.int32)
    best, *rest = taps(xp, x, w, fill)
    found = xp.zeros(best.shape, np.int32)
    for number, part in enumerate(rest, 1):
        better = part > best
        best = xp.where(better, part, best)
        found = xp.where(better, xp.asarray(number, np.int32), found)
    return found


def _to_largest(xp: Namespace, x: Array, dy: Array, w: Window) -> Array:
    """The gradient of a maximum: what arrives at a window goes to its first largest element."""
    chosen = first_largest(xp, x, w)
    zero = xp.zeros((), dy.dtype)
    if w.count > MANY_TAPS:
        hit = chosen[..., None, :] == xp.arange(w.count, dtype=np.int32)[:, None]
        return unpatches(xp, xp.where(hit, dy[..., None, :], zero), w)
    return untaps(xp, [xp.where(chosen == k, dy, zero) for k in range(w.count)], w)


def _from_largest(xp: Namespace, x: Array, g: Array, w: Window) -> Array:
    """The adjoint of `_to_largest`: of each window the element of `g` where `x` is largest."""
    chosen = first_largest(xp, x, w)
    zero = xp.zeros((), g.dtype)
    if w.count > MANY_TAPS:
        hit = chosen[..., None, :] == xp.arange(w.count, dtype=np.int32)[:, None]
        return xp.sum(xp.where(hit, patches(xp, g, w), zero), axis=-2, dtype=g.dtype)
    result = zero
    for k, part in enumerate(taps(xp, g, w)):
        result = xp.where(chosen == k, part, result)
    return result


def _max_pool(
    xp: Namespace,
    name: str,
    x: Array,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str,
    explicit: tuple = (),
) -> Array:
    w, _ = _pool_window(name, x.shape, tuple(ksize), tuple(strides), padding, data_format, explicit)
    return _leave(xp, window_max(xp, _enter(xp, x, w, data_format), w), w, x.ndim, data_format)


def _max_pool_grad(
    xp: Namespace,
    name: str,
    x: Array,
    y: Array,
    dy: Array,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str,
    explicit: tuple = (),
) -> Array:
    w, want = _pool_window(
        name, x.shape, tuple(ksize), tuple(strides), padding, data_format, explicit
    )
    _checked(name, y, want, "orig_output")
    _checked(name, dy, want, "grad")
    inner = (_enter(xp, t, w, data_format) for t in (x, dy))
    return _leave(xp, _to_largest(xp, *inner, w), w, x.ndim, data_format)


def _max_pool_grad_grad(
    xp: Namespace,
    name: str,
    x: Array,
    y: Array,
    g: Array,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str,
) -> Array:
    w, want = _pool_window(name, x.shape, tuple(ksize), tuple(strides), padding, data_format)
    _checked(name, y, want, "orig_output")
    _checked(name, g, x.shape, "grad")
    inner = (_enter(xp, t, w, data_format) for t in (x, g))
    return _leave(xp, _from_largest(xp, *inner, w), w, x.ndim, data_format)


def _rule(name: str, explicit: bool = False) -> Any:
    """The shape rule of pooling by attributes."""

    def rule(
        input: Spec,
        *,
        ksize: tuple,
        strides: tuple,
        padding: str,
        data_format: str = "NHWC",
        explicit_paddings: tuple = (),
        **rest: Any,
    ) -> Dims:
        args = (ksize, strides, padding, data_format, explicit_paddings)
        return _pool_dims(name, input.dims, *args)

    return rule


def _first(first: Spec, *others: Spec, **attrs: Any) -> Dims:
    return first.dims


def _second(first: Spec, second: Spec, *others: Spec, **attrs: Any) -> Dims:
    return second.dims


@op("MaxPool", "input: T -> output: T", T=_MAX_TYPES, shape=_rule("MaxPool"), heavy=True)
def _max_pool_2d(
    xp: Namespace,
    input: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
) -> Array:
    return _max_pool(xp, "MaxPool", input, ksize, strides, padding, data_format, explicit_paddings)


_POOL = ("ksize", "strides", "padding", "data_format")


def _attrs(op: Any, *names: str) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in names}


@RegisterGradient("MaxPool", needs="input outputs")
def _max_pool_gradient(op: Any, dy: Tensor) -> Gradients:
    how = _attrs(op, *_POOL, "explicit_paddings")
    return raw_ops.MaxPoolGrad(op.inputs[0], op.outputs[0], dy, **how)


@op(
    "MaxPoolGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=REAL,
    shape=_first,
    heavy=True,
)
def _max_pool_grad_2d(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
) -> Array:
    args = (ksize, strides, padding, data_format, explicit_paddings)
    return _max_pool_grad(xp, "MaxPoolGrad", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPoolGrad", needs="orig_input orig_output")
def _max_pool_grad_gradient(op: Any, ddx: Tensor) -> Gradients:
    x, y, _ = op.inputs
    if op.get_attr("padding") == "EXPLICIT":
        raise NotImplementedError("The second derivative of max pooling with explicit padding")
    ddy = raw_ops.MaxPoolGradGrad(x, y, ddx, **_attrs(op, *_POOL))
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), ddy


@op(
    "MaxPoolGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=REAL,
    shape=_second,
    heavy=True,
)
def _max_pool_grad_grad_2d(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    args = (ksize, strides, padding, data_format)
    return _max_pool_grad_grad(xp, "MaxPoolGradGrad", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPoolGradGrad", needs="orig_input orig_output")
def _max_pool_grad_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    x, y, _ = op.inputs
    dg = raw_ops.MaxPoolGrad(x, y, dy, **_attrs(op, *_POOL))
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), dg


def _v2_rule(
    input: Spec,
    ksize: Spec,
    strides: Spec,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Dims:
    if ksize.value is None or strides.value is None:
        return None if input.dims is None else (None,) * 4
    lists = (tuple(np.ravel(v.value).tolist()) for v in (ksize, strides))  # type: ignore[arg-type]
    return _pool_dims("MaxPoolV2", input.dims, *lists, padding, data_format)


@op(
    "MaxPoolV2",
    "input: T, ksize: int32, strides: int32 -> output: T",
    T=_MAX_TYPES,
    static=("ksize", "strides"),
    shape=_v2_rule,
    heavy=True,
)
def _max_pool_v2(
    xp: Namespace,
    input: Array,
    ksize: np.ndarray,
    strides: np.ndarray,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    return _max_pool(xp, "MaxPoolV2", input, ksize.tolist(), strides.tolist(), padding, data_format)


@RegisterGradient("MaxPoolV2", needs="input ksize strides outputs")
def _max_pool_v2_gradient(op: Any, dy: Tensor) -> Gradients:
    x, ksize, strides = op.inputs
    how = _attrs(op, "padding", "data_format")
    return raw_ops.MaxPoolGradV2(x, op.outputs[0], dy, ksize, strides, **how), None, None


@op(
    "MaxPoolGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
    T=REAL,
    static=("ksize", "strides"),
    shape=_first,
    heavy=True,
)
def _max_pool_grad_v2(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    ksize: np.ndarray,
    strides: np.ndarray,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    args = (ksize.tolist(), strides.tolist(), padding, data_format)
    return _max_pool_grad(xp, "MaxPoolGradV2", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPoolGradV2", needs="orig_input orig_output ksize strides")
def _max_pool_grad_v2_gradient(op: Any, ddx: Tensor) -> Gradients:
    x, y, _, ksize, strides = op.inputs
    how = _attrs(op, "padding", "data_format")
    ddy = raw_ops.MaxPoolGradGradV2(x, y, ddx, ksize, strides, **how)
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), ddy, None, None


@op(
    "MaxPoolGradGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
    T=REAL,
    static=("ksize", "strides"),
    shape=_second,
    heavy=True,
)
def _max_pool_grad_grad_v2(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    ksize: np.ndarray,
    strides: np.ndarray,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    args = (ksize.tolist(), strides.tolist(), padding, data_format)
    return _max_pool_grad_grad(xp, "MaxPoolGradGradV2", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPoolGradGradV2", needs="orig_input orig_output ksize strides")
def _max_pool_grad_grad_v2_gradient(op: Any, dy: Tensor) -> Gradients:
    x, y, _, ksize, strides = op.inputs
    how = _attrs(op, "padding", "data_format")
    dg = raw_ops.MaxPoolGradV2(x, y, dy, ksize, strides, **how)
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), dg, None, None


@op("MaxPool3D", "input: T -> output: T", T=_FLOAT3D, shape=_rule("MaxPool3D"), heavy=True)
def _max_pool_3d(
    xp: Namespace,
    input: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    return _max_pool(xp, "MaxPool3D", input, ksize, strides, padding, data_format)


@RegisterGradient("MaxPool3D", needs="input outputs")
def _max_pool_3d_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.MaxPool3DGrad(op.inputs[0], op.outputs[0], dy, **_attrs(op, *_POOL))


@op(
    "MaxPool3DGrad",
    "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    T=_FLOAT3D,
    TInput=_FLOAT3D,
    shape=_first,
    heavy=True,
)
def _max_pool_grad_3d(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    args = (ksize, strides, padding, data_format)
    return _max_pool_grad(xp, "MaxPool3DGrad", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPool3DGrad", needs="orig_input orig_output")
def _max_pool_3d_grad_gradient(op: Any, ddx: Tensor) -> Gradients:
    x, y, _ = op.inputs
    ddy = raw_ops.MaxPool3DGradGrad(x, y, ddx, **_attrs(op, *_POOL))
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), ddy


@op(
    "MaxPool3DGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=REAL,
    shape=_second,
    heavy=True,
)
def _max_pool_grad_grad_3d(
    xp: Namespace,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    args = (ksize, strides, padding, data_format)
    return _max_pool_grad_grad(xp, "MaxPool3DGradGrad", orig_input, orig_output, grad, *args)


@RegisterGradient("MaxPool3DGradGrad", needs="orig_input orig_output")
def _max_pool_3d_grad_grad_gradient(op: Any, dy: Tensor) -> Gradients:
    x, y, _ = op.inputs
    dg = raw_ops.MaxPool3DGrad(x, y, dy, **_attrs(op, *_POOL))
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), dg


def _argmax_rule(
    input: Spec,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    **rest: Any,
) -> list[Dims]:
    dims = _pool_dims("MaxPoolWithArgmax", input.dims, ksize, strides, padding, "NHWC")
    return [dims, dims]


@op(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    T=REAL,
    shape=_argmax_rule,
    heavy=True,
)
def _max_pool_with_argmax(
    xp: Namespace,
    input: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    Targmax: DType = int64,
    include_batch_in_index: bool = False,
) -> list[Array]:
    w, _ = _pool_window("MaxPoolWithArgmax", input.shape, ksize, strides, padding, "NHWC")
    if len(w.sizes) != 2:
        raise not_implemented("MaxPoolWithArgmax", "pooling over channels")
    chosen = first_largest(xp, input, w)
    (top, left), channels = (before for before, _ in w.pads), input.shape[3]
    row, column = chosen // w.kernel[1], chosen % w.kernel[1]
    index = Targmax.np_dtype
    rows = xp.arange(w.out[0], dtype=index) * w.strides[0] - top
    columns = xp.arange(w.out[1], dtype=index) * w.strides[1] - left
    y = row.astype(index) + rows[:, None, None]
    x = column.astype(index) + columns[:, None]
    flat = (y * input.shape[2] + x) * channels + xp.arange(channels, dtype=index)
    if include_batch_in_index:
        size = input.shape[1] * input.shape[2] * channels
        flat = flat + (xp.arange(input.shape[0], dtype=index) * size)[:, None, None, None]
    return [window_max(xp, input, w), flat.astype(index)]


_ARGMAX = ("ksize", "strides", "padding", "include_batch_in_index")


@RegisterGradient("MaxPoolWithArgmax", needs="input outputs")
def _max_pool_with_argmax_gradient(op: Any, dy: Tensor, _: Any) -> Gradients:
    x, argmax = op.inputs[0], op.outputs[1]
    return raw_ops.MaxPoolGradWithArgmax(x, dy, argmax, **_attrs(op, *_ARGMAX))


def _flat_index(xp: Namespace, x: Array, argmax: Array, include_batch: bool) -> Array:
    """Indices into all of `x`."""
    if include_batch:
        return argmax
    size = int(np.prod(x.shape[1:]))
    return argmax + (xp.arange(x.shape[0], dtype=argmax.dtype) * size)[:, None, None, None]


@op(
    "MaxPoolGradWithArgmax",
    "input: T, grad: T, argmax: Targmax -> output: T",
    T=REAL,
    Targmax=_INDEX,
    shape=_first,
    heavy=True,
)
def _max_pool_grad_with_argmax(
    xp: Namespace,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    _checked("MaxPoolGradWithArgmax", grad, argmax.shape, "grad")
    index = _flat_index(xp, input, argmax, include_batch_in_index).reshape(-1)
    zeros = xp.zeros(input.size, grad.dtype)
    return scatter(xp, zeros, index, grad.reshape(-1), "add").reshape(input.shape)


@RegisterGradient("MaxPoolGradWithArgmax", needs="input argmax")
def _max_pool_grad_with_argmax_gradient(op: Any, ddx: Tensor) -> Gradients:
    x, _, argmax = op.inputs
    ddy = raw_ops.MaxPoolGradGradWithArgmax(x, ddx, argmax, **_attrs(op, *_ARGMAX))
    return raw_ops.ZerosLike(x), ddy, None


def _third(first: Spec, second: Spec, third: Spec, **attrs: Any) -> Dims:
    return third.dims


@op(
    "MaxPoolGradGradWithArgmax",
    "input: T, grad: T, argmax: Targmax -> output: T",
    T=REAL,
    Targmax=_INDEX,
    shape=_third,
    heavy=True,
)
def _max_pool_grad_grad_with_argmax(
    xp: Namespace,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    return xp.take(grad.reshape(-1), _flat_index(xp, input, argmax, include_batch_in_index))


@RegisterGradient("MaxPoolGradGradWithArgmax", needs="input argmax")
def _max_pool_grad_grad_with_argmax_gradient(op: Any, dy: Tensor) -> Gradients:
    x, _, argmax = op.inputs
    dg = raw_ops.MaxPoolGradWithArgmax(x, dy, argmax, **_attrs(op, *_ARGMAX))
    return raw_ops.ZerosLike(x), dg, None


@functools.lru_cache(1024)
def _shares(w: Window) -> np.ndarray:
    """One over the number of real elements in each window, as `[1, *out, 1]` of float64."""
    counts = sum(taps(np, np.ones((1, *w.sizes, 1)), w))
    return np.asarray(1 / np.maximum(counts, 1))


def _average_window(
    name: str, shape: tuple[int, ...], ksize: tuple, strides: tuple, padding: str, data_format: str
) -> tuple[Window, Dims]:
    w, dims = _pool_window(name, shape, ksize, strides, padding, data_format)
    if len(w.sizes) != len(shape) - 2:
        raise not_implemented(name, "pooling over channels")
    return w, dims


def _avg_pool(
    xp: Namespace, name: str, x: Array, ksize: tuple, strides: tuple, padding: str, layout: str
) -> Array:
    w, _ = _average_window(name, x.shape, ksize, strides, padding, layout)
    inner = last(xp, x, layout)
    wide = inner.astype(np.float32) if x.dtype.itemsize == 2 else inner
    if w.count > MANY_TAPS:
        total = xp.sum(patches(xp, wide, w), axis=-2)
    else:
        total = functools.reduce(xp.add, taps(xp, wide, w))
    average = (total * _shares(w).astype(wide.dtype)).astype(x.dtype)
    return restored(xp, average, layout)


def _avg_pool_grad(
    xp: Namespace,
    name: str,
    sizes: np.ndarray,
    dy: Array,
    ksize: tuple,
    strides: tuple,
    padding: str,
    layout: str,
) -> Array:
    shape = tuple(np.ravel(sizes).tolist())
    w, want = _average_window(name, shape, ksize, strides, padding, layout)
    _checked(name, dy, want, "grad")
    inner = last(xp, dy, layout)
    wide = inner.astype(np.float32) if dy.dtype.itemsize == 2 else inner
    share = wide * _shares(w).astype(wide.dtype)
    if w.count > MANY_TAPS and xp is not np:
        full = (*share.shape[:-1], w.count, share.shape[-1])
        spread = unpatches(xp, xp.broadcast_to(share[..., None, :], full), w)
    else:
        spread = untaps(xp, [share] * w.count, w)
    return restored(xp, spread.astype(dy.dtype), layout)


def sizes_rule(rank: int) -> Any:
    """The rule of an op whose first input holds the shape of its output."""

    def rule(sizes: Spec, *others: Spec, **attrs: Any) -> Dims:
        if sizes.value is not None:
            return tuple(np.ravel(sizes.value).tolist())
        return sizes.partial if sizes.partial is not None else (None,) * rank

    return rule


@op("AvgPool", "value: T -> output: T", T=FLOATS, shape=_rule("AvgPool"), heavy=True)
def _avg_pool_2d(
    xp: Namespace,
    value: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    return _avg_pool(xp, "AvgPool", value, ksize, strides, padding, data_format)


@RegisterGradient("AvgPool", needs="")
def _avg_pool_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.AvgPoolGrad(shape_of(op.inputs[0]), dy, **_attrs(op, *_POOL))


@op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    T=FLOATS,
    static=("orig_input_shape",),
    shape=sizes_rule(4),
    heavy=True,
)
def _avg_pool_grad_2d(
    xp: Namespace,
    orig_input_shape: np.ndarray,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    args = (ksize, strides, padding, data_format)
    return _avg_pool_grad(xp, "AvgPoolGrad", orig_input_shape, grad, *args)


@RegisterGradient("AvgPoolGrad", needs="")
def _avg_pool_grad_gradient(op: Any, ddx: Tensor) -> Gradients:
    return None, raw_ops.AvgPool(ddx, **_attrs(op, *_POOL))


@op("AvgPool3D", "input: T -> output: T", T=FLOATS, shape=_rule("AvgPool3D"), heavy=True)
def _avg_pool_3d(
    xp: Namespace,
    input: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    return _avg_pool(xp, "AvgPool3D", input, ksize, strides, padding, data_format)


@RegisterGradient("AvgPool3D", needs="")
def _avg_pool_3d_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.AvgPool3DGrad(shape_of(op.inputs[0]), dy, **_attrs(op, *_POOL))


@op(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    T=FLOATS,
    static=("orig_input_shape",),
    shape=sizes_rule(5),
    heavy=True,
)
def _avg_pool_grad_3d(
    xp: Namespace,
    orig_input_shape: np.ndarray,
    grad: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    args = (ksize, strides, padding, data_format)
    return _avg_pool_grad(xp, "AvgPool3DGrad", orig_input_shape, grad, *args)


@RegisterGradient("AvgPool3DGrad", needs="")
def _avg_pool_3d_grad_gradient(op: Any, ddx: Tensor) -> Gradients:
    return None, raw_ops.AvgPool3D(ddx, **_attrs(op, *_POOL))
