"""`tf.keras.optimizers.legacy.RMSprop`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import CountedOnlySince, check_momentum, follow, or_default


class RMSprop(CountedOnlySince):
    """Steps scaled by a running mean of the squared gradient.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.RMSprop(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        self._momentum = check_momentum(momentum)
        super().__init__(learning_rate, name, kwargs, rho=rho, momentum=momentum)
        self.epsilon = or_default(epsilon)
        self.centered = centered

    def _create_slots(self, var_list: Any) -> None:
        wanted = {"rms": True, "momentum": self._momentum, "mg": self.centered}
        for name in (name for name, is_wanted in wanted.items() if is_wanted):
            for variable in var_list:
                self.add_slot(variable, name)

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        held = dict(zip(self.get_slot_names(), slots, strict=True))
        drop = 1 - numbers["rho"]
        held["rms"] = held["rms"] + (tf.square(gradient) - held["rms"]) * drop
        spread = held["rms"]
        if self.centered:
            held["mg"] = held["mg"] + (gradient - held["mg"]) * drop
            spread = spread - tf.square(held["mg"])
        change = numbers["lr_t"] * gradient
        if not self._momentum:
            return variable - change / (tf.sqrt(spread) + self.epsilon), *held.values()
        change = change * tf.math.rsqrt(spread + self.epsilon)  # with momentum it is inside
        held["momentum"] = held["momentum"] * numbers["momentum"] + change
        return variable - held["momentum"], *held.values()

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> None:
        if self._momentum:
            super()._resource_apply_sparse(grad, var, indices, apply_state)
            return
        numbers = self._numbers(var, apply_state)
        rho = numbers["rho"]
        rms = self.get_slot(var, "rms")
        spread = follow(rms, rho, tf.square(grad) * (1 - rho), indices)
        if self.centered:
            mean = follow(self.get_slot(var, "mg"), rho, grad * (1 - rho), indices)
            spread = spread - tf.square(mean)
        change = numbers["lr_t"] * grad / (tf.sqrt(spread) + self.epsilon)
        var.scatter_update(tf.IndexedSlices(tf.gather(var, indices) - change, indices))
