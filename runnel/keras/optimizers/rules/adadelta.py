"""`tf.keras.optimizers.Adadelta`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Adadelta(Rule):
    """Steps scaled by running means of squared gradients and squared steps.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adadelta(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("rho", "epsilon")

    @common_arguments("Adadelta")
    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7, **common: Any
    ) -> None:
        super().__init__(learning_rate, **common)
        self.rho = rho
        self.epsilon = epsilon

    def _make_slots(self, var_list: Any) -> None:
        self._accumulated_grads, self._accumulated_delta_vars = self._slots(
            var_list, "accumulated_grad", "accumulated_delta_var"
        )

    def update_step(self, grad: Any, variable: Any) -> None:  # type: ignore[override]
        gradients = self._slot(self._accumulated_grads, variable)
        deltas = self._slot(self._accumulated_delta_vars, variable)
        if isinstance(grad, tf.IndexedSlices):
            decay_and_add(
                gradients, self.rho, grad.indices, (1 - self.rho) * tf.square(grad.values)
            )
            grad = tf.convert_to_tensor(grad)  # the steps decay everywhere, also where it is zero
        else:
            gradients.assign(self.rho * gradients + (1 - self.rho) * grad * grad)
        ratio = tf.sqrt(deltas + self.epsilon) / tf.sqrt(gradients + self.epsilon)
        delta = -ratio * grad
        deltas.assign(self.rho * deltas + (1 - self.rho) * delta * delta)
        variable.assign_add(self._rate(variable) * delta)
