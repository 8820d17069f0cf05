"""`tf.keras.optimizers.Nadam`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rows import decay_and_add
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Nadam(Rule):
    """Adam with Nesterov momentum.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Nadam(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_1", "beta_2", "epsilon")

    @common_arguments("Nadam")
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
        self._u_product = tf.Variable(1.0, dtype=var_list[0].dtype, trainable=False)
        self._momentums, self._velocities = self._slots(var_list, "m", "v")

    def _momentum_at(self, step: Any, dtype: Any) -> Any:
        """The momentum of a step, which grows to `beta_1`."""
        power = tf.pow(tf.cast(0.96, dtype), tf.cast(step, dtype))
        return tf.cast(self.beta_1, dtype) * (1.0 - 0.5 * power)

    def _update_variables(self, gradients: list[Any], variables: list[Any]) -> None:
        # Once in a step. tf_keras does so too where it runs eagerly; in a function it multiplies
        # with every variable from the second step on, since it counts in Python.
        product = self._u_product
        product.assign(product * self._momentum_at(self.iterations + 1, product.dtype))
        super()._update_variables(gradients, variables)

    def _shares(self, dtype: Any) -> tuple[Any, Any, Any]:
        """The factors of the mean and of the gradient, and the divisor of the mean square."""
        now = self._momentum_at(self.iterations + 1, dtype)
        later = self._momentum_at(self.iterations + 2, dtype)
        product = tf.cast(self._u_product, dtype)
        power_2 = tf.pow(tf.cast(self.beta_2, dtype), self._step_number(dtype))
        return later / (1 - product * later), (1 - now) / (1 - product), 1 - power_2

    def update_step(self, gradient: Any, variable: Any) -> None:
        dtype = variable.dtype
        of_mean, of_gradient, of_square = self._once_in_step(self._shares, dtype)
        beta_1, beta_2 = tf.cast(self.beta_1, dtype), tf.cast(self.beta_2, dtype)
        momentum = self._slot(self._momentums, variable)
        velocity = self._slot(self._velocities, variable)
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values
            decay_and_add(momentum, beta_1, gradient.indices, values * (1 - beta_1))
            decay_and_add(velocity, beta_2, gradient.indices, tf.square(values) * (1 - beta_2))
            gradient = tf.convert_to_tensor(gradient)
        else:
            momentum.assign_add((gradient - momentum) * (1 - beta_1))
            velocity.assign_add((tf.square(gradient) - velocity) * (1 - beta_2))
        ahead = of_mean * momentum + of_gradient * gradient
        spread = velocity / of_square
        variable.assign_sub(ahead * self._rate(variable) / (tf.sqrt(spread) + self.epsilon))

    def set_weights(self, weights: Any) -> None:
        super().set_weights(weights)
        self._find_product()

    def load_own_variables(self, store: Any) -> None:
        super().load_own_variables(store)
        if self._built:
            self._find_product()

    def _find_product(self) -> None:
        """The product of the momentums so far, which is none of the variables that files hold."""
        product = tf.ones((), self._u_product.dtype)
        for step in range(1, int(self.iterations) + 1):
            product = product * self._momentum_at(step, product.dtype)
        self._u_product.assign(product)
