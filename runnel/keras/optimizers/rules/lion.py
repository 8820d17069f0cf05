"""`tf.keras.optimizers.Lion`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Lion(Rule):
    """Steps by the sign of a running mean of the gradient.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Lion(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_1", "beta_2")

    @common_arguments("Lion")
    def __init__(
        self, learning_rate: Any = 0.0001, beta_1: float = 0.9, beta_2: float = 0.99, **common: Any
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_1, self.beta_2 = beta_1, beta_2
        if not 0 < beta_1 <= 1:
            raise ValueError(
                f"`beta_1`={beta_1} must be between ]0, 1]. Otherwise, the optimizer degenerates "
                "to SignSGD."
            )

    def _make_slots(self, var_list: Any) -> None:
        (self.momentums,) = self._slots(var_list, "m")

    def update_step(self, gradient: Any, variable: Any) -> None:
        rate, momentum = self._rate(variable), self._slot(self.momentums, variable)
        beta_1, beta_2 = tf.cast(self.beta_1, variable.dtype), tf.cast(self.beta_2, variable.dtype)
        if isinstance(gradient, tf.IndexedSlices):
            values, ratio = gradient.values, beta_2 / beta_1
            decay_and_add(momentum, beta_1, gradient.indices, values * (1.0 - beta_1))
            variable.assign_sub(rate * tf.sign(momentum))
            decay_and_add(momentum, ratio, gradient.indices, values * (1.0 - ratio))
        else:
            step = tf.sign(momentum * beta_1 + gradient * (1.0 - beta_1))
            variable.assign_sub(rate * step)
            momentum.assign(momentum * beta_2 + gradient * (1.0 - beta_2))
