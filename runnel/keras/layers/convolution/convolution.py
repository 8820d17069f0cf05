"""Convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.arguments import add_parameters, passes_on, whole_number, written

_PADDINGS = ("valid", "same", "causal")
_SETTINGS = """filters kernel_size strides padding data_format dilation_rate groups activation
use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer
activity_regularizer kernel_constraint bias_constraint""".split()


def as_tuple(value: Any, count: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """An integer as a tuple of `count` of them; a tuple of that length as it is."""
    found = (value,) * count if not hasattr(value, "__iter__") else tuple(value)
    least = 0 if allow_zero else 1
    if len(found) != count or any(not isinstance(v, int) or v < least for v in found):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {count} integers that are at least {least}. "
            f"Received: {value}."
        )
    return found


def conv_length(
    length: int | None, size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How long the output of a window over `length` is."""
    if length is None:
        return None
    span = (size - 1) * dilation + 1
    out = length if padding in ("same", "causal") else length - span + 1
    return (out + stride - 1) // stride


class Conv(Layer):
    """What convolutions share; `rank` is the number of dimensions that the kernel slides along."""

    def __init__(
        self,
        rank: int,
        filters: Any,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.rank = rank
        self.filters = whole_number("filters", filters) if isinstance(filters, float) else filters
        self.groups = groups or 1
        self.kernel_size = as_tuple(kernel_size, rank, "kernel_size")
        self.strides = as_tuple(strides, rank, "strides", allow_zero=True)
        self.padding = _checked_padding(padding, rank)
        self.data_format = checked_data_format(data_format)
        self.dilation_rate = as_tuple(dilation_rate, rank, "dilation_rate")
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self._channels_first = self.data_format == "channels_first"
        self._check()

    def _check(self) -> None:
        if self.filters is not None and not _is_positive(self.filters):
            raise ValueError(
                f"Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={self.filters}."
            )
        if self.filters is not None and self.filters % self.groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={self.groups}, filters={self.filters}."
            )
        if 0 in self.strides:
            raise ValueError(
                f"The argument `strides` cannot contains 0(s). Received: {self.strides}"
            )
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    @property
    def _channel_axis(self) -> int:
        return -1 - self.rank if self._channels_first else -1

    def _input_channels(self, input_shape: tf.TensorShape) -> int:
        channels = input_shape[self._channel_axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received "
                f"is {input_shape}, where axis {self._channel_axis} (0-based) is the channel "
                "dimension, which found to be `None`."
            )
        return int(channels)

    def build(self, input_shape: Any) -> None:
        input_shape = tf.TensorShape(input_shape)
        channels = self._input_channels(input_shape)
        self.compute_output_shape(input_shape)  # an error if nothing is left of the inputs
        if channels % self.groups:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Received groups={self.groups}, but the input has {channels} channels (full "
                f"input shape is {input_shape})."
            )
        self._make_weights((*self.kernel_size, channels // self.groups, self.filters), self.filters)
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis: channels})
        super().build(input_shape)

    def _make_weights(self, kernel_shape: tuple[int, ...], filters: int) -> None:
        self.kernel = add_parameters(self, "kernel", kernel_shape)
        self.bias = add_parameters(self, "bias", (filters,)) if self.use_bias else None

    @property
    def _tf_data_format(self) -> str:
        return (
            ("NC" + "DHW"[-self.rank :])
            if self._channels_first
            else ("N" + "DHW"[-self.rank :] + "C")
        )

    def convolution_op(self, inputs: Any, kernel: Any) -> Any:
        """The bare convolution, which a subclass may replace."""
        padding = "VALID" if self.padding == "causal" else self.padding.upper()
        return tf.nn.convolution(
            inputs,
            kernel,
            strides=list(self.strides),
            padding=padding,
            dilations=list(self.dilation_rate),
            data_format=self._tf_data_format,
            name=type(self).__name__,
        )

    def call(self, inputs: Any) -> Any:
        if self.padding == "causal":
            inputs = tf.pad(inputs, self._causal_padding(inputs.shape.rank))
        outputs = self.convolution_op(inputs, self.kernel)
        outputs = self._with_bias(outputs)
        return outputs if self.activation is None else self.activation(outputs)

    def _with_bias(self, outputs: Any) -> Any:
        if not self.use_bias:
            return outputs
        if not self._channels_first:
            return tf.nn.bias_add(outputs, self.bias)
        return outputs + tf.reshape(self.bias, (1, -1) + (1,) * self.rank)

    def _causal_padding(self, ndim: int = 3) -> list[list[int]]:
        """Zeros before the first step, which stands on one of the last two axes."""
        left = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        last = [[0, 0], left] if self._channels_first else [left, [0, 0]]
        return [[0, 0]] * (ndim - 2) + last

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        extra = len(shape) - self.rank - 1  # leading dimensions, batch included
        start = extra if not self._channels_first else extra + 1
        space = shape[start : start + self.rank]
        sizes = [
            conv_length(
                n, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]
            )
            for i, n in enumerate(space)
        ]
        if any(size is not None and size <= 0 for size in sizes):
            raise ValueError(
                "One of the dimensions in the output is <= 0 due to downsampling in "
                f"{self.name}. Consider increasing the input size. Received input shape {shape} "
                "which would produce output shape with a zero or negative value in a dimension."
            )
        batch = shape[:extra]
        if self._channels_first:
            return tf.TensorShape([*batch, self.filters, *sizes])
        return tf.TensorShape([*batch, *sizes, self.filters])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **written(self, _SETTINGS)}


def _is_positive(filters: Any) -> bool:
    return isinstance(filters, int | np.integer) and bool(filters > 0)


def _checked_padding(padding: str, rank: int) -> str:
    found = str(padding).lower()
    if found not in _PADDINGS:
        raise ValueError(
            "The `padding` argument must be a list/tuple or one of "
            f'"valid", "same" (or "causal", only for `Conv1D). Received: {padding}'
        )
    if found == "causal" and rank != 1:
        raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
    return found


class Conv1D(Conv):
    """A kernel slid along a sequence.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the kernel, one number or one for each dimension.
        strides: how far the kernel moves in each step; one number or one for each dimension.
        padding: "valid" for no filling at the borders, "same" to keep the size (divided by the
            stride).
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        dilation_rate: the distance of the kernel's elements; more than 1 leaves holes.
        groups: into how many parts the channels are divided, each with kernels of its own.
        activation: a function or the name of one; None leaves the values as they are.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: what the weights begin with: names or initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and
            outputs, added to the loss.
        kernel_constraint, bias_constraint: functions that weights go through after each update.

    >>> layer = tf.keras.layers.Conv1D(4, 3, padding="same")
    >>> layer(tf.ones([2, 8, 3])).shape
    TensorShape([2, 8, 4])
    """

    @passes_on(Conv, rank=1)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass


class Conv2D(Conv):
    """A kernel slid along images.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the kernel, one number or one for each dimension.
        strides: how far the kernel moves in each step; one number or one for each dimension.
        padding: "valid" for no filling at the borders, "same" to keep the size (divided by the
            stride).
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        dilation_rate: the distance of the kernel's elements; more than 1 leaves holes.
        groups: into how many parts the channels are divided, each with kernels of its own.
        activation: a function or the name of one; None leaves the values as they are.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: what the weights begin with: names or initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and
            outputs, added to the loss.
        kernel_constraint, bias_constraint: functions that weights go through after each update.

    >>> layer = tf.keras.layers.Conv2D(4, 3, padding="same")
    >>> layer(tf.ones([2, 8, 8, 3])).shape
    TensorShape([2, 8, 8, 4])
    """

    @passes_on(Conv, rank=2)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass


class Conv3D(Conv):
    """A kernel slid along volumes.

    >>> layer = tf.keras.layers.Conv3D(4, 3, padding="same")
    >>> layer(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 4, 4])
    """

    @passes_on(Conv, rank=3)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1, 1),
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        pass
