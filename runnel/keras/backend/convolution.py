"""Convolutions and poolings with either layout of images."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.arrays import temporal_padding
from runnel.keras.backend.tensors import int_shape, ndim
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.convolution.locally_connected import local_conv


def _layout(data_format: str | None, rank: int) -> str:
    """TensorFlow's word for a layout."""
    space = "DHW"[-rank:]
    return f"NC{space}" if checked_data_format(data_format) == "channels_first" else f"N{space}C"


def _padding(padding: Any) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return str(padding).upper()


def _numbers(per_axis: Any, layout: str) -> tuple[int, ...]:
    """One number for each axis of the images, batch and channels among them."""
    return (1, 1, *per_axis) if layout.startswith("NC") else (1, *per_axis, 1)


def _convolve(
    x: Any, kernel: Any, strides: Any, padding: Any, data_format: str | None, dilation_rate: Any
) -> Any:
    return tf.nn.convolution(
        x,
        kernel,
        strides=strides,
        padding=_padding(padding),
        data_format=_layout(data_format, ndim(kernel) - 2),
        dilations=dilation_rate,
    )


def conv1d(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """A kernel `[steps, channels, filters]` moved along sequences; `causal` never looks ahead.

    >>> tf.keras.backend.conv1d(tf.ones([1, 5, 2]), tf.ones([3, 2, 4])).shape
    TensorShape([1, 3, 4])
    """
    if padding == "causal":
        steps: Any = tf.convert_to_tensor(kernel).shape.with_rank(3)[0]
        x, padding = temporal_padding(x, (dilation_rate * (steps - 1), 0)), "valid"
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """A kernel `[rows, columns, channels, filters]` moved over images.

    >>> tf.keras.backend.conv2d(tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 4])).shape
    TensorShape([1, 3, 3, 4])
    """
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(
    x: Any,
    kernel: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:
    """A kernel of three axes, channels and filters moved through volumes.

    >>> tf.keras.backend.conv3d(tf.ones([1, 4, 4, 4, 2]), tf.ones([3, 3, 3, 2, 4])).shape
    TensorShape([1, 2, 2, 2, 4])
    """
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d_transpose(
    x: Any,
    kernel: Any,
    output_shape: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """The convolution that would make `x` of something of `output_shape`, transposed.

    >>> tf.keras.backend.conv2d_transpose(
    ...     tf.ones([1, 3, 3, 4]), tf.ones([3, 3, 2, 4]), (1, 5, 5, 2)
    ... ).shape
    TensorShape([1, 5, 5, 2])
    """
    layout = _layout(data_format, 2)
    if isinstance(output_shape, list | tuple) and output_shape[0] is None:
        output_shape = (tf.shape(x)[0], *output_shape[1:])
    if isinstance(output_shape, list | tuple):
        output_shape = tf.stack(list(output_shape))
    if tuple(dilation_rate) == (1, 1):
        return tf.nn.conv2d_transpose(
            x, kernel, output_shape, _numbers(strides, layout), _padding(padding), layout
        )
    if dilation_rate[0] != dilation_rate[1]:
        raise ValueError(
            "Expected the 2 dimensions of the `dilation_rate` argument to be equal to each other. "
            f"Received: dilation_rate={dilation_rate}"
        )
    if layout == "NHWC":
        return _dilated_transpose(x, kernel, output_shape, dilation_rate[0], padding)
    last = tf.gather(output_shape, [0, 2, 3, 1])
    made = _dilated_transpose(
        tf.transpose(x, [0, 2, 3, 1]), kernel, last, dilation_rate[0], padding
    )
    return tf.transpose(made, [0, 3, 1, 2])


def _dilated_transpose(x: Any, kernel: Any, output_shape: Any, rate: int, padding: Any) -> Any:
    return tf.nn.atrous_conv2d_transpose(x, kernel, output_shape, rate, _padding(padding))


def separable_conv2d(
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Each channel by itself, then a mixture of the channels.

    >>> tf.keras.backend.separable_conv2d(
    ...     tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 1]), tf.ones([1, 1, 2, 4])
    ... ).shape
    TensorShape([1, 3, 3, 4])
    """
    layout = _layout(data_format, 2)
    _check_pair("strides", strides)
    return tf.nn.separable_conv2d(
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=_numbers(strides, layout),
        padding=_padding(padding),
        data_format=layout,
        dilations=dilation_rate,
    )


def depthwise_conv2d(
    x: Any,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Each channel by itself.

    >>> tf.keras.backend.depthwise_conv2d(tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 3])).shape
    TensorShape([1, 3, 3, 6])
    """
    layout = _layout(data_format, 2)
    return tf.nn.depthwise_conv2d(
        x,
        depthwise_kernel,
        strides=_numbers(strides, layout),
        padding=_padding(padding),
        data_format=layout,
        dilations=dilation_rate,
    )


def _check_pair(name: str, value: Any) -> None:
    if len(value) != 2:
        raise ValueError(f"`{name}` must be a tuple of 2 integers, got {value}.")


def pool2d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The largest value of each window of images, or their mean (`avg`).

    >>> tf.keras.backend.pool2d(tf.ones([1, 4, 4, 2]), (2, 2), (2, 2)).shape
    TensorShape([1, 2, 2, 2])
    """
    layout = _layout(data_format, 2)
    _check_pair("pool_size", pool_size)
    _check_pair("strides", strides)
    return _pooled(x, pool_size, strides, padding, layout, pool_mode)


def pool3d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The largest value of each window of volumes, or their mean (`avg`).

    >>> tf.keras.backend.pool3d(tf.ones([1, 4, 4, 4, 2]), (2, 2, 2), (2, 2, 2)).shape
    TensorShape([1, 2, 2, 2, 2])
    """
    layout = _layout(data_format, 3)
    return _pooled(x, pool_size, strides, padding, layout, pool_mode)


_POOLS = {
    ("max", 4): tf.nn.max_pool2d,
    ("avg", 4): tf.nn.avg_pool2d,
    ("max", 5): tf.nn.max_pool3d,
    ("avg", 5): tf.nn.avg_pool3d,
}


def _pooled(x: Any, size: Any, strides: Any, padding: Any, layout: str, mode: str) -> Any:
    padding = _padding(padding)
    pool = _POOLS.get((mode, len(layout)))
    if pool is None:
        raise ValueError(f"Invalid pooling mode: {mode}")
    return pool(x, _numbers(size, layout), _numbers(strides, layout), padding, data_format=layout)


def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: str | None = None
) -> Any:
    """A kernel of its own for each window of sequences: `[windows, values, filters]`.

    >>> tf.keras.backend.local_conv1d(tf.ones([1, 5, 2]), tf.ones([3, 6, 4]), (3,), (1,)).shape
    TensorShape([1, 3, 4])
    """
    first = checked_data_format(data_format) == "channels_first"
    return local_conv(inputs, kernel, kernel_size, strides, (kernel.shape[0],), first)


def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Any,
    strides: Any,
    output_shape: Any,
    data_format: str | None = None,
) -> Any:
    """A kernel of its own for each window of images: `[windows, values, filters]`.

    >>> tf.keras.backend.local_conv2d(
    ...     tf.ones([1, 4, 4, 2]), tf.ones([4, 18, 5]), (3, 3), (1, 1), (2, 2)
    ... ).shape
    TensorShape([1, 2, 2, 5])
    """
    first = checked_data_format(data_format) == "channels_first"
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, first)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """`x` and a number for each channel, or one for each place and channel.

    >>> tf.keras.backend.bias_add(tf.zeros([1, 2]), tf.constant([1.0, 2.0])).numpy()
    array([[1., 2.]], dtype=float32)
    """
    first = checked_data_format(data_format) == "channels_first"
    shape, rank = int_shape(bias), ndim(x)
    if len(shape) not in (1, rank - 1):
        raise ValueError(
            f"Unexpected bias dimensions {len(shape)}, expect to be 1 or {rank - 1} dimensions"
        )
    if len(shape) == 1:
        return tf.nn.bias_add(x, bias, data_format="NCHW" if first else "NHWC")
    if first:
        return x + tf.reshape(bias, (1, shape[-1], *shape[:-1]))
    return x + tf.reshape(bias, (1, *shape))
