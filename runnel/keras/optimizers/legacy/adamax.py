"""`tf.keras.optimizers.legacy.Adamax`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import LegacyRule, or_default


class Adamax(LegacyRule):
    """Adam with the largest gradient in place of the mean square.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Adamax(0.1).minimize(lambda: v * v, [v]).numpy()
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
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, kwargs, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = or_default(epsilon)

    def _create_slots(self, var_list: Any) -> None:
        for name in ("m", "v"):
            for variable in var_list:
                self.add_slot(variable, name)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        numbers = apply_state[var_device, var_dtype]
        step = tf.cast(self.iterations + 1, var_dtype)
        numbers["lr"] = numbers["lr_t"] / (1 - tf.pow(numbers["beta_1"], step))

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        m = slots[0] + (gradient - slots[0]) * (1 - numbers["beta_1"])
        v = tf.maximum(slots[1] * numbers["beta_2"], tf.abs(gradient))
        return variable - numbers["lr"] * (m / (v + self.epsilon)), m, v
