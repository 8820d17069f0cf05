"""Max pooling, with its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import REAL, bfloat16, float32, half, uint32, uint64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.windows.largest import from_largest, to_largest, window_max
from runnel.ops.choices import (
    LAYOUT,
    LAYOUT_3D,
    LAYOUT_OR_PACKED,
    PADDING,
    PADDING_OR_PAIRS,
    at_least,
    of_pools,
)
from runnel.ops.shapes import same
from .shared import POOL, attributes, check_shape, enter, leave, pool_dims, pool_rule, pool_window

_MAX_TYPES = REAL - {uint32, uint64}
_FLOAT3D = frozenset({half, bfloat16, float32})


def _second(first: Spec, second: Spec, third: Spec, *others: Spec, **attrs: Any) -> Dims:
    if first.dims and third.dims is not None and len(third.dims) != len(first.dims):
        raise bad_shape("MaxPoolGradGrad", want=f"have rank {len(first.dims)}", grad=third)
    return second.dims


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
    w, _ = pool_window(name, x.shape, tuple(ksize), tuple(strides), padding, data_format, explicit)
    return leave(xp, window_max(xp, enter(xp, x, w, data_format), w), w, x.ndim, data_format)


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
    w, want = pool_window(
        name, x.shape, tuple(ksize), tuple(strides), padding, data_format, explicit
    )
    check_shape(name, y, want, "orig_output")
    check_shape(name, dy, want, "grad")
    inner, arriving = (enter(xp, t, w, data_format) for t in (x, dy))
    return leave(xp, to_largest(xp, inner, arriving, w), w, x.ndim, data_format)


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
    w, want = pool_window(name, x.shape, tuple(ksize), tuple(strides), padding, data_format)
    check_shape(name, y, want, "orig_output")
    check_shape(name, g, x.shape, "grad")
    inner, arriving = (enter(xp, t, w, data_format) for t in (x, g))
    return leave(xp, from_largest(xp, inner, arriving, w), w, x.ndim, data_format)


@op(
    "MaxPool",
    "input: T=float32 -> output: T",
    T=_MAX_TYPES,
    shape=pool_rule("MaxPool"),
    heavy=True,
    scope="MaxPool2d",
    data_format=LAYOUT_OR_PACKED,
)
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


_FIRST: Any = {"T": REAL, "heavy": True, "shape": same}


@op(
    "MaxPoolGrad",
    "orig_input: T=float32[4], orig_output: T, grad: T -> output: T",
    **_FIRST,
    padding=PADDING_OR_PAIRS,
    data_format=LAYOUT,
    ksize=at_least(4),
    strides=at_least(4),
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


def _v2_rule(
    input: Spec, ksize: Spec, strides: Spec, *, padding: str, data_format: str = "NHWC"
) -> Dims:
    if ksize.value is None or strides.value is None:
        return None if input.dims is None else (None,) * 4
    size, step = tuple(ksize.value.tolist()), tuple(strides.value.tolist())
    return pool_dims("MaxPoolV2", input.dims, size, step, padding, data_format)


@op(
    "MaxPoolV2",
    "input: T=float32[4], ksize: int32[1 of 4], strides: int32[1 of 4] -> output: T",
    T=_MAX_TYPES,
    static=("ksize", "strides"),
    shape=_v2_rule,
    heavy=True,
    data_format=LAYOUT_OR_PACKED,
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
    how = attributes(op, "padding", "data_format")
    return raw_ops.MaxPoolGradV2(x, op.outputs[0], dy, ksize, strides, **how), None, None


@op(
    "MaxPoolGradV2",
    "orig_input: T=float32[4], orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
    static=("ksize", "strides"),
    **_FIRST,
    padding=PADDING,
    data_format=LAYOUT,
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
    how = attributes(op, "padding", "data_format")
    ddy = raw_ops.MaxPoolGradGradV2(x, y, ddx, ksize, strides, **how)
    return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), ddy, None, None


_SECOND: Any = {"T": REAL, "heavy": True, "shape": _second}


@op(
    "MaxPoolGradGradV2",
    "orig_input: T[4], orig_output: T, grad: T, ksize: int32[1 of 4], strides: int32[1 of 4] "
    "-> output: T",
    static=("ksize", "strides"),
    **_SECOND,
    padding=PADDING,
    data_format=LAYOUT,
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


@op(
    "MaxPool3D",
    "input: T -> output: T",
    T=_FLOAT3D,
    shape=pool_rule("MaxPool3D"),
    heavy=True,
    scope="MaxPool3D",
    data_format=LAYOUT_3D,
)
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


@op(
    "MaxPool3DGrad",
    "orig_input: TInput=float32[5+], orig_output: TInput, grad: T=float32 -> output: T",
    T=_FLOAT3D,
    TInput=_FLOAT3D,
    shape=same,
    heavy=True,
    padding=PADDING,
    data_format=LAYOUT_3D,
    ksize=at_least(5),
    strides=at_least(5),
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


def _declare_second(forward: str, backward: str, second: str, layout: str) -> None:
    """The gradient of a gradient, and the gradients of all three."""

    signature = "orig_input: T, orig_output: T, grad: T -> output: T"

    @op(second, signature, **_SECOND, **of_pools(layout))
    def kernel(
        xp: Namespace,
        orig_input: Array,
        orig_output: Array,
        grad: Array,
        *,
        ksize: tuple,
        strides: tuple,
        padding: str,
        data_format: str = layout,
    ) -> Array:
        args = (ksize, strides, padding, data_format)
        return _max_pool_grad_grad(xp, second, orig_input, orig_output, grad, *args)

    explicit = ("explicit_paddings",) if forward == "MaxPool" else ()

    @RegisterGradient(forward, needs="input outputs")
    def gradient(op: Any, dy: Tensor) -> Gradients:
        how = attributes(op, *POOL, *explicit)
        return getattr(raw_ops, backward)(op.inputs[0], op.outputs[0], dy, **how)  # type: ignore[no-any-return]

    @RegisterGradient(backward, needs="orig_input orig_output")
    def second_gradient(op: Any, ddx: Tensor) -> Gradients:
        x, y, _ = op.inputs
        if op.attrs["padding"] == "EXPLICIT":
            want = "be 'SAME' or 'VALID' for the gradient of a gradient"
            raise bad_value(second, want=want, padding="EXPLICIT")
        ddy = getattr(raw_ops, second)(x, y, ddx, **attributes(op, *POOL))
        return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), ddy

    @RegisterGradient(second, needs="orig_input orig_output")
    def third_gradient(op: Any, dy: Tensor) -> Gradients:
        x, y, _ = op.inputs
        dg = getattr(raw_ops, backward)(x, y, dy, **attributes(op, *POOL))
        return raw_ops.ZerosLike(x), raw_ops.ZerosLike(y), dg


_declare_second("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad", "NHWC")
_declare_second("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad", "NDHWC")
