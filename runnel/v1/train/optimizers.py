"""The optimizers of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.v1.train.optimizer import Optimizer, in_dtype, summed


class GradientDescentOptimizer(Optimizer):
    """Steps against the gradient.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=2.0)
    ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(v * v)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(step)
    ...     session.run(v)
    np.float32(1.0)
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._rate = self._number(self._learning_rate, "learning_rate")

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        return raw_ops.ResourceApplyGradientDescent(
            var=var.handle,
            alpha=in_dtype(self._rate, var),
            delta=grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        return raw_ops.ResourceScatterAdd(
            resource=var.handle,
            indices=grad.indices,
            updates=-grad.values * in_dtype(self._rate, var),
        )


class MomentumOptimizer(Optimizer):
    """Steps along a velocity that gradients change."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._rate = self._number(self._learning_rate, "learning_rate")
        self._share = self._number(self._momentum, "momentum")

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "momentum").handle,
            "lr": in_dtype(self._rate, var),
            "momentum": in_dtype(self._share, var),
            "use_locking": self._use_locking,
            "use_nesterov": self._use_nesterov,
        }

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        return raw_ops.ResourceApplyMomentum(grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyMomentum(
            grad=values, indices=indices, **self._arguments(var)
        )


class AdamOptimizer(Optimizer):
    """Adam, after Kingma and Ba."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: v.name)
        beta1, beta2 = map(self._call_if_callable, (self._beta1, self._beta2))
        self._powers = (
            self._non_slot("beta1_power", beta1, first),
            self._non_slot("beta2_power", beta2, first),
        )
        for var in var_list:
            self._slot(var, "m", self._name)
            self._slot(var, "v", self._name)

    def _prepare(self) -> None:
        self._rate = self._number(self._lr, "learning_rate")
        self._betas = self._number(self._beta1, "beta1"), self._number(self._beta2, "beta2")
        self._small = self._number(self._epsilon, "epsilon")

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        return raw_ops.ResourceApplyAdam(
            var=var.handle,
            m=self.get_slot(var, "m").handle,
            v=self.get_slot(var, "v").handle,
            beta1_power=in_dtype(self._powers[0].value(), var),
            beta2_power=in_dtype(self._powers[1].value(), var),
            lr=in_dtype(self._rate, var),
            beta1=in_dtype(self._betas[0], var),
            beta2=in_dtype(self._betas[1], var),
            epsilon=in_dtype(self._small, var),
            grad=grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        """All rows decay, those of the gradient move on; so all of the variable changes."""
        values, indices = summed(grad)
        power1, power2 = (in_dtype(p.value(), var) for p in self._powers)
        beta1, beta2 = (in_dtype(b, var) for b in self._betas)
        rate = in_dtype(self._rate, var) * tf.sqrt(1 - power2) / (1 - power1)
        m = self._decayed(self.get_slot(var, "m"), beta1, values * (1 - beta1), indices)
        v = self._decayed(self.get_slot(var, "v"), beta2, values * values * (1 - beta2), indices)
        change = rate * m / (tf.sqrt(v) + in_dtype(self._small, var))
        return var.assign_sub(change, read_value=False)

    def _decayed(
        self, slot: Any, beta: tf.Tensor, rows: tf.Tensor, indices: tf.Tensor
    ) -> tf.Tensor:
        with tf.control_dependencies([slot.assign(slot * beta, read_value=False)]):
            added = raw_ops.ResourceScatterAdd(resource=slot.handle, indices=indices, updates=rows)
        with tf.control_dependencies([added]):
            return slot.read_value()  # type: ignore[no-any-return]

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        with tf.control_dependencies(update_ops):
            grown = [
                power.assign(power * in_dtype(beta, power), read_value=False)
                for power, beta in zip(self._powers, self._betas)
            ]
        return tf.group(*update_ops, *grown, name=name_scope)


class AdagradOptimizer(Optimizer):
    """Steps that get smaller with the sum of the squares of gradients."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            shape, dtype = var.shape.as_list(), var.dtype
            self._slot(var, "accumulator", self._name, partial(_filled, shape, self._first, dtype))

    def _prepare(self) -> None:
        self._rate = self._number(self._learning_rate, "learning_rate")

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "accumulator").handle,
            "lr": in_dtype(self._rate, var),
            "use_locking": self._use_locking,
        }

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        return raw_ops.ResourceApplyAdagrad(grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyAdagrad(
            grad=values, indices=indices, **self._arguments(var)
        )


def _filled(shape: list[int], value: float, dtype: Any) -> tf.Tensor:
    return tf.fill(shape, value) if dtype.name == "float32" else tf.ones(shape, dtype) * value  # type: ignore[no-any-return]


class AdadeltaOptimizer(Optimizer):
    """Adadelta, after Zeiler."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._slot(var, "accum", self._name)
            self._slot(var, "accum_update", self._name)

    def _prepare(self) -> None:
        self._rate = self._number(self._lr, "lr")
        self._decay = self._number(self._rho, "rho")
        self._small = self._number(self._epsilon, "epsilon")

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "accum").handle,
            "accum_update": self.get_slot(var, "accum_update").handle,
            "lr": in_dtype(self._rate, var),
            "rho": in_dtype(self._decay, var),
            "epsilon": in_dtype(self._small, var),
            "use_locking": self._use_locking,
        }

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        return raw_ops.ResourceApplyAdadelta(grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        return raw_ops.ResourceSparseApplyAdadelta(
            grad=values, indices=indices, **self._arguments(var)
        )


class RMSPropOptimizer(Optimizer):
    """Steps divided by the root of the mean of the squares of gradients."""

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            shape, dtype = var.shape, var.dtype
            self._slot(var, "rms", self._name, partial(tf.ones, shape, dtype))
            if self._centered:
                self._slot(var, "mg", self._name)
            self._slot(var, "momentum", self._name, partial(tf.zeros, shape, dtype))

    def _prepare(self) -> None:
        self._rate = self._number(self._learning_rate, "learning_rate")
        self._rho = self._number(self._decay, "decay")
        self._share = self._number(self._momentum, "momentum")
        self._small = self._number(self._epsilon, "epsilon")

    def _arguments(self, var: Any) -> dict[str, Any]:
        found = {
            "var": var.handle,
            "ms": self.get_slot(var, "rms").handle,
            "mom": self.get_slot(var, "momentum").handle,
            "lr": in_dtype(self._rate, var),
            "rho": in_dtype(self._rho, var),
            "momentum": in_dtype(self._share, var),
            "epsilon": in_dtype(self._small, var),
            "use_locking": self._use_locking,
        }
        return {**found, "mg": self.get_slot(var, "mg").handle} if self._centered else found

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        centered, plain = raw_ops.ResourceApplyCenteredRMSProp, raw_ops.ResourceApplyRMSProp
        return (centered if self._centered else plain)(grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        centered = raw_ops.ResourceSparseApplyCenteredRMSProp
        run = centered if self._centered else raw_ops.ResourceSparseApplyRMSProp
        return run(grad=values, indices=indices, **self._arguments(var))


class FtrlOptimizer(Optimizer):
    """FTRL-Proximal, after McMahan and others."""

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for title, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0.0:
                raise ValueError(f"`{title}` must not be negative, got {value}.")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"`learning_rate_power` must not be positive, got {learning_rate_power}."
            )
        self._learning_rate, self._power = learning_rate, learning_rate_power
        self._first, self._names = initial_accumulator_value, (accum_name, linear_name)
        self._l1 = l1_regularization_strength
        self._l2, self._beta = l2_regularization_strength, beta or 0.0
        self._shrinkage = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            shape, dtype = var.shape.as_list(), var.dtype
            accum, linear = (name or self._name for name in self._names)
            self._slot(
                var,
                "accum",
                accum,
                partial(_filled, shape, self._first, dtype),
            )
            self._slot(var, "linear", linear)

    def _prepare(self) -> None:
        self._rate = self._number(self._learning_rate, "learning_rate")
        self._adjusted = self._number(self._l2, "l2") + self._beta / (2.0 * self._rate)

    def _arguments(self, var: Any) -> dict[str, Any]:
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "accum").handle,
            "linear": self.get_slot(var, "linear").handle,
            "lr": in_dtype(self._rate, var),
            "l1": in_dtype(self._number(self._l1, "l1"), var),
            "l2": in_dtype(self._adjusted, var),
            "lr_power": in_dtype(self._number(self._power, "lr_power"), var),
            "use_locking": self._use_locking,
            **self._shrunk(var),
        }

    def _shrunk(self, var: Any) -> dict[str, Any]:
        """The argument of the ops that shrink weights, where that is asked for."""
        if self._shrinkage:
            return {"l2_shrinkage": in_dtype(self._number(self._shrinkage, "l2_shrinkage"), var)}
        return {}

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        op = raw_ops.ResourceApplyFtrlV2 if self._shrinkage else raw_ops.ResourceApplyFtrl
        return op(grad=grad, **self._arguments(var))

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        shrinks = self._shrinkage > 0.0
        op = raw_ops.ResourceSparseApplyFtrlV2 if shrinks else raw_ops.ResourceSparseApplyFtrl
        return op(grad=values, indices=indices, **self._arguments(var))
