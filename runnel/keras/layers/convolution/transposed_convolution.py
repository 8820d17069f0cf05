"""Transposed convolutions: outputs of which a convolution would make shapes like the inputs'."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.layers.arguments import passes_on
from runnel.keras.layers.convolution.convolution import Conv, as_tuple


def transposed_length(
    length: int | None, size: int, padding: str, extra: int | None, stride: int, dilation: int = 1
) -> Any:
    """How long the output of a transposed window is; `extra` is the padding of the output."""
    if length is None:
        return None
    span = (size - 1) * dilation + 1
    if extra is not None:
        cut = span // 2 if padding == "same" else 0
        return (length - 1) * stride + span - 2 * cut + extra
    return length * stride + (0 if padding == "same" else max(span - stride, 0))


class _ConvTranspose(Conv):
    """What transposed convolutions share."""

    def __init__(self, rank: int, output_padding: Any, **kwargs: Any) -> None:
        super().__init__(rank, **kwargs)
        self.output_padding = None
        if output_padding is not None:
            self.output_padding = as_tuple(output_padding, rank, "output_padding", allow_zero=True)
            for stride, extra in zip(self.strides, self.output_padding, strict=True):
                if extra >= stride:
                    raise ValueError(
                        "Strides must be greater than output padding. Received strides="
                        f"{self.strides}, output_padding={self.output_padding}."
                    )
        self.input_spec = InputSpec(ndim=rank + 2)

    def build(self, input_shape: Any) -> None:
        input_shape = tf.TensorShape(input_shape)
        if input_shape.rank != self.rank + 2:
            raise ValueError(
                f"Inputs should have rank {self.rank + 2}. Received input_shape={input_shape}."
            )
        channels = self._input_channels(input_shape)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self._make_weights((*self.kernel_size, self.filters, channels), self.filters)
        self.built = True
        self._note_build_shape(input_shape)

    @property
    def _dilations(self) -> tuple[int, ...]:
        return self.dilation_rate

    def _lengths(self, space: Any) -> list[Any]:
        extra = self.output_padding or (None,) * self.rank
        return [
            transposed_length(
                space[i],
                self.kernel_size[i],
                self.padding,
                extra[i],
                self.strides[i],
                self._dilations[i],
            )
            for i in range(self.rank)
        ]

    def convolution_op(self, inputs: Any, kernel: Any) -> Any:
        """The bare transposed convolution, which a subclass may replace."""
        first = 2 if self._channels_first else 1
        inputs = tf.convert_to_tensor(inputs)
        asked, known = tf.shape(inputs), inputs.shape.with_rank(self.rank + 2).as_list()
        sizes = [asked[i] if n is None else n for i, n in enumerate(known)]
        space = self._lengths(sizes[first : first + self.rank])
        batch = sizes[0]
        wanted = (
            [batch, self.filters, *space] if self._channels_first else [batch, *space, self.filters]
        )
        made = tf.nn.conv_transpose(
            inputs,
            kernel,
            tf.stack(wanted),
            strides=list(self.strides),
            padding=self.padding.upper(),
            data_format=self._tf_data_format,
            dilations=list(self._dilations),
        )
        made.set_shape(self.compute_output_shape(inputs.shape))
        return made

    def compute_output_shape(self, input_shape: Any) -> Any:
        dims = tf.TensorShape(input_shape).as_list()
        first = 2 if self._channels_first else 1
        space = self._lengths(dims[first : first + self.rank])
        if self._channels_first:
            return tf.TensorShape([dims[0], self.filters, *space])
        return tf.TensorShape([dims[0], *space, self.filters])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "output_padding": self.output_padding}


class Conv1DTranspose(_ConvTranspose):
    """A transposed convolution of sequences.

    >>> layer = tf.keras.layers.Conv1DTranspose(4, 3, strides=2, padding="same")
    >>> layer(tf.ones([1, 3, 2])).shape
    TensorShape([1, 6, 4])
    """

    @passes_on(_ConvTranspose, rank=1)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
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


class Conv2DTranspose(_ConvTranspose):
    """A transposed convolution of images.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the kernel, one number or one for each dimension.
        strides: how far the kernel moves in each step; one number or one for each dimension.
        padding: "valid" for no filling at the borders, "same" to keep the size (divided by the
            stride).
        output_padding: rows and columns added at one side of the output.
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        dilation_rate: the distance of the kernel's elements; more than 1 leaves holes.
        activation: a function or the name of one; None leaves the values as they are.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: what the weights begin with: names or initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and
            outputs, added to the loss.
        kernel_constraint, bias_constraint: functions that weights go through after each update.

    >>> layer = tf.keras.layers.Conv2DTranspose(4, 3, strides=2, padding="same")
    >>> layer(tf.ones([1, 3, 3, 2])).shape
    TensorShape([1, 6, 6, 4])
    """

    @passes_on(_ConvTranspose, rank=2)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
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


class Conv3DTranspose(_ConvTranspose):
    """A transposed convolution of volumes.

    >>> layer = tf.keras.layers.Conv3DTranspose(4, 3, strides=2, padding="same")
    >>> layer(tf.ones([1, 3, 3, 3, 2])).shape
    TensorShape([1, 6, 6, 6, 4])
    """

    @passes_on(_ConvTranspose, rank=3)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1, 1),
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

    @property
    def _dilations(self) -> tuple[int, ...]:
        return (1, 1, 1)  # Keras takes `dilation_rate` here and makes nothing of it

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("dilation_rate")  # as Keras has it
        return config
