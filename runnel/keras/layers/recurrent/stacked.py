"""`tf.keras.layers.StackedRNNCells`: several cells that act as one."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.recurrent.cell_interface import takes, zero_states
from runnel.keras.layers.wrappers.wrapper import layer_of
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import serialize_keras_object


class StackedRNNCells(Layer):
    """Cells that are called one on the output of the other.

    >>> cells = [tf.keras.layers.LSTMCell(3), tf.keras.layers.GRUCell(2)]
    >>> tf.keras.layers.RNN(cells)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 2])
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ValueError(
                    f"All cells must have a `call` method and a `state_size`. Received: {cells}"
                )
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> tuple[Any, ...]:
        cells = self.cells[::-1] if self.reverse_state_order else self.cells
        return tuple(cell.state_size for cell in cells)

    @property
    def output_size(self) -> Any:
        last = self.cells[-1]
        size = getattr(last, "output_size", None)
        if size is not None:
            return size
        return last.state_size[0] if tf.nest.is_nested(last.state_size) else last.state_size

    def build(self, input_shape: Any) -> None:
        shape = tf.TensorShape(input_shape)
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                with tf.name_scope(cell.name):
                    cell.build(shape)
                    cell.built = True
            size = getattr(cell, "output_size", None)
            size = tf.nest.flatten(cell.state_size)[0] if size is None else size
            shape = tf.TensorShape([shape[0], size])
        super().build(input_shape)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The initial states of the cells."""
        cells = self.cells[::-1] if self.reverse_state_order else self.cells
        found = []
        for cell in cells:
            make = getattr(cell, "get_initial_state", None)
            if make is not None:
                found.append(make(inputs=inputs, batch_size=batch_size, dtype=dtype))
            else:
                found.append(zero_states(cell.state_size, batch_size, dtype))
        return found

    def call(
        self, inputs: Any, states: Any, constants: Any = None, training: Any = None
    ) -> tuple[Any, Any]:
        order = states[::-1] if self.reverse_state_order else states
        new_states = []
        for cell, state in zip(self.cells, order):
            kwargs: dict[str, Any] = {}
            if takes(cell, "training"):
                kwargs["training"] = training
            if constants is not None and takes(cell, "constants"):
                kwargs["constants"] = constants
            given = state if tf.nest.is_nested(state) else [state]
            inputs, new = cell(inputs, given, **kwargs)
            new_states.append(tf.nest.pack_sequence_as(state, tf.nest.flatten(new)))
        return inputs, new_states[::-1] if self.reverse_state_order else new_states

    def reset_dropout_mask(self) -> None:
        for cell in self.cells:
            getattr(cell, "reset_dropout_mask", lambda: None)()

    def reset_recurrent_dropout_mask(self) -> None:
        for cell in self.cells:
            getattr(cell, "reset_recurrent_dropout_mask", lambda: None)()

    def get_config(self) -> dict[str, Any]:
        cells = [serialize_keras_object(cell) for cell in self.cells]
        return {**super().get_config(), "cells": cells}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        cells = [layer_of(cell, custom_objects) for cell in config.pop("cells")]
        return cls(cells, **config)
