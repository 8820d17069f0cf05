"""`tf.keras.optimizers.legacy.Adadelta`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import CountedOnlySince, or_default


class Adadelta(CountedOnlySince):
    """Steps scaled by running means of squared gradients and squared steps.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Adadelta(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("rho", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, kwargs, rho=rho)
        self.epsilon = or_default(epsilon)

    def _create_slots(self, var_list: Any) -> None:
        for name in ("accum_grad", "accum_var"):
            for variable in var_list:
                self.add_slot(variable, name)

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        rho = numbers["rho"]
        squares = slots[0] * rho + tf.square(gradient) * (1 - rho)
        ratio = tf.sqrt(slots[1] + self.epsilon) * tf.math.rsqrt(squares + self.epsilon)
        change = ratio * gradient
        steps = slots[1] * rho + tf.square(change) * (1 - rho)
        return variable - change * numbers["lr_t"], squares, steps
