"""`tf.keras.mixed_precision.LossScaleOptimizer`: small gradients stay above zero in float16."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer

_START, _GROWTH_STEPS = 2.0**15, 2000


class LossScaleOptimizer(Optimizer):
    """An optimizer around another: the loss is scaled up, the gradients are scaled back.

    A step whose gradients are not finite is left out, and the scale halved; after
    `dynamic_growth_steps` steps that were, it is doubled.

    >>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
    >>> float(optimizer.get_scaled_loss(tf.constant(1.0)))
    32768.0
    """

    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
    ) -> None:
        super().__init__(name="LossScaleOptimizer", weight_decay=None)
        if not dynamic and initial_scale is None:
            raise ValueError('"initial_scale" must be specified if "dynamic" is False.')
        if isinstance(inner_optimizer, LossScaleOptimizer):
            raise TypeError("LossScaleOptimizer cannot wrap another LossScaleOptimizer.")
        self._optimizer = inner_optimizer
        self._dynamic = dynamic
        self._initial_scale = float(_START if initial_scale is None else initial_scale)
        self._growth_steps = int(dynamic_growth_steps or _GROWTH_STEPS) if dynamic else None
        with tf.init_scope():
            self._scale = tf.Variable(
                self._initial_scale, name="current_loss_scale", trainable=False
            )
            self._good_steps = tf.Variable(0, name="good_steps", dtype=tf.int64, trainable=False)

    @property
    def inner_optimizer(self) -> Any:
        return self._optimizer

    @property
    def dynamic(self) -> bool:
        return self._dynamic

    @property
    def loss_scale(self) -> tf.Tensor:
        return self._scale.value()

    @property
    def dynamic_counter(self) -> Any:
        return self._good_steps if self._dynamic else None

    @property
    def initial_scale(self) -> float:
        return self._initial_scale

    @property
    def dynamic_growth_steps(self) -> int | None:
        return self._growth_steps

    def get_scaled_loss(self, loss: Any) -> Any:
        """The loss times the scale; a function of the loss gives a function."""
        if callable(loss):
            return lambda: self.get_scaled_loss(loss())
        return loss * tf.cast(self._scale, loss.dtype)

    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Gradients of the scaled loss as those of the loss."""
        factor = 1.0 / self._scale.value()
        return [None if g is None else _times(g, factor) for g in grads]

    def compute_gradients(self, loss: Any, var_list: Any, tape: Any = None) -> list[Any]:
        if callable(loss):
            tape = tf.GradientTape() if tape is None else tape
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                scaled = self.get_scaled_loss(loss())
        else:
            with tape:
                scaled = self.get_scaled_loss(loss)
        variables = var_list() if callable(var_list) else var_list
        found = self.get_unscaled_gradients(tape.gradient(scaled, variables))
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Take a step if all gradients are finite, and adapt the scale."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not self._optimizer._built:
            with tf.name_scope(self._optimizer.name), tf.init_scope():
                self._optimizer.build([v for _, v in pairs])
                self._optimizer._built = True
        if not self._dynamic:
            return self._optimizer.apply_gradients(pairs, name=name)
        checks = [tf.reduce_all(tf.math.is_finite(tf.convert_to_tensor(g))) for g, _ in pairs]
        finite = tf.reduce_all(tf.stack(checks))

        def step() -> tf.Tensor:
            self._optimizer.apply_gradients(pairs, name=name)
            return tf.constant(True)

        tf.cond(finite, step, lambda: tf.constant(False))
        self._adapt(finite)
        return self._optimizer.iterations

    def _adapt(self, finite: Any) -> None:
        good = tf.where(finite, self._good_steps + 1, tf.zeros_like(self._good_steps))
        grows = good >= self._growth_steps
        doubled = tf.where(grows, self._scale * 2.0, self._scale.value())
        doubled = tf.where(tf.math.is_finite(doubled), doubled, self._scale.value())
        halved = tf.maximum(self._scale / 2.0, 1.0)
        self._scale.assign(tf.where(finite, doubled, halved))
        self._good_steps.assign(tf.where(grows, tf.zeros_like(good), good))

    def build(self, var_list: Any) -> None:
        self._optimizer.build(var_list)

    @property
    def variables(self) -> Any:
        return self._optimizer.variables

    @property
    def iterations(self) -> Any:
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self._optimizer.iterations = variable

    @property
    def learning_rate(self) -> Any:
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    lr = learning_rate

    def finalize_variable_values(self, var_list: Any) -> None:
        self._optimizer.finalize_variable_values(var_list)

    def save_own_variables(self, store: Any) -> None:
        self._optimizer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        self._optimizer.load_own_variables(store)

    def get_config(self) -> dict[str, Any]:
        from runnel.keras.optimizers.names import serialize

        return {
            "inner_optimizer": serialize(self._optimizer),
            "dynamic": self._dynamic,
            "initial_scale": self._initial_scale,
            "dynamic_growth_steps": self._growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        from runnel.keras.optimizers.names import deserialize

        config = dict(config)
        inner = deserialize(config.pop("inner_optimizer"), custom_objects=custom_objects)
        return cls(inner, **config)


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * tf.cast(factor, gradient.values.dtype)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
