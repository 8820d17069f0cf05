"""`tf.keras.layers.GRU` and its cell."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.layers.arguments import names_of, passes_on
from runnel.keras.layers.recurrent.cell_parts import FusedDropout, RecurrentCell, dot


class GRUCell(RecurrentCell):
    """A gated recurrent unit on one step.

    >>> cell = tf.keras.layers.GRUCell(3)
    >>> output, states = cell(tf.ones([2, 4]), [tf.zeros([2, 3])])
    >>> output.shape
    TensorShape([2, 3])
    """

    gates = 3
    reset_after: bool

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
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        reset_after: bool = True,
        implementation: int = 2,
        **kwargs: Any,
    ) -> None:
        pass

    settings = (*(name for name in names_of(__init__) if name != "reset_after"), "reset_after")

    def build(self, input_shape: Any) -> None:
        wide = self.units * 3
        shape = (2, wide) if self.reset_after else (wide,)
        self._make_weights(input_shape, shape)
        super().build(input_shape)

    def project(self, inputs: Any, masks: Any = None) -> Any:
        outputs = self._products(dot, inputs, self.kernel, masks)
        if not self.use_bias:
            return outputs
        return tf.nn.bias_add(outputs, self.bias[0] if self.reset_after else self.bias)

    def advance(self, projected: Any, states: Any, training: Any) -> tuple[Any, list[Any]]:
        (state,) = states
        masks = self.masks("states", state, training)
        update, reset, new = tf.split(projected, 3, axis=-1)
        if self.reset_after:
            inner = self._products(tf.matmul, state, self.recurrent_kernel, masks)
            if self.use_bias:
                inner = tf.nn.bias_add(inner, self.bias[1])
            inner_update, inner_reset, inner_new = tf.split(inner, 3, axis=-1)
        else:
            two = self.recurrent_kernel[:, : 2 * self.units]
            gates = self._products(tf.matmul, state, two, masks and masks[:2])
            inner_update, inner_reset = tf.split(gates, 2, axis=-1)
        update = self.recurrent_activation(update + inner_update)
        reset = self.recurrent_activation(reset + inner_reset)
        if self.reset_after:
            candidate = new + reset * inner_new
        else:
            kept = reset * (state if masks is None else state * masks[2])
            candidate = new + tf.matmul(kept, self.recurrent_kernel[:, 2 * self.units :])
        state = update * state + (1 - update) * self.activation(candidate)
        return state, [state]


class GRU(FusedDropout):
    """A gated recurrent unit through a sequence.

    Args:
        units: how many features the output has.
        activation: a function or the name of one; None leaves the values as they are.
        recurrent_activation: the function of the gates.
        use_bias: whether a bias is added.
        kernel_initializer, recurrent_initializer, bias_initializer: what the weights begin with.
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
        reset_after: whether the reset gate comes after the product with the state (as cuDNN does).

    >>> layer = tf.keras.layers.GRU(3, return_sequences=True)
    >>> layer(tf.ones([2, 5, 4])).shape
    TensorShape([2, 5, 3])
    """

    _cell_type = GRUCell
    cell_name = "gru_cell"

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
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        pass
