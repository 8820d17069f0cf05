"""`tf.keras.optimizers.RMSprop`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class RMSprop(Rule):
    """Steps scaled by a running mean of the squared gradient.

    Args:
        learning_rate: a number, a `LearningRateSchedule` or a function without arguments.
        rho: how slowly the mean of squares changes.
        momentum: how much of the last step is kept.
        epsilon: a small number, against division by zero.
        centered: whether the mean of the gradient is taken off.
        weight_decay: the part of each weight that is taken off in each step; None for none.
        clipnorm, clipvalue, global_clipnorm: bounds for the norm of each gradient, for its
            elements, for the norm of all gradients together; at most one may be given.
        use_ema, ema_momentum, ema_overwrite_frequency: whether running means of the weights are
            kept, how slowly they change, and after how many steps they replace the weights.
        gradient_accumulation_steps: of how many steps the mean of the gradients makes one update.
        jit_compile: whether updates are compiled as one program, where there is a GPU.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.RMSprop(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("rho", "momentum", "epsilon", "centered")

    @common_arguments("RMSprop", ema_overwrite_frequency=100)
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.rho, self.momentum = rho, momentum
        self.epsilon, self.centered = epsilon, centered

    def _make_slots(self, var_list: Any) -> None:
        (self._velocities,) = self._slots(var_list, "velocity")
        self._momentums: Any = []
        if self.momentum > 0:
            (self._momentums,) = self._slots(var_list, "momentum")
        self._average_gradients: Any = []
        if self.centered:
            (self._average_gradients,) = self._slots(var_list, "average_gradient")

    def update_step(self, gradient: Any, variable: Any) -> None:
        sparse = isinstance(gradient, tf.IndexedSlices)
        values = gradient.values if sparse else gradient
        velocity = self._slot(self._velocities, variable)
        self._average(velocity, gradient, tf.square(values))
        spread = velocity + self.epsilon
        if self.centered:
            average = self._slot(self._average_gradients, variable)
            self._average(average, gradient, values)
            spread = velocity - tf.square(average) + self.epsilon
        if sparse:
            spread = tf.gather(spread, gradient.indices)
        step = self._rate(variable) * values * tf.math.rsqrt(spread)
        if self.momentum > 0:
            momentum = self._slot(self._momentums, variable)
            if sparse:
                decay_and_add(momentum, self.momentum, gradient.indices, step)
            else:
                momentum.assign(self.momentum * momentum + step)
            variable.assign_sub(momentum)
        elif sparse:
            variable.scatter_sub(tf.IndexedSlices(step, gradient.indices))
        else:
            variable.assign_sub(step)

    def _average(self, slot: Any, gradient: Any, values: Any) -> None:
        """Let a running mean follow."""
        if isinstance(gradient, tf.IndexedSlices):
            decay_and_add(slot, self.rho, gradient.indices, values * (1 - self.rho))
        else:
            slot.assign(self.rho * slot + (1 - self.rho) * values)
