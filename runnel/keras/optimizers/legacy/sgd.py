"""`tf.keras.optimizers.legacy.SGD`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers.legacy.rule import LegacyRule, check_momentum


class SGD(LegacyRule):
    """Steps against the gradient, with momentum if asked for.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.optimizers.legacy.SGD(0.1).minimize(lambda: v * v, [v]).numpy()
    np.int64(1)
    >>> bool(v < 1.0)
    True
    """

    _settings = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        self._momentum = check_momentum(momentum)
        super().__init__(learning_rate, name, kwargs, momentum=momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list: Any) -> None:
        if self._momentum:
            for variable in var_list:
                self.add_slot(variable, "momentum")

    def _step(
        self, numbers: dict[str, Any], gradient: Any, variable: Any, *slots: Any
    ) -> tuple[Any, ...]:
        change = gradient * numbers["lr_t"]
        if not slots:
            return (variable - change,)
        momentum = slots[0] * numbers["momentum"] - change
        if self.nesterov:
            return variable + momentum * numbers["momentum"] - change, momentum
        return variable + momentum, momentum

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, var: Any, indices: Any, **kwargs: Any
    ) -> Any:
        if self._momentum:
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        numbers = self._numbers(var, kwargs.get("apply_state"))
        return var.scatter_sub(tf.IndexedSlices(grad * numbers["lr_t"], indices))
