"""Batch normalization in one op, and its gradients.

The V1 and V2 ops differ from V3 in their signatures only: dtypes, and one reserved output less.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.gradients.gradient_tape import GradientTape
from runnel.core.values.dtypes import bfloat16, float32, half
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.windows.windows import channels_first, last, restored
from runnel.ops.choices import LAYOUT, LAYOUT_ANY
from runnel.ops.nn.bias import channel_axis, channel_sums

_T = frozenset({half, bfloat16, float32})
_ONLY = frozenset({float32})


def _vectors(x: Spec, data_format: str) -> Dims:
    if x.dims is None:
        return (None,)
    return (x.dims[channel_axis(len(x.dims), data_format)],)


def _check(x: Array, *vectors: Array, data_format: str = "NHWC", **attrs: Any) -> None:
    rank = len(data_format)
    if x.ndim != rank:
        raise bad_shape("FusedBatchNorm", want=f"have {rank} dimensions", x=x)
    channels = x.shape[channel_axis(x.ndim, data_format)]
    for vector in vectors[:2]:
        if vector.shape != (channels,):
            raise bad_shape("FusedBatchNorm", want=f"have shape ({channels},)", scale=vector)
    if not attrs.get("is_training", True):
        for vector in vectors[2:4]:
            if vector.shape != (channels,):
                raise bad_shape("FusedBatchNorm", want=f"have shape ({channels},)", mean=vector)


def _normalize(
    xp: Namespace,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float,
    factor: float,
    data_format: str,
    is_training: bool,
) -> list[Array]:
    """The normalized `x`, mean and variance for the running averages, mean and variance used."""
    moved = last(xp, x, data_format).astype(np.float32)
    count = math.prod(moved.shape[:-1])
    if is_training:
        used_mean = channel_sums(xp, moved) / xp.asarray(max(count, 1), np.float32)
        centered = moved - used_mean
        used_var = channel_sums(xp, centered * centered) / xp.asarray(max(count, 1), np.float32)
        kept_mean, kept_var = used_mean, used_var * np.float32(count / max(count - 1, 1))
        if not count:
            kept_mean = kept_var = xp.full(used_mean.shape, np.nan, np.float32)
        if factor != 1.0:
            old = np.float32(1 - factor)
            kept_mean = kept_mean * np.float32(factor) + mean.astype(np.float32) * old
            kept_var = kept_var * np.float32(factor) + variance.astype(np.float32) * old
    else:
        used_mean, used_var = mean.astype(np.float32), variance.astype(np.float32)
        kept_mean, kept_var = used_mean, used_var
        centered = moved - used_mean
    steepness = scale.astype(np.float32) / xp.sqrt(used_var + np.float32(epsilon))
    y = restored(xp, (centered * steepness + offset).astype(x.dtype), data_format)
    vectors = (kept_mean, kept_var, used_mean, used_var)
    return [y, *(v.astype(scale.dtype) for v in vectors)]


def _norm_shape(
    x: Spec, *others: Spec, op_name: str, data_format: str = "NHWC", **attrs: Any
) -> list[Dims]:
    found: list[Dims] = [x.dims, *[_vectors(x, data_format)] * 4]
    return [*found, ()] if op_name == "FusedBatchNormV3" else found


def _declare(name: str, own: str, **types: Any) -> None:
    """A version; `own` is the type of its scale, and of what it says of the batch."""
    third = name == "FusedBatchNormV3"  # has one more output, which means nothing here

    @op(
        name,
        f"x: T, scale: {own}[1], offset: {own}[1], mean: {own}[1?], variance: {own}[1?] -> y: T, "
        f"batch_mean: {own}, batch_variance: {own}, reserve_space_1: {own}, "
        f"reserve_space_2: {own}" + (f", reserve_space_3: {own}" if third else ""),
        shape=_norm_shape,
        check=_check,
        heavy=True,
        watched=1,
        data_format=LAYOUT_ANY if third else LAYOUT,
        **types,
    )
    def normalize(
        xp: Namespace,
        x: Array,
        scale: Array,
        offset: Array,
        mean: Array,
        variance: Array,
        *,
        epsilon: float = 0.0001,
        exponential_avg_factor: float = 1.0,
        data_format: str = "NHWC",
        is_training: bool = True,
    ) -> list[Array]:
        args = (epsilon, exponential_avg_factor, data_format, is_training)
        found = _normalize(xp, x, scale, offset, mean, variance, *args)
        return [*found, xp.zeros((), scale.dtype)] if third else found


_declare("FusedBatchNormV3", "U", T=_T, U=frozenset({bfloat16, float32}))
_declare("FusedBatchNormV2", "U", T=_T, U=_ONLY)
_declare("FusedBatchNorm", "T", T=_ONLY)


def _backward(gradient: str, reserved: int) -> Any:
    """The gradient function of a FusedBatchNorm op, by the op of that name."""

    def function(op: Any, dy: Tensor, *others: Any) -> Gradients:
        x, scale, _, mean, variance = op.inputs
        names = ("epsilon", "data_format", "is_training")
        how = {name: op.attrs[name] for name in names}
        used = op.outputs[3 : 3 + reserved]
        if not how["is_training"]:
            used = (mean, variance, *used[2:])
        scale = scale if scale.dtype is float32 else raw_ops.Cast(scale, DstT=float32)
        dx, dscale, doffset, *_ = getattr(raw_ops, gradient)(dy, x, scale, *used, **how)
        return dx, dscale, doffset, None, None

    return function


_INPUTS = "x scale mean variance outputs"
RegisterGradient("FusedBatchNorm", needs=_INPUTS)(_backward("FusedBatchNormGrad", 2))
RegisterGradient("FusedBatchNormV2", needs=_INPUTS)(_backward("FusedBatchNormGradV2", 2))
RegisterGradient("FusedBatchNormV3", needs=_INPUTS)(_backward("FusedBatchNormGradV3", 3))


def _check_grad(
    y_backprop: Array, x: Array, scale: Array, *used: Array, data_format: str = "NHWC", **attrs: Any
) -> None:
    if y_backprop.shape != x.shape:
        raise bad_shape("FusedBatchNormGrad", want=f"have shape {x.shape}", y_backprop=y_backprop)
    _check(x, scale, scale, *used[:2], data_format=data_format, is_training=False)


def _normalize_grad(
    xp: Namespace,
    dy: Array,
    x: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    *unused: Array,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> list[Array]:
    g = last(xp, dy, data_format).astype(np.float32)
    centered = last(xp, x, data_format).astype(np.float32) - mean
    inverse = np.float32(1) / xp.sqrt(variance.astype(np.float32) + np.float32(epsilon))
    doffset = channel_sums(xp, g)
    dscale = channel_sums(xp, g * centered) * inverse
    dx = g
    if is_training:
        share = np.float32(1 / max(math.prod(g.shape[:-1]), 1))
        dx = g - doffset * share - centered * (inverse * dscale * share)
    dx = restored(xp, (dx * (scale * inverse)).astype(x.dtype), data_format)
    empty = xp.zeros((0,), mean.dtype)
    return [dx, dscale.astype(mean.dtype), doffset.astype(mean.dtype), empty, empty]


def _grad_shape(
    y_backprop: Spec, x: Spec, *others: Spec, data_format: str = "NHWC", **attrs: Any
) -> list[Dims]:
    channels = _vectors(x, data_format)
    return [x.dims, channels, channels, (0,), (0,)]


_HOW_GRAD: Any = {"shape": _grad_shape, "check": _check_grad, "heavy": True}
op(
    "FusedBatchNormGradV3",
    "y_backprop: T[4-5], x: T[4-5], scale: float32[1], reserve_space_1: U[1], reserve_space_2: "
    "U[1], reserve_space_3: U -> x_backprop: T, scale_backprop: U, offset_backprop: U, "
    "reserve_space_4: U, reserve_space_5: U",
    T=_T,
    U=_ONLY,
    **_HOW_GRAD,
    data_format=LAYOUT_ANY,
)(_normalize_grad)
op(
    "FusedBatchNormGradV2",
    "y_backprop: T[4], x: T[4], scale: float32[1], reserve_space_1: U[1], reserve_space_2: U[1] "
    "-> x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, "
    "reserve_space_4: U",
    T=_T,
    U=_ONLY,
    **_HOW_GRAD,
    data_format=LAYOUT,
)(_normalize_grad)
op(
    "FusedBatchNormGrad",
    "y_backprop: T[4], x: T[4], scale: T[1], reserve_space_1: T[1], reserve_space_2: T[1] -> "
    "x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: "
    "T",
    T=_ONLY,
    **_HOW_GRAD,
    data_format=LAYOUT,
)(_normalize_grad)


def _composed(
    dy: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The same gradient in ops that can be differentiated: mean and variance depend on `x`."""
    rank = len(data_format)
    if channels_first(data_format):
        order = np.array([0, *range(2, rank), 1], np.int32)
        dy, x = raw_ops.Transpose(dy, order), raw_ops.Transpose(x, order)
    dtype = x.dtype
    if dtype is not float32:
        dy, x = raw_ops.Cast(dy, DstT=float32), raw_ops.Cast(x, DstT=float32)
    axes = np.arange(rank - 1, dtype=np.int32)
    if is_training:
        mean = raw_ops.Mean(x, axes)
        # As in TensorFlow; it shows in third derivatives only.
        fixed = raw_ops.StopGradient(mean)
        variance = raw_ops.Mean(raw_ops.SquaredDifference(x, fixed), axes)
    inverse = raw_ops.Rsqrt(variance + np.float32(epsilon))
    centered = x - mean
    doffset = raw_ops.Sum(dy, axes)
    dscale = raw_ops.Sum(dy * centered, axes) * inverse
    dx = dy
    if is_training:
        dx = (
            dy
            - raw_ops.Mean(dy, axes)
            - centered * inverse * raw_ops.Mean(dy * centered, axes) * inverse
        )
    dx = dx * (scale * inverse)
    if dtype is not float32:
        dx = raw_ops.Cast(dx, DstT=dtype)
    if channels_first(data_format):
        dx = raw_ops.Transpose(dx, np.array([0, rank - 1, *range(1, rank - 1)], np.int32))
    return dx, dscale, doffset


def _second_order(op: Any, ddx: Tensor, ddscale: Tensor, ddoffset: Tensor, *_: Any) -> Gradients:
    dy, x, scale, mean, variance = op.inputs[:5]
    how = (op.attrs["epsilon"], op.attrs["data_format"], op.attrs["is_training"])
    with GradientTape() as tape:
        tape.watch([dy, x, scale])
        found = _composed(dy, x, scale, mean, variance, *how)
    gradients = tape.gradient(found, [dy, x, scale], [ddx, ddscale, ddoffset])
    return [*gradients, *[None] * (len(op.inputs) - 3)]


for _name in ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"):
    RegisterGradient(_name)(_second_order)
