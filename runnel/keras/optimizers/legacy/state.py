"""What a legacy optimizer keeps: numbers that may change, weights, and slots for variables.

Numbers (`learning_rate`, `beta_1` …) become variables when they are first needed, tracked under
their names. A slot belongs to an optimizer and a variable; checkpoints keep it with the variable.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import initializers
from runnel.keras.engine.graph_mode import at_once, new_variable
from runnel.keras.optimizers.schedules.base import LearningRateSchedule
from runnel.keras.optimizers.schedules.names import serialize as serialize_schedule

_FIRST = tf.VariableAggregation.ONLY_FIRST_REPLICA


class LegacyState(tf.__internal__.tracking.Trackable):
    """Part of `Optimizer`: its numbers, weights and slots."""

    _name: str
    _hyper: dict[str, Any]
    _hypers_created: bool
    _slots: dict[str, dict[str, Any]]
    _slot_names: list[str]
    _weights: list[Any]
    _iterations: Any
    _deferred_slot_restorations: dict[tuple[str, str], list[Any]]

    def _init_state(self) -> None:
        self._hyper, self._hypers_created = {}, False
        self._slots, self._slot_names = {}, []
        self._weights, self._iterations = [], None
        self._deferred_slot_restorations = {}

    def __getattr__(self, name: str) -> Any:
        wanted = "learning_rate" if name == "lr" else name
        if wanted in self.__dict__.get("_hyper", ()):
            return self._get_hyper(wanted)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        name = "learning_rate" if name == "lr" else name
        if name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        rate = ["lr"] if "learning_rate" in self._hyper else []
        return sorted({*super().__dir__(), *self._hyper, *rate})

    def _set_hyper(self, name: str, value: Any) -> None:
        """Give a number a value; what is a variable already is assigned to."""
        if isinstance(value, tf.__internal__.tracking.Trackable):
            self._track_trackable(value, name, overwrite=True)
        before = self._hyper.get(name)
        if isinstance(before, tf.Variable) and not isinstance(value, LearningRateSchedule):
            before.assign(value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        """A number, as a tensor of a dtype if one is given; a schedule is given as it is."""
        self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        value = value() if _is_function(value) else value
        return tf.cast(value, dtype) if dtype else value

    def _create_hypers(self) -> None:
        """Make variables of the numbers."""
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items()):
            if not isinstance(value, tf.Tensor | tf.Variable) and not callable(value):
                self._hyper[name] = self.add_weight(
                    name, shape=[], trainable=False, initializer=value, aggregation=_FIRST
                )
        self._hypers_created = True

    @at_once
    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        """A number or a schedule as a config holds it."""
        value = self._hyper[hyperparameter_name]
        if isinstance(value, LearningRateSchedule):
            return serialize_schedule(value)
        if tf.is_tensor(value):
            return value.numpy()
        return value() if callable(value) else value

    @property
    def iterations(self) -> Any:
        """The number of steps taken."""
        if self._iterations is None:
            self._iterations = self.add_weight(
                "iter", shape=[], dtype=tf.int64, trainable=False, aggregation=_FIRST
            )
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                f"created. Here it is attempting to set `iterations` to {variable}."
            )
        self._iterations = variable
        self._weights.append(variable)

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = "zeros",
        trainable: bool | None = None,
        synchronization: Any = tf.VariableSynchronization.AUTO,
        aggregation: Any = tf.VariableAggregation.NONE,
    ) -> Any:
        """A variable of the optimizer, tracked under its name."""
        if synchronization is tf.VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        with tf.init_scope():
            variable = new_variable(
                _start(initializer, shape, tf.as_dtype(dtype or tf.float32)),
                name=name,
                dtype=dtype or tf.float32,
                trainable=True if trainable is None else trainable,
                synchronization=synchronization,
                aggregation=aggregation,
            )
        self._track_trackable(variable, name, overwrite=True)
        return variable

    def get_slot_names(self) -> list[str]:
        """The names of the slots that variables have."""
        return self._slot_names

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The slot of a variable."""
        return self._slots[var._unique_id][slot_name]

    def add_slot(
        self, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Any:
        """The slot of a variable, made if it is not there yet."""
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        slots = self._slots.setdefault(var._unique_id, {})
        if slot_name not in slots:
            dtype = getattr(var, "true_dtype", var.dtype)
            with tf.init_scope():
                slots[slot_name] = new_variable(
                    _start(initializer, var.shape if shape is None else shape, dtype),
                    name=f"{var._shared_name}/{slot_name}",
                    dtype=dtype,
                    trainable=False,
                )
            self._weights.append(slots[slot_name])
            self._restore_slot_variable(slot_name, var, slots[slot_name])
        return slots[slot_name]

    def _restore_slot_variable(self, slot_name: str, variable: Any, slot_variable: Any) -> None:
        """Give a new slot what a checkpoint has had for it."""
        for position in self._deferred_slot_restorations.pop((slot_name, variable._unique_id), ()):
            position.restore(slot_variable)

    def _create_or_restore_slot_variable(
        self,
        slot_variable_position: Any,
        slot_name: str,
        variable: Any,
        slot_variable_shape: Any = None,
    ) -> None:
        """Give a slot what a checkpoint has for it; one that cannot be made yet gets it later."""
        slots = self._slots.get(variable._unique_id, {})
        if slot_name not in slots and tf.executing_eagerly():
            shape = slot_variable_shape or slot_variable_position.value_shape()
            with tf.name_scope(self._name):
                self.add_slot(variable, slot_name, shape=shape)
            slots = self._slots[variable._unique_id]
        if slot_name in slots:
            slot_variable_position.restore(slots[slot_name])
        else:
            key = (slot_name, variable._unique_id)
            self._deferred_slot_restorations.setdefault(key, []).append(slot_variable_position)

    @property
    def weights(self) -> list[Any]:
        """The number of steps and the slots, in the order in which they were made."""
        return self._weights

    def variables(self) -> list[Any]:
        """The number of steps and the slots, in the order in which they were made."""
        return self.weights

    def get_weights(self) -> list[Any]:
        """The values of `weights`."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Set `weights` from a list in their order."""
        held = self.weights
        if len(held) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a weight list "
                f"of length {len(weights)}, but the optimizer was expecting {len(held)} weights. "
                f"Provided weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(held, weights, strict=True):
            if tuple(variable.shape) != np.shape(value):
                raise ValueError(
                    f"Optimizer weight shape {variable.shape} not compatible with provided weight "
                    f"shape {np.shape(value)}."
                )
        for variable, value in zip(held, weights, strict=True):
            variable.assign(value)

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the weights into `store`, under numbers."""
        for number, weight in enumerate(self.weights):
            store[str(number)] = weight.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Set the weights from what `save_own_variables` stored; tf_keras's files have nothing."""
        if len(store.keys()) == len(self.weights):
            self.set_weights([np.asarray(store[str(n)]) for n in range(len(self.weights))])


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, tf.Tensor | tf.Variable)


def _start(initializer: Any, shape: Any, dtype: Any) -> Any:
    """The first value of a variable, or a function that makes it."""
    if not isinstance(initializer, str) and not _is_function(initializer):
        return initializer
    dims = tuple(tf.TensorShape(shape).as_list())
    return functools.partial(initializers.get(initializer), dims, dtype=dtype)
