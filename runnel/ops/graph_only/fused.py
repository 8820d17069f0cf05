"""Convolutions of images that are resized and mirrored at the edges first, in one op."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import op, raw_ops
from runnel.core.values.dtypes import FLOATS, float16, float32, float64
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.choices import MIRROR

_MODES = ("REFLECT", "SYMMETRIC")


def _padded_conv_shape(
    input: Spec, paddings: Spec, filter: Spec, *, mode: str, strides: tuple, padding: str
) -> Dims:
    padded = raw_ops.MirrorPad.infer([input, paddings], {"mode": mode})
    how = {**raw_ops.Conv2D.defaults, "strides": strides, "padding": padding}
    return raw_ops.Conv2D.infer([Spec(padded, input.dtype), filter], how)


def _conv(xp: Namespace, x: Array, filter: Array, strides: tuple, padding: str) -> Array:
    how = {**raw_ops.Conv2D.defaults, "strides": strides, "padding": padding}
    return raw_ops.Conv2D.kernel(xp, x, filter, **how)  # type: ignore[no-any-return]


def _check_mode(name: str, mode: str) -> None:
    if mode not in _MODES:
        raise bad_value(name, want=f"be one of {', '.join(_MODES)}", mode=mode)


@op(
    "FusedPadConv2D",
    "input: T, paddings: int32, filter: T -> output: T",
    T=FLOATS,
    static=("paddings",),
    shape=_padded_conv_shape,
    heavy=True,
    mode=MIRROR,
)
def _fused_pad_conv2d(
    xp: Namespace,
    input: Array,
    paddings: np.ndarray,
    filter: Array,
    *,
    mode: str,
    strides: tuple,
    padding: str,
) -> Array:
    _check_mode("FusedPadConv2D", mode)
    padded = raw_ops.MirrorPad.kernel(xp, input, paddings, mode=mode)
    return _conv(xp, padded, filter, strides, padding)


def _resized_conv_shape(
    input: Spec, size: Spec, paddings: Spec, filter: Spec, *, resize_align_corners: bool, **how: Any
) -> Dims:
    resized = raw_ops.ResizeBilinear.infer([input, size], raw_ops.ResizeBilinear.defaults)
    return _padded_conv_shape(Spec(resized, input.dtype), paddings, filter, **how)


def _check_resize(input: Array, size: Array, *others: Array, **attrs: Any) -> None:
    assert raw_ops.ResizeBilinear.check is not None
    raw_ops.ResizeBilinear.check(input, size, **raw_ops.ResizeBilinear.defaults)


@op(
    "FusedResizeAndPadConv2D",
    "input: T, size: int32, paddings: int32, filter: T -> output: T",
    T=frozenset({float16, float32, float64}),
    static=("size", "paddings"),
    shape=_resized_conv_shape,
    check=_check_resize,
    heavy=True,
    mode=MIRROR,
)
def _fused_resize_and_pad_conv2d(
    xp: Namespace,
    input: Array,
    size: np.ndarray,
    paddings: np.ndarray,
    filter: Array,
    *,
    resize_align_corners: bool = False,
    mode: str,
    strides: tuple,
    padding: str,
) -> Array:
    _check_mode("FusedResizeAndPadConv2D", mode)
    resize = raw_ops.ResizeBilinear.kernel
    resized = resize(xp, input, size, align_corners=resize_align_corners).astype(input.dtype)
    padded = raw_ops.MirrorPad.kernel(xp, resized, paddings, mode=mode)
    return _conv(xp, padded, filter, strides, padding)
