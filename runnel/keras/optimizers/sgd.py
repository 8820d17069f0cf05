"""`tf.keras.optimizers.SGD`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Steps against the gradient, with momentum if asked for.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.SGD(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "SGD",
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
        self.momentum = momentum
        self.nesterov = nesterov
        if isinstance(momentum, int | float) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        (self.momentums,) = self._slots(var_list, "m")
        self._built = True

    def update_step(self, gradient: Any, variable: Any) -> None:
        momentum = self._slot(self.momentums, variable)
        keep = tf.cast(self.momentum, variable.dtype)
        step = -gradient * self._rate(variable)
        momentum.assign(step + momentum * keep)
        if self.nesterov:
            variable.assign_add(step + momentum * keep)
        else:
            variable.assign_add(momentum)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "momentum": self.momentum,
            "nesterov": self.nesterov,
        }
