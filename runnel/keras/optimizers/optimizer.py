"""`tf.keras.optimizers.Optimizer`: from gradients to steps."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import runnel as tf
from runnel.keras.engine.naming import argument_hint
from runnel.keras.optimizers.rows import is_own, rows_added_once, unique_rows
from runnel.keras.optimizers.state import OptimizerState, with_schedule
from runnel.keras.saving.config_errors import reads_config

_once = tf.__internal__.distribute.once
_trimmed = tf.__internal__.tracebacks.trimmed


class Optimizer(OptimizerState):
    """A rule by which gradients change variables.

    A subclass makes its variables in `build` and changes one model variable in `update_step`.

    With `jit_compile` the changes of a step are compiled by XLA as one program, where there is an
    accelerator. On a CPU that is left to the function around the step: set the attribute
    afterwards to have it there too.

    With `gradient_accumulation_steps=k`, `apply_gradients` adds gradients up and takes a step by
    their mean every `k`-th time, so that memory for a `k`-th of a batch suffices.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.SGD(0.5)
    >>> optimizer.apply_gradients([(tf.constant(1.0), v)])
    <tf.Variable 'iteration:0' shape=() dtype=int64, numpy=1>
    >>> float(v)
    0.5
    """

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
        gradient_accumulation_steps: int | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = name
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue = clipnorm, clipvalue
        self.global_clipnorm = global_clipnorm
        if clipnorm is not None and global_clipnorm is not None:
            raise ValueError(
                "At most one of `clipnorm` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, global_clipnorm={global_clipnorm}."
            )
        self.gradient_accumulation_steps = _checked_steps(gradient_accumulation_steps)
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        if use_ema:
            _check_ema(ema_momentum, ema_overwrite_frequency)
        self.jit_compile = bool(jit_compile and tf.config.list_physical_devices("GPU"))
        self._make_iterations()
        self._process_kwargs(kwargs)

    def _process_kwargs(self, kwargs: dict[str, Any]) -> None:
        """Arguments of older optimizers: a rate that has another name now, or an error."""
        kwargs.pop("is_legacy_optimizer", None)
        older = f"use the legacy optimizer, e.g., tf.keras.optimizers.legacy.{type(self).__name__}."
        if kwargs.pop("lr", None):
            logging.getLogger("absl").warning(
                "`lr` is deprecated in TF-Keras optimizer and has no effect, please use "
                "`learning_rate` or %s",
                older,
            )
        for name in kwargs:
            if name in ("decay", "gradient_aggregator", "gradient_transformers"):
                raise ValueError(f"{name} is deprecated in the new TF-Keras optimizer, {older}")
            raise TypeError(
                f"{name} is not a valid argument of {type(self).__name__}."
                f"{argument_hint(name, type(self))}"
            )

    def build(self, var_list: Any) -> None:
        """Make the optimizer's variables for those of a model."""
        if self._built:
            return
        if isinstance(var_list, Mapping):
            raise TypeError(f"{self.name}.build: `var_list` is a list, got {type(var_list)}.")
        self._index_dict = {self._var_key(v): i for i, v in enumerate(var_list)}
        if self.gradient_accumulation_steps:
            self._accumulators: Any = [
                self.add_variable_from_reference(v, "accumulator") for v in var_list
            ]
            self._accumulated = self.add_variable((), tf.int64, name="accumulated_gradients")
        if self.use_ema:
            self._model_variables_moving_average: Any = [
                self.add_variable_from_reference(v, "average", initial_value=v) for v in var_list
            ]

    def compute_gradients(self, loss: Any, var_list: Any, tape: Any = None) -> list[Any]:
        """Pairs of gradients and variables, for a function without arguments or a tape's loss."""
        if not callable(loss) and tape is None:
            raise ValueError(
                f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, "
                f"tape={tape}."
            )
        tape = tf.GradientTape() if tape is None else tape
        if callable(loss):
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        if callable(var_list):
            var_list = var_list()
        return list(zip(tape.gradient(loss, var_list), var_list, strict=True))

    @_trimmed
    def minimize(self, loss: Any, var_list: Any, tape: Any = None) -> None:
        """Take one step down a loss.

        Args:
            loss: a tensor, with `tape`, or a function without arguments.
            var_list: the variables.
            tape: the tape on which `loss` was computed.
        """
        self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    @_trimmed
    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Take one step, given pairs of gradients and variables.

        Args:
            grads_and_vars: pairs; those whose gradient is None are left out, with a warning.
            skip_gradients_aggregation: whether replicas keep their gradients to themselves.

        Raises:
            ValueError: all gradients are None.
        """
        aggregate = kwargs.pop("experimental_aggregate_gradients", True)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        pairs = list(grads_and_vars)
        if aggregate and not skip_gradients_aggregation:
            pairs = list(self.aggregate_gradients(pairs))
        if not pairs:
            self._compute_current_learning_rate()
            return self._iterations
        with tf.name_scope(name or self.name or "optimizer"):
            if not self._built:
                with tf.init_scope():
                    self.build([v for _, v in pairs])
                self._built = True
            pairs = present(pairs)
            gradients, variables = [g for g, _ in pairs], [v for _, v in pairs]
            return _once(self._apply, gradients, variables)

    def _apply(self, gradients: list[Any], variables: list[Any]) -> Any:
        if not self.gradient_accumulation_steps:
            return self._take_step(gradients, variables)
        self._check_known(variables)
        sums = [self._slot(self._accumulators, v) for v in variables]
        for total, gradient in zip(sums, gradients, strict=True):
            if isinstance(gradient, tf.IndexedSlices):
                total.scatter_add(gradient)
            else:
                total.assign_add(tf.cast(gradient, total.dtype))
        self._accumulated.assign_add(1)
        count = self.gradient_accumulation_steps

        def step() -> tf.Tensor:
            self._take_step([total / count for total in sums], variables)
            for total in sums:
                total.assign(tf.zeros_like(total))
            return tf.constant(True)

        tf.cond(tf.equal(self._accumulated % count, 0), step, lambda: tf.constant(False))
        return self._iterations

    def _take_step(self, gradients: list[Any], variables: list[Any]) -> Any:
        self._compute_current_learning_rate()
        gradients = self._clip_gradients(gradients)
        gradients = [self._each_row_once(g, v) for g, v in zip(gradients, variables, strict=True)]
        self._check_known(variables)
        self._apply_weight_decay(variables)
        self._update_variables(gradients, variables)
        iteration = self._iterations.assign_add(1)
        if self.use_ema:
            self._update_averages(variables)
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        return iteration

    def aggregate_gradients(self, grads_and_vars: Any) -> Any:
        """The sums of the gradients over replicas."""
        pairs = list(grads_and_vars)
        if pairs and all(g is None for g, _ in pairs):
            raise no_gradients(pairs)
        return summed_over_replicas(pairs)

    def _each_row_once(self, gradient: Any, variable: Any) -> Any:
        """A sparse gradient whose rows can be added one by one."""
        if not isinstance(gradient, tf.IndexedSlices):
            return tf.convert_to_tensor(gradient)
        values, indices = gradient.values, gradient.indices
        if tf.executing_eagerly() or not is_own(self.update_step):
            values, indices = unique_rows(values, indices)
        else:
            values = rows_added_once(values, indices, variable)
        return tf.IndexedSlices(values, indices, gradient.dense_shape)

    def _update_variables(self, gradients: list[Any], variables: list[Any]) -> None:
        update = self._update_step_xla if self.jit_compile else self._update_one_by_one
        update(gradients, variables)

    @tf.function(jit_compile=True, autograph=False)
    def _update_step_xla(self, gradients: list[Any], variables: list[Any]) -> None:
        self._update_one_by_one(gradients, variables)

    def _update_one_by_one(self, gradients: list[Any], variables: list[Any]) -> None:
        self.__dict__["_found_in_step"] = {}
        try:
            for gradient, variable in zip(gradients, variables, strict=True):
                self.update_step(gradient, variable)
        finally:
            del self.__dict__["_found_in_step"]

    def _once_in_step(self, find: Callable[[Any], Any], dtype: Any) -> Any:
        """`find(dtype)`, the same for all variables of that dtype that a step changes."""
        found = self.__dict__.get("_found_in_step", {})
        key = (find.__name__, dtype)
        if key not in found:
            found[key] = find(dtype)
        return found[key]

    def _check_known(self, variables: list[Any]) -> None:
        for variable in variables:
            if self._var_key(variable) not in self._index_dict:
                raise KeyError(
                    f"The optimizer cannot recognize variable {variable.name}. This usually means "
                    "you are trying to call the optimizer to update different parts of the model "
                    "separately. Please call `optimizer.build(variables)` with the full list of "
                    "trainable variables before the training loop or use legacy optimizer "
                    f"`tf.keras.optimizers.legacy.{type(self).__name__}`."
                )

    def _clip_gradients(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm and self.clipnorm > 0:
            return [tf.clip_by_norm(g, self.clipnorm) for g in gradients]
        if self.global_clipnorm and self.global_clipnorm > 0:
            return list(tf.clip_by_global_norm(gradients, self.global_clipnorm)[0])
        if self.clipvalue and self.clipvalue > 0:
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
        self._excluded: Any = self._no_dependency((keys, list(var_names or ())))

    def _use_weight_decay(self, variable: Any) -> bool:
        keys, patterns = getattr(self, "_excluded", ((), ()))
        if self._var_key(variable) in keys:
            return False
        return not any(re.search(pattern, variable.name) for pattern in patterns)

    def _apply_weight_decay(self, variables: list[Any]) -> None:
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
        steps = self.gradient_accumulation_steps
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
            **({"gradient_accumulation_steps": steps} if steps else {}),
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer with the arguments of `get_config`."""
        return cls(**with_schedule(config, custom_objects))


def _checked_steps(steps: Any) -> int | None:
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise ValueError(
            "`gradient_accumulation_steps` must be a whole number from 1 on, or None. Received: "
            f"gradient_accumulation_steps={steps!r}"
        )
    return None if steps == 1 else steps


def _check_ema(momentum: float, every: int | None) -> None:
    if not 0 <= momentum <= 1:
        raise ValueError(
            f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={momentum}"
        )
    if every and (not isinstance(every, int) or every < 1):
        raise ValueError(
            "`ema_overwrite_frequency` must be an integer > 1 or None. Received: "
            f"ema_overwrite_frequency={every}"
        )


def no_gradients(pairs: list[tuple[Any, Any]]) -> ValueError:
    """The error for a loss that depends on none of its variables."""
    names = [v.name for _, v in pairs]
    return ValueError(
        f"No gradients provided for any variable: {names}. Does the loss depend on them, and was "
        "it computed inside the tape?"
    )


def summed_over_replicas(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Pairs whose gradients are the sums of those of all replicas."""
    replica = tf.__internal__.distribute.many_replicas()
    if replica is None:
        return pairs
    made_here = replica.strategy.extended.variable_created_in_scope
    strangers = [v.name for _, v in pairs if not made_here(v)]
    if strangers:
        raise ValueError(
            f"An optimizer changes {strangers}, which were not made in the scope of "
            f"{replica.strategy}: make the model inside `with strategy.scope():`."
        )
    sums = iter(replica.all_reduce("SUM", [g for g, _ in pairs if g is not None]))
    return [(g if g is None else next(sums), v) for g, v in pairs]


def present(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that have a gradient; an error if none has."""
    found = [(g, v) for g, v in pairs if g is not None]
    if pairs and not found:
        raise no_gradients(pairs)
    missing = [v.name for g, v in pairs if g is None]
    if missing:
        logging.getLogger("tensorflow").warning(
            "Gradients do not exist for variables %s when minimizing the loss. If you're using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            missing,
        )
    return found
