"""`tf.keras.optimizers.Optimizer`: from gradients to steps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.optimizers.schedules.base import LearningRateSchedule
from runnel.keras.optimizers.schedules.names import deserialize as deserialize_schedule
from runnel.keras.optimizers.schedules.names import serialize as serialize_schedule

_Tracked = tf.__internal__.tracking.AutoTrackable


class CallableList(list):
    """A list that may be called, for programs that write `optimizer.variables()`."""

    def __call__(self) -> list[Any]:
        return self


class Optimizer(_Tracked):
    """A rule by which gradients change variables.

    A subclass makes its variables in `build` and changes one model variable in `update_step`.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.SGD(0.5)
    >>> optimizer.apply_gradients([(tf.constant(1.0), v)])
    <tf.Variable 'iteration:0' shape=() dtype=int64, numpy=1>
    >>> float(v)
    0.5
    """

    _built = False
    _learning_rate: Any = None

    def __init__(
        self,
        name: str,
        weight_decay: float | None = 0,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        **kwargs: Any,
    ) -> None:
        self.name = name
        self._name = name
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue = clipnorm, clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.jit_compile = False  # everything is compiled with the step it is part of
        self._wants_jit = jit_compile
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
            )
        if clipnorm is not None and global_clipnorm is not None:
            raise ValueError(
                "At most one of `clipnorm` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, global_clipnorm={global_clipnorm}."
            )
        self._variables: Any = []
        with tf.init_scope():
            self._iterations = tf.Variable(0, name="iteration", dtype=tf.int64, trainable=False)
        self._variables.append(self._iterations)
        self._index_dict: Any = _untracked({})
        _refuse_old_arguments(kwargs)

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
        self._variables[0] = variable
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
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. "
                "Create it with a float to change the rate by hand."
            )
        else:
            self._learning_rate.assign(learning_rate)

    lr = learning_rate

    def _build_learning_rate(self, learning_rate: Any) -> Any:
        with tf.init_scope():
            if isinstance(learning_rate, LearningRateSchedule):
                now = tf.convert_to_tensor(learning_rate(self._iterations))
                self._current_learning_rate = tf.Variable(
                    now, name="current_learning_rate", dtype=now.dtype, trainable=False
                )
                return learning_rate
            return tf.Variable(learning_rate, name="learning_rate", dtype=floatx(), trainable=False)

    def _rate(self, variable: Any) -> Any:
        """The learning rate in the dtype of a variable."""
        return tf.cast(self.learning_rate, variable.dtype)

    def build(self, var_list: Any) -> None:
        """Make the optimizer's variables for those of a model."""
        if self._built:
            return
        self._index_dict = _untracked({self._var_key(v): i for i, v in enumerate(var_list)})
        if self.use_ema:
            self._model_variables_moving_average = [
                self.add_variable_from_reference(v, "average", initial_value=v) for v in var_list
            ]
        if self.weight_decay:
            self._trainable_variables = _untracked(list(var_list))

    def _slots(self, var_list: Any, *names: str) -> list[Any]:
        """A list of slots for each name, made variable by variable."""
        made: list[list[Any]] = [[] for _ in names]
        for variable in var_list:
            for slots, name in zip(made, names, strict=True):
                slots.append(self.add_variable_from_reference(variable, name))
        return made

    def _slot(self, slots: Any, variable: Any) -> Any:
        return slots[self._index_dict[self._var_key(variable)]]

    def _var_key(self, variable: Any) -> int:
        return id(variable)

    def add_variable(
        self, shape: Any, dtype: Any = None, initializer: Any = "zeros", name: str | None = None
    ) -> Any:
        """A variable of the optimizer."""
        from runnel.keras import initializers

        make = initializers.get(initializer) if isinstance(initializer, str) else initializer
        kind = tf.as_dtype(dtype or floatx())
        value = make(tuple(tf.TensorShape(shape).as_list()), dtype=kind) if callable(make) else make
        with tf.init_scope():
            variable = tf.Variable(value, name=name, dtype=kind, trainable=False)
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
        with tf.init_scope():
            if initial_value is None:
                dims = model_variable.shape if shape is None else shape
                initial_value = tf.zeros(dims, model_variable.dtype)
            variable = tf.Variable(
                initial_value=initial_value,
                name=f"{variable_name}/{model_variable.name.split(':')[0]}",
                dtype=model_variable.dtype,
                trainable=False,
            )
        self._variables.append(variable)
        return variable

    @property
    def variables(self) -> CallableList:
        """The variables of the optimizer, the number of steps first."""
        return CallableList(self._variables)

    def compute_gradients(self, loss: Any, var_list: Any, tape: Any = None) -> list[Any]:
        """Pairs of gradients and variables, for a function without arguments or a tape's loss."""
        if not callable(loss) and tape is None:
            raise ValueError(
                f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}."
            )
        if tape is None:
            tape = tf.GradientTape()
        if callable(loss):
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        if callable(var_list):
            var_list = var_list()
        return list(zip(tape.gradient(loss, var_list), var_list, strict=True))

    def minimize(self, loss: Any, var_list: Any, tape: Any = None) -> None:
        """Take one step down a loss."""
        self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Take one step, given pairs of gradients and variables."""
        kwargs.pop("experimental_aggregate_gradients", None)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        self._update_learning_rate()
        pairs = present(list(grads_and_vars))
        if not pairs:
            return self._iterations
        variables = [v for _, v in pairs]
        if not self._built:
            with tf.name_scope(name or self.name or "optimizer"), tf.init_scope():
                self.build(variables)
            self._built = True
        # Rows of a sparse gradient are summed into a dense one: the slots decay as a whole anyhow.
        gradients = self._clip([tf.convert_to_tensor(g) for g, _ in pairs])
        self._check_known(variables)
        self._decay_weights(variables)
        for gradient, variable in zip(gradients, variables, strict=True):
            self.update_step(gradient, variable)
        self._iterations.assign_add(1)
        if self.use_ema:
            self._update_averages(variables)
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        return self._iterations

    def aggregate_gradients(self, grads_and_vars: Any) -> Any:
        """The sum over replicas, of which there is one."""
        return grads_and_vars

    def _update_learning_rate(self) -> None:
        if isinstance(self._learning_rate, LearningRateSchedule):
            now = self._learning_rate(self._iterations)
            self._current_learning_rate.assign(tf.cast(now, self._current_learning_rate.dtype))

    def _check_known(self, variables: list[Any]) -> None:
        for variable in variables:
            if self._var_key(variable) not in self._index_dict:
                raise KeyError(
                    f"The optimizer cannot recognize variable {variable.name}. This usually means "
                    "you are trying to call the optimizer to update different parts of the model "
                    "separately. Please call `optimizer.build(variables)` with the full list of "
                    "trainable variables before the training loop."
                )

    def _clip(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm is not None and self.clipnorm > 0:
            return [tf.clip_by_norm(g, self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None and self.global_clipnorm > 0:
            return list(tf.clip_by_global_norm(gradients, self.global_clipnorm)[0])
        if self.clipvalue is not None and self.clipvalue > 0:
            bound = self.clipvalue
            return [tf.clip_by_value(g, -bound, bound) for g in gradients]
        return gradients

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Leave variables alone, given themselves or patterns of their names."""
        if self._built:
            raise ValueError(
                "`exclude_from_weight_decay()` can only be configured before the optimizer is "
                "built."
            )
        keys = {self._var_key(v) for v in var_list or ()}
        self._excluded = _untracked((keys, list(var_names or ())))

    def _use_weight_decay(self, variable: Any) -> bool:
        keys, patterns = getattr(self, "_excluded", (set(), []))
        if self._var_key(variable) in keys:
            return False
        return not any(re.search(pattern, variable.name) for pattern in patterns)

    def _decay_weights(self, variables: list[Any]) -> None:
        if not self.weight_decay:
            return
        for variable in variables:
            if self._use_weight_decay(variable):
                decay = tf.cast(self.weight_decay, variable.dtype)
                variable.assign_sub(variable * decay * self._rate(variable))

    def _update_averages(self, variables: list[Any]) -> None:
        momentum = self.ema_momentum
        for variable in variables:
            average = self._slot(self._model_variables_moving_average, variable)
            average.assign(momentum * average + (1 - momentum) * variable)
        every = self.ema_overwrite_frequency
        if every:
            now = tf.equal(self._iterations % every, 0)
            for variable in variables:
                average = self._slot(self._model_variables_moving_average, variable)
                variable.assign(tf.where(now, average, variable))

    def finalize_variable_values(self, var_list: Any) -> None:
        """Give the model the averages of its variables, at the end of training."""
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._slot(self._model_variables_moving_average, variable))

    def update_step(self, gradient: Any, variable: Any) -> None:
        """Change one variable of the model."""
        raise NotImplementedError("Optimizer subclasses implement `update_step`.")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return {
            "name": self.name,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "jit_compile": self.jit_compile,
            "is_legacy_optimizer": False,
        }

    def _rate_config(self) -> Any:
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            return serialize_schedule(rate)
        return rate.numpy()

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer with the arguments of `get_config`."""
        config = dict(config)
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = deserialize_schedule(
                config["learning_rate"], custom_objects=custom_objects
            )
        return cls(**config)

    def set_weights(self, weights: Any) -> None:
        """Set the optimizer's variables from a list in their order."""
        if not self._built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. "
                "Please call `optimizer.build(trainable_variables)` first."
            )
        for variable, value in zip(self._variables, weights, strict=True):
            if tuple(variable.shape) != np.shape(value):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible "
                    f"with provided weight shape {np.shape(value)}."
                )
            variable.assign(value)

    def get_weights(self) -> list[Any]:
        """The values of the optimizer's variables, in their order."""
        return [v.numpy() for v in self._variables]

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the variables into `store`, under numbers."""
        for number, variable in enumerate(self._variables):
            store[str(number)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Set the variables from what `save_own_variables` stored."""
        if len(store.keys()) != len(self._variables):
            import warnings

            warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(self._variables)} variables whereas the saved optimizer has "
                f"{len(store.keys())} variables. ",
                stacklevel=2,
            )
            return
        for number, variable in enumerate(self._variables):
            variable.assign(np.asarray(store[str(number)]))


def _untracked(value: Any) -> Any:
    return tf.__internal__.tracking.NoDependency(value)


def present(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that have a gradient; an error if none has."""
    if not pairs:
        return pairs
    found = [(g, v) for g, v in pairs if g is not None]
    missing = [v.name for g, v in pairs if g is None]
    if not found:
        raise ValueError(
            f"No gradients provided for any variable: {missing}. Does the loss depend on them, "
            "and was it computed inside the tape?"
        )
    if missing:
        import logging

        logging.getLogger("tensorflow").warning(
            "Gradients do not exist for variables %s when minimizing the loss. If you're using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            missing,
        )
    return found


def _refuse_old_arguments(kwargs: dict[str, Any]) -> None:
    kwargs.pop("is_legacy_optimizer", None)
    if "decay" in kwargs:
        raise ValueError(
            "decay is deprecated in the new TF-Keras optimizer, please check the docstring for "
            "valid arguments, or use the legacy optimizer, e.g., "
            "tf.keras.optimizers.legacy.SGD."
        )
    if "lr" in kwargs or kwargs:
        raise TypeError(
            f"{', '.join(map(repr, kwargs))} not understood: these are not arguments of this "
            "optimizer. (`lr` is `learning_rate`.)"
        )
