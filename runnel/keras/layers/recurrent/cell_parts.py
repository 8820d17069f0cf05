"""What the cells share: weights' options and dropout masks."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.layers.core import RandomLayer
from runnel.keras.layers.recurrent.rnn import zero_states

OPTIONS = (
    "kernel_initializer",
    "recurrent_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "recurrent_regularizer",
    "bias_regularizer",
    "kernel_constraint",
    "recurrent_constraint",
    "bias_constraint",
)
_KINDS = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}


class RecurrentCell(RandomLayer):
    """A base of cells with a kernel, a recurrent kernel and a bias for `gates` gates."""

    gates = 1
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    recurrent_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    recurrent_constraint: Any
    bias_constraint: Any

    def _set_up(
        self,
        units: int,
        activation: Any,
        use_bias: bool,
        dropout: float,
        recurrent_dropout: float,
        options: dict[str, Any],
    ) -> None:
        if units <= 0:
            raise ValueError(
                "Received an invalid value for argument `units`, expected a positive integer, got "
                f"{units}."
            )
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        for name, value in options.items():
            setattr(self, name, _KINDS[name.rsplit("_", 1)[1]].get(value))
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.state_size: Any = units
        self.output_size = units
        self._masks: dict[str, Any] = {}

    def _make_weights(self, features: Any, bias_shape: tuple[int, ...], bias: Any = None) -> None:
        def make(name: str, kind: str, shape: Any, initializer: Any) -> Any:
            return self.add_weight(
                name,
                shape=shape,
                initializer=initializer,
                regularizer=getattr(self, f"{kind}_regularizer"),
                constraint=getattr(self, f"{kind}_constraint"),
            )

        wide = self.units * self.gates
        self.kernel = make("kernel", "kernel", (features, wide), self.kernel_initializer)
        self.recurrent_kernel = make(
            "recurrent_kernel", "recurrent", (self.units, wide), self.recurrent_initializer
        )
        self.bias: Any = None
        if self.use_bias:
            self.bias = make("bias", "bias", bias_shape, bias or self.bias_initializer)

    def _dropped(self, kind: str, rate: float, values: Any, training: Any) -> Any:
        """Values times a mask that is the same in all steps."""
        if not training or not rate:
            return values
        mask = self._masks.get(kind)
        if mask is None:
            mask = self._masks[kind] = self._random_generator.dropout(tf.ones_like(values), rate)
        return values * mask

    def draw_masks(self, inputs: Any, states: Any, training: Any) -> None:
        """Draw the masks for a sequence before its loop begins."""
        self._dropped("inputs", self.dropout, inputs, training)
        self._dropped("states", self.recurrent_dropout, states, training)

    def reset_dropout_mask(self) -> None:
        self._masks.pop("inputs", None)

    def reset_recurrent_dropout_mask(self) -> None:
        self._masks.pop("states", None)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros for a batch."""
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        return zero_states(self.state_size, batch_size, dtype)

    def _options_config(self) -> dict[str, Any]:
        return {
            name: _KINDS[name.rsplit("_", 1)[1]].serialize(getattr(self, name)) for name in OPTIONS
        }


def through_cell(name: str) -> Any:
    """A property of a layer that is its cell's."""
    return property(lambda self: getattr(self.cell, name))
