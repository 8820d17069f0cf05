"""Convolutions and windows: older orders and names of parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.nn.conv.functions import padding_attrs
from runnel.v1.ops.arguments import either

_ONES_4 = [1, 1, 1, 1]
_ONES_5 = [1, 1, 1, 1, 1]


def conv1d(
    value: TensorLike = None,
    filters: TensorLike = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike = None,
    dilations: Any = None,
) -> tf.Tensor:
    """A convolution of sequences."""
    value = either("conv1d", "input", input, "value", value)
    form = {None: "NWC", "NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
    return tf.nn.conv1d(value, filters, stride, padding, form, dilations, name)


def conv2d_transpose(
    value: TensorLike = None,
    filter: TensorLike = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
    filters: TensorLike = None,
    dilations: Any = None,
) -> tf.Tensor:
    """The transpose of a convolution of images."""
    value = either("conv2d_transpose", "input", input, "value", value)
    kernel = either("conv2d_transpose", "filters", filters, "filter", filter)
    return tf.nn.conv2d_transpose(
        value, kernel, output_shape, strides, padding, data_format, dilations, name
    )


def conv3d(
    input: TensorLike,
    filter: TensorLike = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = _ONES_5,
    name: str | None = None,
    filters: TensorLike = None,
) -> tf.Tensor:
    """A convolution of volumes."""
    kernel = either("conv3d", "filters", filters, "filter", filter)
    return tf.nn.conv3d(input, kernel, strides, padding, data_format, dilations, name)


def conv3d_transpose(
    value: TensorLike,
    filter: TensorLike = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: TensorLike = None,
    filters: TensorLike = None,
    dilations: Any = None,
) -> tf.Tensor:
    """The transpose of a convolution of volumes."""
    value = either("conv3d_transpose", "input", input, "value", value)
    kernel = either("conv3d_transpose", "filters", filters, "filter", filter)
    return tf.nn.conv3d_transpose(
        value, kernel, output_shape, strides, padding, data_format, dilations, name
    )


def convolution(
    input: TensorLike,
    filter: TensorLike,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike = None,
    dilations: Any = None,
) -> tf.Tensor:
    """A convolution in 1, 2 or 3 dimensions of space."""
    kernel = either("convolution", "filters", filters, "filter", filter)
    rate = either("convolution", "dilations", dilations, "dilation_rate", dilation_rate)
    return tf.nn.convolution(input, kernel, strides, padding, data_format, rate, name)


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = _ONES_4,
    name: str | None = None,
) -> tf.Tensor:
    """The gradient of a convolution of images for its filter."""
    return raw_ops.Conv2DBackpropFilter(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
        **padding_attrs(padding),
    )


def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike = None,
    out_backprop: TensorLike = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = _ONES_4,
    name: str | None = None,
    filters: TensorLike = None,
) -> tf.Tensor:
    """The gradient of a convolution of images for the images."""
    kernel = either("conv2d_backprop_input", "filters", filters, "filter", filter)
    return raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes,
        filter=kernel,
        out_backprop=out_backprop,
        strides=strides,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
        **padding_attrs(padding),
    )


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = _ONES_5,
    name: str | None = None,
) -> tf.Tensor:
    """The gradient of a convolution of volumes for its filter."""
    return raw_ops.Conv3DBackpropFilterV2(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> tf.Tensor:
    """A convolution of each channel with filters of its own."""
    rate = either("depthwise_conv2d", "dilations", dilations, "rate", rate)
    return tf.nn.depthwise_conv2d(input, filter, strides, padding, data_format, rate, name)


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = _ONES_4,
    name: str | None = None,
) -> tf.Tensor:
    """A convolution of each channel with filters of its own, as one operation."""
    return raw_ops.DepthwiseConv2dNative(
        input=input,
        filter=filter,
        strides=strides,
        data_format=data_format,
        dilations=dilations,
        name=name,
        **padding_attrs(padding),
    )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> tf.Tensor:
    """A convolution of each channel, then one that mixes channels."""
    rate = either("separable_conv2d", "dilations", dilations, "rate", rate)
    return tf.nn.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, rate, name
    )


def dilation2d(
    input: TensorLike,
    filter: TensorLike = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: TensorLike = None,
    dilations: Any = None,
) -> tf.Tensor:
    """The largest sum of a window and a filter."""
    kernel = either("dilation2d", "filters", filters, "filter", filter)
    rates = either("dilation2d", "dilations", dilations, "rates", rates)
    return tf.nn.dilation2d(input, kernel, strides, padding, "NHWC", rates, name)


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: Any,
    rates: Any,
    padding: Any,
    name: str | None = None,
) -> tf.Tensor:
    """The smallest difference of a window and a filter."""
    return tf.nn.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)


def _fractional(op: Any, what: str) -> Callable[..., Any]:
    def pool(
        value: TensorLike,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
        name: str | None = None,
    ) -> Any:
        return op(
            value=value,
            pooling_ratio=pooling_ratio,
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=deterministic,
            seed=seed,
            seed2=seed2,
            name=name,
        )

    pool.__doc__ = f"{what} of windows of different sizes, and where these lie."
    return pool


fractional_avg_pool = _fractional(raw_ops.FractionalAvgPool, "The means")
fractional_max_pool = _fractional(raw_ops.FractionalMaxPool, "The largest elements")


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    Targmax: DTypeLike = None,
    name: str | None = None,
    output_dtype: DTypeLike = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The largest element of each window, and its place."""
    dtype = either("max_pool_with_argmax", "output_dtype", output_dtype, "Targmax", Targmax)
    dtype = tf.int64 if dtype is None else dtype
    return tf.nn.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype, include_batch_in_index, name
    )


def pool(
    input: TensorLike,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> tf.Tensor:
    """The mean or the largest element of each window, in any number of dimensions."""
    rate = either("pool", "dilations", dilations, "dilation_rate", dilation_rate)
    return tf.nn.pool(input, window_shape, pooling_type, strides, padding, data_format, rate, name)
