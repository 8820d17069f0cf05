"""`tf.keras.layers.LSTM` and its cell."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.layers.recurrent.cell_parts import (
    OPTIONS,
    FusedDropout,
    RecurrentCell,
    dot,
    through_cell,
)
from runnel.keras.layers.recurrent.rnn import RNN


class LSTMCell(RecurrentCell):
    """Long short-term memory on one step.

    >>> cell = tf.keras.layers.LSTMCell(3)
    >>> output, states = cell(tf.ones([2, 4]), [tf.zeros([2, 3]), tf.zeros([2, 3])])
    >>> output.shape
    TensorShape([2, 3])
    """

    gates = 4

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
        super().__init__(**kwargs)
        options = {
            "kernel_initializer": kernel_initializer,
            "recurrent_initializer": recurrent_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "recurrent_regularizer": recurrent_regularizer,
            "bias_regularizer": bias_regularizer,
            "kernel_constraint": kernel_constraint,
            "recurrent_constraint": recurrent_constraint,
            "bias_constraint": bias_constraint,
        }
        self._set_up(units, activation, use_bias, dropout, recurrent_dropout, options)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.implementation = 1 if self.recurrent_dropout else implementation
        self.unit_forget_bias = unit_forget_bias
        self.state_size = (units, units)

    def build(self, input_shape: Any) -> None:
        forget = self._bias_with_open_gate if self.unit_forget_bias else None
        self._make_weights(tf.TensorShape(input_shape)[-1], (self.units * 4,), bias=forget)
        super().build(input_shape)

    def _bias_with_open_gate(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """A bias with ones for the forget gate."""
        parts = [self.bias_initializer((self.units,), dtype=dtype)]
        parts.append(tf.ones((self.units,), dtype))
        parts.append(self.bias_initializer((self.units * 2,), dtype=dtype))
        return tf.concat(parts, 0)

    def project(self, inputs: Any, masks: Any = None) -> Any:
        """The part of a step that does not depend on the states, also for all steps at once."""
        outputs = self._products(dot, inputs, self.kernel, masks)
        return tf.nn.bias_add(outputs, self.bias) if self.use_bias else outputs

    def advance(self, projected: Any, hidden: Any, carry: Any, training: Any = None) -> Any:
        """The next hidden state and carry."""
        masks = self.masks("states", hidden, training)
        gates = projected + self._products(tf.matmul, hidden, self.recurrent_kernel, masks)
        enter, forget, new, leave = tf.split(gates, 4, axis=1)
        enter, forget = self.recurrent_activation(enter), self.recurrent_activation(forget)
        carry = forget * carry + enter * self.activation(new)
        return self.recurrent_activation(leave) * self.activation(carry), carry

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        masks = self.masks("inputs", inputs, training)
        hidden, carry = self.advance(self.project(inputs, masks), states[0], states[1], training)
        return hidden, [hidden, carry]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "recurrent_activation": activations.serialize(self.recurrent_activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": initializers.serialize(self.recurrent_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "unit_forget_bias": self.unit_forget_bias,
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "recurrent_regularizer": regularizers.serialize(self.recurrent_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "recurrent_constraint": constraints.serialize(self.recurrent_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
            "dropout": self.dropout,
            "recurrent_dropout": self.recurrent_dropout,
            "implementation": self.implementation,
        }


class LSTM(FusedDropout, RNN):
    """Long short-term memory through a sequence.

    >>> layer = tf.keras.layers.LSTM(3, return_sequences=True)
    >>> layer(tf.ones([2, 5, 4])).shape
    TensorShape([2, 5, 3])
    """

    _cell_arguments = True

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
        implementation = kwargs.pop("implementation", 2)
        self._take_seed(kwargs)
        shared = {key: kwargs[key] for key in ("dtype", "trainable") if key in kwargs}
        cell = LSTMCell(
            units,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            recurrent_activation=recurrent_activation,
            implementation=implementation,
            unit_forget_bias=unit_forget_bias,
            name="lstm_cell",
            **shared,
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            time_major=time_major,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )

    def call(  # type: ignore[override]
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        cell = self.cell
        states = self._first_states(inputs, initial_state)
        self._reset_dropout()
        masks = self._input_masks(inputs, states[0], training)

        def step(projected: Any, states: Any) -> tuple[Any, Any]:
            hidden, carry = cell.advance(projected, states[0], states[1], training)
            return hidden, [hidden, carry]

        return self._through(step, cell.project(inputs, masks), states, mask)

    def get_config(self) -> dict[str, Any]:
        cell = self.cell
        return {
            **super().get_config(),
            "units": cell.units,
            "activation": activations.serialize(cell.activation),
            "recurrent_activation": activations.serialize(cell.recurrent_activation),
            "use_bias": cell.use_bias,
            "kernel_initializer": initializers.serialize(cell.kernel_initializer),
            "recurrent_initializer": initializers.serialize(cell.recurrent_initializer),
            "bias_initializer": initializers.serialize(cell.bias_initializer),
            "unit_forget_bias": cell.unit_forget_bias,
            "kernel_regularizer": regularizers.serialize(cell.kernel_regularizer),
            "recurrent_regularizer": regularizers.serialize(cell.recurrent_regularizer),
            "bias_regularizer": regularizers.serialize(cell.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(cell.kernel_constraint),
            "recurrent_constraint": constraints.serialize(cell.recurrent_constraint),
            "bias_constraint": constraints.serialize(cell.bias_constraint),
            "dropout": cell.dropout,
            "recurrent_dropout": cell.recurrent_dropout,
            "implementation": cell.implementation,
        }


for _name in (
    "units",
    "activation",
    "use_bias",
    "recurrent_activation",
    "implementation",
    "unit_forget_bias",
    "dropout",
    "recurrent_dropout",
    *OPTIONS,
):
    setattr(LSTM, _name, through_cell(_name))
