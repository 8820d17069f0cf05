"""`tf.keras.optimizers.RMSprop`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class RMSprop(Optimizer):
    """Steps scaled by a running mean of the squared gradient.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.RMSprop(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = 100,
        jit_compile: bool = True,
        name: str = "RMSprop",
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
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        (self._velocities,) = self._slots(var_list, "velocity")
        self._momentums: Any = []
        if self.momentum > 0:
            (self._momentums,) = self._slots(var_list, "momentum")
        self._average_gradients: Any = []
        if self.centered:
            (self._average_gradients,) = self._slots(var_list, "average_gradient")
        self._built = True

    def update_step(self, gradient: Any, variable: Any) -> None:
        velocity = self._slot(self._velocities, variable)
        velocity.assign(self.rho * velocity + (1 - self.rho) * tf.square(gradient))
        spread = velocity + self.epsilon
        if self.centered:
            average = self._slot(self._average_gradients, variable)
            average.assign(self.rho * average + (1 - self.rho) * gradient)
            spread = velocity - tf.square(average) + self.epsilon
        step = self._rate(variable) * gradient * tf.math.rsqrt(spread)
        if self.momentum > 0:
            momentum = self._slot(self._momentums, variable)
            momentum.assign(self.momentum * momentum + step)
            variable.assign_sub(momentum)
        else:
            variable.assign_sub(step)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "rho": self.rho,
            "momentum": self.momentum,
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
