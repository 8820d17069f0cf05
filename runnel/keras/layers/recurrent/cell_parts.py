"""What the cells share, and the layers around them: arguments, weights and dropout masks."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations
from runnel.keras.engine.random_generator import RandomGenerator
from runnel.keras.layers.arguments import add_parameters, keep, written
from runnel.keras.layers.core import RandomLayer, when_training
from runnel.keras.layers.recurrent.cell_interface import zero_states
from runnel.keras.layers.recurrent.rnn import RNN


class RecurrentCell(RandomLayer):
    """A base of cells with a kernel, a recurrent kernel and a bias for `gates` gates."""

    gates = 1
    states = 1
    settings: tuple[str, ...] = ()  # the arguments of its constructor
    units: int
    activation: Any
    recurrent_activation: Any
    use_bias: bool
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any

    def __init__(self, enable_caching_device: bool = True, **arguments: Any) -> None:
        own = {name: arguments.pop(name) for name in self.settings}
        super().__init__(**arguments)
        # Whether weights are copied to the device that reads them: here they are there already.
        self._enable_caching_device = enable_caching_device
        size = own["units" if "units" in own else "filters"]
        if np.ndim(size) or size <= 0:
            raise ValueError(
                "Received an invalid value for argument `units`, expected a positive integer, got "
                f"{size}."
            )
        keep(self, own)
        self.units = size
        self.dropout = min(1.0, max(0.0, own["dropout"]))
        self.recurrent_dropout = min(1.0, max(0.0, own["recurrent_dropout"]))
        if self.recurrent_dropout and "implementation" in own:
            self.implementation = 1
        self.state_size: Any = size if self.states == 1 else [size] * self.states
        self.output_size: Any = size
        self._masks: Any = tf.__internal__.tracking.NoDependency({})

    def _make_weights(
        self, input_shape: Any, bias_shape: tuple[int, ...], bias: Any = None
    ) -> None:
        shape = tf.TensorShape(input_shape)
        if shape.rank == 0:
            raise ValueError(f"{self.name}: inputs have features as their last axis, got scalars.")
        features = shape[-1]
        wide = self.units * self.gates
        self._add_weights((features, wide), (self.units, wide), bias_shape, bias)

    def _add_weights(self, kernel: Any, recurrent: Any, bias_shape: Any, bias: Any) -> None:
        """Weights of these shapes; `bias` initializes the bias, if that is not as the user says."""
        self.kernel = add_parameters(self, "kernel", kernel)
        self.recurrent_kernel = add_parameters(self, "recurrent_kernel", recurrent, "recurrent")
        self.bias: Any = None
        if self.use_bias:
            self.bias = add_parameters(self, "bias", bias_shape, initializer=bias)

    def _bias_with_open_gate(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """A bias with ones for the forget gate of four gates."""
        before = self.bias_initializer((self.units,), dtype=dtype)
        after = self.bias_initializer((self.units * 2,), dtype=dtype)
        return tf.concat([before, tf.ones((self.units,), dtype), after], 0)

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        before = states if tf.nest.is_nested(states) else [states]
        masks = self.masks("inputs", inputs, training)
        output, after = self.advance(self.project(inputs, masks), before, training)
        return output, after if tf.nest.is_nested(states) else after[0]

    def project(self, inputs: Any, masks: Any = None) -> Any:
        """The part of a step that does not depend on the states, also for all steps at once."""
        raise NotImplementedError

    def advance(self, projected: Any, states: Any, training: Any) -> tuple[Any, list[Any]]:
        """The output and the next states, from what `project` gave and the states before."""
        raise NotImplementedError

    def _remember(self, gates: Any, carry: Any, axis: int) -> tuple[Any, list[Any]]:
        """The output and the next states of long short-term memory."""
        enter, forget, new, leave = tf.split(gates, 4, axis=axis)
        enter, forget = self.recurrent_activation(enter), self.recurrent_activation(forget)
        carry = forget * carry + enter * self.activation(new)
        hidden = self.recurrent_activation(leave) * self.activation(carry)
        return hidden, [hidden, carry]

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

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **written(self, self.settings), **self.caching_config()}

    def caching_config(self) -> dict[str, Any]:
        """The argument that is only written down where it is not as usual."""
        return {} if self._enable_caching_device else {"enable_caching_device": False}


def dot(values: Any, kernel: Any) -> Any:
    """The last axis of the values times the first of the kernel."""
    return tf.tensordot(values, kernel, 1)


class CellLayer(RNN):
    """A layer of cells of one class, that takes the arguments of the cell."""

    _cell_type: type[RecurrentCell]
    cell_name: str | None = None
    _cell_arguments = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls._cell_type.settings if "_cell_type" in vars(cls) else ():
            setattr(cls, name, property(operator.attrgetter(f"cell.{name}")))

    def __init__(self, **arguments: Any) -> None:
        own = {name: arguments.pop(name) for name in self._cell_type.settings if name in arguments}
        arguments.pop("implementation", None)  # means nothing to cells that do not take it
        shared: dict[str, Any] = {
            key: arguments[key] for key in ("dtype", "trainable") if key in arguments
        }
        if "enable_caching_device" in arguments:
            shared["enable_caching_device"] = arguments.pop("enable_caching_device")
        super().__init__(self._cell_type(name=self.cell_name, **own, **shared), **arguments)

    def call(  # type: ignore[override]
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        cell = self.cell
        states = self._first_states(inputs, initial_state)
        self._reset_dropout()
        masks = self._input_masks(inputs, states[0], training)

        def step(projected: Any, states: Any) -> tuple[Any, Any]:
            return cell.advance(projected, states, training)  # type: ignore[no-any-return]

        projected = self._projected(self._in_order(inputs), self._in_order(masks))
        return self._through(step, projected, states, mask)

    def _projected(self, inputs: Any, masks: Any) -> Any:
        """What depends on the inputs alone, for all steps at once."""
        return self.cell.project(inputs, masks)

    def get_config(self) -> dict[str, Any]:
        settings = list(self._cell_type.settings)
        settings.insert(settings.index("bias_regularizer") + 1, "activity_regularizer")
        return {
            **super().get_config(),
            **written(self, settings),
            **self.cell.caching_config(),
        }

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
        time = 0 if self.time_major else 1
        masks = self.cell.masks("inputs", tf.gather(inputs, 0, axis=time), training)
        self.cell.masks("states", states, training)
        return None if masks is None else [tf.expand_dims(mask, time) for mask in masks]


class FusedDropout(CellLayer):
    """Layers that TensorFlow has kernels for: these drop anew in each step."""

    def __init__(self, seed: int | None = None, **arguments: Any) -> None:
        self._random_generator = RandomGenerator(seed)  # for such kernels, and not for the cell
        super().__init__(**arguments)

    def _input_masks(self, inputs: Any, states: Any, training: Any) -> Any:
        if not self._is_fused:
            return super()._input_masks(inputs, states, training)
        cell = self.cell
        if not cell.dropout or (not tf.is_tensor(training) and not training):
            return None
        ones = tf.ones_like(inputs)
        return [when_training(training, lambda: self._mask_of_inputs(ones), lambda: ones)]

    def _mask_of_inputs(self, ones: Any) -> Any:
        """One mask for all gates; Keras draws one for each, so that later layers draw others."""
        mask = self._random_generator.dropout(ones, self.cell.dropout)
        for _ in range(self.cell.gates - 1):
            self._random_generator.skip(ones)
        return mask

    @property
    def _is_fused(self) -> bool:
        cell = self.cell
        usual = cell.activation is activations.tanh and cell.use_bias
        gates = cell.recurrent_activation is activations.sigmoid
        loop = not self.unroll and getattr(cell, "reset_after", True)
        return bool(usual and gates and loop and not cell.recurrent_dropout)
