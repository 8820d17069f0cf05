"""`tf.keras.layers.GRU` and its cell."""

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


class GRUCell(RecurrentCell):
    """A gated recurrent unit on one step.

    >>> cell = tf.keras.layers.GRUCell(3)
    >>> output, states = cell(tf.ones([2, 4]), [tf.zeros([2, 3])])
    >>> output.shape
    TensorShape([2, 3])
    """

    gates = 3

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
        self.reset_after = reset_after
        self.implementation = 1 if self.recurrent_dropout else implementation

    def build(self, input_shape: Any) -> None:
        wide = self.units * 3
        shape = (2, wide) if self.reset_after else (wide,)
        self._make_weights(tf.TensorShape(input_shape)[-1], shape)
        super().build(input_shape)

    def project(self, inputs: Any, masks: Any = None) -> Any:
        """The part of a step that does not depend on the states, also for all steps at once."""
        outputs = self._products(dot, inputs, self.kernel, masks)
        if not self.use_bias:
            return outputs
        return tf.nn.bias_add(outputs, self.bias[0] if self.reset_after else self.bias)

    def advance(self, projected: Any, state: Any, training: Any = None) -> Any:
        """The next state."""
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
        return update * state + (1 - update) * self.activation(candidate)

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        before = states[0] if tf.nest.is_nested(states) else states
        masks = self.masks("inputs", inputs, training)
        state = self.advance(self.project(inputs, masks), before, training)
        return state, [state] if tf.nest.is_nested(states) else state

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
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "recurrent_regularizer": regularizers.serialize(self.recurrent_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "recurrent_constraint": constraints.serialize(self.recurrent_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
            "dropout": self.dropout,
            "recurrent_dropout": self.recurrent_dropout,
            "implementation": self.implementation,
            "reset_after": self.reset_after,
        }


class GRU(FusedDropout, RNN):
    """A gated recurrent unit through a sequence.

    >>> layer = tf.keras.layers.GRU(3, return_sequences=True)
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
        implementation = kwargs.pop("implementation", 2)
        self._take_seed(kwargs)
        shared = {key: kwargs[key] for key in ("dtype", "trainable") if key in kwargs}
        cell = GRUCell(
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
            reset_after=reset_after,
            implementation=implementation,
            name="gru_cell",
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
            state = cell.advance(projected, states[0], training)
            return state, [state]

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
            "reset_after": cell.reset_after,
        }


for _name in (
    "units",
    "activation",
    "use_bias",
    "recurrent_activation",
    "reset_after",
    "implementation",
    "dropout",
    "recurrent_dropout",
    *OPTIONS,
):
    setattr(GRU, _name, through_cell(_name))
