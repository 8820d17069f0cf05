"""`tf.keras.optimizers.legacy.Nadam`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import LegacyRule, follow, or_default
from runnel.keras.optimizers.schedules.base import LearningRateSchedule


class Nadam(LegacyRule):
    """Adam with Nesterov momentum.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Nadam(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        # A `decay` is that of the momentum, and always this one unless given by its older name.
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules "
                "as the learning rate."
            )
        super().__init__(learning_rate, name, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = or_default(epsilon)
        self._m_cache: Any = None

    def _create_slots(self, var_list: Any) -> None:
        if self._m_cache is None:
            self._m_cache = self.add_weight(
                "momentum_cache",
                shape=[],
                dtype=var_list[0].dtype,
                initializer="ones",
                trainable=False,
                aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
            )
            self._weights.append(self._m_cache)
        for name in ("m", "v"):
            for variable in var_list:
                self.add_slot(variable, name)

    def _prepare(self, var_list: Any) -> Any:
        self._m_cache_read = tf.identity(self._m_cache)
        return super()._prepare(var_list)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        numbers = apply_state[var_device, var_dtype]
        numbers["lr_t"] = self._get_hyper("learning_rate", var_dtype)  # without the decay
        now, later = (self._momentum_at(n, numbers["beta_1"], var_dtype) for n in (1, 2))
        product = tf.cast(self._m_cache_read, var_dtype) * now
        if var_dtype is self._m_cache.dtype:
            self._m_cache.assign(product)
        step = tf.cast(self.iterations + 1, var_dtype)
        numbers["gradient_share"] = (1.0 - now) / (1.0 - product)
        numbers["mean_share"] = later / (1.0 - product * later)
        numbers["spread_share"] = 1.0 - tf.pow(numbers["beta_2"], step)

    def _momentum_at(self, ahead: int, beta_1: Any, dtype: Any) -> Any:
        """The momentum of this step (1) or the next (2), which grows to `beta_1`."""
        step = tf.cast(self.iterations + ahead, dtype)
        return beta_1 * (1.0 - 0.5 * tf.pow(tf.cast(0.96, dtype), self._initial_decay * step))

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        beta_1, beta_2 = numbers["beta_1"], numbers["beta_2"]
        m = beta_1 * slots[0] + (1 - beta_1) * gradient
        v = beta_2 * slots[1] + (1 - beta_2) * tf.square(gradient)
        return variable - self._change(numbers, gradient, m, v), m, v

    def _change(self, numbers: dict[str, Any], gradient: Any, m: Any, v: Any) -> Any:
        ahead = numbers["gradient_share"] * gradient + numbers["mean_share"] * m
        spread = tf.sqrt(v / numbers["spread_share"]) + self.epsilon
        return numbers["lr_t"] * ahead / spread

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> None:
        numbers = self._numbers(var, apply_state)
        beta_1, beta_2 = numbers["beta_1"], numbers["beta_2"]
        m = follow(self.get_slot(var, "m"), beta_1, grad * (1 - beta_1), indices)
        v = follow(self.get_slot(var, "v"), beta_2, tf.square(grad) * (1 - beta_2), indices)
        rows = tf.gather(var, indices) - self._change(numbers, grad, m, v)
        var.scatter_update(tf.IndexedSlices(rows, indices))
