"""`tf.keras.optimizers.AdamW`."""

from __future__ import annotations

from typing import Any

from runnel.keras.optimizers.rules.adam import AdamRule
from runnel.keras.optimizers.rules.rule import common_arguments


class AdamW(AdamRule):
    """Adam with weights that decay apart from the gradient.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.AdamW(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    @common_arguments("AdamW")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float | None = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **common: Any,
    ) -> None:
        common["weight_decay"] = weight_decay
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, **common)
