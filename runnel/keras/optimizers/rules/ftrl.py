"""`tf.keras.optimizers.Ftrl`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Ftrl(Rule):
    """Follows the leader, regularized: most weights of large, sparse inputs stay zero.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Ftrl(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = (
        "learning_rate_power",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
        "beta",
    )

    @common_arguments("Ftrl")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **common: Any,
    ) -> None:
        check_signs(
            learning_rate_power,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )
        super().__init__(learning_rate, **common)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def _make_slots(self, var_list: Any) -> None:
        self._accumulators: Any = []
        self._linears: Any = []
        for variable in var_list:
            start = self._filled_slot(variable, "accumulator", self.initial_accumulator_value)
            self._accumulators.append(start)
            self._linears.append(self.add_variable_from_reference(variable, "linear"))

    def update_step(self, gradient: Any, variable: Any) -> None:
        squares = self._slot(self._accumulators, variable)
        linear = self._slot(self._linears, variable)
        found = ftrl_step(
            tf.convert_to_tensor(gradient),  # what has no gradient shrinks all the same
            variable,
            squares,
            linear,
            rate=self._rate(variable),
            power=-self.learning_rate_power,
            l1=self.l1_regularization_strength,
            l2=self.l2_regularization_strength,
            shrinkage=self.l2_shrinkage_regularization_strength,
            beta=self.beta,
        )
        for held, value in zip((variable, squares, linear), found, strict=True):
            held.assign(value)


def ftrl_step(
    gradient: Any,
    variable: Any,
    squares: Any,
    linear: Any,
    *,
    rate: Any,
    power: Any,
    l1: Any,
    l2: Any,
    shrinkage: Any,
    beta: Any,
) -> tuple[Any, Any, Any]:
    """The variable, its sum of squares and its linear term after a step."""
    summed = squares + tf.square(gradient)
    scale = tf.pow(summed, power)
    pull = (scale - tf.pow(squares, power)) / rate * variable
    linear = linear + (gradient + 2 * shrinkage * variable - pull)
    quadratic = scale / rate + 2 * (l2 + beta / (2.0 * rate))
    return (tf.clip_by_value(linear, -l1, l1) - linear) / quadratic, summed, linear


def check_signs(learning_rate_power: float, **strengths: float) -> None:
    """ValueError for what would let the weights grow without bound."""
    if learning_rate_power > 0.0:
        raise ValueError(
            "`learning_rate_power` needs to be negative or zero. Received: "
            f"learning_rate_power={learning_rate_power}."
        )
    for name, value in strengths.items():
        if value < 0.0:
            raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={value}.")
