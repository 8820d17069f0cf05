"""`tf.keras.layers.RNN`: a cell, called for each step of a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.layer.shapes import as_shapes
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.layers.recurrent.cell_interface import state_dims, takes, zero_states
from runnel.keras.layers.recurrent.loop import reverse_steps, run_steps, time_major
from runnel.keras.layers.recurrent.stacked import StackedRNNCells
from runnel.keras.layers.wrappers.wrapper import layer_of
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import serialize_keras_object


class RNN(Layer):
    """A layer that calls a cell on each step, handing on its states.

    >>> layer = tf.keras.layers.RNN(tf.keras.layers.LSTMCell(3), return_sequences=True)
    >>> layer(tf.ones([2, 5, 4])).shape
    TensorShape([2, 5, 3])
    """

    _has_loop = True
    _object_identifier = "_tf_keras_rnn_layer"

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, list | tuple):
            cell = StackedRNNCells(cell)
        _check_cell(cell)
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.unroll, self.time_major = go_backwards, unroll, time_major
        self.stateful = stateful
        self.supports_masking = True
        self._states: Any = None
        self._num_constants = 0
        if stateful:
            self.input_spec = None

    @property
    def _single_state(self) -> bool:
        return not tf.nest.is_nested(self.cell.state_size) or _is_shape(self.cell.state_size)

    def _state_sizes(self) -> list[Any]:
        size = self.cell.state_size
        return [size] if self._single_state else list(size)

    @property
    def states(self) -> Any:
        """The states that a stateful layer keeps from batch to batch."""
        if self._states is None:
            return [None for _ in self._state_sizes()]
        return self._states

    @states.setter
    def states(self, value: Any) -> None:
        self._states = value

    def build(self, input_shape: Any) -> None:
        shapes = as_shapes(input_shape)
        shape = shapes[0] if isinstance(shapes, list) else shapes
        if isinstance(shape, tf.TensorShape) and shape.rank is not None and shape.rank < 3:
            raise ValueError(
                f'Input 0 of layer "{self.name}" is incompatible with the layer: expected ndim=3, '
                f"found ndim={shape.rank}. Full shape received: {tuple(shape)}"
            )
        step = _step_shape(shape, 0 if self.time_major else 1)
        if isinstance(self.cell, Layer) and not self.cell.built:
            with tf.name_scope(self.cell.name):
                self.cell.build(step)
                self.cell.built = True
        if isinstance(shape, tf.TensorShape):
            self._set_spec(shape)
            if self.stateful and self._states is None:
                batch = shape[1 if self.time_major else 0]
                self._make_states(batch)
        super().build(input_shape)

    def _set_spec(self, shape: tf.TensorShape) -> None:
        dims = shape.as_list()
        batch, time = (1, 0) if self.time_major else (0, 1)
        if not self.stateful:
            dims[batch] = None
        dims[time] = None
        self.input_spec = InputSpec(shape=tuple(dims))

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """Zeros, or what the cell gives, for a batch of inputs."""
        first = tf.nest.flatten(inputs)[0]
        batch = tf.shape(first)[1 if self.time_major else 0]
        make = getattr(self.cell, "get_initial_state", None)
        if make is not None:
            found = make(inputs=None, batch_size=batch, dtype=first.dtype)
        else:
            found = zero_states(self.cell.state_size, batch, first.dtype)
        return list(found) if isinstance(found, list | tuple) else [found]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        mask = tf.nest.flatten(mask)[0]
        kept = mask if self.return_sequences else None
        if self.return_state:
            return [kept] + [None for _ in self._state_sizes()]
        return kept

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        inputs, initial_state, constants = split_inputs(
            inputs, initial_state, constants, self._num_constants
        )
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        symbolic = any(
            isinstance(x, KerasTensor) for x in tf.nest.flatten((initial_state, constants))
        )
        if symbolic:
            self._num_constants = len(constants or [])
            full = [inputs, *(initial_state or []), *(constants or [])]
            spec, self._input_spec = self._input_spec, None
            try:
                return super().__call__(full, **kwargs)
            finally:
                self._input_spec = self._input_spec or spec
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        if constants is not None:
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def _run(self, inputs: Any, rest: Any, kwargs: Any) -> Any:
        if isinstance(inputs, list) and len(inputs) > 1:
            inputs, state, constants = split_inputs(inputs, None, None, self._num_constants)
            kwargs = {**kwargs, "initial_state": state}
            mask = kwargs.get("mask")
            if isinstance(mask, list):
                kwargs["mask"] = mask[0]
            if constants:
                kwargs["constants"] = constants
        if isinstance(inputs, tf.RaggedTensor):
            return self._run_ragged(inputs, rest, kwargs)
        return super()._run(inputs, rest, kwargs)

    def _run_ragged(self, inputs: Any, rest: Any, kwargs: Any) -> Any:
        """Rows of different lengths: made equally long, with a mask, and cut again."""
        if kwargs.get("mask") is not None or self.unroll:
            raise ValueError(
                f"Layer {self.name} got a ragged tensor, which goes with neither a `mask` nor "
                "`unroll=True`: its rows say themselves where they end."
            )
        lengths, values = inputs.row_lengths(), inputs.to_tensor()
        mask = tf.sequence_mask(lengths, tf.shape(values)[1])
        outputs = super()._run(values, rest, {**kwargs, "mask": mask})
        if not self.return_sequences:
            return outputs
        if self.return_state:
            return [self._rows(outputs[0], lengths), *outputs[1:]]
        return self._rows(outputs, lengths)

    def _rows(self, outputs: Any, lengths: Any) -> Any:
        if not self.go_backwards:
            return tf.RaggedTensor.from_tensor(outputs, lengths)
        forward = tf.RaggedTensor.from_tensor(tf.reverse(outputs, [1]), lengths)
        return tf.reverse(forward, [1])

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        states = self._first_states(inputs, initial_state)
        if isinstance(mask, list):
            mask = mask[0]
        self._reset_dropout()
        cell_kwargs: dict[str, Any] = {"training": training} if takes(self.cell, "training") else {}
        if constants is not None:
            cell_kwargs["constants"] = list(constants)
        call = self.cell
        bare = getattr(self.cell, "_is_tf_rnn_cell", False)  # cells of TensorFlow 1

        def step(values: Any, states: Any) -> tuple[Any, Any]:
            given = states[0] if bare and len(states) == 1 else states
            output, new = call(values, given, **cell_kwargs)
            return output, list(new) if isinstance(new, list | tuple) else [new]

        return self._through(step, self._in_order(inputs), states, mask)

    def _in_order(self, structure: Any) -> Any:
        """Sequences in the order of the steps: time first, its end first if that is the way."""
        if structure is None:
            return None
        structure = structure if self.time_major else time_major(structure)
        return reverse_steps(structure) if self.go_backwards else structure

    def _through(self, step: Any, inputs: Any, states: Any, mask: Any) -> Any:
        """Run the steps, keep the states if the layer is stateful, and arrange the results.

        `inputs` are in the order of the steps, and `mask` is not.
        """
        last, outputs, states = run_steps(
            step,
            inputs,
            states,
            mask=self._in_order(mask),
            unroll=self.unroll,
            zero_output_for_mask=self.zero_output_for_mask,
            return_all=self.return_sequences,
        )
        if self.stateful:
            self._keep_states(states)
        output = last
        if self.return_sequences:
            output = outputs if self.time_major else time_major(outputs)
        if not self.return_state:
            return output
        return [output, *states]

    def _first_states(self, inputs: Any, initial_state: Any) -> list[Any]:
        if initial_state is not None:
            states = _listed(initial_state) or []
        elif self.stateful:
            states = [tf.convert_to_tensor(s) for s in tf.nest.flatten(self._states)]
            states = tf.nest.pack_sequence_as(self._states, states)
            states = list(states)
        else:
            states = self.get_initial_state(inputs)
        if len(states) != len(self._state_sizes()):
            raise ValueError(
                f"Layer has {len(self._state_sizes())} states but was passed {len(states)} initial "
                f"states. Received: initial_state={initial_state}"
            )
        return states

    def _reset_dropout(self) -> None:
        for name in ("reset_dropout_mask", "reset_recurrent_dropout_mask"):
            reset = getattr(self.cell, name, None)
            if reset is not None:
                reset()

    def _keep_states(self, states: Any) -> None:
        kept = tf.nest.flatten(self._states)
        for variable, value in zip(kept, tf.nest.flatten(states), strict=True):
            variable.assign(tf.cast(value, variable.dtype))

    def _make_states(self, batch: Any) -> None:
        if batch is None:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of "
                "your input tensors: pass a `batch_input_shape` argument to the first layer, or "
                "`batch_shape` to `Input`."
            )
        with tf.init_scope():
            zeros = zero_states(self.cell.state_size, batch, self.compute_dtype)
            zeros = list(zeros) if isinstance(zeros, list | tuple) else [zeros]
            made = tf.nest.map_structure(
                lambda z: tf.Variable(z, trainable=False, name="state"), zeros
            )
        object.__setattr__(self, "_states", made)

    def reset_states(self, states: Any = None) -> None:
        """Set the states of a stateful layer to zeros, or to given values."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if self._states is None:
            shape = None if self.input_spec is None else self.input_spec.shape
            self._make_states(None if shape is None else shape[1 if self.time_major else 0])
        kept = tf.nest.flatten(self._states)
        values = [np.zeros(v.shape) for v in kept] if states is None else tf.nest.flatten(states)
        if len(values) != len(kept):
            raise ValueError(
                f"Layer {self.name} expects {len(kept)} states, but it received {len(values)} "
                f"state values. States received: {states}"
            )
        for variable, value in zip(kept, values):
            if tuple(np.shape(value)) != tuple(variable.shape):
                raise ValueError(
                    f"State is incompatible with layer {self.name}: expected "
                    f"shape={tuple(variable.shape)}, found shape={np.shape(value)}"
                )
            variable.assign(np.asarray(value, variable.dtype.as_numpy_dtype))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = input_shape[0] if isinstance(input_shape, list) else input_shape
        first = tf.TensorShape(tf.nest.flatten(shapes)[0] if isinstance(shapes, dict) else shapes)
        batch, time = (first[1], first[0]) if self.time_major else (first[0], first[1])
        size = getattr(self.cell, "output_size", None)
        size = self._state_sizes()[0] if size is None else size
        rest = state_dims(size)
        if self.return_sequences:
            lead = [time, batch] if self.time_major else [batch, time]
        else:
            lead = [batch]
        output = tf.TensorShape([*lead, *rest])
        if not self.return_state:
            return output
        sizes = tf.nest.flatten(self._state_sizes())
        return [output, *(tf.TensorShape([batch, *state_dims(size)]) for size in sizes)]

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "time_major": self.time_major,
        }
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        if type(self) is RNN or not hasattr(type(self), "_cell_arguments"):
            config["cell"] = serialize_keras_object(self.cell)
        return {**super().get_config(), **config}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        constants = config.pop("num_constants", 0)
        if isinstance(config.get("cell"), dict):
            config["cell"] = layer_of(config["cell"], custom_objects)
        layer = cls(**config)
        layer._num_constants = constants
        return layer


def _check_cell(cell: Any) -> None:
    if not callable(getattr(cell, "call", None)):
        raise ValueError(f"Argument `cell` should have a `call` method. Received: cell={cell}")
    if not hasattr(cell, "state_size"):
        raise ValueError(
            "The RNN cell should have an attribute `state_size` (tuple of integers, one integer "
            f"per RNN state). Received: cell={cell}"
        )


def split_inputs(inputs: Any, state: Any, constants: Any, count: int) -> tuple[Any, Any, Any]:
    """Inputs, states and constants of a list that holds them all."""
    if isinstance(inputs, list) and len(inputs) > 1 and state is None and constants is None:
        if count:
            constants, inputs = inputs[-count:], inputs[:-count]
        state = inputs[1:] or None
        inputs = inputs[0]
    return inputs, _listed(state), _listed(constants)


def _listed(value: Any) -> list[Any] | None:
    if value is None:
        return None
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_shape(size: Any) -> bool:
    return isinstance(size, tf.TensorShape)


def _step_shape(shape: Any, time: int) -> Any:
    """The shape of one step of a sequence whose axis `time` is time."""
    if isinstance(shape, tf.TensorShape):
        if shape.rank is not None and shape.rank < 2:
            raise ValueError(f"A sequence must have axes of batch and time, got shape {shape}.")
        return tf.TensorShape([shape[1 - time], *shape.as_list()[2:]])
    if not tf.nest.is_nested(shape):
        raise ValueError(f"A sequence must have axes of batch and time, got shape {shape!r}.")
    return tf.nest.map_structure(lambda each: _step_shape(each, time), shape)
