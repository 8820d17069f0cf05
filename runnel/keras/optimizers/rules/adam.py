"""`tf.keras.optimizers.Adam`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class AdamRule(Rule):
    """What `Adam` and `AdamW` share: steps by running means of the gradient and of its square."""

    _settings = ("beta_1", "beta_2", "epsilon", "amsgrad")
    adaptive_epsilon = False

    def __init__(
        self,
        learning_rate: Any,
        beta_1: float,
        beta_2: float,
        epsilon: float,
        amsgrad: bool,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon, self.amsgrad = epsilon, amsgrad

    def _make_slots(self, var_list: Any) -> None:
        self._momentums, self._velocities = self._slots(var_list, "m", "v")
        if self.amsgrad:
            (self._velocity_hats,) = self._slots(var_list, "vhat")

    def _factors(self, dtype: Any) -> tuple[Any, Any]:
        """The rate and the epsilon of a step, with what makes up for means that begin at zero."""
        step = self._step_number(dtype)
        missing_1 = 1 - tf.pow(tf.cast(self.beta_1, dtype), step)
        missing_2 = tf.sqrt(1 - tf.pow(tf.cast(self.beta_2, dtype), step))
        epsilon = self.epsilon * missing_2 if self.adaptive_epsilon else self.epsilon
        return tf.cast(self.learning_rate, dtype) * missing_2 / missing_1, epsilon

    def update_step(self, gradient: Any, variable: Any) -> None:
        rate, epsilon = self._once_in_step(self._factors, variable.dtype)
        momentum = self._slot(self._momentums, variable)
        velocity = self._slot(self._velocities, variable)
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values
            decay_and_add(momentum, self.beta_1, gradient.indices, values * (1 - self.beta_1))
            decay_and_add(
                velocity, self.beta_2, gradient.indices, tf.square(values) * (1 - self.beta_2)
            )
        else:
            momentum.assign_add((gradient - momentum) * (1 - self.beta_1))
            velocity.assign_add((tf.square(gradient) - velocity) * (1 - self.beta_2))
        if self.amsgrad:
            largest = self._slot(self._velocity_hats, variable)
            largest.assign(tf.maximum(largest, velocity))
            velocity = largest
        variable.assign_sub(momentum * rate / (tf.sqrt(velocity) + epsilon))


class Adam(AdamRule):
    """Steps by running means of the gradient and of its square.

    Args:
        learning_rate: a number, a `LearningRateSchedule` or a function without arguments.
        beta_1, beta_2: how slowly the means of the gradient and of its square change.
        epsilon: a small number, against division by zero.
        adaptive_epsilon: whether epsilon shrinks with the correction of the means.
        amsgrad: whether the largest mean of squares so far is used.
        weight_decay: the part of each weight that is taken off in each step; None for none.
        clipnorm, clipvalue, global_clipnorm: bounds for the norm of each gradient, for its
            elements, for the norm of all gradients together; at most one may be given.
        use_ema, ema_momentum, ema_overwrite_frequency: whether running means of the weights are
            kept, how slowly they change, and after how many steps they replace the weights.
        gradient_accumulation_steps: of how many steps the mean of the gradients makes one update.
        jit_compile: whether updates are compiled as one program, where there is a GPU.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adam(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    @common_arguments("Adam")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        adaptive_epsilon: bool = False,
        amsgrad: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, **common)
        self.adaptive_epsilon = adaptive_epsilon
