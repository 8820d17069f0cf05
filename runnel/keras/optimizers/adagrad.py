"""`tf.keras.optimizers.Adagrad`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer


class Adagrad(Optimizer):
    """Steps scaled by the sum of all squared gradients so far.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adagrad(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adagrad",
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
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if self._built:
            return
        start = self.initial_accumulator_value
        self._accumulators = [
            self.add_variable_from_reference(
                v, "accumulator", initial_value=tf.fill(v.shape, tf.cast(start, v.dtype))
            )
            for v in var_list
        ]
        self._built = True

    def update_step(self, grad: Any, variable: Any) -> None:  # type: ignore[override]
        rate = self._rate(variable)
        sums = self._slot(self._accumulators, variable)
        sums.assign_add(grad * grad)
        variable.assign_sub(rate * grad / tf.sqrt(sums + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._rate_config(),
            "initial_accumulator_value": self.initial_accumulator_value,
            "epsilon": self.epsilon,
        }
