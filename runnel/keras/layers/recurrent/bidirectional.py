"""`tf.keras.layers.Bidirectional`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.shapes import as_shapes
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.layers.recurrent.cell_interface import takes
from runnel.keras.layers.recurrent.rnn import split_inputs
from runnel.keras.layers.wrappers.wrapper import Wrapper, layer_of
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.object_registration import custom_object_scope
from runnel.keras.saving.serialization import serialize_keras_object

_MERGES: dict[Any, Any] = {
    "concat": lambda forward, backward: tf.concat([forward, backward], axis=-1),
    "sum": lambda forward, backward: forward + backward,
    "ave": lambda forward, backward: (forward + backward) / 2,
    "mul": lambda forward, backward: forward * backward,
    None: lambda forward, backward: [forward, backward],
}
_SHARED = ("stateful", "return_sequences", "return_state")


class Bidirectional(Wrapper):
    """A recurrent layer run from both ends, with weights for each direction.

    Args:
        layer: a recurrent layer.
        merge_mode: "sum", "mul", "concat", "ave", or None for a list of both.
        weights: weights to begin with.
        backward_layer: the layer for the other direction; None makes a copy.

    >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(3))
    >>> layer(tf.ones([2, 5, 4])).shape
    TensorShape([2, 6])
    """

    _has_loop = True

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if merge_mode not in _MERGES:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        for given in (layer, backward_layer):
            if given is not None and not hasattr(given, "go_backwards"):
                raise ValueError(
                    "Bidirectional takes layers that can go backwards, such as an RNN (they have "
                    f"`go_backwards`), got {given!r}."
                )
        self._given_backward = backward_layer
        super().__init__(layer, **({"weights": weights} if weights else {}), **kwargs)
        self.merge_mode = merge_mode
        self.forward_layer = _copy(layer)
        if backward_layer is None:
            self.backward_layer = _copy(layer, go_backwards=not layer.go_backwards)
        else:
            self.backward_layer = _copy(backward_layer)
            _check_directions(self.forward_layer, self.backward_layer)
        self.forward_layer._name = f"forward_{self.forward_layer.name}"
        self.backward_layer._name = f"backward_{self.backward_layer.name}"
        for made in (self.forward_layer, self.backward_layer):
            if hasattr(made, "zero_output_for_mask"):  # directions must not mix what is masked
                made.zero_output_for_mask = made.return_sequences
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences
        self.return_state = layer.return_state
        self.supports_masking = True
        self.input_spec = layer.input_spec
        self._num_constants = 0

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("layer", "_given_backward"):  # patterns of the two layers that run
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def build(self, input_shape: Any) -> None:  # type: ignore[override]
        input_shape = as_shapes(input_shape)
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                with tf.name_scope(layer.name):
                    layer.build(input_shape)
                layer.built = True
        self.built = True
        self._note_build_shape(input_shape)

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        inputs, initial_state, constants = split_inputs(
            inputs, initial_state, constants, self._num_constants
        )
        further = [*(initial_state or []), *(constants or [])]
        if not further:
            return super().__call__(inputs, **kwargs)
        if initial_state is not None and len(initial_state) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                "containing the states of the underlying RNNs. Received: "
                f"{len(initial_state)} states."
            )
        if any(isinstance(x, KerasTensor) for x in tf.nest.flatten(further)):
            self._num_constants = len(constants or [])
            spec, self._input_spec = self._input_spec, None
            try:
                return super().__call__([inputs, *further], **kwargs)
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
            if isinstance(kwargs.get("mask"), list):
                kwargs["mask"] = kwargs["mask"][0]
            if constants:
                kwargs["constants"] = constants
        return super()._run(inputs, rest, kwargs)

    def call(
        self,
        inputs: Any,
        training: Any = None,
        mask: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        states = list(initial_state or [])
        half = len(states) // 2
        found = []
        for layer, state in (
            (self.forward_layer, states[:half]),
            (self.backward_layer, states[half:]),
        ):
            given = {"training": training, "mask": mask, "constants": constants}
            kwargs = {
                name: value
                for name, value in given.items()
                if value is not None and takes(layer, name)
            }
            found.append(layer(inputs, initial_state=state or None, **kwargs))
        return self._merged(*found)

    def _merged(self, forward: Any, backward: Any) -> Any:
        states = []
        if self.return_state:
            states = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = tf.reverse(backward, [0 if self.forward_layer.time_major else 1])
        output = _MERGES[self.merge_mode](forward, backward)
        if not self.return_state:
            return output
        return [*output, *states] if self.merge_mode is None else [output, *states]

    def reset_states(self, states: Any = None) -> None:
        """Set the states of both directions to zeros, or to given values."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        half = len(states) // 2 if states is not None else 0
        self.forward_layer.reset_states(None if states is None else states[:half])
        self.backward_layer.reset_states(None if states is None else states[half:])

    def compute_mask(self, inputs: Any, mask: Any) -> Any:  # type: ignore[override]
        mask = tf.nest.flatten(mask)[0]
        kept = mask if self.return_sequences else None
        output = [kept, kept] if self.merge_mode is None else [kept]
        if self.return_state:
            return output + [None for _ in self.forward_layer.states] * 2
        return output if self.merge_mode is None else kept

    def compute_output_shape(self, input_shape: Any) -> Any:
        made = self.forward_layer.compute_output_shape(input_shape)
        states = []
        if self.return_state:
            made, *states = made
        made = tf.TensorShape(made)
        if self.merge_mode == "concat":
            *lead, size = made.as_list()
            made = tf.TensorShape([*lead, None if size is None else 2 * size])
        output = [made, made] if self.merge_mode is None else [made]
        if self.return_state:
            return [*output, *states, *states]
        return output if self.merge_mode is None else made

    @property
    def constraints(self) -> dict[Any, Any]:
        """The constraints of both directions."""
        found: dict[Any, Any] = {}
        for layer in (self.forward_layer, self.backward_layer):
            found.update(getattr(layer, "constraints", {}))
        return found

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._given_backward is not None:
            config["backward_layer"] = serialize_keras_object(self._given_backward)
        return config

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        count = config.pop("num_constants", 0)
        for name in ("layer", "backward_layer"):
            if config.get(name) is not None:
                config[name] = layer_of(config[name], custom_objects)
        layer = cls(**config)
        layer._num_constants = count
        return layer


def _copy(layer: Any, **changes: Any) -> Any:
    """Another layer with the same arguments, and weights of its own.

    The classes of its cells need not be known by name.
    """
    cell = getattr(layer, "cell", None)
    cells = [one for one in (cell, *getattr(cell, "cells", ())) if one is not None]
    with custom_object_scope({type(one).__name__: type(one) for one in cells}):
        return type(layer).from_config({**layer.get_config(), **changes})


def _check_directions(forward: Any, backward: Any) -> None:
    if forward.go_backwards == backward.go_backwards:
        raise ValueError(
            "Forward layer and backward layer should have different `go_backwards` value. "
            f"Received: forward_layer.go_backwards {forward.go_backwards}, "
            f"backward_layer.go_backwards={backward.go_backwards}"
        )
    for name in _SHARED:
        one, other = getattr(forward, name, None), getattr(backward, name, None)
        if one != other:
            raise ValueError(
                f"Forward layer and backward layer are expected to have the same value for "
                f'attribute "{name}", got "{one}" for forward layer and "{other}" for backward '
                "layer"
            )
