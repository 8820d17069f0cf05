"""Convolutions in 1, 2 and 3 dimensions, their transposes, and separable ones."""

from __future__ import annotations

import inspect
from typing import Any

import runnel as tf
from runnel.v1.layers.base import Layer, Spec
from runnel.v1.variables.initializers import Zeros


def sizes(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """One number for every dimension of space, or one for all."""
    found = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(found) != rank:
        raise ValueError(f"`{name}` must be {rank} integers or one, got {value!r}.")
    return tuple(int(n) for n in found)


def checked(data_format: str) -> str:
    """`data_format`, if it is one of the two there are."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"`data_format` must be channels_first or channels_last: {data_format!r}.")
    return data_format


_OF_AXES = ("strides", "dilation_rate")


class Convolution(Layer):
    """What all convolutions have in common."""

    rank: int

    def __init_subclass__(cls) -> None:
        """Say for each axis what the signature says once."""
        signature = inspect.signature(cls)
        if getattr(cls, "rank", 1) > 1:
            cls.__signature__ = signature.replace(  # type: ignore[attr-defined]
                parameters=[
                    p.replace(default=(1,) * cls.rank) if p.name in _OF_AXES else p
                    for p in signature.parameters.values()
                ]
            )

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        rank = self.rank
        self.filters, self.activation, self.use_bias = int(filters), activation, use_bias
        self.kernel_size = sizes(kernel_size, rank, "kernel_size")
        self.strides = sizes(strides, rank, "strides")
        self.dilation_rate = sizes(dilation_rate, rank, "dilation_rate")
        self.padding, self.data_format = padding.lower(), checked(data_format)
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = Spec(ndim=rank + 2)

    @property
    def _first(self) -> bool:
        return self.data_format == "channels_first"

    @property
    def _layout(self) -> str:
        space = {1: "W", 2: "HW", 3: "DHW"}[self.rank]
        return f"NC{space}" if self._first else f"N{space}C"

    def _channels(self, input_shape: Any) -> int:
        axis = 1 if self._first else -1
        found = input_shape[axis]
        if found is None:
            raise ValueError(f"Layer {self.name}: the channels of the inputs must be known.")
        self.input_spec = Spec(ndim=self.rank + 2, axes={axis: found})
        return int(found)

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self._make_kernel([*self.kernel_size, channels, self.filters])
        self._make_bias()
        self.built = True

    def _make_kernel(self, shape: list[int]) -> None:
        self.kernel = self.add_weight(
            "kernel",
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def _make_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        padding = self.padding.upper()
        if self.padding == "causal":
            ahead = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            space = [[ahead, 0], [0, 0]] if not self._first else [[0, 0], [ahead, 0]]
            inputs, padding = tf.pad(inputs, [[0, 0], *space]), "VALID"
        found = tf.nn.convolution(
            inputs,
            self.kernel,
            strides=list(self.strides),
            padding=padding,
            data_format=self._layout,
            dilations=list(self.dilation_rate),
            name=type(self).__name__,
        )
        return self._finished(found)

    def _finished(self, found: Any) -> Any:
        if self.bias is not None:
            form = "NCHW" if self._first else "NHWC"
            found = tf.nn.bias_add(found, self.bias, data_format=form)
        return found if self.activation is None else self.activation(found)


def _spread(layer: Any, rank: int) -> inspect.Signature:
    """The parameters of a layer, with a default of 1 for every dimension of space."""
    known = inspect.signature(layer).parameters.values()
    ones = ("strides", "dilation_rate")
    return inspect.Signature(
        [p.replace(default=(1,) * rank) if p.name in ones else p for p in known]
    )


class Conv1D(Convolution):
    """A convolution of sequences."""

    rank = 1


class Conv2D(Convolution):
    """A convolution of images."""

    rank = 2
    __signature__ = _spread(Convolution, 2)


class Conv3D(Convolution):
    """A convolution of volumes."""

    rank = 3
    __signature__ = _spread(Convolution, 3)


class _Transpose(Convolution):
    """What transposes of convolutions have in common."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self._make_kernel([*self.kernel_size, self.filters, channels])
        self._make_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        given, known = tf.shape(inputs), inputs.shape.as_list()
        start = 2 if self._first else 1
        spread = zip(self.kernel_size, self.strides, strict=True)
        made = [self._length(given, known, start + n, *ks) for n, ks in enumerate(spread)]
        made = [self.filters, *made] if self._first else [*made, self.filters]
        batch = given[0] if known[0] is None else known[0]
        ones = (1, 1)
        strides = [*ones, *self.strides] if self._first else [1, *self.strides, 1]
        transpose = tf.nn.conv2d_transpose if self.rank == 2 else tf.nn.conv3d_transpose
        found = transpose(
            inputs, self.kernel, [batch, *made], strides, self.padding.upper(), self._layout
        )
        return self._finished(found)

    def _length(self, given: Any, known: list[Any], axis: int, kernel: int, stride: int) -> Any:
        size = given[axis] if known[axis] is None else known[axis]
        return size * stride + (max(kernel - stride, 0) if self.padding == "valid" else 0)


class Conv2DTranspose(_Transpose):
    """The transpose of a convolution of images."""

    rank = 2
    __signature__ = _spread(_Transpose, 2)


class Conv3DTranspose(_Transpose):
    """The transpose of a convolution of volumes."""

    rank = 3
    __signature__ = _spread(_Transpose, 3)


class _Separable(Convolution):
    """A convolution of each channel by itself, then one that mixes channels."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            None,
            bias_initializer,
            None,
            bias_regularizer,
            activity_regularizer,
            None,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            [1] * self.rank + [channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._make_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        strides, rates = list(self.strides), list(self.dilation_rate)
        axis = 2 if self._first else 1
        if self.rank == 1:
            inputs = tf.expand_dims(inputs, axis)
            depthwise, pointwise = tf.expand_dims(depthwise, 0), tf.expand_dims(pointwise, 0)
            strides, rates = strides * 2, [1, *rates]
        full = [1, 1, *strides] if self._first else [1, *strides, 1]
        form = "NCHW" if self._first else "NHWC"
        padding = self.padding.upper()
        found = tf.nn.separable_conv2d(inputs, depthwise, pointwise, full, padding, form, rates)
        if self.rank == 1:
            found = tf.squeeze(found, [axis])
        return self._finished(found)


class SeparableConv1D(_Separable):
    """A separable convolution of sequences."""

    rank = 1


class SeparableConv2D(_Separable):
    """A separable convolution of images."""

    rank = 2
    __signature__ = _spread(_Separable, 2)
