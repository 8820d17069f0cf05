"""`tf.compat.v1.mixed_precision`: losses that are scaled up, so that small gradients survive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.settings.logging import warning
from runnel.core.state.trackable import Trackable
from runnel.v1.train.optimizer import GradsAndVars, Optimizer
from runnel.v1.variables.variable import make_variable


class LossScale(Trackable):
    """The base of loss scales: called, they give the scale; `update` adapts it to gradients."""

    def __init__(self) -> None:
        self._weights: dict[str, Any] = {}

    def __call__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} says not what the scale is.")

    def update(self, grads: Any) -> tuple[Any, Any]:
        """What updates the scale, and whether the gradients should be applied."""
        raise NotImplementedError(f"{type(self).__name__} says not how the scale changes.")

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Any:
        """A variable of the scale."""
        if name in self._weights:
            raise RuntimeError(f"{type(self).__name__} has a variable {name!r} already.")
        made = make_variable(
            initial_value, trainable=False, name=name, dtype=dtype, use_resource=True
        )
        self._weights[name] = made
        self._track_trackable(made, name)
        return made

    def get_config(self) -> dict[str, Any]:
        """The arguments with which such a scale can be made again."""
        raise NotImplementedError(f"{type(self).__name__} has no config.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


class FixedLossScale(LossScale):
    """A scale that never changes.

    >>> float(tf.compat.v1.mixed_precision.FixedLossScale(8)())
    8.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError(f"`loss_scale_value` must be a number, got {loss_scale_value!r}.")
        if loss_scale_value < 1:
            raise ValueError(f"`loss_scale_value` must be at least 1, got {loss_scale_value}.")
        self._value = float(loss_scale_value)

    def __call__(self) -> Any:
        return tf.convert_to_tensor(self._value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        return tf.no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"

    def get_config(self) -> dict[str, Any]:
        return {"loss_scale_value": self._value}


class DynamicLossScale(LossScale):
    """A scale that grows while gradients are finite, and falls when one is not.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(16.0, increment_period=1)
    >>> _, fine = scale.update([tf.constant([1.0]), None])
    >>> bool(fine), float(scale())
    (True, 32.0)
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period, self._multiplier = int(increment_period), float(multiplier)
        first = self._initial_loss_scale
        self._scale = self._add_weight("current_loss_scale", first, tf.float32)
        self._good_steps = self._add_weight("good_steps", 0, tf.int64)

    initial_loss_scale = property(lambda self: self._initial_loss_scale)
    increment_period = property(lambda self: self._increment_period)
    multiplier = property(lambda self: self._multiplier)

    def __call__(self) -> Any:
        return tf.convert_to_tensor(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        finite = _all_finite(tf.nest.flatten(grads))
        return tf.cond(finite, self._keep, self._lower), finite

    def _keep(self) -> Any:
        """After a step of finite gradients: count it, or raise the scale."""
        steps = self._good_steps + 1
        return tf.cond(
            steps >= self._increment_period,
            self._raise,
            lambda: _operation(self._good_steps.assign_add(1)),
        )

    def _raise(self) -> Any:
        higher = self._scale * self._multiplier
        raised = tf.cond(
            tf.math.is_finite(higher), lambda: _operation(self._scale.assign(higher)), tf.no_op
        )
        return tf.group(raised, _operation(self._good_steps.assign(0)))

    def _lower(self) -> Any:
        lower = tf.maximum(self._scale / self._multiplier, 1.0)
        changes = self._good_steps.assign(0), self._scale.assign(lower)
        return tf.group(*map(_operation, changes))

    def __repr__(self) -> str:
        return (
            f"DynamicLossScale(initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _all_finite(grads: Iterable[Any]) -> Any:
    values = [g.values if isinstance(g, tf.IndexedSlices) else g for g in grads if g is not None]
    return tf.reduce_all([tf.reduce_all(tf.math.is_finite(v)) for v in values])


def _operation(changed: Any) -> Any:
    """The operation of a change in a graph; nothing outside, where it has run."""
    return changed if state.graph is None else changed.op


def loss_scale_of(identifier: Any) -> LossScale:
    """The scale that a number or the word "dynamic" means."""
    if isinstance(identifier, LossScale):
        return identifier
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    raise ValueError(f"A loss scale is a number, 'dynamic' or a LossScale, got {identifier!r}.")


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer around another one, which scales the loss up and gradients back.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     v = v1.get_variable("v", initializer=2.0)
    ...     inner = v1.train.GradientDescentOptimizer(0.25)
    ...     step = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, 4.0).minimize(v * v)
    ...     session.run(v1.global_variables_initializer())
    ...     session.run(step)
    ...     session.run(v)
    np.float32(1.0)
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f"`opt` must be a tf.compat.v1.train.Optimizer, got {opt!r}.")
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer, self._loss_scale = opt, loss_scale_of(loss_scale)
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(self._loss_scale, "loss_scale")

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> GradsAndVars:
        """The gradients of the loss, computed of the scaled one."""
        pairs = self._optimizer.compute_gradients(
            self._scaled(loss),
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        back = 1 / self._loss_scale()
        return [(None if g is None else _times(g, back), v) for g, v in pairs]

    def _scaled(self, loss: Any) -> Any:
        scale = self._loss_scale()
        if callable(loss):

            def scaled() -> Any:
                value = loss()
                return value * tf.cast(scale, value.dtype)

            return scaled
        return loss * tf.cast(scale, loss.dtype)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """A step if all gradients are finite; a scale that adapts itself does so."""
        pairs = list(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        title = name or self.get_name()
        update, fine = self._loss_scale.update([g for g, _ in pairs])

        def apply() -> Any:
            done = self._optimizer.apply_gradients(pairs, global_step, f"{title}-wrapped")
            return tf.no_op() if state.graph is None else done

        return tf.group(tf.cond(fine, apply, tf.no_op), update, name=title)

    def variables(self) -> list[Any]:
        return [*self._optimizer.variables(), *self._loss_scale._weights.values()]


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """The optimizer with a scaled loss. Graphs stay as they are, as on all CPUs in TensorFlow."""
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(f"`opt` scales its loss already: {opt!r}.")
    if isinstance(opt, Optimizer):
        made: Any = MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    elif isinstance(opt, tf.keras.optimizers.Optimizer):
        made = _around_keras(opt, loss_scale)
    else:
        raise ValueError(
            "`opt` must be a tf.compat.v1.train.Optimizer or a tf.keras.optimizers.Optimizer, got "
            f"{opt!r}."
        )
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
    return made


def _around_keras(opt: Any, loss_scale: Any) -> Any:
    scaled = tf.keras.mixed_precision.LossScaleOptimizer
    if loss_scale == "dynamic":
        return scaled(opt)
    return scaled(opt, dynamic=False, initial_scale=float(loss_scale))


def disable_mixed_precision_graph_rewrite() -> None:
    """Take back what `enable_mixed_precision_graph_rewrite` has said of graphs."""
    options = tf.config.optimizer.get_experimental_options()
    if not options.get("auto_mixed_precision"):
        warning("disable_mixed_precision_graph_rewrite: mixed precision was not enabled.")
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
