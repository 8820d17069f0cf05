"""`tf.keras.optimizers.legacy.Optimizer`: optimizers as they were up to TensorFlow 2.10."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.keras.engine import graph_mode
from runnel.keras.engine.naming import snake_case, unique_name
from runnel.keras.optimizers.legacy.state import LegacyState
from runnel.keras.optimizers.optimizer import present, summed_over_replicas
from runnel.keras.optimizers.rows import unique_rows
from runnel.keras.optimizers.schedules.base import LearningRateSchedule
from runnel.keras.optimizers.state import with_schedule
from runnel.keras.saving.config_errors import reads_config

_ARGUMENTS = {"clipnorm", "clipvalue", "lr", "decay", "global_clipnorm"}
_DTYPES = (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)


def _clipping(name: str) -> property:
    """A bound for gradients, which cannot be set beside functions that change them."""

    def fget(self: Any) -> Any:
        return getattr(self, "_" + name)

    def fset(self: Any, value: Any) -> None:
        if value is not None and self.gradient_transformers:
            raise ValueError(
                f"`{name}` cannot be set when `gradient_transformers` is set. Instead, use the "
                "`gradient_transformers` to specify clipping and other transformations. Received: "
                f"val={value}, gradient_transformers={self.gradient_transformers}."
            )
        setattr(self, "_" + name, value)

    return property(fget, fset, doc="The bound for gradients, None if there is none.")


class Optimizer(LegacyState):
    """A rule by which gradients change variables, with slots beside these.

    A subclass makes slots in `_create_slots`, prepares numbers in `_prepare_local`, and changes a
    variable in `_resource_apply_dense` and `_resource_apply_sparse`.

    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.legacy.SGD(0.5, momentum=0.9)
    >>> optimizer.minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> float(v), float(optimizer.get_slot(v, "momentum"))
    (0.0, -1.0)
    """

    _HAS_AGGREGATE_GRAD = False

    def __init__(
        self,
        name: str,
        gradient_aggregator: Callable[[Any], Any] | None = None,
        gradient_transformers: Any = None,
        **kwargs: Any,
    ) -> None:
        _check(kwargs)
        self._use_locking = True
        self._name = name or unique_name(snake_case(type(self).__name__))
        self._init_state()
        self._initial_decay = kwargs.get("decay") or 0.0
        self.gradient_aggregator = gradient_aggregator or summed_over_replicas
        self.gradient_transformers = gradient_transformers or []
        self.clipnorm = kwargs.get("clipnorm")
        self.global_clipnorm = kwargs.get("global_clipnorm")
        self.clipvalue = kwargs.get("clipvalue")
        if self.clipnorm is not None and self.global_clipnorm is not None:
            raise ValueError(
                "Cannot accept both `clipnorm` and `global_clipnorm`. Received: "
                f"`clipnorm`={self.clipnorm}, `global_clipnorm`={self.global_clipnorm}."
            )

    @property
    def _object_identifier(self) -> str:
        return "optimizer"  # by which TensorFlow knows that slots can be added

    clipnorm = _clipping("clipnorm")
    clipvalue = _clipping("clipvalue")
    global_clipnorm = _clipping("global_clipnorm")

    def minimize(
        self, loss: Any, var_list: Any, grad_loss: Any = None, name: Any = None, tape: Any = None
    ) -> Any:
        """Take one step down a loss: a function without arguments, or a tensor of a tape."""
        pairs = self._compute_gradients(loss, var_list=var_list, grad_loss=grad_loss, tape=tape)
        return self.apply_gradients(pairs, name=name)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None, tape: Any = None
    ) -> list[Any]:
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
        with tape:
            loss = self._transform_loss(loss)
        variables = tf.nest.flatten(var_list() if callable(var_list) else var_list)
        with tf.name_scope(self._name + "/gradients"):
            pairs = self._get_gradients(tape, loss, variables, grad_loss)
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def _transform_loss(self, loss: Any) -> Any:
        return loss

    def _get_gradients(self, tape: Any, loss: Any, var_list: Any, grad_loss: Any = None) -> Any:
        return list(zip(tape.gradient(loss, var_list, grad_loss), var_list, strict=True))

    def _assert_valid_dtypes(self, tensors: Any) -> None:
        for tensor in tensors:
            if tensor.dtype not in self._valid_dtypes():
                raise ValueError(
                    f"Invalid type {tensor.dtype} for {tensor.name}, expected: "
                    f"{list(self._valid_dtypes())}."
                )

    def _valid_dtypes(self) -> Any:
        return _DTYPES

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """Take one step, given pairs of gradients and variables."""
        pairs = present(list(grads_and_vars))
        variables = [v for _, v in pairs]
        with tf.name_scope(self._name):
            with tf.init_scope():
                self._create_all_weights(variables)
            if not pairs:
                return None
            if experimental_aggregate_gradients:
                pairs = self._transform_unaggregated_gradients(pairs)
                pairs = self._aggregate_gradients(pairs)
            variables = [v for _, v in pairs]
            return tf.__internal__.distribute.once(
                functools.partial(self._apply, variables, name), [g for g, _ in pairs]
            )

    def _apply(self, variables: list[Any], name: str | None, gradients: list[Any]) -> Any:
        prepared = self._prepare(variables)
        pairs = self._transform_gradients(list(zip(gradients, variables, strict=True)))
        with tf.name_scope(name or self._name):
            place = graph_mode.place_in_graph()
            for gradient, variable in pairs:
                self._apply_to(variable, gradient, prepared)
            with graph_mode.after_changes_since(place):
                return self.iterations.assign_add(1)

    def _create_all_weights(self, var_list: Any) -> None:
        _ = self.iterations
        self._create_hypers()
        self._create_slots(var_list)

    def _create_slots(self, var_list: Any) -> None:
        """Make the slots of variables."""

    def _transform_unaggregated_gradients(self, grads_and_vars: Any) -> Any:
        return grads_and_vars

    def _aggregate_gradients(self, grads_and_vars: Any) -> Any:
        return self.gradient_aggregator(grads_and_vars)

    def _transform_gradients(self, grads_and_vars: Any) -> Any:
        """Gradients within their bounds, changed by what the program has given."""
        if self.clipvalue is not None:
            bound = self.clipvalue
            grads_and_vars = [(tf.clip_by_value(g, -bound, bound), v) for g, v in grads_and_vars]
        if self.clipnorm is not None:
            grads_and_vars = [(tf.clip_by_norm(g, self.clipnorm), v) for g, v in grads_and_vars]
        if self.global_clipnorm is not None:
            gradients, variables = zip(*grads_and_vars, strict=True)
            clipped, _ = tf.clip_by_global_norm(gradients, self.global_clipnorm)
            grads_and_vars = list(zip(clipped, variables, strict=True))
        for transform in self.gradient_transformers:
            grads_and_vars = transform(grads_and_vars)
        return grads_and_vars

    def _apply_to(self, variable: Any, gradient: Any, prepared: Any) -> None:
        if isinstance(variable, tf.Tensor):
            raise NotImplementedError(
                f"Updating a `Tensor` is not implemented. Received: var={variable}."
            )
        if isinstance(gradient, tf.IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError(
                    "Cannot use a constraint function on a sparse variable. Received: "
                    f"grad={gradient}, var.constraint={variable.constraint}."
                )
            self._resource_apply_sparse_duplicate_indices(
                gradient.values,
                variable,
                gradient.indices,
                **_accepted(self._resource_apply_sparse, prepared),
            )
            return
        accepted = _accepted(self._resource_apply_dense, prepared)
        self._resource_apply_dense(tf.convert_to_tensor(gradient), variable, **accepted)
        if variable.constraint is not None:
            variable.assign(variable.constraint(variable))

    def _prepare(self, var_list: Any) -> dict[Any, dict[str, Any]]:
        """The numbers of a step, by the device and dtype of the variables."""
        prepared: dict[Any, dict[str, Any]] = {}
        for key in {(v.device, v.dtype): None for v in var_list}:
            prepared[key] = {}
            self._prepare_local(*key, prepared)
        return prepared

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        if "learning_rate" in self._hyper:
            rate = tf.identity(self._decayed_lr(var_dtype))
            apply_state[var_device, var_dtype]["lr_t"] = rate

    def _fallback_apply_state(self, var_device: Any, var_dtype: Any) -> dict[str, Any]:
        apply_state: dict[Any, dict[str, Any]] = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, apply_state)
        return apply_state[var_device, var_dtype]

    def _numbers(self, variable: Any, apply_state: Any) -> dict[str, Any]:
        """The numbers of a step for one variable."""
        key = (variable.device, variable.dtype)
        return (apply_state or {}).get(key) or self._fallback_apply_state(*key)

    def _decayed_lr(self, var_dtype: Any) -> Any:
        """The learning rate at this step."""
        rate = self._get_hyper("learning_rate", var_dtype)
        step = tf.cast(self.iterations, var_dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = tf.cast(rate(step), var_dtype)
        if self._initial_decay > 0.0:
            rate = rate / (1.0 + tf.cast(self._initial_decay, var_dtype) * step)
        return rate

    def _resource_apply_dense(self, grad: Any, handle: Any, apply_state: Any) -> Any:
        raise NotImplementedError("`_resource_apply_dense` must be implemented in subclasses.")

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any, apply_state: Any) -> Any:
        raise NotImplementedError("`_resource_apply_sparse` must be implemented in subclasses.")

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, var: Any, indices: Any, **kwargs: Any
    ) -> Any:
        """Apply a sparse gradient in which a row may come more than once."""
        values, indices = unique_rows(grad, indices)
        return self._resource_apply_sparse(values, var, indices, **kwargs)

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        return x.scatter_add(tf.IndexedSlices(v, i)).value()

    def _resource_scatter_update(self, x: Any, i: Any, v: Any) -> Any:
        return x.scatter_update(tf.IndexedSlices(v, i)).value()

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The gradients of a tensor of the graph that is being built."""
        params = tf.nest.flatten(params)
        eagerly = tf.executing_eagerly()
        with tf.name_scope(self._name + "/gradients"):
            found = [None] * len(params) if eagerly else tf.gradients(loss, params)
        for gradient, variable in zip(found, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"Variable {variable} has `None` for gradient. Please make sure that the loss "
                    "is computed from it in a graph (with eager tensors, use `minimize` or a "
                    "tape), and that all of your ops have a gradient defined."
                )
        return found

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """Take one step down a tensor of the graph that is being built."""
        pairs = list(zip(self.get_gradients(loss, params), params, strict=True))
        self._assert_valid_dtypes([v for _, v in pairs])
        return [self.apply_gradients(pairs)]

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        bounds = {name: getattr(self, name) for name in ("clipnorm", "clipvalue")}
        bounds["global_clipnorm"] = self.global_clipnorm
        return {"name": self._name, **{k: v for k, v in bounds.items() if v is not None}}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer with the arguments of `get_config`."""
        config = with_schedule(config, custom_objects)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        return cls(**config)


def _check(kwargs: dict[str, Any]) -> None:
    for name, value in kwargs.items():
        if name not in _ARGUMENTS:
            raise TypeError(
                f"Unexpected keyword argument passed to optimizer: {name}. Allowed kwargs are "
                f"{sorted(_ARGUMENTS)}."
            )
        if value is not None and value < 0:
            raise ValueError(f"Expected {name} >= 0, received: {value}")
        if name == "lr":
            warnings.warn(
                "The `lr` argument is deprecated, use `learning_rate` instead.", stacklevel=4
            )


@functools.cache
def _takes_state(function: Any) -> bool:
    return "apply_state" in inspect.signature(function).parameters


def _accepted(method: Any, apply_state: Any) -> dict[str, Any]:
    """The numbers of the step, if a program's method takes them: older ones do not."""
    takes = _takes_state(getattr(method, "__func__", method))
    return {"apply_state": apply_state} if takes else {}
