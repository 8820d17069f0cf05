"""What the cells share: weights' options and dropout masks."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.engine.random_generator import RandomGenerator
from runnel.keras.layers.core import RandomLayer, when_training
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

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """The mask of the inputs, or `count` of them: the same until it is reset."""
        return self._masks_of("inputs", self.dropout, inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        """The mask of the states, or `count` of them: the same until it is reset."""
        return self._masks_of("states", self.recurrent_dropout, inputs, training, count)

    def _masks_of(self, kind: str, rate: float, values: Any, training: Any, count: int) -> Any:
        if not rate:
            return None
        if kind not in self._masks:
            ones, draw = tf.ones_like(values), self._random_generator.dropout
            masks = [
                when_training(training, lambda: draw(ones, rate), lambda: ones)
                for _ in range(count)
            ]
            self._masks[kind] = masks if count > 1 else masks[0]
        return self._masks[kind]

    def masks(self, kind: str, values: Any, training: Any) -> Any:
        """Masks for the gates; None where nothing is dropped."""
        if not isinstance(training, tf.Tensor | tf.Variable) and not training:
            return None
        get = {
            "inputs": self.get_dropout_mask_for_cell,
            "states": self.get_recurrent_dropout_mask_for_cell,
        }[kind]
        masks = get(values, training, count=self.gates)
        return [masks] if masks is not None and self.gates == 1 else masks

    def draw_masks(self, inputs: Any, states: Any, training: Any) -> None:
        """Draw the masks for a sequence before its loop begins."""
        self.masks("inputs", inputs, training)
        self.masks("states", states, training)

    @property
    def drops_by_gate(self) -> bool:
        """Whether each gate has masks of its own, and not all the same."""
        return getattr(self, "implementation", 1) == 1

    def _products(self, product: Any, values: Any, kernel: Any, masks: Any, axis: int = -1) -> Any:
        """The products of values and the kernels of the gates, with what is dropped."""
        if masks is None:
            return product(values, kernel)
        if len(masks) == 1 or not self.drops_by_gate:
            return product(values * masks[0], kernel)
        kernels = tf.split(kernel, len(masks), axis=-1)
        return tf.concat(
            [product(values * mask, part) for mask, part in zip(masks, kernels)], axis=axis
        )

    def reset_dropout_mask(self) -> None:
        """Draw a new mask of the inputs for the next sequence."""
        self._masks.pop("inputs", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Draw a new mask of the states for the next sequence."""
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


def dot(values: Any, kernel: Any) -> Any:
    """The last axis of the values times the first of the kernel."""
    return tf.tensordot(values, kernel, 1)


class CellMasks:
    """What a layer says of the masks of its cell."""

    cell: Any

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        return self.cell.get_dropout_mask_for_cell(inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        return self.cell.get_recurrent_dropout_mask_for_cell(inputs, training, count)

    def reset_dropout_mask(self) -> None:
        self.cell.reset_dropout_mask()

    def reset_recurrent_dropout_mask(self) -> None:
        self.cell.reset_recurrent_dropout_mask()

    def _input_masks(self, inputs: Any, states: Any, training: Any) -> Any:
        """Masks of the inputs that are the same in all steps; those of the states are drawn too."""
        time = 0 if self.time_major else 1  # type: ignore[attr-defined]
        masks = self.cell.masks("inputs", tf.gather(inputs, 0, axis=time), training)
        self.cell.masks("states", states, training)
        return None if masks is None else [tf.expand_dims(mask, time) for mask in masks]


class FusedDropout(CellMasks):
    """Layers that TensorFlow has kernels for: these drop anew in each step."""

    def _take_seed(self, kwargs: dict[str, Any]) -> None:
        """The layer's own seed, which is for such kernels and not for the cell."""
        self._random_generator = RandomGenerator(kwargs.pop("seed", None))

    def _input_masks(self, inputs: Any, states: Any, training: Any) -> Any:
        if not self._is_fused:
            return super()._input_masks(inputs, states, training)
        cell = self.cell
        if not cell.dropout or (not tf.is_tensor(training) and not training):
            return None
        ones, generator = tf.ones_like(inputs), self._random_generator
        mask = when_training(training, lambda: generator.dropout(ones, cell.dropout), lambda: ones)
        for _ in range(cell.gates - 1):
            generator.make_legacy_seed()  # of the masks of the other gates, which nobody uses
        return [mask]

    @property
    def _is_fused(self) -> bool:
        cell = self.cell
        usual = cell.activation is activations.tanh and cell.use_bias
        gates = cell.recurrent_activation is activations.sigmoid
        loop = not self.unroll and getattr(cell, "reset_after", True)  # type: ignore[attr-defined]
        return bool(usual and gates and loop and not cell.recurrent_dropout)


def through_cell(name: str) -> Any:
    """A property of a layer that is its cell's."""
    return property(lambda self: getattr(self.cell, name))
