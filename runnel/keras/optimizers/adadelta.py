"""`tf.keras.optimizers.Adadelta`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class Adadelta(Optimizer):
    """Steps scaled by running means of squared gradients and squared steps.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adadelta(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adadelta",
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
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        self._accumulated_grads, self._accumulated_delta_vars = self._slots(
            var_list, "accumulated_grad", "accumulated_delta_var"
        )
        self._built = True

    def update_step(self, grad: Any, variable: Any) -> None:  # type: ignore[override]
        gradients = self._slot(self._accumulated_grads, variable)
        deltas = self._slot(self._accumulated_delta_vars, variable)
        gradients.assign(self.rho * gradients + (1 - self.rho) * grad * grad)
        ratio = tf.sqrt(deltas + self.epsilon) / tf.sqrt(gradients + self.epsilon)
        delta = -ratio * grad
        deltas.assign(self.rho * deltas + (1 - self.rho) * delta * delta)
        variable.assign_add(self._rate(variable) * delta)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "rho": self.rho,
            "epsilon": self.epsilon,
        }
