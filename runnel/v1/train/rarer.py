"""Rarer optimizers: proximal steps, dual averaging, and gradients of several replicas as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.v1.monitored.hook import SessionRunHook
from runnel.v1.train.optimizer import Optimizer, in_dtype, summed


class ProximalGradientDescentOptimizer(Optimizer):
    """Steps against the gradient, then towards zero by as much as the regularization says."""

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _prepare(self) -> None:
        self._numbers = {
            "alpha": self._number(self._learning_rate, "learning_rate"),
            "l1": self._number(self._l1, "l1_regularization_strength"),
            "l2": self._number(self._l2, "l2_regularization_strength"),
        }

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {k: in_dtype(v, var) for k, v in self._numbers.items()}

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return raw_ops.ResourceApplyProximalGradientDescent(
            var=var.handle, delta=grad, use_locking=self._use_locking, **self._arguments(var)
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyProximalGradientDescent(
            var=var.handle,
            grad=values,
            indices=indices,
            use_locking=self._use_locking,
            **self._arguments(var),
        )


class ProximalAdagradOptimizer(Optimizer):
    """Adagrad with proximal steps."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            make = partial(tf.fill, var.shape, tf.cast(self._first, var.dtype))
            self._slot(var, "accumulator", self._name, make)

    def _prepare(self) -> None:
        self._numbers = {
            "lr": self._number(self._learning_rate, "learning_rate"),
            "l1": self._number(self._l1, "l1_regularization_strength"),
            "l2": self._number(self._l2, "l2_regularization_strength"),
        }

    def _arguments(self, var: Any) -> dict[str, Any]:
        numbers = {k: in_dtype(v, var) for k, v in self._numbers.items()}
        return {"accum": self.get_slot(var, "accumulator").handle, **numbers}

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return raw_ops.ResourceApplyProximalAdagrad(
            var=var.handle, grad=grad, use_locking=self._use_locking, **self._arguments(var)
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyProximalAdagrad(
            var=var.handle,
            grad=values,
            indices=indices,
            use_locking=self._use_locking,
            **self._arguments(var),
        )


class AdagradDAOptimizer(Optimizer):
    """Adagrad by dual averaging: for large sparse models with many zeros."""

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive.")
        super().__init__(use_locking, name)
        self._learning_rate, self._step = learning_rate, global_step
        self._first = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._slot(var, "gradient_accumulator", f"{self._name}")
            make = partial(tf.fill, var.shape, tf.cast(self._first, var.dtype))
            self._slot(var, "gradient_squared_accumulator", f"{self._name}_1", make)

    def _prepare(self) -> None:
        self._numbers = {
            "lr": self._number(self._learning_rate, "learning_rate"),
            "l1": self._number(self._l1, "l1"),
            "l2": self._number(self._l2, "l2"),
        }
        with tf.control_dependencies([]):
            self._count = tf.cast(tf.identity(self._step), tf.int64) + 1

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {
            "gradient_accumulator": self.get_slot(var, "gradient_accumulator").handle,
            "gradient_squared_accumulator": self.get_slot(
                var, "gradient_squared_accumulator"
            ).handle,
            "global_step": self._count,
            "use_locking": self._use_locking,
            **{k: in_dtype(v, var) for k, v in self._numbers.items()},
        }

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return raw_ops.ResourceApplyAdagradDA(var=var.handle, grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyAdagradDA(
            var=var.handle, grad=values, indices=indices, **self._arguments(var)
        )


class SyncReplicasOptimizer(Optimizer):
    """Gradients of several replicas as one step: there is one replica here, whatever is given."""

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        if replicas_to_aggregate != 1 or total_num_replicas not in (None, 1):
            raise NotImplementedError(
                "SyncReplicasOptimizer: graphs run in one process, so that there is one replica."
            )
        super().__init__(use_locking, name)
        self._opt, self._averages = opt, variable_averages
        self._averaged = variables_to_average

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        done = self._opt.apply_gradients(grads_and_vars, global_step, name)
        if self._averages is None:
            return done
        with tf.control_dependencies([done]):
            return self._averages.apply(self._averaged)

    def get_chief_queue_runner(self) -> Any:
        raise NotImplementedError("SyncReplicasOptimizer: one replica needs no queue of tokens.")

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """An operation that does nothing: one replica needs no tokens."""
        return tf.no_op(name="no_init_tokens")

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """A hook that does nothing: one replica waits for nobody."""
        return SessionRunHook()

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        return self._opt.variables()
