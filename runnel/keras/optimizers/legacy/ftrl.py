"""`tf.keras.optimizers.legacy.Ftrl`."""

from __future__ import annotations

from typing import Any

from runnel.keras.initializers import Constant
from runnel.keras.optimizers.legacy.rule import LegacyRule
from runnel.keras.optimizers.rules.ftrl import check_signs, ftrl_step


class Ftrl(LegacyRule):
    """Follows the leader, regularized: most weights of large, sparse inputs stay zero.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.Ftrl(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = (
        "initial_accumulator_value",
        "learning_rate_power",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "beta",
        "l2_shrinkage_regularization_strength",
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **kwargs: Any,
    ) -> None:
        check_signs(
            learning_rate_power,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )
        super().__init__(
            learning_rate,
            name,
            kwargs,
            learning_rate_power=learning_rate_power,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            beta=beta,
        )
        self.initial_accumulator_value = initial_accumulator_value
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list: Any) -> None:
        start = Constant(self.initial_accumulator_value)
        for variable in var_list:
            self.add_slot(variable, "accumulator", start)
            self.add_slot(variable, "linear")

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        return ftrl_step(
            gradient,
            variable,
            *slots,
            rate=numbers["lr_t"],
            power=-numbers["learning_rate_power"],
            l1=numbers["l1_regularization_strength"],
            l2=numbers["l2_regularization_strength"],
            shrinkage=self.l2_shrinkage_regularization_strength,
            beta=numbers["beta"],
        )
