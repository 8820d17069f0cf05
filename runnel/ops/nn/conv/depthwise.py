"""Depthwise convolution: every channel with filters of its own, which weigh its windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend.memory import is_large
from runnel.core.op.op import op
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import FLOATS
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.arrays import in_float32
from runnel.kernels.windows.weighing import tap_sums, unweigh, weigh
from runnel.kernels.windows.windows import Window, channels_first, last, restored
from runnel.ops.choices import LAYOUT, PADDING_OR_PAIRS
from .ops import Shaped, conv_dims, conv_window, full_sizes, register_gradients, sizes_shape

_ONES = (1, 1, 1, 1)


def _dims(name: str, x: Dims, f: Dims, **how: Any) -> Dims:
    """The dimensions of the output; the filter is `[height, width, channels, multiplier]`."""
    if f is not None and len(f) != 4:
        raise bad_shape(name, want="have 4 dimensions", filter=Shaped(f))
    if f is None:
        return conv_dims(name, x, None, 4, **how)
    outputs = None if None in f[2:] else math.prod(f[2:])  # type: ignore[arg-type]
    if x is not None and len(x) == 4:
        channels = x[1] if channels_first(how["data_format"]) else x[-1]
        if None not in (channels, f[2]) and channels != f[2]:
            want = f"have the {channels} channels of `input` in its third dimension"
            raise bad_shape(name, want=want, filter=Shaped(f))
    return conv_dims(name, x, (*f[:2], f[2], outputs), 4, **how)


def _window(name: str, x: tuple[int, ...], f: tuple[int, ...], **how: Any) -> tuple[Window, Dims]:
    dims = _dims(name, x, f, **how)
    return conv_window(name, x, (*f[:2], f[2], f[2] * f[3]), **how)[0], dims


def _sizes_of(sizes: np.ndarray) -> tuple[int, ...]:
    if sizes.ndim != 1:
        raise bad_shape("DepthwiseConv2dNative", want="be a vector", filter_sizes=sizes)
    return tuple(sizes.tolist())


def _shape(
    input: Spec,
    filter: Spec,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
    dilations: tuple = _ONES,
) -> Dims:
    return _dims(
        "DepthwiseConv2dNative",
        input.dims,
        filter.dims,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit=explicit_paddings,
    )


_MOST_PRODUCTS = 1 << 16  # which NumPy has done before XLA has been called


def _works_long(values: Sequence[Array]) -> bool:
    """For `heavy`: whether the products, of all windows with the filter, are many."""
    products = max(v.size for v in values) * math.prod(values[1].shape[:2])
    return products > _MOST_PRODUCTS or is_large(values)


@op(
    "DepthwiseConv2dNative",
    "input: T, filter: T -> output: T",
    T=FLOATS,
    shape=_shape,
    heavy=_works_long,
)
@in_float32
def _depthwise(
    xp: Namespace,
    input: Array,
    filter: Array,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
    dilations: tuple = _ONES,
) -> Array:
    w, _ = _window(
        "DepthwiseConv2dNative",
        input.shape,
        filter.shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit=explicit_paddings,
    )
    x = last(xp, input, data_format)
    x = _repeated(xp, x, filter.shape[3])
    return restored(xp, weigh(xp, x, filter.reshape(w.count, -1), w), data_format)


def _repeated(xp: Namespace, x: Array, multiplier: int) -> Array:
    """Every channel as often as it has filters, so that filters and channels are one dimension."""
    return x if multiplier == 1 else xp.repeat(x, multiplier, axis=-1)


def _arriving(xp: Namespace, dy: Array, want: Dims, data_format: str) -> Array:
    """The gradient of the output with its channels last."""
    if dy.shape != want:
        raise bad_shape(
            "DepthwiseConv2dNative gradient", want=f"have shape {want}", out_backprop=dy
        )
    return last(xp, dy, data_format)


@op(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32[1 of 4], filter: T, out_backprop: T -> output: T",
    T=FLOATS,
    static=("input_sizes",),
    shape=sizes_shape(4, 0),
    heavy=_works_long,
    padding=PADDING_OR_PAIRS,
    data_format=LAYOUT,
)
@in_float32
def _depthwise_backprop_input(
    xp: Namespace,
    input_sizes: np.ndarray,
    filter: Array,
    out_backprop: Array,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
    dilations: tuple = _ONES,
) -> Array:
    shape = full_sizes(input_sizes, out_backprop, filter, data_format)
    w, want = _window(
        "DepthwiseConv2dNativeBackpropInput",
        shape,
        filter.shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit=explicit_paddings,
    )
    dy = _arriving(xp, out_backprop, want, data_format)
    total = unweigh(xp, dy, filter.reshape(w.count, -1), w)
    if filter.shape[3] > 1:
        each = total.reshape(*total.shape[:-1], *filter.shape[2:])
        total = xp.sum(each, axis=-1, dtype=dy.dtype)
    return restored(xp, total, data_format)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32[1 of 4], out_backprop: T -> output: T",
    T=FLOATS,
    static=("filter_sizes",),
    shape=sizes_shape(4, 1),
    heavy=True,
    padding=PADDING_OR_PAIRS,
    data_format=LAYOUT,
)
@in_float32
def _depthwise_backprop_filter(
    xp: Namespace,
    input: Array,
    filter_sizes: np.ndarray,
    out_backprop: Array,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
    dilations: tuple = _ONES,
) -> Array:
    shape = _sizes_of(filter_sizes)
    w, want = _window(
        "DepthwiseConv2dNativeBackpropFilter",
        input.shape,
        shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        explicit=explicit_paddings,
    )
    dy = _arriving(xp, out_backprop, want, data_format)
    x = _repeated(xp, last(xp, input, data_format), shape[3])
    return tap_sums(xp, x, dy, w).reshape(shape)


register_gradients(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    ("strides", "padding", "explicit_paddings", "data_format", "dilations"),
    lambda x, f: (shape_tensor(x), shape_tensor(f)),
)
