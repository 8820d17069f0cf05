"""`tf.keras.optimizers.SGD`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class SGD(Rule):
    """Steps against the gradient, with momentum if asked for.

    Args:
        learning_rate: a number, a `LearningRateSchedule` or a function without arguments.
        momentum: how much of the last step is kept.
        nesterov: whether the gradient is taken where the momentum leads.
        weight_decay: the part of each weight that is taken off in each step; None for none.
        clipnorm, clipvalue, global_clipnorm: bounds for the norm of each gradient, for its
            elements, for the norm of all gradients together; at most one may be given.
        use_ema, ema_momentum, ema_overwrite_frequency: whether running means of the weights are
            kept, how slowly they change, and after how many steps they replace the weights.
        gradient_accumulation_steps: of how many steps the mean of the gradients makes one update.
        jit_compile: whether updates are compiled as one program, where there is a GPU.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.SGD(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("momentum", "nesterov")

    @common_arguments("SGD")
    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.momentum = momentum
        self.nesterov = nesterov
        if isinstance(momentum, int | float) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")

    def _make_slots(self, var_list: Any) -> None:
        (self.momentums,) = self._slots(var_list, "m")

    def update_step(self, gradient: Any, variable: Any) -> None:
        momentum = self._slot(self.momentums, variable)
        keep, rate = tf.cast(self.momentum, variable.dtype), self._rate(variable)
        if isinstance(gradient, tf.IndexedSlices):
            step = -gradient.values * rate
            decay_and_add(momentum, keep, gradient.indices, step)
            if self.nesterov:
                variable.scatter_add(tf.IndexedSlices(step, gradient.indices))
                variable.assign_add(momentum * keep)
        else:
            step = -gradient * rate
            momentum.assign(step + momentum * keep)
            if self.nesterov:
                variable.assign_add(step + momentum * keep)
        if not self.nesterov:
            variable.assign_add(momentum)
