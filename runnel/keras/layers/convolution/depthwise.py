"""Convolutions of each channel by itself, alone or before one that mixes channels."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.layers.arguments import add_parameters, passes_on, written
from runnel.keras.layers.convolution.convolution import Conv

_NOT_DEPTHWISE = ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint")
_DEPTHWISE = """depth_multiplier depthwise_initializer depthwise_regularizer
depthwise_constraint""".split()
_SEPARABLE = """depth_multiplier depthwise_initializer pointwise_initializer depthwise_regularizer
pointwise_regularizer depthwise_constraint pointwise_constraint""".split()


class _PerChannel(Conv):
    """What depthwise and separable convolutions share: a kernel for each channel."""

    def __init__(
        self,
        rank: int,
        filters: int | None,
        kernel_size: Any,
        depth_multiplier: int,
        depthwise_initializer: Any,
        depthwise_regularizer: Any,
        depthwise_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(rank, filters, kernel_size, **kwargs)
        if self.padding == "causal" and filters is None:
            raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)

    def _begin_build(self, input_shape: Any) -> int:
        """The kernel of the channels; how many of those there are."""
        shape = tf.TensorShape(input_shape)
        if shape.rank != self.rank + 2:
            raise ValueError(
                f"Inputs of layer {self.name} must have rank {self.rank + 2}, got {shape}."
            )
        channels = self._input_channels(shape)
        kernel = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel = add_parameters(self, "depthwise_kernel", kernel, "depthwise")
        return channels

    def _end_build(self, input_shape: Any, filters: int, channels: int) -> None:
        self.bias = add_parameters(self, "bias", (filters,)) if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis: channels})
        Layer.build(self, input_shape)

    def _as_image(self, x: Any) -> Any:
        """A sequence as an image of one row."""
        return x if self.rank == 2 else tf.expand_dims(x, self._row_axis)

    @property
    def _row_axis(self) -> int:
        return 2 if self._channels_first else 1

    def _image_kernel(self, kernel: Any) -> Any:
        return kernel if self.rank == 2 else tf.expand_dims(kernel, 0)

    def _image_options(self) -> dict[str, Any]:
        """The arguments of the two-dimensional function."""
        strides = self.strides * 2 if self.rank == 1 else self.strides
        dilations = self.dilation_rate if self.rank == 2 else (1, *self.dilation_rate)
        first = self._channels_first
        return {
            "strides": (1, 1, *strides) if first else (1, *strides, 1),
            "padding": "VALID" if self.padding == "causal" else self.padding.upper(),
            "data_format": "NCHW" if first else "NHWC",
            "dilations": dilations,
        }

    def _finished(self, image: Any) -> Any:
        outputs = image if self.rank == 2 else tf.squeeze(image, [self._row_axis])
        outputs = self._with_bias(outputs)
        return outputs if self.activation is None else self.activation(outputs)


class _DepthwiseConv(_PerChannel):
    def build(self, input_shape: Any) -> None:
        channels = self._begin_build(input_shape)
        self._end_build(input_shape, channels * self.depth_multiplier, channels)

    def call(self, inputs: Any) -> Any:
        kernel = self._image_kernel(self.depthwise_kernel)
        image = self._as_image(inputs)
        return self._finished(tf.nn.depthwise_conv2d(image, kernel, **self._image_options()))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        dims = super().compute_output_shape(input_shape).as_list()
        channels = shape[self._channel_axis]
        dims[self._channel_axis] = None if channels is None else channels * self.depth_multiplier
        return tf.TensorShape(dims)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **written(self, _DEPTHWISE)}
        return {name: value for name, value in config.items() if name not in _NOT_DEPTHWISE}


class DepthwiseConv1D(_DepthwiseConv):
    """A convolution along time of each channel by itself.

    >>> tf.keras.layers.DepthwiseConv1D(2, depth_multiplier=3)(tf.ones([1, 4, 2])).shape
    TensorShape([1, 3, 6])
    """

    @passes_on(_DepthwiseConv, rank=1, filters=None)
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass


class DepthwiseConv2D(_DepthwiseConv):
    """A convolution over images of each channel by itself.

    >>> tf.keras.layers.DepthwiseConv2D(3)(tf.ones([1, 5, 5, 2])).shape
    TensorShape([1, 3, 3, 2])
    """

    @passes_on(_DepthwiseConv, rank=2, filters=None)
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass


class _SeparableConv(_PerChannel):
    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        pointwise_initializer: Any,
        pointwise_regularizer: Any,
        pointwise_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(rank, filters, kernel_size, **kwargs)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        channels = self._begin_build(input_shape)
        shape = (*[1] * self.rank, self.depth_multiplier * channels, self.filters)
        self.pointwise_kernel = add_parameters(self, "pointwise_kernel", shape, "pointwise")
        self._end_build(input_shape, self.filters, channels)

    def call(self, inputs: Any) -> Any:
        if self.padding == "causal":
            inputs = tf.pad(inputs, self._causal_padding())
        depthwise = self._image_kernel(self.depthwise_kernel)
        pointwise = self._image_kernel(self.pointwise_kernel)
        image = self._as_image(inputs)
        return self._finished(
            tf.nn.separable_conv2d(image, depthwise, pointwise, **self._image_options())
        )

    def get_config(self) -> dict[str, Any]:
        # Keras keeps what is said of a `kernel`, although this layer has none.
        return {**super().get_config(), **written(self, _SEPARABLE)}


class SeparableConv1D(_SeparableConv):
    """A convolution along time of each channel, then one that mixes the channels.

    >>> tf.keras.layers.SeparableConv1D(5, 3)(tf.ones([1, 4, 2])).shape
    TensorShape([1, 2, 5])
    """

    @passes_on(_SeparableConv, rank=1)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass


class SeparableConv2D(_SeparableConv):
    """A convolution over images of each channel, then one that mixes the channels.

    >>> tf.keras.layers.SeparableConv2D(5, 3)(tf.ones([1, 4, 4, 2])).shape
    TensorShape([1, 2, 2, 5])
    """

    @passes_on(_SeparableConv, rank=2)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass
