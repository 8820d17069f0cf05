"""`AbstractRNNCell`: a base of cells that users write."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.recurrent.cell_interface import zero_states


class AbstractRNNCell(Layer):
    """A cell says in `state_size` and `output_size` how wide it is, and makes a step in `call`.

    >>> class Adder(tf.keras.layers.AbstractRNNCell):
    ...     state_size = output_size = 2
    ...     def call(self, inputs, states):
    ...         return states[0] + inputs, [states[0] + inputs]
    >>> tf.keras.layers.RNN(Adder())(tf.ones([1, 3, 2])).numpy()
    array([[3., 3.]], dtype=float32)
    """

    def call(self, inputs: Any, states: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement `call`.")

    @property
    def state_size(self) -> Any:
        """The size of the state, or those of several."""
        raise NotImplementedError(f"{type(self).__name__} must implement `state_size`.")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError(f"{type(self).__name__} must implement `output_size`.")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros for a batch."""
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype in constructing initial state cannot be None. Received: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return zero_states(self.state_size, batch_size, dtype)
