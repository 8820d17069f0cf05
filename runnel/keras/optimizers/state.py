"""What an optimizer keeps: steps taken, learning rate, and variables beside those of the model."""

from __future__ import annotations

import functools
import logging
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import initializers
from runnel.keras.engine.graph_mode import at_once, new_variable
from runnel.keras.engine.settings import floatx
from runnel.keras.optimizers.schedules.base import LearningRateSchedule
from runnel.keras.optimizers.schedules.names import deserialize as deserialize_schedule
from runnel.keras.optimizers.schedules.names import serialize as serialize_schedule

_NEW_RATE = (
    "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
    "constructor argument, hence its learning rate is not settable. Create it with a float to "
    "change the rate by hand."
)


class CallableList(list):
    """A list that may be called, for programs that write `optimizer.variables()`."""

    def __call__(self) -> list[Any]:
        return self


def _device_of(variable: Any) -> Any:
    """The device of a variable, as this process names it."""
    whole = tf.DeviceSpec.from_string(variable.device)
    if whole.device_type is None:
        return None
    return tf.DeviceSpec(device_type=whole.device_type, device_index=whole.device_index)


class OptimizerState(tf.__internal__.tracking.AutoTrackable):
    """Part of `Optimizer`: its variables."""

    name: Any
    _built = False
    _learning_rate: Any = None
    _index_dict: Any

    def _make_iterations(self) -> None:
        with tf.init_scope():
            self._iterations = new_variable(
                0,
                name="iteration",
                dtype=tf.int64,
                trainable=False,
                aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
            )
        self._variables: Any = [self._iterations]

    @property
    def iterations(self) -> Any:
        """The number of steps taken."""
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._built:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                f"created. Here it is attempting to set `iterations` to {variable}."
            )
        self._variables = [variable, *self._variables[1:]]
        self._iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The variable with the rate, as it is now."""
        if self._learning_rate is None:
            raise ValueError("Missing learning rate, please set self.learning_rate at creation.")
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._current_learning_rate
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        if isinstance(learning_rate, LearningRateSchedule):
            self._learning_rate = self._build_learning_rate(learning_rate)
        elif isinstance(self._learning_rate, LearningRateSchedule):
            raise TypeError(_NEW_RATE)
        else:
            self._learning_rate.assign(learning_rate)

    lr = learning_rate

    def _build_learning_rate(self, learning_rate: Any) -> Any:
        with tf.init_scope():
            if isinstance(learning_rate, LearningRateSchedule):
                now = tf.convert_to_tensor(learning_rate(self._iterations))
                self._current_learning_rate = new_variable(
                    now, name="current_learning_rate", dtype=now.dtype, trainable=False
                )
                return learning_rate
            return new_variable(
                learning_rate, name="learning_rate", dtype=floatx(), trainable=False
            )

    def _compute_current_learning_rate(self) -> None:
        if isinstance(self._learning_rate, LearningRateSchedule):
            now = self._learning_rate(self._iterations)
            self._current_learning_rate.assign(tf.cast(now, self._current_learning_rate.dtype))

    def _rate(self, variable: Any) -> Any:
        """The learning rate in the dtype of a variable."""
        return tf.cast(self.learning_rate, variable.dtype)

    def _step_number(self, dtype: Any) -> Any:
        """The number of the step that is being taken, from 1 on."""
        return tf.cast(self.iterations + 1, dtype)

    @at_once
    def _serialize_hyperparameter(self, hyperparameter: Any) -> Any:
        """A number or a schedule as a config holds it."""
        if isinstance(hyperparameter, LearningRateSchedule):
            return serialize_schedule(hyperparameter)
        if isinstance(hyperparameter, tf.Variable):
            return hyperparameter.numpy()
        return hyperparameter() if callable(hyperparameter) else hyperparameter

    def _var_key(self, variable: Any) -> str:
        if not hasattr(variable, "_unique_id"):
            raise TypeError(f"An optimizer takes variables, got {variable!r}.")
        return variable._unique_id

    def _slots(self, var_list: Any, *names: str) -> list[Any]:
        """A list of slots for each name, made variable by variable."""
        made: list[list[Any]] = [[] for _ in names]
        for variable in var_list:
            for slots, name in zip(made, names, strict=True):
                slots.append(self.add_variable_from_reference(variable, name))
        return made

    def _slot(self, slots: Any, variable: Any) -> Any:
        return slots[self._index_dict[self._var_key(variable)]]

    def add_variable(
        self, shape: Any, dtype: Any = None, initializer: Any = "zeros", name: str | None = None
    ) -> Any:
        """A variable of the optimizer."""
        make = initializers.get(initializer) if isinstance(initializer, str) else initializer
        dims = () if shape is None else tuple(tf.TensorShape(shape).as_list())
        with tf.init_scope():
            kind = tf.as_dtype(dtype or floatx())
            variable = new_variable(lambda: make(dims, kind), name=name, trainable=False)
        self._variables.append(variable)
        return variable

    def add_variable_from_reference(
        self,
        model_variable: Any,
        variable_name: str,
        shape: Any = None,
        initial_value: Any = None,
    ) -> Any:
        """A variable of the optimizer that goes with one of the model."""
        dtype = getattr(model_variable, "true_dtype", model_variable.dtype)
        with tf.init_scope(), tf.device(_device_of(model_variable)):
            if initial_value is None:
                dims = model_variable.shape if shape is None else shape
                known = tf.TensorShape(dims).is_fully_defined()
                size = dims if known else tf.shape(model_variable)
                initial_value = functools.partial(tf.zeros, size, dtype)
            variable = new_variable(
                initial_value,
                name=f"{variable_name}/{model_variable._shared_name}",
                dtype=dtype,
                trainable=False,
            )
        self._variables.append(variable)
        return variable

    @property
    def variables(self) -> CallableList:
        """The variables of the optimizer, the number of steps first."""
        return CallableList(self._variables)

    def get_weights(self) -> list[Any]:
        """The values of the optimizer's variables, in their order."""
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights: Any) -> None:
        """Set the optimizer's variables from a list in their order."""
        if not self._built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. "
                "Please call `optimizer.build(trainable_variables)` to create the optimizer "
                "weights before calling `set_weights()`."
            )
        for variable, value in zip(self.variables, weights, strict=True):
            if tuple(variable.shape) != np.shape(value):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible "
                    f"with provided weight shape {np.shape(value)}."
                )
            variable.assign(value)

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the variables into `store`, under numbers."""
        for number, variable in enumerate(self.variables):
            store[str(number)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Set the variables from what `save_own_variables` stored."""
        if len(store.keys()) != len(self.variables):
            logging.getLogger("absl").warning(
                "Skipping variable loading for optimizer '%s', because it has %d variables "
                "whereas the saved optimizer has %d variables. ",
                self.name,
                len(self.variables),
                len(store.keys()),
            )
            return
        for number, variable in enumerate(self.variables):
            variable.assign(np.asarray(store[str(number)]))

    def _create_or_restore_slot_variable(self, **kwargs: Any) -> None:
        kind = type(self).__name__
        raise ValueError(
            "You are trying to restore a checkpoint from a legacy TF-Keras optimizer into a v2.11+ "
            "Optimizer, which can cause errors. Use an instance of the legacy class, e.g. "
            f"`tf.keras.optimizers.legacy.{kind}`, to read it."
        )


def with_schedule(config: dict[str, Any], custom_objects: Any) -> dict[str, Any]:
    """A copy of a config, with the schedule that its learning rate may be."""
    config = dict(config)
    if isinstance(config.get("learning_rate"), dict):
        config["learning_rate"] = deserialize_schedule(
            config["learning_rate"], custom_objects=custom_objects
        )
    return config
