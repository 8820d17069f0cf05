"""`tf.keras.optimizers.Adamax`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Adamax(Rule):
    """Adam with the largest gradient in place of the mean square.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adamax(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_1", "beta_2", "epsilon")

    @common_arguments("Adamax")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def _make_slots(self, var_list: Any) -> None:
        self._m, self._u = self._slots(var_list, "m", "u")

    def _share(self, dtype: Any) -> Any:
        """What the mean, which begins at zero, has by now of the gradients."""
        return 1 - tf.pow(tf.cast(self.beta_1, dtype), self._step_number(dtype))

    def update_step(self, gradient: Any, variable: Any) -> None:
        momentum, largest = self._slot(self._m, variable), self._slot(self._u, variable)
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values
            decay_and_add(momentum, self.beta_1, gradient.indices, values * (1 - self.beta_1))
            largest.assign(largest * self.beta_2)
            rows = tf.gather(largest, gradient.indices)
            rise = tf.maximum(rows, tf.abs(values)) - rows
            largest.scatter_add(tf.IndexedSlices(rise, gradient.indices))
        else:
            momentum.assign_add((gradient - momentum) * (1 - self.beta_1))
            largest.assign(tf.maximum(self.beta_2 * largest, tf.abs(gradient)))
        scale = self._once_in_step(self._share, variable.dtype) * (largest + self.epsilon)
        variable.assign_sub(self._rate(variable) * momentum / scale)
