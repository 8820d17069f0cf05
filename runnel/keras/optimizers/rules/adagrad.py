"""`tf.keras.optimizers.Adagrad`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Adagrad(Rule):
    """Steps scaled by the sum of all squared gradients so far.

    Args:
        learning_rate: a number, a `LearningRateSchedule` or a function without arguments.
        initial_accumulator_value: what the sums of squares begin with.
        epsilon: a small number, against division by zero.
        weight_decay: the part of each weight that is taken off in each step; None for none.
        clipnorm, clipvalue, global_clipnorm: bounds for the norm of each gradient, for its
            elements, for the norm of all gradients together; at most one may be given.
        use_ema, ema_momentum, ema_overwrite_frequency: whether running means of the weights are
            kept, how slowly they change, and after how many steps they replace the weights.
        gradient_accumulation_steps: of how many steps the mean of the gradients makes one update.
        jit_compile: whether updates are compiled as one program, where there is a GPU.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adagrad(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("initial_accumulator_value", "epsilon")

    @common_arguments("Adagrad")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def _make_slots(self, var_list: Any) -> None:
        start = self.initial_accumulator_value
        self._accumulators = [self._filled_slot(v, "accumulator", start) for v in var_list]

    def update_step(self, grad: Any, variable: Any) -> None:  # type: ignore[override]
        rate, sums = self._rate(variable), self._slot(self._accumulators, variable)
        if isinstance(grad, tf.IndexedSlices):
            values, indices = grad.values, grad.indices
            sums.scatter_add(tf.IndexedSlices(values * values, indices))
            step = -rate * values / tf.sqrt(tf.gather(sums, indices) + self.epsilon)
            variable.scatter_add(tf.IndexedSlices(step, indices))
        else:
            sums.assign_add(grad * grad)
            variable.assign_sub(rate * grad / tf.sqrt(sums + self.epsilon))
