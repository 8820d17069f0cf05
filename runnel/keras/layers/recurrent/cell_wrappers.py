"""`tf.nn.RNNCellDropoutWrapper` and its like: cells around a cell."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.recurrent.cell_interface import takes, zero_states
from runnel.keras.layers.wrappers.wrapper import layer_of
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import serialize_keras_object


class _CellWrapper(Layer):
    """A cell that calls another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        if not callable(getattr(cell, "call", None)) or not hasattr(cell, "state_size"):
            raise TypeError(f"A cell has a `call` method and a `state_size`, got {cell!r}.")
        super().__init__(**kwargs)
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        return self.cell

    @property
    def state_size(self) -> Any:
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        return self.cell.output_size

    def build(self, inputs_shape: Any) -> None:
        if not self.cell.built:
            self.cell.build(inputs_shape)
            self.cell.built = True
        self.built = True

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        make = getattr(self.cell, "get_initial_state", None)
        if make is None:
            return zero_states(self.cell.state_size, batch_size, dtype)
        return make(inputs=inputs, batch_size=batch_size, dtype=dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """States of zeros."""
        return zero_states(self.cell.state_size, batch_size, dtype)

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The old name of calling the cell."""
        return self(inputs, *args, **kwargs)

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """All losses, whatever `inputs`: outside graphs they do not know where they came from."""
        return list(self.losses)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """None, whatever `inputs`: what changes in a call changes there."""
        return []

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        return self._call_cell(inputs, state, kwargs)

    def _call_cell(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        known = {key: value for key, value in kwargs.items() if takes(self.cell, key)}
        return self.cell.call(inputs, state, **known)  # type: ignore[no-any-return]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cell": serialize_keras_object(self.cell)}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        return cls(layer_of(config.pop("cell"), custom_objects), **config)


class DeviceWrapper(_CellWrapper):
    """A cell that runs on a device.

    >>> cell = tf.nn.RNNCellDeviceWrapper(tf.keras.layers.GRUCell(3), "/CPU:0")
    >>> tf.keras.layers.RNN(cell)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 3])
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        with tf.device(self._device):
            return self._call_cell(inputs, state, kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "device": self._device}


class ResidualWrapper(_CellWrapper):
    """A cell whose inputs are added to its outputs, or joined with them by `residual_fn`.

    >>> cell = tf.nn.RNNCellResidualWrapper(tf.keras.layers.GRUCell(4))
    >>> tf.keras.layers.RNN(cell)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 4])
    """

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        outputs, new_state = self._call_cell(inputs, state, kwargs)
        return (self._residual_fn or _added)(inputs, outputs), new_state

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        if self._residual_fn is not None:
            config["residual_fn"] = self._residual_fn
        return config


def _added(inputs: Any, outputs: Any) -> Any:
    tf.nest.assert_same_structure(inputs, outputs)
    for given, made in zip(tf.nest.flatten(inputs), tf.nest.flatten(outputs), strict=True):
        given.shape.assert_is_compatible_with(made.shape)
    return tf.nest.map_structure(tf.add, inputs, outputs)


class DropoutWrapper(_CellWrapper):
    """A cell with dropout of its inputs, outputs and states; each is kept with a probability.

    With `variational_recurrent` the same elements are dropped at every step.

    >>> cell = tf.nn.RNNCellDropoutWrapper(tf.keras.layers.GRUCell(3), output_keep_prob=0.5)
    >>> tf.keras.layers.RNN(cell)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        given = (input_keep_prob, state_keep_prob, output_keep_prob)
        self._keep = {
            name: _checked(name, value)
            for name, value in zip(("input", "state", "output"), given, strict=True)
        }
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable.")
        self._filter = dropout_state_filter_visitor or (lambda _: True)
        self._variational, self._input_size, self._seed = variational_recurrent, input_size, seed
        self._noise = self._variational_noise(dtype) if variational_recurrent else {}

    def _variational_noise(self, dtype: Any) -> dict[str, Any]:
        """Numbers in [0, 1) for every element that dropout can meet, the same at every step."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided.")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._keep["input"]):
            if self._input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0, input_size must be "
                    "provided."
                )
            sizes["input"] = self._input_size
        return {name: self._noise_like(name, size, dtype) for name, size in sizes.items()}

    def _noise_like(self, name: str, sizes: Any, dtype: Any) -> list[Any]:
        return [
            tf.random.uniform(
                [1, *tf.TensorShape(size).as_list()], seed=self._seed_of(name, i), dtype=dtype
            )
            for i, size in enumerate(tf.nest.flatten(sizes))
        ]

    def _seed_of(self, name: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{name}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        outputs, new_state = self._call_cell(self._dropped("input", inputs), state, kwargs)
        return self._dropped("output", outputs), self._dropped("state", new_state, self._filter)

    def _dropped(
        self, name: str, values: Any, wanted: Callable[[Any], Any] = lambda _: True
    ) -> Any:
        keep = self._keep[name]
        if not _drops(keep):
            return values
        flat = [
            self._drop(name, i, value, keep) if wanted(value) else value
            for i, value in enumerate(tf.nest.flatten(values))
        ]
        return tf.nest.pack_sequence_as(values, flat)

    def _drop(self, name: str, index: int, value: Any, keep: Any) -> Any:
        if not self._variational:
            return tf.nn.dropout(value, rate=1.0 - keep, seed=self._seed_of(name, index))
        kept = tf.floor(keep + self._noise[name][index])
        return value / keep * kept

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **{f"{name}_keep_prob": self._keep[name] for name in ("input", "output", "state")},
            "variational_recurrent": self._variational,
            "input_size": self._input_size,
            "seed": self._seed,
        }


def _checked(name: str, value: Any) -> Any:
    """A probability that is a number, or a tensor as it is."""
    if tf.is_tensor(value):
        return value
    if not 0 <= float(value) <= 1:
        raise ValueError(f"Parameter {name}_keep_prob must be between 0 and 1: {float(value):g}")
    return float(value)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1
