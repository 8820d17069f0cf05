"""`tf.keras.optimizers.AdamW`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class AdamW(Optimizer):
    """Adam with weights that decay apart from the gradient.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.AdamW(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float | None = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "AdamW",
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
        self.amsgrad = amsgrad
        if weight_decay is None:
            raise ValueError(
                "Missing value of `weight_decay` which is required and must be a float value."
            )

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        self._momentums, self._velocities = self._slots(var_list, "m", "v")
        if self.amsgrad:
            (self._velocity_hats,) = self._slots(var_list, "vhat")
        self._built = True

    def update_step(self, gradient: Any, variable: Any) -> None:
        step = tf.cast(self.iterations + 1, variable.dtype)
        power_1 = tf.pow(tf.cast(self.beta_1, variable.dtype), step)
        power_2 = tf.pow(tf.cast(self.beta_2, variable.dtype), step)
        momentum = self._slot(self._momentums, variable)
        velocity = self._slot(self._velocities, variable)
        momentum.assign_add((gradient - momentum) * (1 - self.beta_1))
        velocity.assign_add((tf.square(gradient) - velocity) * (1 - self.beta_2))
        if self.amsgrad:
            largest = self._slot(self._velocity_hats, variable)
            largest.assign(tf.maximum(largest, velocity))
            velocity = largest
        rate = self._rate(variable) * tf.sqrt(1 - power_2) / (1 - power_1)
        variable.assign_sub(momentum * rate / (tf.sqrt(velocity) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
