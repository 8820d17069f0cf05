"""`tf.keras.optimizers.Adamax`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class Adamax(Optimizer):
    """Adam with the largest gradient in place of the mean square.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adamax(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            name=name,
            weight_decay=weight_decay,
            clipnorm=clipnorm,
            clipvalue=clipvalue,
            global_clipnorm=global_clipnorm,
            use_ema=use_ema,
            ema_momentum=ema_momentum,
            ema_overwrite_frequency=ema_overwrite_frequency,
            jit_compile=jit_compile,
            **kwargs,
        )
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        self._m, self._u = self._slots(var_list, "m", "u")
        self._built = True

    def update_step(self, gradient: Any, variable: Any) -> None:
        step = tf.cast(self.iterations + 1, variable.dtype)
        power_1 = tf.pow(tf.cast(self.beta_1, variable.dtype), step)
        momentum, largest = self._slot(self._m, variable), self._slot(self._u, variable)
        momentum.assign_add((gradient - momentum) * (1 - self.beta_1))
        largest.assign(tf.maximum(self.beta_2 * largest, tf.abs(gradient)))
        scale = (1 - power_1) * (largest + self.epsilon)
        variable.assign_sub(self._rate(variable) * momentum / scale)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
        }
