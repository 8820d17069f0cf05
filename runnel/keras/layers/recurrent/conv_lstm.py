"""`ConvLSTM1D` to `ConvLSTM3D`: LSTMs whose products are convolutions."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.arguments import passes_on
from runnel.keras.layers.convolution.convolution import as_tuple, conv_length
from runnel.keras.layers.recurrent.cell_parts import CellLayer, RecurrentCell


class ConvLSTMCell(RecurrentCell):
    """Long short-term memory on one step, with convolutions along `rank` dimensions."""

    gates = 4
    states = 2
    settings = tuple(
        """rank filters kernel_size strides padding data_format dilation_rate activation
        recurrent_activation use_bias kernel_initializer recurrent_initializer bias_initializer
        unit_forget_bias kernel_regularizer recurrent_regularizer bias_regularizer kernel_constraint
        recurrent_constraint bias_constraint dropout recurrent_dropout""".split()
    )
    rank: int
    filters: int
    kernel_size: Any
    strides: Any
    padding: str
    data_format: Any
    dilation_rate: Any
    unit_forget_bias: bool

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.kernel_size = as_tuple(self.kernel_size, self.rank, "kernel_size")
        self.strides = as_tuple(self.strides, self.rank, "strides")
        self.dilation_rate = as_tuple(self.dilation_rate, self.rank, "dilation_rate")
        self.data_format = checked_data_format(self.data_format)
        self.channel_axis = 1 if self.data_format == "channels_first" else self.rank + 1
        self.padding = str(self.padding).lower()
        if self.padding not in ("valid", "same"):
            raise ValueError(f"`padding` must be 'valid' or 'same', got {self.padding!r}.")

    def build(self, input_shape: Any) -> None:
        shape = tf.TensorShape(input_shape)
        channels = shape[self.channel_axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs (last axis) should be defined. Found None. "
                f"Full input shape received: input_shape={input_shape}"
            )
        wide = self.filters * 4
        self._add_weights(
            (*self.kernel_size, channels, wide),
            (*self.kernel_size, self.filters, wide),
            (wide,),
            self._bias_with_open_gate if self.unit_forget_bias else None,
        )
        state = self.state_shape(shape)
        self.state_size = (state, state)
        self.output_size = state
        super().build(input_shape)

    def state_shape(self, step: tf.TensorShape) -> tf.TensorShape:
        """The shape of a state, without the batch, for inputs of one step."""
        dims = step.as_list()
        first = 2 if self.channel_axis == 1 else 1
        space = [
            conv_length(
                n, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]
            )
            for i, n in enumerate(dims[first : first + self.rank])
        ]
        if self.channel_axis == 1:
            return tf.TensorShape([self.filters, *space])
        return tf.TensorShape([*space, self.filters])

    def _convolved(self, values: Any, kernel: Any, **options: Any) -> Any:
        space = "DHW"[-self.rank :]
        order = f"NC{space}" if self.channel_axis == 1 else f"N{space}C"
        return tf.nn.convolution(values, kernel, data_format=order, **options)

    def _entering(self, inputs: Any, kernel: Any) -> Any:
        return self._convolved(
            inputs,
            kernel,
            strides=list(self.strides),
            padding=self.padding.upper(),
            dilations=list(self.dilation_rate),
        )

    def _recurring(self, hidden: Any, kernel: Any) -> Any:
        return self._convolved(hidden, kernel, padding="SAME")

    def project(self, inputs: Any, masks: Any = None) -> Any:
        """The part of a step that does not depend on the states, also for many steps at once."""
        outputs = self._products(self._entering, inputs, self.kernel, masks, self.channel_axis)
        if self.bias is None:
            return outputs
        if self.channel_axis == 1:
            return outputs + tf.reshape(self.bias, (-1,) + (1,) * self.rank)
        return tf.nn.bias_add(outputs, self.bias)

    def advance(self, projected: Any, states: Any, training: Any) -> tuple[Any, list[Any]]:
        hidden, carry = states
        masks = self.masks("states", hidden, training)
        gates = projected + self._products(
            self._recurring, hidden, self.recurrent_kernel, masks, self.channel_axis
        )
        return self._remember(gates, carry, axis=self.channel_axis)


class ConvLSTM(CellLayer):
    """What the layers share: a cell whose input products are made for all steps at once."""

    _cell_type = ConvLSTMCell

    def __init__(self, unroll: bool = False, **arguments: Any) -> None:
        if unroll:
            raise TypeError(
                "Unrolling is not possible with convolutional RNNs. Received: unroll=True"
            )
        super().__init__(**arguments)
        self.input_spec = InputSpec(ndim=self.cell.rank + 3)

    def build(self, input_shape: Any) -> None:
        shapes = input_shape[0] if isinstance(input_shape, list) else input_shape
        dims = tf.TensorShape(shapes).with_rank(self.cell.rank + 3).as_list()
        batch = dims[1 if self.time_major else 0]
        self.cell.build(tf.TensorShape([batch, *dims[2:]]))  # weights are named as the layer's
        if self.stateful and self._states is None:
            self._make_states(batch)
        super().build(input_shape)

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """Zeros in the shape of what a step gives."""
        inputs = tf.convert_to_tensor(inputs)
        first = inputs[0] if self.time_major else inputs[:, 0]
        wide = self.cell.project(first)
        zeros = tf.zeros_like(tf.split(wide, 4, axis=self.cell.channel_axis)[0])
        return [zeros, zeros]

    def _projected(self, inputs: Any, masks: Any) -> Any:
        """All steps at once, as one large batch."""
        asked, known = tf.shape(inputs), inputs.shape.as_list()
        sizes = [asked[i] if n is None else n for i, n in enumerate(known)]
        if masks is not None:
            masks = [tf.reshape(tf.broadcast_to(mask, asked), [-1, *sizes[2:]]) for mask in masks]
        made = self.cell.project(tf.reshape(inputs, [-1, *sizes[2:]]), masks)
        after, known = tf.shape(made), made.shape.as_list()
        space = [after[i] if n is None else n for i, n in enumerate(known)][1:]
        return tf.reshape(made, [*sizes[:2], *space])

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = input_shape[0] if isinstance(input_shape, list) else input_shape
        first, second, *rest = tf.TensorShape(shapes).as_list()
        batch = second if self.time_major else first
        state = self.cell.state_shape(tf.TensorShape([batch, *rest])).as_list()
        lead = [first, second] if self.return_sequences else [batch]
        output = tf.TensorShape([*lead, *state])
        if not self.return_state:
            return output
        return [output, *(tf.TensorShape([batch, *state]) for _ in range(2))]

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("rank")
        return config


class ConvLSTM1D(ConvLSTM):
    """Long short-term memory through sequences of sequences.

    >>> tf.keras.layers.ConvLSTM1D(4, 3)(tf.ones([1, 2, 5, 2])).shape
    TensorShape([1, 3, 4])
    """

    @passes_on(ConvLSTM, rank=1)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        pass


class ConvLSTM2D(ConvLSTM):
    """Long short-term memory through sequences of images.

    >>> tf.keras.layers.ConvLSTM2D(4, 3)(tf.ones([1, 2, 5, 5, 2])).shape
    TensorShape([1, 3, 3, 4])
    """

    @passes_on(ConvLSTM, rank=2)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        pass


class ConvLSTM3D(ConvLSTM):
    """Long short-term memory through sequences of volumes.

    >>> tf.keras.layers.ConvLSTM3D(4, 3)(tf.ones([1, 2, 5, 5, 5, 2])).shape
    TensorShape([1, 3, 3, 3, 4])
    """

    @passes_on(ConvLSTM, rank=3)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        pass
