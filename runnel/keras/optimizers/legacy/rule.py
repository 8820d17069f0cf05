"""What Keras's own legacy optimizers share."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon as default_epsilon
from runnel.keras.optimizers.legacy.optimizer import Optimizer
from runnel.keras.optimizers.rows import is_own, rows_with_totals

_APART = ("learning_rate", "decay")


class LegacyRule(Optimizer):
    """A legacy optimizer of this package: mostly `_step`, for whole variables or rows of them."""

    _HAS_AGGREGATE_GRAD = True
    _settings: tuple[str, ...] = ()  # the arguments of its own that are in its config
    _each_row_once = staticmethod(rows_with_totals)
    epsilon: Any

    def __init__(self, learning_rate: Any, name: str, kwargs: Any, **numbers: Any) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        for key, value in numbers.items():
            self._set_hyper(key, value)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        numbers = {n: self._get_hyper(n, var_dtype) for n in self._hyper if n not in _APART}
        apply_state[var_device, var_dtype].update(numbers)

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        """The variable and its slots after a step, element by element."""
        raise NotImplementedError

    def _held(self, variable: Any) -> list[Any]:
        """A variable and its slots."""
        return [variable, *(self.get_slot(variable, name) for name in self.get_slot_names())]

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> None:
        held = self._held(var)
        found = self._step(self._numbers(var, apply_state), grad, *held)
        for variable, value in zip(held, found, strict=True):
            variable.assign(value)

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> None:
        held = self._held(var)
        rows = [tf.gather(variable, indices) for variable in held]
        found = self._step(self._numbers(var, apply_state), grad, *rows)
        for variable, value in zip(held, found, strict=True):
            variable.scatter_update(tf.IndexedSlices(value, indices))

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, var: Any, indices: Any, **kwargs: Any
    ) -> Any:
        if tf.executing_eagerly() or not is_own(self._resource_apply_sparse):
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        rows = self._each_row_once(grad, indices, var)
        return self._resource_apply_sparse(rows, var, indices, **kwargs)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "learning_rate": None, "decay": self._initial_decay}
        for name in ("learning_rate", *self._settings):
            known = name in self._hyper
            config[name] = self._serialize_hyperparameter(name) if known else getattr(self, name)
        return config


class CountedOnlySince(LegacyRule):
    """For weights saved by a Keras that did not save the number of steps."""

    def set_weights(self, weights: Any) -> None:
        super().set_weights([0, *weights] if len(self.weights) == len(weights) + 1 else weights)


def follow(slot: Any, keep: Any, values: Any, indices: Any) -> Any:
    """`slot * keep`, plus `values` in the rows of `indices`; these rows afterwards."""
    slot.assign(slot * keep)
    rows = tf.gather(slot, indices) + values
    slot.scatter_update(tf.IndexedSlices(rows, indices))
    return rows


def or_default(epsilon: Any) -> Any:
    return epsilon or default_epsilon()


def check_momentum(momentum: Any) -> bool:
    """Whether there is momentum; ValueError if it is not between 0 and 1."""
    if isinstance(momentum, int | float) and not 0 <= momentum <= 1:
        raise ValueError(
            f"`momentum` must be between [0, 1]. Received: momentum={momentum} (of type "
            f"{type(momentum)})."
        )
    return isinstance(momentum, tf.Tensor) or callable(momentum) or momentum > 0
