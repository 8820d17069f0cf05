"""`tf.keras.layers.LSTM` and its cell."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.layers.arguments import names_of, passes_on
from runnel.keras.layers.recurrent.cell_parts import FusedDropout, RecurrentCell, dot


class LSTMCell(RecurrentCell):
    """Long short-term memory on one step.

    >>> cell = tf.keras.layers.LSTMCell(3)
    >>> output, states = cell(tf.ones([2, 4]), [tf.zeros([2, 3]), tf.zeros([2, 3])])
    >>> output.shape
    TensorShape([2, 3])
    """

    gates = 4
    states = 2
    unit_forget_bias: bool

    @passes_on(RecurrentCell)
    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 2,
        **kwargs: Any,
    ) -> None:
        pass

    settings = names_of(__init__)

    def build(self, input_shape: Any) -> None:
        forget = self._bias_with_open_gate if self.unit_forget_bias else None
        self._make_weights(input_shape, (self.units * 4,), bias=forget)
        super().build(input_shape)

    def project(self, inputs: Any, masks: Any = None) -> Any:
        outputs = self._products(dot, inputs, self.kernel, masks)
        return tf.nn.bias_add(outputs, self.bias) if self.use_bias else outputs

    def advance(self, projected: Any, states: Any, training: Any) -> tuple[Any, list[Any]]:
        hidden, carry = states
        masks = self.masks("states", hidden, training)
        gates = projected + self._products(tf.matmul, hidden, self.recurrent_kernel, masks)
        return self._remember(gates, carry, axis=1)


class LSTM(FusedDropout):
    """Long short-term memory through a sequence.

    Args:
        units: how many features the output has.
        activation: a function or the name of one; None leaves the values as they are.
        recurrent_activation: the function of the gates.
        use_bias: whether a bias is added.
        kernel_initializer, recurrent_initializer, bias_initializer: what the weights begin with.
        unit_forget_bias: whether the bias of the forget gate begins with 1.
        kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: penalties
            on weights and outputs, added to the loss.
        kernel_constraint, recurrent_constraint, bias_constraint: functions that weights go through
            after each update.
        dropout, recurrent_dropout: parts of the inputs, and of the states, that are set to zero in
            training.
        return_sequences: whether all outputs are returned, and not only the last one.
        return_state: whether the last states are returned too.
        go_backwards: whether sequences are read from their end.
        stateful: whether the states of a batch are the first ones of the next.
        time_major: whether the first axis is time, and the second the batch.
        unroll: whether the loop is written out; faster for short sequences, at the cost of memory.

    >>> layer = tf.keras.layers.LSTM(3, return_sequences=True)
    >>> layer(tf.ones([2, 5, 4])).shape
    TensorShape([2, 5, 3])
    """

    _cell_type = LSTMCell
    cell_name = "lstm_cell"

    @passes_on(FusedDropout)
    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
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
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        time_major: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        pass
