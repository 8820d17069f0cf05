"""`tf.keras.optimizers.legacy.Adagrad`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.initializers import Constant
from runnel.keras.optimizers.legacy.rule import CountedOnlySince, or_default


class Adagrad(CountedOnlySince):
    """Steps scaled by the sum of all squared gradients so far.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Adagrad(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value must be non-negative: {initial_accumulator_value}"
            )
        super().__init__(learning_rate, name, kwargs)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = or_default(epsilon)

    def _create_slots(self, var_list: Any) -> None:
        start = Constant(self.initial_accumulator_value)
        for variable in var_list:
            self.add_slot(variable, "accumulator", start)

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        sums = slots[0] + tf.square(gradient)
        return variable - gradient * numbers["lr_t"] / (tf.sqrt(sums) + self.epsilon), sums
