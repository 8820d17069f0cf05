"""`tf.keras.optimizers.legacy.Adam`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import LegacyRule, or_default
from runnel.keras.optimizers.rows import decay_and_add, rows_added_once


class Adam(LegacyRule):
    """Steps by running means of the gradient and of its square.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Adam(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_1", "beta_2", "epsilon", "amsgrad")
    _each_row_once = staticmethod(rows_added_once)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = or_default(epsilon)
        self.amsgrad = amsgrad

    def _create_slots(self, var_list: Any) -> None:
        for name in ("m", "v", "vhat") if self.amsgrad else ("m", "v"):
            for variable in var_list:
                self.add_slot(variable, name)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        numbers = apply_state[var_device, var_dtype]
        step = tf.cast(self.iterations + 1, var_dtype)
        power_1, power_2 = tf.pow(numbers["beta_1"], step), tf.pow(numbers["beta_2"], step)
        numbers["lr"] = numbers["lr_t"] * tf.sqrt(1 - power_2) / (1 - power_1)
        numbers["new_1"], numbers["new_2"] = 1 - numbers["beta_1"], 1 - numbers["beta_2"]

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        m = slots[0] + (gradient - slots[0]) * numbers["new_1"]
        v = slots[1] + (tf.square(gradient) - slots[1]) * numbers["new_2"]
        moments = (m, v, tf.maximum(slots[2], v)) if self.amsgrad else (m, v)
        change = m * numbers["lr"] / (tf.sqrt(moments[-1]) + self.epsilon)
        return variable - change, *moments

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> None:
        numbers, slots = self._numbers(var, apply_state), self._held(var)[1:]
        m, v, spread = slots[0], slots[1], slots[-1]
        decay_and_add(m, numbers["beta_1"], indices, grad * numbers["new_1"])
        decay_and_add(v, numbers["beta_2"], indices, tf.square(grad) * numbers["new_2"])
        if self.amsgrad:
            spread.assign(tf.maximum(spread, v))
        var.assign_sub(m * numbers["lr"] / (tf.sqrt(spread) + self.epsilon))

    def set_weights(self, weights: Any) -> None:
        count = (len(self.weights) - 1) // 2
        if len(weights) == 3 * count + 1:  # from before there was a choice about `vhat`
            weights = weights[: len(self.weights)]
        super().set_weights(weights)
