"""`tf.keras.optimizers.Adafactor`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.rules.rule import Rule, common_arguments


class Adafactor(Rule):
    """Steps scaled by means over rows and columns, which take little memory.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adafactor(0.1).minimize(lambda: v * v, [v])
    >>> bool(v < 1.0)
    True
    """

    _settings = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step")

    @common_arguments("Adafactor")
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **common: Any,
    ) -> None:
        super().__init__(learning_rate, **common)
        self.beta_2_decay = beta_2_decay
        self.epsilon_1, self.epsilon_2 = epsilon_1, epsilon_2
        self.clip_threshold, self.relative_step = clip_threshold, relative_step

    def _make_slots(self, var_list: Any) -> None:
        self._r: Any = []
        self._c: Any = []
        self._v: Any = []
        for variable in var_list:
            rows, columns = self._factors(variable)
            self._r.append(rows)
            self._c.append(columns)
            self._v.append(self.add_variable_from_reference(variable, "v"))

    def _factors(self, variable: Any) -> tuple[Any, Any]:
        """The means over the last axis and over the one before; a vector has none."""
        name, dims = variable._shared_name, variable.shape
        if len(dims) < 2:  # variables all the same: checkpoints name what comes after by number
            return tf.Variable(0, name=f"r/{name}"), tf.Variable(0, name=f"c/{name}")
        rows = self.add_variable(dims[:-1], variable.dtype, name=f"r/{name}")
        return rows, self.add_variable(dims[:-2] + dims[-1:], variable.dtype, name=f"c/{name}")

    def update_step(self, gradient: Any, variable: Any) -> None:
        gradient = tf.convert_to_tensor(gradient)
        step = self._step_number(variable.dtype)
        # The same with and without `relative_step`: tf_keras bounds the rate in both cases.
        rate = tf.minimum(self._rate(variable), tf.math.rsqrt(step))
        rate = rate * tf.maximum(tf.cast(self.epsilon_2, variable.dtype), _rms(variable))
        keep = 1 - tf.pow(step, self.beta_2_decay)
        spread = self._follow(tf.square(gradient) + self.epsilon_1, keep, variable)
        change = gradient * tf.math.rsqrt(spread)
        change = change / tf.maximum(tf.ones((), change.dtype), _rms(change) / self.clip_threshold)
        variable.assign_sub(rate * change)

    def _follow(self, squares: Any, keep: Any, variable: Any) -> Any:
        """The mean square of each element, after it has followed that of this step."""
        spread = self._slot(self._v, variable)
        if len(variable.shape) < 2:
            spread.assign(keep * spread + (1 - keep) * squares)
            return spread
        rows, columns = self._slot(self._r, variable), self._slot(self._c, variable)
        rows.assign(keep * rows + (1 - keep) * tf.reduce_mean(squares, axis=-1))
        columns.assign(keep * columns + (1 - keep) * tf.reduce_mean(squares, axis=-2))
        part = rows / tf.reduce_mean(rows, axis=-1, keepdims=True)
        spread.assign(part[..., None] * columns[..., None, :])
        return spread


def _rms(x: Any) -> Any:
    return tf.sqrt(tf.reduce_mean(tf.square(x)))
